"""A rule of ``concurrency_retry`` about what runs while a lock is held: the lock again."""

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
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.failures import of_callee
from review_agent.kinds.functions import called, function_of
from review_agent.kinds.holds import callers_of, holds, made_of, uses_of
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wording import flag
from review_agent.syntax.holding import bare_hold, hold_key
from review_agent.syntax.surroundings import ACQUIRES
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
    UseFact,
)

__all__ = ["RULES", "lock_query", "own_calls", "takes"]

_MOST = 4
# A second taking by the same thread goes through.
_REENTRANT = re.compile(r"\bRLock\b|\bReentrant\w*|\bCondition\(\s*\)")
_PLAIN = re.compile(r"\bsync\.(?:RW)?Mutex\b|\b(?:Lock|AsyncLock|Mutex)\(\)")
_PLAIN_LOCK = re.compile(r"\b(?:Lock|Semaphore|BoundedSemaphore|Mutex|AsyncLock|StampedLock|Condition)\b")
_LOCAL = re.compile(r"^(?:.*\.)?(?:get|keys|items|values|append|len|print|range|str|int|pop|update|clear|add)$")


def own_calls(edit: Edit) -> tuple[str, ...]:
    """Calls under the lock that a definition may be found for."""
    wanted = [one for one in texts(edit, "calls") if one.rpartition(".")[2] not in ACQUIRES and not _LOCAL.match(one)]
    return tuple(wanted[:_MOST])


def lock_query(edit: Edit) -> PlanQuery:
    key = hold_key(text(edit, "taken"))
    owner = text(edit, "owner") or function_of(edit).rpartition(".")[0]
    own = "." in bare_hold(text(edit, "taken")) and owner
    if own:
        return ask(QueryKind.LIFETIME, key, path=edit.path, scope=owner)
    return ask(QueryKind.USES_INSIDE, key, path=edit.path, scope="")


def _made_query(edit: Edit) -> PlanQuery:
    """Where the lock is made: as a member of the edit's own type, else by the way it is reached."""
    bare = bare_hold(text(edit, "taken"))
    owner = text(edit, "owner") or function_of(edit).rpartition(".")[0]
    if owner and bare.count(".") == 1:
        return ask(QueryKind.DEFINITION, hold_key(bare), path=edit.path, scope=owner)
    return ask(QueryKind.DEFINITION, bare, path=edit.path, scope=edit.scope)


def _raise_twice(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if in_test(edit.path) or text(edit, "hold") != "lock" or edit.language == "java":
        return None
    scope, name = called(function_of(edit))
    lock = code(edit.subject)
    newly = not flag(edit, "still")
    if not own_calls(edit) and not newly:
        return None
    return seed(
        edit,
        "lock_taken_twice",
        change=f"{code(function_of(edit))} now runs {listed(texts(edit, 'calls')[:_MOST]) or 'more'} with {lock} held",
        precondition=f"one of them takes {lock} again, or a caller of {code(name)} holds it already",
        consequence="the thread waits for itself for ever, and every other one behind it",
        refuted_if=(f"{lock} can be taken again by the thread that holds it", f"nothing on the way takes {lock} again"),
        plan=(
            lock_query(edit),
            _made_query(edit),
            *(ask(QueryKind.DEFINITION, one, path=edit.path, scope=edit.scope) for one in own_calls(edit)),
            *((ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),) if newly else ()),
        ),
    )


