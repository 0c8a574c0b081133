"""A rule of ``concurrency_retry``: a test under a lock that went, while what it tested is still set there."""

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
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.callers import worst_first
from review_agent.kinds.functions import called, function_of
from review_agent.kinds.holds import Uses, acting, callers_of, holds, one_a_scope, uses_of, writes
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wording import snippet
from review_agent.syntax.holding import bare_hold, hold_kind
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

_MEMBER = re.compile(r"(?<![\w.])(?:self|this|\w{1,3})\.(\w+)")


def _lock(edit: Edit) -> str:
    if edit.op is EditOp.HELD_REMOVED:
        return text(edit, "taken") if text(edit, "recheck") else ""
    leaves = text(edit, "action") in ("return", "raise", "continue", "break")
    return next((one for one in texts(edit, "held") if hold_kind(one) == "lock"), "") if leaves else ""


def _test(edit: Edit) -> str:
    return text(edit, "recheck") or text(edit, "test")


def _members(edit: Edit) -> tuple[str, ...]:
    """Members of the object that the test reads, by its text."""
    said = f"{edit.before or ''} {' '.join(texts(edit, 'subjects'))} {text(edit, 'origin')}"
    names = [one for one in _MEMBER.findall(said) if not hold_kind(one)]
    return tuple(dict.fromkeys(names))[:2]


def _raise_unchecked(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    lock, members = _lock(edit), _members(edit)
    owner = function_of(edit).rpartition(".")[0]
    if in_test(edit.path) or not lock or not members or not owner:
        return None
    scope, name = called(function_of(edit))
    return seed(
        edit,
        "recheck_dropped",
        change=f"{code(function_of(edit))} no longer tests {code(_test(edit))} with {code(bare_hold(lock))} held",
        precondition="what it tested is set under the lock by each caller that gets there",
        consequence="the second of two callers does again what the first has done, over its result",
        refuted_if=("what it tested is not set there", "one caller only can get there"),
        plan=(
            *(ask(QueryKind.LIFETIME, one, path=edit.path, scope=owner) for one in members),
            ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
        ),
    )


def _settle_unchecked(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    lock = _lock(edit)
    for member in _members(edit):
        uses = uses_of(bundle, member)
        own = [one for one in uses if one.fact.scope == edit.scope and writes(one) and holds(one.fact.held, lock)]
        if not own:
            continue
        others = [one for one in uses if one.fact.scope != edit.scope and holds(one.fact.held, lock)]
        outside = [one for one in one_a_scope(others) if not one.evidence.near_change]
        calls = [one for one in worst_first(question, callers_of(bundle, edit)) if not one.evidence.near_change]
        if outside or calls:
            return (_card(question, member, outside[:1], calls[:1] if not outside else []),)
    return blocked(bundle, QueryKind.LIFETIME) or unsettled(
        NoFindingCode.NO_CANDIDATE, f"what {code(_test(edit))} reads is not set with {code(bare_hold(lock))} held"
    )


def _card(question: Question, member: str, others: Uses, calls: Sequence[Found[CallFact]]) -> Draft:
    edit = question.edits[0]
    lock, function = bare_hold(_lock(edit)), code(function_of(edit))
    parts = [f"{place(one.ref)} {acting(one)} it in {code(one.fact.scope)} under {code(lock)}" for one in others]
    parts += [f"{place(one.ref)} calls it with nothing held" for one in calls]
    return draft(
        question,
        claim=f"Removing the test {snippet(_test(edit))} under {code(lock)} lets each caller of {function} set "
        f"{code(member)} anew: {', and '.join(parts)}.",
        op=EffectOp.REMOVED,
        subject=edit.subject,
        severity=Severity.IMPORTANT,
        support=[*(one.ref for one in others), *(one.ref for one in calls)],
        impact="Two callers wait for the lock at once: the second repeats the work and overwrites what the first got.",
        counter=("A test of the same by whoever calls, with the lock held, would refute this; none is seen.",),
    )


RULES = (
    Rule(
        "recheck_dropped", frozenset({EditOp.HELD_REMOVED, EditOp.GUARD_REMOVED}), _raise_unchecked, _settle_unchecked
    ),
)
