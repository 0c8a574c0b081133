"""Rules of ``concurrency_retry`` about what a lock guards: it went, or a new use goes without it."""

from __future__ import annotations

from collections.abc import Sequence

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    Unsettled,
    ask,
    blocked,
    code,
    draft,
    listed,
    place,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.functions import called, function_of
from review_agent.kinds.holds import (
    Uses,
    acting,
    holding_callers,
    holds,
    member_query,
    one_a_scope,
    safe_by_itself,
    uses_of,
    writes,
)
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wording import flag
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

__all__ = ["RULES"]

# Members that are followed in one question: the plan has room for no more.
_MOST = 3


def _guarded(edit: Edit) -> tuple[str, ...]:
    """The members and values that lost the lock, those that are set first."""
    written = texts(edit, "written")
    if text(edit, "shared"):
        return written[:_MOST]
    names = (*texts(edit, "members"), *texts(edit, "values"))
    return tuple(sorted(dict.fromkeys(names), key=lambda name: name not in written))[:_MOST]


def _raise_dropped(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    names = _guarded(edit)
    if in_test(edit.path) or text(edit, "hold") != "lock" or not names:
        return None
    scope, name = called(function_of(edit))
    return seed(
        edit,
        "lock_dropped",
        change=f"{listed(names)} in {code(function_of(edit))} no longer stand under {code(edit.subject)}",
        precondition=f"other code uses them under {code(edit.subject)} while {code(name)} runs",
        consequence="two threads work on one state at a time: an update is lost, or a half-done change is seen",
        refuted_if=(
            f"every caller of {code(name)} holds {code(edit.subject)}",
            "what is used is safe by itself, or another lock guards all uses of it",
            "nothing else takes the lock for it",
        ),
        plan=(
            *(member_query(edit, one) for one in names),
            *(
                ask(QueryKind.DEFINITION, one, path=edit.path, scope=text(edit, "owner"))
                for one in names[:2]
                if text(edit, "owner")
            ),
            ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
        ),
        others=[
            one for one in edits if one.op is EditOp.HELD_ADDED and one.scope == edit.scope and one.path == edit.path
        ],
    )


def _settle_dropped(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    lock = text(edit, "taken")
    covered = holding_callers(bundle, edit, lock)
    if covered:
        return _held_by_callers(edit, covered, edit.subject)
    reason: Unsettled | None = None
    for name in _guarded(edit):
        found = _member(question, bundle, name, lock)
        if isinstance(found, tuple):
            return (_dropped_card(question, name, found),)
        reason = reason or found
    return reason or unsettled(NoFindingCode.NO_CANDIDATE, "nothing lost its lock")


def _held_by_callers(edit: Edit, covered: Sequence[Found[CallFact]], lock: str) -> Unsettled:
    detail = f"every resolved caller of {code(function_of(edit))} holds {code(lock)}, {place(covered[0].ref)} first"
    return unsettled(NoFindingCode.REFUTED, detail, refs=[one.ref for one in covered])


def _member(question: Question, bundle: Bundle, name: str, lock: str) -> tuple[Found[UseFact], ...] | Unsettled:
    """The uses of one member under the lock in other functions, or why they prove nothing."""
    edit = question.edits[0]
    helpers = {f"{text(edit, 'owner')}.{one.rpartition('.')[2]}" for one in texts(edit, "calls")}
    others = [one for one in uses_of(bundle, name) if one.fact.scope not in {edit.scope, *helpers}]
    under = [one for one in others if holds(one.fact.held, lock)]
    bare = [one for one in others if not holds(one.fact.held, lock)]
    if not under:
        return blocked(bundle, QueryKind.LIFETIME) or unsettled(
            NoFindingCode.NO_CANDIDATE, f"no other function uses {code(name)} under {code(edit.subject)}"
        )
    if safe_by_itself(bundle, name):
        return unsettled(NoFindingCode.REFUTED, f"{code(name)} is of a type that orders its own accesses")
    if not any(writes(one) for one in others) and name not in texts(edit, "written"):
        return unsettled(NoFindingCode.NO_CANDIDATE, f"nothing changes {code(name)} once it is made")
    if _mixed(under, bare):
        return unsettled(
            NoFindingCode.CONFLICTING_EVIDENCE,
            f"{code(name)} is used with and without {code(edit.subject)}; {place(bare[0].ref)} goes without",
            refs=[under[0].ref, bare[0].ref],
        )
    outside = [one for one in one_a_scope(under) if not one.evidence.near_change]
    if not outside:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"{code(name)} is used under {code(edit.subject)} only next to the change",
            missing=(f"another use of {code(name)} under {code(edit.subject)}",),
        )
    return tuple(outside[:2])


def _mixed(under: Uses, bare: Uses) -> bool:
    """Whether the lock is not the member's own: where it is changed without it, or more often read without it."""
    return any(writes(one) for one in bare) or len(bare) > len(under)


def _other_lock(question: Question) -> str:
    added = [one for one in question.edits[1:] if one.op is EditOp.HELD_ADDED and text(one, "hold") == "lock"]
    return added[0].subject if added else ""


def _dropped_card(question: Question, name: str, uses: Uses) -> Draft:
    edit, first = question.edits[0], uses[0]
    function, narrowed = function_of(edit), flag(edit, "still")
    shared = text(edit, "shared")
    verb = "Narrowing the region of" if narrowed else "Removing"
    instead = f" under {code(other)}" if (other := _other_lock(question)) and other != edit.subject else ""
    if shared:
        return _shared_card(question, name, uses)
    act = "change" if name in texts(edit, "written") else "use"
    said = " and ".join(f"{place(one.ref)} {acting(one)} it in {code(one.fact.scope)}" for one in uses)
    return draft(
        question,
        claim=f"{verb} {code(edit.subject)} lets {code(function)} {act} {code(name)}{instead or ' without a lock'}, "
        f"while {said} under {code(edit.subject)}.",
        op=EffectOp.NARROWED if narrowed else EffectOp.REMOVED,
        subject=edit.subject,
        severity=Severity.IMPORTANT,
        support=[one.ref for one in uses],
        impact=f"Two threads are in {code(function)} and {code(first.fact.scope)} at the same moment: one update is "
        "lost, or one sees what the other has half done.",
        counter=(
            f"Callers that all hold {code(edit.subject)} around {code(function)} would refute this; none is seen to.",
            f"A {code(name)} that is safe by itself would refute this; nothing shows it is.",
        ),
    )


def _shared_card(question: Question, name: str, uses: Uses) -> Draft:
    edit, first = question.edits[0], uses[0]
    function, taken = code(function_of(edit)), text(edit, "taken")
    return draft(
        question,
        claim=f"Weakening {code(taken)} to {code(text(edit, 'shared'))} lets {function} change {code(name)} beside "
        f"others that hold it for reading: {place(first.ref)} {acting(first)} it in {code(first.fact.scope)}.",
        op=EffectOp.WEAKENED,
        subject=taken,
        to=text(edit, "shared"),
        severity=Severity.IMPORTANT,
        support=[first.ref],
        impact="Two threads hold the shared side at the same moment: both write, or one reads a half-set value.",
        counter=(f"A {code(name)} that is safe by itself would refute this; nothing shows it is.",),
    )


def _raise_unheld(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    lost = any(one.op is EditOp.HELD_REMOVED and (one.path, one.scope) == (edit.path, edit.scope) for one in edits)
    if lost or in_test(edit.path):
        return None
    scope, name = called(function_of(edit))
    lock = code(edit.after or "")
    return seed(
        edit,
        "use_without_lock",
        change=f"{code(function_of(edit))} now uses {code(edit.subject)} without {lock}",
        precondition=f"every other use of {code(edit.subject)} holds {lock}",
        consequence="it meets a state that another thread is changing, or its own change is lost",
        refuted_if=(
            f"every caller of {code(name)} holds {lock}",
            f"{code(edit.subject)} is safe by itself",
            f"other uses of {code(edit.subject)} go without {lock}",
        ),
        plan=(
            member_query(edit, edit.subject),
            ask(QueryKind.DEFINITION, edit.subject, path=edit.path, scope=text(edit, "owner")),
            ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
        ),
        risk=10,
    )


def _settle_unheld(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    lock, name = text(edit, "lock"), edit.subject
    covered = holding_callers(bundle, edit, lock)
    if covered:
        return _held_by_callers(edit, covered, lock)
    stopped = blocked(bundle, QueryKind.LIFETIME)
    if stopped is not None:
        return stopped
    others = [one for one in uses_of(bundle, name) if one.fact.scope != edit.scope]
    bare = [one for one in others if not holds(one.fact.held, lock)]
    if bare or safe_by_itself(bundle, name):
        why = f"{place(bare[0].ref)} goes without {code(lock)} too" if bare else f"{code(name)} orders its own accesses"
        return unsettled(NoFindingCode.REFUTED, why, refs=[one.ref for one in bare[:1]])
    outside = [one for one in one_a_scope(others) if not one.evidence.near_change]
    if not outside or not (any(writes(one) for one in others) or text(edit, "act") in ("write", "update", "call")):
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"no other use of {code(name)} outside the change shows a state that {code(lock)} guards",
            missing=(f"a change of {code(name)} under {code(lock)}",),
        )
    return (_unheld_card(question, outside[:2]),)


def _unheld_card(question: Question, uses: Uses) -> Draft:
    edit, first = question.edits[0], uses[0]
    lock, name, function = text(edit, "lock"), edit.subject, function_of(edit)
    other = texts(edit, "holds")
    how = f"under {listed(other)} instead of {code(lock)}" if other else f"without {code(lock)}"
    said = " and ".join(f"{place(one.ref)} {acting(one)} it in {code(one.fact.scope)}" for one in uses)
    return draft(
        question,
        claim=f"Adding a use of {code(name)} to {code(function)} {how} breaks its guard: {said} with "
        f"{code(lock)} held, as every other use does.",
        op=EffectOp.ADDED,
        subject=name,
        severity=Severity.IMPORTANT,
        support=[one.ref for one in uses],
        impact=f"A thread runs {code(function)} in the middle of {code(first.fact.scope)}: it sees a state that is "
        "half changed, or one of two updates is lost.",
        counter=(
            f"Callers that all hold {code(lock)} around {code(function)} would refute this; none is seen to.",
            f"Another use of {code(name)} without {code(lock)} would refute this; there is none.",
        ),
    )


RULES = (
    Rule("lock_dropped", frozenset({EditOp.HELD_REMOVED}), _raise_dropped, _settle_dropped),
    Rule("use_without_lock", frozenset({EditOp.UNHELD_USE_ADDED}), _raise_unheld, _settle_unheld),
)
