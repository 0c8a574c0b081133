"""Rules of ``persistence`` about transactions: one that went from around several writes, a statement that left it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    Unsettled,
    ask,
    blocked,
    code,
    draft,
    every,
    found,
    listed,
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.callers import worst_first
from review_agent.kinds.failures import of_callee
from review_agent.kinds.functions import called, function_of
from review_agent.kinds.holds import callers_of
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.storing import callee_of, in_memory, is_write, sql_writes, strength, writing_calls
from review_agent.kinds.wording import snippet
from review_agent.syntax.holding import hold_kind
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
    QueryKind,
    Question,
    Severity,
    SourceRef,
    UseFact,
)

__all__ = ["BEGIN_TEXT", "RULES", "runs_transaction", "transactional"]

_TRANSACTIONAL = re.compile(r"atomic|transaction", re.IGNORECASE)
_TRANSACTIONAL_WORDS = re.compile(r"atomic|transaction|begin|savepoint|uow|unit_of_work", re.IGNORECASE)
_BEGIN_NAMES = r"^(?:\$?transaction|begin\w*|start_?transaction|with_?transaction|run_?in_?transaction|atomic)$"
_BEGINS = re.compile(_BEGIN_NAMES, re.IGNORECASE)
BEGIN_TEXT = re.compile(r"[\"'`]\s*(?:BEGIN|START TRANSACTION|SAVEPOINT)\b", re.IGNORECASE)
_EACH_REQUEST = re.compile(r"ATOMIC_REQUESTS\W+True")
_RUNS = frozenset({"exec", "execcontext", "execute", "executeupdate", "query", "run", "connect", "release", "update"})
_RUNNERS = re.compile(r"transact|atomic|unit_?of_?work|(?:with|in)_?tx\b", re.IGNORECASE)
# Helpers that are followed to see what they write.
_MOST = 4
_LOCAL = re.compile(
    r"^(?:.*\.)?(?:len|str|int|print|range|append|format|join|get|items|keys|values|info|debug|warning)$"
)


def transactional(decorators: Sequence[str], held: Sequence[str]) -> str:
    """The transaction around a place; "" for none."""
    around = [one for one in decorators if _TRANSACTIONAL.search(one)]
    return next(iter([*around, *(one for one in held if hold_kind(one) == "transaction")]), "")


def runs_transaction(callee: str) -> bool:
    """Whether a call begins a transaction or runs what it is given in one, by its name."""
    if re.search(r"rollback|commit", callee, re.IGNORECASE):
        return False
    return _BEGINS.match(callee.rpartition(".")[2]) is not None or _RUNNERS.search(callee) is not None


def _begins(edit: Edit) -> bool:
    if edit.op is EditOp.HELD_REMOVED:
        return text(edit, "hold") == "transaction" and _TRANSACTIONAL_WORDS.search(edit.subject) is not None
    if edit.op is EditOp.DECORATOR_REMOVED:
        return _TRANSACTIONAL.search(edit.subject) is not None
    begins = _BEGINS.match(text(edit, "name")) is not None or BEGIN_TEXT.search(" ".join(texts(edit, "arguments")))
    return bool(begins) and not (edit.op is EditOp.CALL_REPLACED and _BEGINS.match(text(edit, "newName")))


def _inside(edit: Edit) -> tuple[str, ...]:
    """Callees that stood in the transaction, as far as the edit tells."""
    if edit.op in (EditOp.CALL_REMOVED, EditOp.CALL_REPLACED):
        return tuple(dict.fromkeys(callee_of(one) for one in (*texts(edit, "callsBefore"), *texts(edit, "callsAfter"))))
    return texts(edit, "calls")


def _followed(edit: Edit) -> tuple[str, ...]:
    """Callees that write by a definition of the repository's own."""
    wanted = [one for one in _inside(edit) if not _LOCAL.match(one) and not _BEGINS.match(one.rpartition(".")[2])]
    wanted = [one for one in wanted if one.rpartition(".")[2].lower() not in _RUNS]
    writes_first = sorted(wanted, key=lambda one: not is_write(f"{one}()"))
    return tuple(writes_first[:_MOST])


