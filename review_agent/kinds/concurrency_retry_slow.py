"""A rule of ``concurrency_retry``: something slow runs while a lock is held."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    ask,
    code,
    draft,
    listed,
    place,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.concurrency_retry_held import lock_query, own_calls, takes
from review_agent.kinds.failures import of_callee
from review_agent.kinds.functions import function_of
from review_agent.kinds.holds import one_a_scope, uses_of
from review_agent.kinds.rulebook import Rule
from review_agent.syntax.holding import hold_key
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import (
    Bundle,
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


def _slow(names: Iterable[str]) -> str:
    return next((one for one in names if _SLOW.match(one)), "")


def _raise_slow(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    moved = texts(edit, "moved")
    if in_test(edit.path) or text(edit, "hold") != "lock" or not texts(edit, "calls"):
        return None
    direct = _slow(texts(edit, "calls"))
    followed = [one for one in own_calls(edit) if one in moved][:3]
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
            lock_query(edit),
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
    takers = [one for one in uses_of(bundle, hold_key(lock)) if one.fact.scope != edit.scope and takes(one)]
    others = [one for one in one_a_scope(takers) if not one.evidence.near_change]
    if not others:
        return unsettled(NoFindingCode.NO_CANDIDATE, f"no other function is seen to take {code(edit.subject)}")
    definition = of_callee(bundle, callee) if inner else None
    return (_slow_card(question, callee, inner, others[0], definition),)


def _slow_inside(edit: Edit, bundle: Bundle) -> tuple[str, str]:
    for callee in own_calls(edit):
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


RULES = (Rule("slow_under_lock", frozenset({EditOp.HELD_ADDED}), _raise_slow, _settle_slow),)