def _settle_twice(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    lock = text(edit, "taken")
    made = made_of(bundle, hold_key(lock)) + made_of(bundle, _made_query(edit).name)
    if _REENTRANT.search(made):
        return unsettled(NoFindingCode.REFUTED, f"{code(edit.subject)} can be taken again by the thread that holds it")
    again = _again(question, bundle)
    if again is None:
        stopped = blocked(bundle, QueryKind.DEFINITION) if own_calls(edit) else None
        return stopped or unsettled(
            NoFindingCode.NO_CANDIDATE, f"nothing that runs with {code(edit.subject)} held is seen to take it again"
        )
    at = _made_at(bundle, edit)
    if _inside(bundle, again[1]) and at is None:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"both takings of {code(edit.subject)} stand in the change; where it is made was not found",
            missing=(f"where {code(edit.subject)} is made",),
            refs=[again[1]],
        )
    if edit.language != "go" and not _PLAIN_LOCK.search(made):
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"whether {code(edit.subject)} can be taken again by its holder is not established",
            missing=(f"where {code(edit.subject)} is made",),
            refs=[again[1]],
        )
    return (_twice_card(question, *again, at if _inside(bundle, again[1]) else None),)


def _inside(bundle: Bundle, ref: SourceRef) -> bool:
    """Whether a ref lies in the change: then a card needs another one beside it."""
    return any(one.near_change for one in bundle.evidence if one.ref == ref)


def _made_at(bundle: Bundle, edit: Edit) -> SourceRef | None:
    """Where the lock is declared, outside the change, as one that its holder cannot take again."""
    made = found(bundle, DefinitionFact, QueryKind.DEFINITION, _made_query(edit).name)
    return next((one.ref for one in made if not one.evidence.near_change and _PLAIN.search(one.evidence.text)), None)


def _again(question: Question, bundle: Bundle) -> tuple[str, SourceRef] | None:
    """(what is said, where) of the second taking: by a callee, or by a caller around."""
    edit = question.edits[0]
    lock, function = text(edit, "taken"), function_of(edit)
    for callee in own_calls(edit):
        definition = of_callee(bundle, callee)
        if definition is None or not _same_object(callee, lock):
            continue
        taking = _taking(bundle, definition, lock)
        if taking is not None:
            scope, use = taking
            via = "" if scope == definition.fact.qualname else f", which {code(definition.fact.qualname)} calls,"
            return (
                f"calls {code(callee)} with it held, and {code(scope)}{via} takes it again at {place(use.ref)}",
                use.ref,
            )
    for call in callers_of(bundle, edit):
        if _held_around(call.fact, lock) and not call.evidence.near_change and not flag(edit, "still"):
            where = f"{place(call.ref)} calls {code(function)} from {code(call.fact.scope)}"
            return f"takes it, and {where} with it held", call.ref
    return None


def _held_around(call: CallFact, lock: str) -> bool:
    """Whether a caller holds the lock of the very object that it calls: ``a.mu`` for ``a.size()``, not ``b.size()``."""
    receiver, name = call.callee.rpartition(".")[0], bare_hold(lock).rpartition(".")[2]
    if not receiver or "." not in bare_hold(lock):
        return holds(call.held, lock)
    return any(bare_hold(one) == f"{receiver}.{name}" for one in call.held)


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
    uses = [one for one in uses_of(bundle, hold_key(lock)) if one.fact.scope in scopes and takes(one)]
    if uses:
        first = min(uses, key=lambda one: scopes.index(one.fact.scope))
        return first.fact.scope, first
    own = bare_hold(lock).rpartition(".")[2] if "." in bare_hold(lock) else lock
    again = any(hold_key(one) == own for one in definition.fact.takes)
    return (definition.fact.qualname, definition) if again or holds(definition.fact.takes, lock) else None


def takes(one: Found[UseFact]) -> bool:
    last = one.fact.text.rpartition(".")[2]
    return last in ACQUIRES or (one.fact.use == "read" and "with" in one.evidence.text.split())


def _twice_card(question: Question, said: str, ref: SourceRef, made: SourceRef | None) -> Draft:
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
        support=[ref] if made is None else [ref, made],
        impact=wait,
        counter=(
            f"A {code(lock)} that its holder can take again would refute this; it is made as a plain one"
            f"{f', {place(made)}' if made is not None else ''}.",
        ),
    )


RULES = (Rule("lock_taken_twice", frozenset({EditOp.HELD_ADDED}), _raise_twice, _settle_twice),)