def _raise_removed(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    calls = edit.op in (EditOp.CALL_REMOVED, EditOp.CALL_REPLACED)
    told = calls and any(
        one.op is EditOp.HELD_REMOVED and text(one, "hold") == "transaction" and one.scope == edit.scope
        for one in edits
    )
    if in_test(edit.path) or not _begins(edit) or told or not edit.scope or _moved_out(edit, edits):
        return None
    scope, name = called(function_of(edit))
    owner = function_of(edit).rpartition(".")[0]
    plan = [
        ask(QueryKind.DEFINITION, name, path=edit.path, scope=scope),
        ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
        *(ask(QueryKind.DEFINITION, one, path=edit.path, scope=function_of(edit)) for one in _followed(edit)),
    ]
    if owner:
        plan.append(ask(QueryKind.DEFINITION, owner.rpartition(".")[2], path=edit.path))
    if edit.language == "python":
        plan.append(ask(QueryKind.TEXT, "ATOMIC_REQUESTS"))
    return seed(
        edit,
        "transaction_removed",
        change=f"{code(function_of(edit))} no longer runs in the transaction {code(edit.subject)}",
        precondition="it stores more than one thing, and a later step can fail",
        consequence="what was stored before the failure stays: the data is half changed",
        refuted_if=(
            f"every caller of {code(name)} has a transaction open",
            "it stores one thing only",
            "another transaction stands around it",
        ),
        plan=plan[:8],
    )


def _moved_out(edit: Edit, edits: Sequence[Edit]) -> bool:
    """Whether a function that the change makes in the same file begins the same transaction now."""
    come = {one.scope for one in edits if one.op is EditOp.SYMBOL_ADDED and one.path == edit.path}
    return any(
        one.op in (EditOp.CALL_ADDED, EditOp.HELD_ADDED) and one.subject == edit.subject and one.scope in come
        for one in edits
        if one.path == edit.path and one.scope != edit.scope
    )


@dataclass(frozen=True)
class Write:
    """One step that stores, and the definition by which it does."""

    callee: str
    inner: str
    definition: Found[DefinitionFact] | None


def _settle_removed(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    around = _still_around(edit, bundle)
    if around is not None:
        return around
    calls = callers_of(bundle, edit)
    covered = [one for one in calls if transactional(one.fact.decorators, one.fact.held)]
    if calls and len(covered) == len(calls):
        first = covered[0]
        held = transactional(first.fact.decorators, first.fact.held)
        detail = f"every resolved caller of {code(function_of(edit))} has one open: {code(held)} at {place(first.ref)}"
        return unsettled(NoFindingCode.REFUTED, detail, refs=[one.ref for one in covered])
    writes = _writes(question, bundle)
    if len(writes) < 2:
        stopped = blocked(bundle, QueryKind.DEFINITION)
        said = f"{code(function_of(edit))} is seen to store {'one thing only' if writes else 'nothing'}"
        return stopped or unsettled(NoFindingCode.NO_CANDIDATE, f"{said}; searched: {searched(bundle)}")
    refs = [one.definition.ref for one in writes if one.definition and not one.definition.evidence.near_change][:2]
    open_calls = [one for one in calls if one not in covered and not one.evidence.near_change]
    callers = worst_first(question, open_calls)[:1]
    if not refs and not callers:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"whether a caller of {code(function_of(edit))} has a transaction open is not established",
            missing=(f"a caller of {code(function_of(edit))} (searched: {searched(bundle, QueryKind.CALLERS)})",),
        )
    return (_removed_card(question, writes, refs, callers),)


def _still_around(edit: Edit, bundle: Bundle) -> Unsettled | None:
    name = called(function_of(edit))[1]
    owner = function_of(edit).rpartition(".")[0].rpartition(".")[2]
    own = [
        one
        for asked in (name, owner)
        for one in found(bundle, DefinitionFact, QueryKind.DEFINITION, asked)
        if asked and one.ref.path == edit.path and one.fact.qualname in (function_of(edit), owner)
    ]
    for one in own:
        held = transactional(one.fact.decorators, one.fact.takes if one.fact.symbol != "class" else ())
        begun = next((callee for callee in one.fact.calls if runs_transaction(callee)), "")
        if one.fact.symbol == "class":
            begun = ""
        if held or begun:
            return unsettled(
                NoFindingCode.REFUTED, f"{code(held or begun)} still stands around {code(name)}", refs=[one.ref]
            )
    told = [one for one in every(bundle, UseFact, QueryKind.TEXT) if _EACH_REQUEST.search(one.evidence.text)]
    if told:
        refs = [told[0].ref]
        return unsettled(NoFindingCode.REFUTED, f"{place(refs[0])} runs each request in a transaction", refs=refs)
    return None


def _writes(question: Question, bundle: Bundle) -> list[Write]:
    """The steps of the function at head that store, in order."""
    edit = question.edits[0]
    name = called(function_of(edit))[1]
    own = [
        one
        for one in found(bundle, DefinitionFact, QueryKind.DEFINITION, name)
        if one.fact.qualname == function_of(edit)
    ]
    living = own[0].fact.calls if own else ()
    if edit.op in (EditOp.CALL_REMOVED, EditOp.CALL_REPLACED):
        written = writing_calls((*texts(edit, "callsBefore"), *texts(edit, "callsAfter")))
        direct = [callee_of(one) for one in written]
    else:
        direct = [callee_of(one) for one in writing_calls(f"{one}()" for one in _inside(edit))]
    found_writes: list[Write] = []
    for callee in _inside(edit):
        definition = of_callee(bundle, callee) if callee in _followed(edit) else None
        inner = _inner(definition) if definition is not None else ()
        found_writes += [Write(callee, one, definition) for one in inner]
        if definition is None and callee in direct:
            found_writes += [Write(callee, "", None)] * max(1, direct.count(callee))
    renamed = edit.op is EditOp.CALL_REPLACED or edit.op is EditOp.CALL_REMOVED
    return [one for one in found_writes if renamed or not living or one.callee in living]


def _inner(definition: Found[DefinitionFact]) -> tuple[str, ...]:
    """The calls by which a helper stores, at most two; none where it begins its own transaction."""
    calls = definition.fact.calls
    around = [*definition.fact.takes, *definition.fact.decorators]
    if any(runs_transaction(one) for one in calls) or transactional(definition.fact.decorators, around):
        return ()
    stored = sum(sql_writes(one) for one in definition.fact.sqls)
    runs = next((one for one in calls if one.rpartition(".")[2].lower() in _RUNS), "")
    if runs and stored:
        return (runs,) * min(stored, 2)
    writing = [one for one in dict.fromkeys(calls) if writing_calls([f"{one}()"]) and not in_memory(one)]
    return tuple(writing[:2]) or tuple(one for one in calls if strength(one) >= 2)[:1]


def _named(edit: Edit) -> str:
    """The transaction as a claim names it: a statement BEGIN is no more than its text."""
    stated = BEGIN_TEXT.search(" ".join(texts(edit, "arguments")))
    return snippet(edit.before or edit.subject) if stated else code(edit.subject)


def _removed_card(
    question: Question, writes: Sequence[Write], refs: Sequence[SourceRef], callers: Sequence[Found[CallFact]]
) -> Draft:
    edit = question.edits[0]
    function = function_of(edit)
    parts = []
    for one in writes:
        if one.definition is not None and one.definition.ref in refs:
            parts.append(f"{code(one.callee)} runs {code(one.inner)} ({place(one.definition.ref)})")
    for call in callers:
        within = f" in {code(call.fact.scope)}" if call.fact.scope else ""
        parts.append(f"the caller at {place(call.ref)}{within} has no transaction open")
    names = list(dict.fromkeys(one.callee for one in writes))
    # One helper that stores more than once is told by what it stores by.
    within_one = len(names) == 1 and bool(writes[0].inner)
    steps = (
        listed(dict.fromkeys(one.inner for one in writes)) + f" in {code(names[0])}" if within_one else listed(names)
    )
    return draft(
        question,
        claim=f"Removing {_named(edit)} makes the writes of {code(function)} by {steps} separate: "
        f"{', and '.join(dict.fromkeys(parts))}.",
        op=EffectOp.REMOVED,
        subject=edit.subject,
        severity=Severity.IMPORTANT,
        support=[*refs, *(one.ref for one in callers)],
        impact="A later step fails, or the process ends between two of them: the first one's rows stay, and nothing "
        "takes them back.",
        counter=("A transaction of the callers, of the class or of each request would refute this; none is seen.",),
    )


RULES = (
    Rule(
        "transaction_removed",
        frozenset({EditOp.HELD_REMOVED, EditOp.DECORATOR_REMOVED, EditOp.CALL_REMOVED, EditOp.CALL_REPLACED}),
        _raise_removed,
        _settle_removed,
    ),
)
