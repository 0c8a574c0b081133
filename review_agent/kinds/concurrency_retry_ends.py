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
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.callers import worst_first
from review_agent.kinds.functions import called, function_of, own_definitions
from review_agent.kinds.holds import callers_of
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.storing import callee_of
from review_agent.syntax.testfiles import in_test
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
    UseFact,
)

__all__ = ["RULES", "decorator_option", "tried"]

_COUNTS = re.compile(r"attempt|retr|tries|fail|count|deadline|elapsed|budget|remaining|\bn\b|\bi\b", re.IGNORECASE)
_COMPARES = re.compile(r"[<>]=?|==")
_RETRYING = re.compile(r"retry|on_exception|on_predicate|backoff", re.IGNORECASE)
_STOPS = re.compile(
    r"\b(?:stop|max_tries|max_time|max_attempts|tries|stop_max_attempt_number)\s*=\s*[\w.]+(?:\([^)]*\))?"
)
_LEAVES = frozenset({"raise", "return", "break", "exit"})
_LIMITED = re.compile(r"wait_for|with_?timeout|deadline|AbortSignal|timeout", re.IGNORECASE)
_PLAIN = re.compile(
    r"^(?:.*\.)?(?:log(?:ger|ging)?|console|print|fmt|errors?|time|random|Math|math|len|range|str|int|min|max|append)\b"
)


def decorator_option(edit: Edit, wanted: re.Pattern[str]) -> str:
    """An option that a retrying decorator had and has no more, as written; "" for none."""
    if edit.op is not EditOp.DECORATOR_CHANGED or not _RETRYING.search(edit.subject):
        return ""
    had, has = wanted.search(edit.before or ""), wanted.search(edit.after or "")
    return had[0] if had and not has else ""


def _bound(edit: Edit) -> str:
    """The bound that went, as written."""
    return decorator_option(edit, _STOPS) or text(edit, "beforeTest") or text(edit, "test")


def tried(edit: Edit) -> tuple[str, ...]:
    """Callees that the loop runs again and again, at most three."""
    named = texts(edit, "tryCalls")
    around = [callee_of(one) for one in (*texts(edit, "callsBefore"), *texts(edit, "callsAfter"))]
    wanted = [one for one in dict.fromkeys([*named, *around]) if one and not _PLAIN.match(one)]
    return tuple(wanted[:3])


def _is_cap(edit: Edit) -> bool:
    if edit.op is EditOp.RETRY_UNBOUNDED:
        return True
    if edit.op is EditOp.DECORATOR_CHANGED:
        return bool(decorator_option(edit, _STOPS))
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
    before = _bound(edit)
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
    before = _bound(edit)
    bounds = [one for one in found(bundle, UseFact, QueryKind.USES_INSIDE) if one.fact.use in ("read", "guard")]
    own = own_definitions(bundle, edit)
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


_CAPS = frozenset({EditOp.RETRY_UNBOUNDED, EditOp.GUARD_REMOVED, EditOp.DECORATOR_CHANGED})
RULES = (Rule("cap_dropped", _CAPS, _raise_cap, _settle_cap),)
