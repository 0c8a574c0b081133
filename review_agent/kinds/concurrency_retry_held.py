"""Rules of ``concurrency_retry`` about what runs while a lock is held: the lock again, or something slow."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
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
from review_agent.kinds.failures import of_callee
from review_agent.kinds.functions import called, function_of
from review_agent.kinds.holds import callers_of, holds, made_of, one_a_scope, uses_of
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wording import flag
from review_agent.syntax.holding import bare_hold, hold_key
from review_agent.syntax.surroundings import ACQUIRES
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import (
    Bundle,
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
    UseFact,
)

__all__ = ["RULES"]

_MOST = 4
# A second taking by the same thread goes through.
_REENTRANT = re.compile(r"\bRLock\b|\bReentrant\w*|\bCondition\(\s*\)")
_PLAIN_LOCK = re.compile(r"\b(?:Lock|Semaphore|BoundedSemaphore|Mutex|AsyncLock|StampedLock|Condition)\b")
# What waits for the world outside: a network, a process, a clock.
_SLOW = re.compile(
    r"^(?:time\.sleep|sleep|Thread\.sleep|time\.Sleep|asyncio\.sleep|TimeUnit\.\w+\.sleep|setTimeout|"
    r"requests\.\w+|httpx\.\w+|urllib\.request\.\w+|urlopen|aiohttp\.\w+|fetch|axios(?:\.\w+)?|got(?:\.\w+)?|"
    r"http\.(?:Get|Post|PostForm|Head)|net\.Dial\w*|subprocess\.\w+|exec\.Command|"
    r"(?:.*\.)?(?:urlopen|sendmail|send_message|getresponse|recv|sendall|RoundTrip|getForObject|postForObject|"
    r"postForEntity|exchange))$|"
    r"^(?:.*\.)?_?(?:http|https|client|http_?client|session|smtp|api|remote|gateway|transport)\."
    r"(?:get|post|put|patch|delete|request|send|do|Do|Get|Post|fetch|call|upload|publish|execute)$",
    re.IGNORECASE,
)
_LOCAL = re.compile(r"^(?:.*\.)?(?:get|keys|items|values|append|len|print|range|str|int|pop|update|clear|add)$")


def _own(edit: Edit) -> tuple[str, ...]:
    """Calls under the lock that a definition may be found for."""
    wanted = [one for one in texts(edit, "calls") if one.rpartition(".")[2] not in ACQUIRES and not _LOCAL.match(one)]
    return tuple(wanted[:_MOST])


def _lock_query(edit: Edit) -> PlanQuery:
    key = hold_key(text(edit, "taken"))
    owner = text(edit, "owner") or function_of(edit).rpartition(".")[0]
    own = "." in bare_hold(text(edit, "taken")) and owner
    if own:
        return ask(QueryKind.LIFETIME, key, path=edit.path, scope=owner)
    return ask(QueryKind.USES_INSIDE, key, path=edit.path, scope="")


def _raise_twice(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if in_test(edit.path) or text(edit, "hold") != "lock" or edit.language == "java":
        return None
    scope, name = called(function_of(edit))
    lock = code(edit.subject)
    newly = not flag(edit, "still")
    if not _own(edit) and not newly:
        return None
    return seed(
        edit,
        "lock_taken_twice",
        change=f"{code(function_of(edit))} now runs {listed(texts(edit, 'calls')[:_MOST]) or 'more'} with {lock} held",
        precondition=f"one of them takes {lock} again, or a caller of {code(name)} holds it already",
        consequence="the thread waits for itself for ever, and every other one behind it",
        refuted_if=(f"{lock} can be taken again by the thread that holds it", f"nothing on the way takes {lock} again"),
        plan=(
            _lock_query(edit),
            *(ask(QueryKind.DEFINITION, one, path=edit.path, scope=edit.scope) for one in _own(edit)),
            *((ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),) if newly else ()),
        ),
    )


def _settle_twice(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    lock = text(edit, "taken")
    made = made_of(bundle, hold_key(lock))
    if _REENTRANT.search(made):
        return unsettled(NoFindingCode.REFUTED, f"{code(edit.subject)} can be taken again by the thread that holds it")
    again = _again(question, bundle)
    if again is None:
        stopped = blocked(bundle, QueryKind.DEFINITION) if _own(edit) else None
        return stopped or unsettled(
            NoFindingCode.NO_CANDIDATE, f"nothing that runs with {code(edit.subject)} held is seen to take it again"
        )
    if edit.language != "go" and not _PLAIN_LOCK.search(made):
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"whether {code(edit.subject)} can be taken again by its holder is not established",
            missing=(f"where {code(edit.subject)} is made",),
            refs=[again[1]],
        )
    return (_twice_card(question, *again),)


def _again(question: Question, bundle: Bundle) -> tuple[str, SourceRef] | None:
    """(what is said, where) of the second taking: by a callee, or by a caller around."""
    edit = question.edits[0]
    lock, function = text(edit, "taken"), function_of(edit)
    for callee in _own(edit):
        definition = of_callee(bundle, callee)
        if definition is None or not _same_object(callee, lock):
            continue
        taking = _taking(bundle, definition, lock)
        if taking is not None and not taking[1].evidence.near_change:
            scope, use = taking
            via = "" if scope == definition.fact.qualname else f", which {code(definition.fact.qualname)} calls,"
            return (
                f"calls {code(callee)} with it held, and {code(scope)}{via} takes it again at {place(use.ref)}",
                use.ref,
            )
    for call in callers_of(bundle, edit):
        if holds(call.fact.held, lock) and not call.evidence.near_change and not flag(edit, "still"):
            where = f"{place(call.ref)} calls {code(function)} from {code(call.fact.scope)}"
            return f"takes it, and {where} with it held", call.ref
    return None


def _same_object(callee: str, lock: str) -> bool:
    """Whether callee and lock belong to one object: ``self.size`` and ``self._lock``; or both to the module."""
    root = bare_hold(lock).rpartition(".")[0]
    return callee.rpartition(".")[0] == root or not root


def _taking(
    bundle: Bundle, definition: Found[DefinitionFact], lock: str
) -> tuple[str, Found[UseFact] | Found[DefinitionFact]] | None:
    """The scope that takes the lock again and where: the callee itself, or one of its own object that it calls."""
    scopes = [definition.fact.qualname]
    owner = definition.fact.qualname.rpartition(".")[0]
    scopes += [f"{owner}.{one.rpartition('.')[2]}".strip(".") for one in definition.fact.calls if one.count(".") <= 1]
    uses = [one for one in uses_of(bundle, hold_key(lock)) if one.fact.scope in scopes and _takes(one)]
    if uses:
        first = min(uses, key=lambda one: scopes.index(one.fact.scope))
        return first.fact.scope, first
    return (definition.fact.qualname, definition) if holds(definition.fact.takes, lock) else None


def _takes(one: Found[UseFact]) -> bool:
    last = one.fact.text.rpartition(".")[2]
    return last in ACQUIRES or (one.fact.use == "read" and "with" in one.evidence.text.split())


def _twice_card(question: Question, said: str, ref: SourceRef) -> Draft:
    edit = question.edits[0]
    lock = edit.subject
    both_read = text(edit, "taken").endswith(".RLock")
    wait = (
        "A writer asks for the lock between the two: the second read waits for the writer, the writer for the first."
        if both_read
        else "The first pass through these lines already blocks; no timeout ends the wait, and other threads queue up."
    )
    return draft(
        question,
        claim=f"Adding to what runs under {code(lock)} makes {code(function_of(edit))} wait for itself: it {said}.",
        op=EffectOp.ADDED,
        subject=lock,
        severity=Severity.BLOCKING,
        support=[ref],
        impact=wait,
        counter=(f"A {code(lock)} that its holder can take again would refute this; it is made as a plain one.",),
    )


def _slow(names: Iterable[str]) -> str:
    return next((one for one in names if _SLOW.match(one)), "")


def _raise_slow(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    moved = texts(edit, "moved")
    if in_test(edit.path) or text(edit, "hold") != "lock" or not texts(edit, "calls"):
        return None
    direct = _slow(texts(edit, "calls"))
    followed = [one for one in _own(edit) if one in moved][:3]
    if not direct and not followed:
        return None
    lock = code(edit.subject)
    return seed(
        edit,
        "slow_under_lock",
        change=f"{code(function_of(edit))} now runs {listed([direct] if direct else followed)} with {lock} held",
        precondition=f"it waits for a network, a process or a clock, and others need {lock} meanwhile",
        consequence=f"everybody who needs {lock} waits as long",
        refuted_if=(f"nothing else takes {lock}", "it is quick", f"{lock} is there to have it done by one at a time"),
        plan=(
            _lock_query(edit),
            *(ask(QueryKind.DEFINITION, one, path=edit.path, scope=edit.scope) for one in followed),
        ),
        risk=-5,
    )


def _settle_slow(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    lock = text(edit, "taken")
    direct = _slow(texts(edit, "calls"))
    callee, inner = (direct, "") if direct else _slow_inside(edit, bundle)
    if not callee:
        return unsettled(NoFindingCode.NO_CANDIDATE, f"nothing slow is seen to run with {code(edit.subject)} held")
    takers = [one for one in uses_of(bundle, hold_key(lock)) if one.fact.scope != edit.scope and _takes(one)]
    others = [one for one in one_a_scope(takers) if not one.evidence.near_change]
    if not others:
        return unsettled(NoFindingCode.NO_CANDIDATE, f"no other function is seen to take {code(edit.subject)}")
    definition = of_callee(bundle, callee) if inner else None
    return (_slow_card(question, callee, inner, others[0], definition),)


def _slow_inside(edit: Edit, bundle: Bundle) -> tuple[str, str]:
    for callee in _own(edit):
        definition = of_callee(bundle, callee) if callee in texts(edit, "moved") else None
        inner = _slow(definition.fact.calls) if definition is not None else ""
        if inner and definition is not None and not definition.evidence.near_change:
            return callee, inner
    return "", ""


def _slow_card(
    question: Question, callee: str, inner: str, other: Found[UseFact], definition: Found[DefinitionFact] | None
) -> Draft:
    edit = question.edits[0]
    lock = edit.subject
    why = f", which runs {code(inner)} ({place(definition.ref)})" if definition is not None else ""
    return draft(
        question,
        claim=f"Moving {code(callee)}{why} under {code(lock)} in {code(function_of(edit))} makes "
        f"{code(other.fact.scope)} wait for it: {place(other.ref)} needs the same lock.",
        op=EffectOp.CHANGED,
        subject=lock,
        severity=Severity.IMPORTANT,
        support=[other.ref, *([definition.ref] if definition is not None else [])],
        impact="The far side answers slowly or not at all; requests that only touch memory queue up behind "
        "the one that waits.",
        counter=(
            f"A lock that lets one at a time do just this would refute it; {place(other.ref)} takes it for other work.",
        ),
    )


RULES = (
    Rule("lock_taken_twice", frozenset({EditOp.HELD_ADDED}), _raise_twice, _settle_twice),
    Rule("slow_under_lock", frozenset({EditOp.HELD_ADDED}), _raise_slow, _settle_slow),
)
