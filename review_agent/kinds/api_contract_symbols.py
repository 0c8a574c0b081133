"""Rules of ``api_contract`` about names: one was removed or renamed, and something still refers to it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    Unsettled,
    ask,
    code,
    draft,
    every,
    place,
    seed,
    text,
    unsettled,
)
from review_agent.kinds.callers import Verdict, first_of, listed_refs, sort_out, without_card, worst_first
from review_agent.kinds.functions import split
from review_agent.kinds.languages import compiled, silent
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.still_defined import still_there
from review_agent.kinds.wording import inside_block
from review_agent.syntax.languages import family_of
from review_agent.vocabulary import (
    Bundle,
    CallFact,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    NoFindingCode,
    QueryKind,
    Question,
    Severity,
    Side,
    UseFact,
)

__all__ = ["RULES"]

Occurrence = CallFact | UseFact

_KINDS = frozenset({"function", "method", "class", "interface", "struct", "type", "constant", "variable"})
_REFERS = frozenset({"read", "call", "attribute", "subscript", "dereference", "import", "catch"})
_CATCHES = frozenset(
    {"ImportError", "ModuleNotFoundError", "NameError", "AttributeError", "Exception", "BaseException"}
)


def _raise(edit: Edit, rule: str, change: str) -> Seed | None:
    if text(edit, "symbolKind") not in _KINDS or _is_local(edit):
        return None
    scope, name = _home(edit)
    plan = [
        ask(QueryKind.DEFINITION, name, path=edit.path, scope=scope),
        ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
    ]
    if scope:
        plan.insert(1, ask(QueryKind.DEFINITION, split(scope)[1], path=edit.path, scope=split(scope)[0]))
    elif family_of(edit.path) == "javascript":
        plan.append(ask(QueryKind.TEXT, name, path=edit.path))
    return seed(
        edit,
        rule,
        change=change,
        precondition=f"something outside the change still refers to {code(name)}",
        consequence=f"that reference finds nothing and {_fails(edit)}",
        refuted_if=(
            f"{code(name)} is still defined, inherited, re-exported or kept under its old name",
            "every resolved reference was updated or stands behind a handler for a missing name",
        ),
        plan=plan,
    )


def _raise_removed(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    return _raise(
        edit, "symbol_removed_still_referenced", f"{code(edit.subject)} is no longer defined in {code(edit.path)}"
    )


def _raise_renamed(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    new = text(edit, "newName")
    return _raise(edit, "symbol_renamed_still_referenced", f"{code(edit.subject)} is now called {code(new)}")


def _home(edit: Edit) -> tuple[str, str]:
    scope, name = split(text(edit, "qualname") or edit.subject)
    return scope, name


def _is_local(edit: Edit) -> bool:
    """A name inside a function: only its own function can refer to it."""
    return "." in text(edit, "qualname") and text(edit, "symbolKind") != "method"


def _fails(edit: Edit) -> str:
    return "does not compile" if compiled(edit) else "raises an error"


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    name = edit.subject
    kept = still_there(question, bundle, name, _home(edit)[0])
    if kept is not None:
        return kept
    judge = _judge_compiled if compiled(edit) else _judge
    seen = sort_out(question, bundle, _occurrences(bundle), judge)
    breaking = [one for one in seen.breaking if not _is_allowed_to_fail(one, _rebinding(bundle))]
    fatal = [one for one in breaking if not _is_required(one)]
    if fatal:
        return (_card(question, _imports_first(question, fatal)),)
    if breaking:
        return _only_taken(name, breaking)
    if seen.breaking:
        return _allowed(name, seen.breaking)
    return without_card(
        bundle,
        seen,
        name=name,
        fits="stands behind a handler for a missing name",
        unclear="whether a handler or a test keeps that reference from failing is not known",
    )


def _occurrences(bundle: Bundle) -> list[Found[Occurrence]]:
    calls: list[Found[Occurrence]] = [one for one in every(bundle, CallFact) if one.ref.side is Side.NEW]
    uses = [one for one in every(bundle, UseFact) if one.ref.side is Side.NEW and one.fact.use in _REFERS]
    seen = {(one.ref.path, one.ref.start_line) for one in calls}
    return calls + [one for one in uses if (one.ref.path, one.ref.start_line) not in seen]


def _judge(fact: Occurrence) -> Verdict:
    if isinstance(fact, CallFact):
        return Verdict.FITS if _CATCHES & set(fact.caught) else Verdict.BREAKS
    return Verdict.UNCLEAR if fact.guarded_by else Verdict.BREAKS


def _judge_compiled(fact: Occurrence) -> Verdict:
    """No handler and no test keeps a missing name from being looked for when the program is built."""
    return Verdict.BREAKS


def _rebinding(bundle: Bundle) -> set[str]:
    """Files that give the name another value too, as the handler around an import that may fail does."""
    return {one.ref.path for one in every(bundle, UseFact) if one.ref.side is Side.NEW and one.fact.use == "write"}


def _is_allowed_to_fail(one: Found[Occurrence], rebinding: set[str]) -> bool:
    """Whether an import stands where it can be forgone: in a block of its own, or beside another binding."""
    return _is_import(one.fact) and (one.ref.path in rebinding or inside_block(one.evidence.text, one.fact.scope))


def _allowed(name: str, imports: Sequence[Found[Occurrence]]) -> Unsettled:
    first = imports[0]
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"{place(first.ref)} imports {code(name)} inside a block, or beside another binding of that name",
        missing=(f"whether the import at {place(first.ref)} is carried out, and what answers where it fails",),
        refs=[one.ref for one in imports],
    )


def _is_required(one: Found[Occurrence]) -> bool:
    """Whether a JavaScript file takes the name by ``require``: what is missing there is undefined, and no error yet."""
    return _is_import(one.fact) and re.search(r"\brequire\(", one.evidence.text) is not None


def _only_taken(name: str, imports: Sequence[Found[Occurrence]]) -> Unsettled:
    first = imports[0]
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"{place(first.ref)} takes {code(name)} from the module, which is no error; no use of it there was resolved",
        missing=(f"what is done with {code(name)} in {code(first.ref.path)}",),
        refs=[one.ref for one in imports],
    )


def _imports_first(question: Question, breaking: Sequence[Found[Occurrence]]) -> list[Found[Occurrence]]:
    """An import fails before anything that its file does with the name, which then need not be listed."""
    failing = {one.ref.path for one in breaking if _is_import(one.fact) and not one.fact.scope}
    kept = [one for one in breaking if _is_import(one.fact) or one.ref.path not in failing]
    return sorted(worst_first(question, kept), key=lambda one: not _is_import(one.fact))


def _is_import(fact: Occurrence) -> bool:
    return isinstance(fact, UseFact) and fact.use == "import"


def _card(question: Question, breaking: Sequence[Found[Occurrence]]) -> Draft:
    edit, first = question.edits[0], breaking[0]
    refs = listed_refs(breaking)
    renamed = edit.op is EditOp.SYMBOL_RENAMED
    new = text(edit, "newName")
    act = f"Renaming {code(edit.subject)} to {code(new)} in" if renamed else f"Removing {code(edit.subject)} from"
    return draft(
        question,
        claim=f"{act} {code(edit.old_path)} breaks {place(first.ref)}{first_of(refs, 'resolved reference')}: "
        f"{_breaks(edit, first)}.",
        op=EffectOp.RENAMED if renamed else EffectOp.REMOVED,
        subject=edit.subject,
        to=new if renamed else None,
        severity=Severity.BLOCKING,
        support=refs,
        impact=_impact(edit, first.fact),
        counter=(
            f"A definition, base class or re-export that still supplies {code(edit.subject)} would refute this; "
            "the search at head found none.",
            *_handled(edit, place(first.ref)),
        ),
    )


def _handled(edit: Edit, where: str) -> tuple[str, ...]:
    if compiled(edit):
        return ()
    return (f"A handler for a missing name would refute this; none stands around {where}.",)


def _breaks(edit: Edit, one: Found[Occurrence]) -> str:
    fact = one.fact
    if compiled(edit):
        act = "imports" if _is_import(fact) else _refers(fact)
        return f"it still {act} that name, and the {'package' if edit.language == 'go' else 'file'} does not compile"
    if silent(edit):
        return _undefined(one)
    if _is_import(fact):
        return "it still imports that name, and the import raises `ImportError`"
    return f"it still {_refers(fact)} that name, which is not found any more and raises an error"


def _undefined(one: Found[Occurrence]) -> str:
    """What a JavaScript reference to nothing does: a name of a module's object is merely undefined."""
    if _is_import(one.fact):
        return "it still imports that name, and the module cannot be linked"
    if isinstance(one.fact, CallFact):
        return "it still calls that name, which is not found any more, and raises `TypeError`"
    fails = "is `undefined` now" if "." in one.fact.text else "is not found any more and raises an error"
    return f"it still reads that name, which {fails}"


def _refers(fact: Occurrence) -> str:
    return "calls" if isinstance(fact, CallFact) or fact.use == "call" else "reads"


def _impact(edit: Edit, fact: Occurrence) -> str:
    if compiled(edit):
        return f"The {'package' if edit.language == 'go' else 'module'} that holds the reference is built."
    if _is_import(fact) and not fact.scope:
        return "The module with this import is loaded, before any of its code can run."
    if _is_import(fact):
        return f"{code(fact.scope)} is entered; loading the file alone does not show it."
    return "Control reaches the reference; loading the module alone does not show it."


RULES = (
    Rule("symbol_removed_still_referenced", frozenset({EditOp.SYMBOL_REMOVED}), _raise_removed, _settle),
    Rule("symbol_renamed_still_referenced", frozenset({EditOp.SYMBOL_RENAMED}), _raise_renamed, _settle),
)
