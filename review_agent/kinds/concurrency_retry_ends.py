"""Rules of ``concurrency_retry`` about loops that try again: a cap or a pause that went."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    ask,
    blocked,
    code,
    draft,
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
from review_agent.kinds.failures import of_callee, raised_by, returns_error
from review_agent.kinds.functions import called, function_of
from review_agent.kinds.holds import callers_of
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.storing import callee_of
from review_agent.kinds.wording import number
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
    UseFact,
)

__all__ = ["RULES"]

_COUNTS = re.compile(r"attempt|retr|tries|fail|count|deadline|elapsed|budget|remaining|\bn\b|\bi\b", re.IGNORECASE)
_COMPARES = re.compile(r"[<>]=?|==")
_LEAVES = frozenset({"raise", "return", "break", "exit"})
_PAUSES = re.compile(
    r"^(?:sleep|Sleep|delay|backoff|back_off|pause|wait|setTimeout|After|NewTimer|parkNanos|uninterruptibleSleep|sleepMs|"
    r"wait_exponential|throttle|jitter)$"
)
_LIMITED = re.compile(r"wait_for|with_?timeout|deadline|AbortSignal|timeout", re.IGNORECASE)
_PLAIN = re.compile(
    r"^(?:.*\.)?(?:log(?:ger|ging)?|console|print|fmt|errors?|time|random|Math|math|len|range|str|int|min|max|append)\b"
)
_TALKS = re.compile(
    r"requests\.|httpx\.|urlopen|fetch|axios|http\.|\.Do$|execute|query|connect|send|recv|post|get|publish|exchange|dial",
    re.IGNORECASE,
)


def _tried(edit: Edit) -> tuple[str, ...]:
    """Callees that the loop runs again and again, at most three."""
    named = texts(edit, "tryCalls")
    around = [callee_of(one) for one in (*texts(edit, "callsBefore"), *texts(edit, "callsAfter"))]
    wanted = [one for one in dict.fromkeys([*named, *around]) if one and not _PLAIN.match(one)]
    return tuple(wanted[:3])


def _is_cap(edit: Edit) -> bool:
    if edit.op is EditOp.RETRY_UNBOUNDED:
        return True
    counted = [one for one in texts(edit, "subjects") if _COUNTS.search(one)]
    test = text(edit, "test")
    return bool(counted) and text(edit, "action") in _LEAVES and _COMPARES.search(test) is not None


def _caps(edit: Edit) -> tuple[str, ...]:
    names = texts(edit, "capNames") or [one for one in texts(edit, "subjects") if one.isupper() or "max" in one.lower()]
    return tuple(names)[:1]


def _raise_cap(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    loops = [one for one in edits if one.op is EditOp.RETRY_UNBOUNDED and one.scope == edit.scope]
    told = bool(loops) and edit.op is EditOp.GUARD_REMOVED
    if in_test(edit.path) or not _is_cap(edit) or told or not function_of(edit):
        return None
    scope, name = called(function_of(edit))
    before = text(edit, "beforeTest") or text(edit, "test")
    return seed(
        edit,
        "cap_dropped",
        change=f"{code(function_of(edit))} tries again without the bound {code(before)}",
        precondition="what it tries can go on failing, and who called waits for it",
        consequence="the caller waits for ever, and the far side is asked without an end",
        refuted_if=("something else ends the loop", "the caller limits it", "what is tried fails once only"),
        plan=(
            ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
            ask(QueryKind.DEFINITION, name, path=edit.path, scope=scope),
            *(ask(QueryKind.USES_INSIDE, one, path=edit.path, scope=edit.scope) for one in _caps(edit)),
        ),
    )


def _settle_cap(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    before = text(edit, "beforeTest") or text(edit, "test")
    bounds = [one for one in found(bundle, UseFact, QueryKind.USES_INSIDE) if one.fact.use in ("read", "guard")]
    name = called(function_of(edit))[1]
    own = [one.fact for one in found(bundle, DefinitionFact, QueryKind.DEFINITION, name)]
    own = [one for one in own if one.qualname == function_of(edit)]
    counts = [test for one in own for test in one.guards if _COMPARES.search(test) and _COUNTS.search(test)]
    if bounds or counts:
        said = f"{code(counts[0])} still leaves" if counts else f"{code(bounds[0].fact.text)} is still read"
        refs = [one.ref for one in bounds]
        return unsettled(NoFindingCode.REFUTED, f"{said} in {code(function_of(edit))}", refs=refs)
    if edit.op is EditOp.GUARD_REMOVED and not _loops(question):
        return unsettled(NoFindingCode.NO_CANDIDATE, f"{code(before)} was not seen to end a retry")
    calls = callers_of(bundle, edit)
    limited = [one for one in calls if _LIMITED.search(f"{one.evidence.text} {' '.join(one.fact.held)}")]
    callers = [one for one in worst_first(question, calls) if one not in limited and not one.evidence.near_change]
    if calls and len(limited) == len(calls):
        detail = f"every resolved caller limits it, {place(limited[0].ref)} first"
        return unsettled(NoFindingCode.REFUTED, detail, refs=[one.ref for one in limited])
    if not callers:
        return blocked(bundle, QueryKind.CALLERS) or unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"who waits for {code(function_of(edit))} is not established",
            missing=(f"a caller of {code(function_of(edit))} (searched: {searched(bundle, QueryKind.CALLERS)})",),
        )
    return (_cap_card(question, before, callers[0]),)


def _loops(question: Question) -> bool:
    """Whether the removed guard counted tries: by its names, as the loop itself is no fact of a guard."""
    words = " ".join(texts(question.edits[0], "subjects"))
    return re.search(r"attempt|retr|tries|failures", words, re.IGNORECASE) is not None


def _cap_card(question: Question, before: str, caller: Found[CallFact]) -> Draft:
    edit = question.edits[0]
    function = code(function_of(edit))
    within = f"{code(caller.fact.scope)}" if caller.fact.scope else "the module"
    return draft(
        question,
        claim=f"Removing the bound {code(before)} lets {function} try for ever: {within} calls it at "
        f"{place(caller.ref)} and never gets an answer.",
        op=EffectOp.REMOVED,
        subject=before,
        severity=Severity.IMPORTANT,
        support=[caller.ref],
        impact="The far side is down or refuses for good: each request that comes this way keeps its thread, and the "
        "load on what is down only grows.",
        counter=(f"A deadline around the call in {within} would refute this; the call cited has none.",),
    )


def _raise_pause(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    loop = text(edit, "loop")
    name = text(edit, "name")
    kept = (number(edit, "remaining") or 0) > 0 or bool(texts(edit, "elsewhere"))
    zero = edit.op is EditOp.ARGUMENT_CHANGED and edit.after in ("0", "0.0", "Duration.ZERO")
    removed = edit.op is EditOp.CALL_REMOVED and not kept
    instead = any(
        one.op is EditOp.CALL_ADDED and one.scope == edit.scope and (_PAUSES.match(text(one, "name")) or _waits(one))
        for one in edits
    )
    if in_test(edit.path) or not loop or not _PAUSES.match(name) or not (zero or removed) or instead:
        return None
    tried = _tried(edit)
    scope, function = called(function_of(edit))
    return seed(
        edit,
        "pause_dropped",
        change=f"the loop in {code(function_of(edit))} no longer pauses by {code(edit.subject)}",
        precondition="a turn of the loop that fails or finds nothing comes back at once",
        consequence="the loop runs hot: it asks the far side as fast as it can",
        refuted_if=("what is tried waits by itself", "another pause stands in the loop"),
        plan=(
            *(ask(QueryKind.DEFINITION, one, path=edit.path, scope=edit.scope) for one in tried),
            ask(QueryKind.CALLERS, function, path=edit.path, scope=scope),
            ask(QueryKind.DEFINITION, function, path=edit.path, scope=scope),
        ),
    )


def _waits(edit: Edit) -> bool:
    return re.search(r"wait|sleep|backoff|delay|tick|poll", text(edit, "name"), re.IGNORECASE) is not None


def _settle_pause(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    for callee in _tried(edit):
        definition = of_callee(bundle, callee)
        if definition is None:
            continue
        pause = next((one for one in definition.fact.calls if _PAUSES.match(one.rpartition(".")[2])), "")
        if pause:
            detail = f"{code(callee)} at {place(definition.ref)} pauses by {code(pause)} itself"
            return unsettled(NoFindingCode.REFUTED, detail, refs=[definition.ref])
    asked = [one for callee in _tried(edit) if (one := _asks(bundle, callee)) is not None]
    if not asked:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"what a turn of the loop in {code(function_of(edit))} asks is not established",
            missing=(f"definition of {listed(_tried(edit)) or 'what is tried'}; {searched(bundle)}",),
        )
    return (_pause_card(question, *asked[0]),)


def _asks(bundle: Bundle, callee: str) -> tuple[str, str, Found[DefinitionFact]] | None:
    """(callee, what it asks or fails with, its definition) of a tried call outside the change."""
    definition = of_callee(bundle, callee)
    if definition is None or definition.evidence.near_change:
        return None
    inner = next((one for one in definition.fact.calls if _TALKS.search(one)), "")
    raised = next(iter(raised_by(definition.fact)), "")
    fails = raised or ("error" if returns_error(definition.fact) else "")
    return (callee, inner or fails, definition) if inner or fails else None


def _pause_card(question: Question, callee: str, asks: str, definition: Found[DefinitionFact]) -> Draft:
    edit = question.edits[0]
    changed = edit.op is EditOp.ARGUMENT_CHANGED
    start = (
        f"Lowering the pause {code(edit.before or '')} to {code(edit.after or '')}"
        if changed
        else (f"Removing {code(edit.before or edit.subject)}")
    )
    return draft(
        question,
        claim=f"{start} lets the loop in {code(function_of(edit))} call {code(callee)} again at once: "
        f"{place(definition.ref)} ends in {code(asks)}, turn after turn.",
        op=EffectOp.CHANGED if changed else EffectOp.REMOVED,
        subject=(edit.before or edit.subject) if changed else edit.subject,
        severity=Severity.IMPORTANT,
        support=[definition.ref],
        impact="The far side refuses, is down or has nothing: the process burns a core and asks it thousands of times.",
        counter=("Another pause in the loop or in what it calls would refute this; none is seen.",),
    )


RULES = (
    Rule("cap_dropped", frozenset({EditOp.RETRY_UNBOUNDED, EditOp.GUARD_REMOVED}), _raise_cap, _settle_cap),
    Rule("pause_dropped", frozenset({EditOp.CALL_REMOVED, EditOp.ARGUMENT_CHANGED}), _raise_pause, _settle_pause),
)
