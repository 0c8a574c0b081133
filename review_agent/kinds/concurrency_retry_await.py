"""A rule of ``concurrency_retry``: an asynchronous call that nobody waits for any more."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.awaiting import JOINS, TAKES_OVER, waited_for, work_in
from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    ask,
    code,
    draft,
    found,
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
from review_agent.kinds.wording import flag
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
)

__all__ = ["RULES"]

_PROMISE = re.compile(r"Promise|Awaitable|Coroutine|Future|Task\b")


def _raise_dropped(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    handed = any(
        one.op in (EditOp.CALL_ADDED, EditOp.CALL_REPLACED)
        and one.scope == edit.scope
        and TAKES_OVER.search(text(one, "newName") or text(one, "name"))
        for one in edits
    )
    sync = any(one.op is EditOp.BECAME_SYNC and function_of(one) == function_of(edit) for one in edits)
    if edit.op is EditOp.CALL_REMOVED and not _joined(edit, edits):
        return None
    passed_on = text(edit, "result") == "returned" and (edit.language != "python" or sync)
    if in_test(edit.path) or (handed and text(edit, "result") == "argument") or passed_on:
        return None
    scope, name = called(function_of(edit))
    targets = texts(edit, "targets")[:1]
    inner = [ask(QueryKind.DEFINITION, one, path=edit.path, scope=edit.scope) for one in work_in(edit)]
    like = ask(QueryKind.SIBLINGS, edit.subject, path=edit.path, scope=edit.scope)
    beside = [like] if text(edit, "receiver") else []
    return seed(
        edit,
        "await_dropped",
        change=f"{code(edit.subject)} in {code(function_of(edit))} is called without waiting for it",
        precondition=f"{code(edit.subject)} is asynchronous, and what follows needs its effect or its result",
        consequence="it never runs, or the code goes on before it has, and its failure reaches nobody",
        refuted_if=(
            f"{code(edit.subject)} is not asynchronous",
            "what it returns is awaited later, or handed to something that waits",
        ),
        plan=(
            ask(QueryKind.DEFINITION, edit.subject, path=edit.path, scope=edit.scope),
            *beside,
            *inner,
            *(ask(QueryKind.USES_INSIDE, one, path=edit.path, scope=edit.scope) for one in targets),
            ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
            ask(QueryKind.DEFINITION, name, path=edit.path, scope=scope),
        ),
    )


def _joined(edit: Edit, edits: Sequence[Edit]) -> bool:
    """Whether a joining call went, while what it was given is called still and nothing else joins it."""
    again = [one for one in edits if one.scope == edit.scope and one.op in (EditOp.CALL_ADDED, EditOp.CALL_REPLACED)]
    other = any(TAKES_OVER.search(text(one, "newName") or text(one, "name")) for one in again)
    left = (EditOp.CALL_REMOVED, EditOp.CALL_REPLACED)
    gone = [one for one in edits if one.op in left and one.scope == edit.scope and one != edit]
    lost = {one.subject for one in gone} & set(work_in(edit))
    joins = JOINS.match(edit.subject) is not None and edit.subject != "asyncio.sleep"
    return joins and flag(edit, "awaited") and bool(work_in(edit)) and not lost and not other


def _settle_dropped(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    waited = waited_for(question, bundle)
    if waited is not None:
        return waited
    definition = of_callee(bundle, edit.subject)
    if definition is not None and not _is_async(definition.fact):
        known = edit.language == "python" or definition.fact.results
        code_of = NoFindingCode.REFUTED if known else NoFindingCode.INSUFFICIENT_EVIDENCE
        if known or not _beside(question, bundle):
            detail = f"{code(definition.fact.qualname)} at {place(definition.ref)} is not seen to be asynchronous"
            return unsettled(code_of, detail, missing=() if known else ("what it returns",), refs=[definition.ref])
    if definition is not None and _is_async(definition.fact) and not definition.evidence.near_change:
        said = f"{code(definition.fact.qualname)} at {place(definition.ref)} is asynchronous"
        return (_card(question, said, definition.ref),)
    beside = _beside(question, bundle)
    if beside:
        first = beside[0]
        within = f" in {code(first.fact.scope)}" if first.fact.scope else ""
        return (_card(question, f"{place(first.ref)} awaits the same call{within}", first.ref),)
    for callee in work_in(edit):
        started = of_callee(bundle, callee)
        if started is not None and _is_async(started.fact) and not started.evidence.near_change:
            said = f"{code(started.fact.qualname)} at {place(started.ref)} is what it was to wait for"
            return (_card(question, said, started.ref),)
    callers = [one for one in worst_first(question, callers_of(bundle, edit)) if not one.evidence.near_change]
    if callers and JOINS.match(edit.subject):
        first = callers[0]
        return (_card(question, f"{place(first.ref)} takes {code(function_of(edit))} for done after it", first.ref),)
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"that {code(edit.subject)} is asynchronous is not established",
        missing=(f"definition of {code(edit.subject)} (searched: {searched(bundle, QueryKind.DEFINITION)})",),
    )


def _is_async(definition: DefinitionFact) -> bool:
    return definition.is_async or any(_PROMISE.search(one) for one in definition.results)


def _beside(question: Question, bundle: Bundle) -> list[Found[CallFact]]:
    """Other awaited calls of the same callee in the file, where none is just made; none for a join that went."""
    if question.edits[0].op is EditOp.CALL_REMOVED:
        return []
    same = [one for one in found(bundle, CallFact, QueryKind.SIBLINGS) if one.fact.callee == question.edits[0].subject]
    same = [one for one in same if not one.evidence.near_change]
    bare = [one for one in same if not one.fact.awaited and one.fact.result == "ignored"]
    return [one for one in same if one.fact.awaited] if not bare else []


def _card(question: Question, said: str, ref: SourceRef) -> Draft:
    edit = question.edits[0]
    callee, function = code(edit.subject), code(function_of(edit)) if function_of(edit) else "its caller"
    return draft(
        question,
        claim=f"Removing {_what(edit)} makes {function} {_goes_on(edit)}: {said}.",
        op=EffectOp.REMOVED,
        subject=edit.subject if edit.op is EditOp.CALL_REMOVED else edit.before or edit.subject,
        severity=Severity.IMPORTANT,
        support=[ref],
        impact=_impact(edit),
        counter=(f"A {callee} that is synchronous, or an await of what it returns, would refute this; none is seen.",),
    )


def _what(edit: Edit) -> str:
    if edit.op is EditOp.CALL_REMOVED:
        return f"{code(edit.subject)} with its {code('await')}"
    return f"the {code('await')} before {code(edit.subject)}"


def _goes_on(edit: Edit) -> str:
    callee = code(edit.subject)
    python = edit.language == "python"
    joins = JOINS.match(edit.subject) is not None
    if joins and (text(edit, "result") == "ignored" or edit.op is EditOp.CALL_REMOVED):
        return f"go on before what {callee} was given is done"
    if text(edit, "result") == "ignored":
        return f"drop the coroutine of {callee}, which then never runs" if python else f"go on before {callee} is done"
    return f"take {'a coroutine' if python else 'a promise'} of {callee} for its result"


def _impact(edit: Edit) -> str:
    if text(edit, "result") != "ignored" and edit.op is not EditOp.CALL_REMOVED:
        return "These lines run once: the value is always true, has none of the expected fields and equals nothing."
    if edit.language == "python" and not JOINS.match(edit.subject):
        return "Every pass through these lines: the work is left undone, and only a warning at collection time tells."
    return (
        "The work takes longer than the next step, or fails: readers see the old state, the rejection has no handler."
    )


def _looped(edit: Edit) -> str:
    """The callee that a callback awaits where nobody awaits the callback; "" for none."""
    given = " ".join(texts(edit, "arguments"))
    plain = text(edit, "name") == "forEach" or (text(edit, "name") == "map" and text(edit, "result") == "ignored")
    awaited = re.search(r"\bawait\s+([\w.]+)\(", given)
    return awaited[1] if plain and given.startswith("async") and awaited else ""


def _raise_looped(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    callee = _looped(edit)
    if in_test(edit.path) or not callee or not function_of(edit):
        return None
    scope, name = called(function_of(edit))
    return seed(
        edit,
        "loop_not_awaited",
        change=f"{code(function_of(edit))} starts {code(callee)} for each element by {code(text(edit, 'name'))}",
        precondition=f"{code(callee)} is asynchronous, and {code(text(edit, 'name'))} waits for none of the callbacks",
        consequence="the function returns before any of them is done, and their failures reach nobody",
        refuted_if=(f"{code(callee)} is not asynchronous", "nobody relies on their being done"),
        plan=(
            ask(QueryKind.DEFINITION, callee, path=edit.path, scope=edit.scope),
            ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
        ),
    )


def _settle_looped(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    callee = _looped(edit)
    definition = of_callee(bundle, callee)
    if definition is None or not _is_async(definition.fact) or definition.evidence.near_change:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"that {code(callee)} is asynchronous is not established",
            missing=(f"definition of {code(callee)} (searched: {searched(bundle, QueryKind.DEFINITION)})",),
        )
    function = code(function_of(edit))
    return (
        draft(
            question,
            claim=f"Adding {code(edit.subject)} with an asynchronous callback lets {function} return before any "
            f"{code(callee)} is done: {place(definition.ref)} is asynchronous, and nothing collects the promises.",
            op=EffectOp.ADDED,
            subject=edit.subject,
            severity=Severity.IMPORTANT,
            support=[definition.ref],
            impact="One element fails or takes long: the caller is told of success, and the rejection has no handler.",
            counter=("A join of all callbacks would refute this; the result of the loop is not used.",),
        ),
    )


RULES = (
    Rule("await_dropped", frozenset({EditOp.AWAIT_REMOVED, EditOp.CALL_REMOVED}), _raise_dropped, _settle_dropped),
    Rule("loop_not_awaited", frozenset({EditOp.CALL_ADDED}), _raise_looped, _settle_looped),
)
