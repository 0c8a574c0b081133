"""A rule of ``concurrency_retry``: one act that checked and set became two, or lost its check."""

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
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.callers import worst_first
from review_agent.kinds.functions import called, function_of
from review_agent.kinds.holds import callers_of
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wording import flag
from review_agent.syntax.holding import hold_kind
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
)

__all__ = ["RULES"]

_ATOMIC = re.compile(
    r"^(?:putIfAbsent|computeIfAbsent|compute|merge|compareAndSet|compareAndExchange|getAndSet|incrementAndGet|"
    r"getAndIncrement|addAndGet|setnx|setNX|SetNX|incr|incrby|Incr|IncrBy|LoadOrStore|LoadAndDelete|CompareAndSwap\w*|"
    r"Add|AddInt\w*|setdefault|get_or_create|update_or_create|insertOrIgnore|findOneAndUpdate|select_for_update|"
    r"with_for_update|createNewFile|mkstemp)$"
)
_PLAIN = re.compile(r"^(?:put|set|Set|Store|get|Get|create|save|lazySet|insert|add|filter|all|first)$")
_ONLY_IF_NEW = re.compile(
    r"^(?:nx|xx)$|[\"']NX[\"']|O_EXCL|CREATE_NEW|[\"']x[bt+]*[\"']|skip_locked|for_update|\bLock\w*Mode|\block:"
)


def _lost(edit: Edit) -> str:
    """What made it one act; "" where the edit is about something else."""
    if edit.op is EditOp.SQL_CHANGED:
        return "FOR UPDATE" if flag(edit, "forUpdateRemoved") else ""
    if edit.op is EditOp.CALL_REPLACED:
        replaced = _ATOMIC.match(text(edit, "name")) and _PLAIN.match(text(edit, "newName"))
        return text(edit, "name") if replaced else ""
    if edit.op is EditOp.CALL_REMOVED:
        return text(edit, "name") if text(edit, "name") in ("select_for_update", "with_for_update") else ""
    keyword, before = text(edit, "keyword"), edit.before or ""
    matched = _ONLY_IF_NEW.search(keyword) or _ONLY_IF_NEW.search(before)
    kept = edit.op is EditOp.ARGUMENT_CHANGED and _ONLY_IF_NEW.search(edit.after or "")
    return (f"{keyword}={before}" if keyword else before) if matched and not kept else ""


def _raise_split(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    lost = _lost(edit)
    locked = any(hold_kind(one) == "lock" for one in texts(edit, "held"))
    newly = any(one.op is EditOp.HELD_ADDED and one.scope == edit.scope for one in edits)
    if in_test(edit.path) or not lost or locked or newly or not function_of(edit):
        return None
    scope, name = called(function_of(edit))
    return seed(
        edit,
        "atomic_split",
        change=f"{code(function_of(edit))} no longer checks and sets in one act ({code(lost)})",
        precondition="two callers can be between the check and the act at a time",
        consequence="both find the way free, and the second overwrites the first",
        refuted_if=("a lock or a transaction around serializes them", f"{code(name)} has one caller at a time"),
        plan=(
            ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
            ask(QueryKind.DEFINITION, name, path=edit.path, scope=scope),
        ),
    )


def _settle_split(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    calls = callers_of(bundle, edit)
    locked = [one for one in calls if any(hold_kind(held) == "lock" for held in one.fact.held)]
    if calls and len(locked) == len(calls):
        detail = f"every resolved caller holds a lock, {place(locked[0].ref)} first"
        return unsettled(NoFindingCode.REFUTED, detail, refs=[one.ref for one in locked])
    open_calls = [one for one in calls if one not in locked and not one.evidence.near_change]
    callers = worst_first(question, open_calls)
    if not callers:
        return blocked(bundle, QueryKind.CALLERS) or unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"that {code(function_of(edit))} is reached by more than one at a time is not established",
            missing=(f"a caller outside the change (searched: {searched(bundle, QueryKind.CALLERS)})",),
        )
    return (_split_card(question, callers[0]),)


def _split_card(question: Question, caller: Found[CallFact]) -> Draft:
    edit = question.edits[0]
    lost = _lost(edit)
    within = code(caller.fact.scope) if caller.fact.scope else "the module"
    replaced = edit.op is EditOp.CALL_REPLACED
    by = f" by {code(text(edit, 'newCallee'))}" if replaced else ""
    subject = edit.subject if replaced or edit.op is EditOp.CALL_REMOVED else (edit.before or lost)
    return draft(
        question,
        claim=f"{'Replacing' if replaced else 'Removing'} {code(lost)}{by} lets two runs of {code(function_of(edit))} "
        f"pass its check together: {within} at {place(caller.ref)} calls it with nothing held.",
        op=EffectOp.CHANGED if replaced else EffectOp.REMOVED,
        subject="FOR UPDATE" if edit.op is EditOp.SQL_CHANGED else subject,
        severity=Severity.IMPORTANT,
        support=[caller.ref],
        impact="Two requests for the same key arrive together: each sees nothing there yet, and one result is lost.",
        counter=(f"A lock that {within} holds around the call would refute this; it holds none.",),
    )


RULES = (
    Rule(
        "atomic_split",
        frozenset(
            {
                EditOp.CALL_REPLACED,
                EditOp.CALL_REMOVED,
                EditOp.ARGUMENT_REMOVED,
                EditOp.ARGUMENT_CHANGED,
                EditOp.SQL_CHANGED,
            }
        ),
        _raise_split,
        _settle_split,
    ),
)
