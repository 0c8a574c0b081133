"""Rules of ``persistence`` about the order of steps: what is there goes before what replaces it, or in place of it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    ask,
    code,
    draft,
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.callers import worst_first
from review_agent.kinds.failures import of_callee, raised_by, returns_error
from review_agent.kinds.functions import called, function_of, own_definitions
from review_agent.kinds.holds import callers_of, uses_of
from review_agent.kinds.persistence_transaction import transactional
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.storing import callee_of, commits, is_write
from review_agent.kinds.wording import number, snippet
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import (
    Bundle,
    CallFact,
    DefinitionFact,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    NoFindingCode,
    PlanQuery,
    QueryKind,
    Question,
    Severity,
    SourceRef,
)

__all__ = ["RULES"]

_DESTROYS = re.compile(
    r"^(?:remove|unlink|rmtree|rm|rmdir|delete\w*|truncate\w*|drop\w*|clear\w*|flush_?(?:db|all)|purge\w*|wipe\w*|erase\w*|"
    r"Remove(?:All)?|Truncate|unlinkSync|rmSync|deleteIfExists|del)$",
    re.IGNORECASE,
)
_SQL_DESTROYS = re.compile(r"[\"'`]\s*(?:DELETE|TRUNCATE|DROP)\b", re.IGNORECASE)
_RENAMES = re.compile(r"^(?:replace|rename|Rename|renameSync|move|moveFile|atomicMove|renameTo)$")
_OPENS = re.compile(r"^(?:open|OpenFile|Create|createWriteStream|write\w*|Write\w*|dump|newBufferedWriter|fopen)$")
_MAKES = re.compile(
    r"^(?:re)?(?:build|create|make|write|save|insert|copy|move|rename|replace|upload|put|store|dump|export|import|load|fetch|"
    r"download|restore|generate|render|publish|add|append|persist)",
    re.IGNORECASE,
)
_NO_NAMES = frozenset({"self", "this", "ctx", "None", "null", "true", "false"})
_LOCAL = re.compile(r"^(?:.*\.)?(?:log|info|debug|warning|print|append|len)$")


def _destroys(edit: Edit) -> bool:
    arguments = " ".join(texts(edit, "arguments"))
    return _DESTROYS.match(text(edit, "name")) is not None or _SQL_DESTROYS.search(arguments) is not None


def _replacements(edit: Edit) -> tuple[str, ...]:
    """What is made after the destruction, as callees."""
    if edit.op is EditOp.CALL_MOVED:
        later = texts(edit, "nowBefore")
    else:
        shared = set(_roots(texts(edit, "arguments")))
        after = [one for one in texts(edit, "callsAfter") if is_write(one) or _makes(callee_of(one))]
        later = tuple(callee_of(one) for one in after if shared & set(_roots([one.partition("(")[2]])))
    made = [one for one in later if not _LOCAL.match(one) and not _DESTROYS.match(one.rpartition(".")[2])]
    made = [one for one in made if is_write(f"{one}()") or _makes(one)]
    return tuple(dict.fromkeys(made))[:3]


def _makes(callee: str) -> bool:
    return _MAKES.match(callee.rpartition(".")[2]) is not None


def _roots(arguments: Sequence[str]) -> list[str]:
    """Names of paths, tables and records that arguments mention."""
    names = [one for text_ in arguments for one in re.findall(r"[A-Za-z_][\w.]*", text_)]
    return [
        one for one in names if len(one) > 2 and one not in ("self", "this", "ctx", "None", "null", "true", "false")
    ]


def _raise_first(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    made = _replacements(edit)
    if in_test(edit.path) or not _destroys(edit) or not made or not function_of(edit):
        return None
    scope, name = called(function_of(edit))
    return seed(
        edit,
        "destroyed_before_replaced",
        change=f"{code(edit.subject)} in {code(function_of(edit))} now runs before {code(made[0])}",
        precondition=f"{code(made[0])} can fail after what it replaces is gone",
        consequence="neither the old nor the new is there",
        refuted_if=("a transaction around takes both back", "what is destroyed is something else"),
        plan=(
            *(ask(QueryKind.DEFINITION, one, path=edit.path, scope=edit.scope) for one in made),
            ask(QueryKind.DEFINITION, name, path=edit.path, scope=scope),
            ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
            *_reads_of(edit, texts(edit, "arguments")),
        ),
    )


def _reads_of(edit: Edit, arguments: Sequence[str]) -> tuple[PlanQuery, ...]:
    """Who else uses the first member or module value among the arguments."""
    owner = function_of(edit).rpartition(".")[0]
    for root in _roots(arguments):
        first, _, rest = root.partition(".")
        if rest and owner and (first in ("self", "this") or edit.language == "go"):
            return (ask(QueryKind.LIFETIME, rest.partition(".")[0], path=edit.path, scope=owner),)
        if not rest and root.isupper():
            return (ask(QueryKind.USES_INSIDE, root, path=edit.path),)
    return ()


def _settle_first(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    made = _replacements(edit)
    safe = _taken_back(edit, bundle)
    if safe:
        return unsettled(NoFindingCode.REFUTED, f"{code(safe)} takes both steps back together")
    failing = [one for callee in made if (one := _fails(bundle, callee)) is not None]
    readers = _readers(question, bundle)
    if failing:
        callee, how, definition = failing[0]
        said = f"{place(definition.ref)} can end in {code(how)} first"
        return (_first_card(question, callee, said, definition.ref),)
    if readers and not any(of_callee(bundle, one) for one in made):
        ref, scope = readers[0]
        said = f"{code(scope)} at {place(ref)} reads it meanwhile"
        return (_first_card(question, made[0], said, ref),)
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"that {code(made[0])} can fail is not established",
        missing=(f"definition of {code(made[0])} (searched: {searched(bundle)})",),
    )


def _taken_back(edit: Edit, bundle: Bundle) -> str:
    """The transaction that both steps stand in; "" for none. Files know no transaction."""
    own = own_definitions(bundle, edit)
    files = re.match(r"(?:os|shutil|fs|Files|path)\.", edit.subject, re.IGNORECASE)
    if files:
        return ""
    held = transactional((), texts(edit, "held"))
    around = next((found_ for one in own if (found_ := transactional(one.decorators, one.takes))), "")
    ends = next((found_ for one in own if (found_ := commits(one.calls, 3))), "")
    callers = callers_of(bundle, edit)
    outer = [transactional(one.fact.decorators, one.fact.held) for one in callers]
    return held or around or ends or (outer[0] if outer and all(outer) else "")


def _fails(bundle: Bundle, callee: str) -> tuple[str, str, Found[DefinitionFact]] | None:
    definition = of_callee(bundle, callee)
    if definition is None or definition.evidence.near_change:
        return None
    raised = next(iter(raised_by(definition.fact)), "")
    how = raised or ("error" if returns_error(definition.fact) else "")
    return (callee, how, definition) if how else None


def _readers(question: Question, bundle: Bundle) -> list[tuple[SourceRef, str]]:
    """Other functions that use what is destroyed."""
    edit = question.edits[0]
    asked = [one.query.name for one in bundle.queries if one.query.kind in (QueryKind.LIFETIME, QueryKind.USES_INSIDE)]
    uses = [use for name in asked for use in uses_of(bundle, name)]
    others = [one for one in uses if one.fact.scope != edit.scope and not one.evidence.near_change]
    return [(one.ref, one.fact.scope) for one in others if one.fact.use in ("read", "call", "attribute")]


def _first_card(question: Question, callee: str, said: str, ref: SourceRef) -> Draft:
    edit = question.edits[0]
    moved = edit.op is EditOp.CALL_MOVED
    return draft(
        question,
        claim=f"{'Moving' if moved else 'Adding'} {snippet(edit.after or edit.subject)} in front of {code(callee)} in "
        f"{code(function_of(edit))} destroys what is there before its replacement exists: {said}.",
        op=EffectOp.REORDERED if moved else EffectOp.ADDED,
        subject=edit.subject,
        severity=Severity.IMPORTANT,
        support=[ref],
        impact="The second step fails or the process stops between the two: the old data is gone, and nothing instead.",
        counter=("A transaction around both, or a copy that is kept, would refute this; none is seen.",),
    )


def _raise_inplace(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    kept = (number(edit, "remaining") or 0) > 0 or bool(texts(edit, "elsewhere"))
    renamed = edit.op is EditOp.CALL_REPLACED and _RENAMES.match(text(edit, "newName"))
    wrote = [one for one in texts(edit, "callsBefore") if _OPENS.match(callee_of(one).rpartition(".")[2])]
    shaped = _RENAMES.match(text(edit, "name")) is not None and len(texts(edit, "arguments")) >= 2
    strings = edit.subject.endswith(".replace") and not re.match(r"(?:os|fs|Files|shutil)\.", edit.subject)
    if in_test(edit.path) or kept or renamed or not shaped or not wrote or strings or not function_of(edit):
        return None
    scope, name = called(function_of(edit))
    return seed(
        edit,
        "written_in_place",
        change=f"{code(function_of(edit))} no longer puts the finished file in place by {code(edit.subject)}",
        precondition="the file is written where others read it",
        consequence="a reader, or a restart after a crash, finds half of it",
        refuted_if=("another rename puts it in place", "nobody reads the file"),
        plan=(
            ask(QueryKind.DEFINITION, name, path=edit.path, scope=scope),
            ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
            *_reads_of(edit, texts(edit, "arguments")[1:2]),
        ),
    )


def _settle_inplace(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    name = called(function_of(edit))[1]
    own = own_definitions(bundle, edit)
    again = next((one for fact in own for one in fact.calls if _RENAMES.match(one.rpartition(".")[2])), "")
    writes = [one for fact in own for one in fact.calls if _OPENS.match(one.rpartition(".")[2])]
    if again or not writes:
        said = f"{code(name)} still calls {code(again)}" if again else f"{code(name)} writes no file any more"
        return unsettled(NoFindingCode.REFUTED if again else NoFindingCode.NO_CANDIDATE, said)
    readers = _readers(question, bundle)
    if readers:
        ref, scope = readers[0]
        return (_inplace_card(question, f"{code(scope)} at {place(ref)} reads the same file", ref),)
    calls = [one for one in worst_first(question, callers_of(bundle, edit)) if not one.evidence.near_change]
    if calls:
        first: Found[CallFact] = calls[0]
        within = code(first.fact.scope) if first.fact.scope else "the module"
        return (_inplace_card(question, f"{within} has it written at {place(first.ref)}", first.ref),)
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"who reads what {code(name)} writes is not established",
        missing=(f"a reader of the file (searched: {searched(bundle)})",),
    )


def _inplace_card(question: Question, said: str, ref: SourceRef) -> Draft:
    edit = question.edits[0]
    target = (texts(edit, "arguments") or ("",))[1]
    return draft(
        question,
        claim=f"Removing {code(edit.subject)} makes {code(function_of(edit))} write {snippet(target)} in place: "
        f"{said}.",
        op=EffectOp.REMOVED,
        subject=edit.subject,
        severity=Severity.IMPORTANT,
        support=[ref],
        impact="The process stops or the disk is full amid the write: old contents are gone and new ones cut off.",
        counter=("Another rename that puts a finished file in place would refute this; none is seen.",),
    )


RULES = (
    Rule("destroyed_before_replaced", frozenset({EditOp.CALL_MOVED, EditOp.CALL_ADDED}), _raise_first, _settle_first),
    Rule("written_in_place", frozenset({EditOp.CALL_REMOVED, EditOp.CALL_REPLACED}), _raise_inplace, _settle_inplace),
)
