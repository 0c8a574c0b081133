"""The cards of ``auth``: who comes in unasked, and the place that shows it."""

from __future__ import annotations

from collections.abc import Sequence

from review_agent.kinds.authority import MAY, first_check, level_words
from review_agent.kinds.base import Found, code, draft, place
from review_agent.kinds.exposure import Exposed, Way
from review_agent.kinds.exposure_checks import all_checks
from review_agent.kinds.functions import split
from review_agent.kinds.wording import snippet
from review_agent.vocabulary import DefinitionFact, Draft, EffectOp, Question, Severity

__all__ = ["exposed_card"]


def exposed_card(question: Question, seen: Exposed, head: str, check: str, op: EffectOp, subject: str) -> Draft | None:
    """The card on the strongest proof: a request's way in, a handler beside that asks, a callee that does not."""
    entrances = [one for one in seen.ways if one.entrance]
    if entrances:
        return _by_way(question, seen, entrances[0], head, check, op, subject)
    if seen.entrance:
        if seen.siblings:
            return _by_siblings(question, seen, seen.siblings[:2], head, check, op, subject)
        if seen.configs:
            return _by_config(question, seen, head, check, op, subject)
        if seen.callees:
            return _by_callee(question, seen, seen.callees[0], head, check, op, subject)
        return None
    return _by_way(question, seen, seen.ways[0], head, check, op, subject) if seen.ways and seen.level >= MAY else None


def _by_way(question: Question, seen: Exposed, way: Way, head: str, check: str, op: EffectOp, subject: str) -> Draft:
    name = code(split(seen.function)[1])
    within = code(way.scope) if way.scope else "the line"
    if way.shown:
        asked = f"{within} asks only {snippet(way.shown)}"
    else:
        asked = f"{within} checks nothing first" if way.scope else "it is bound there without a check"
    unsure = () if way.entrance else (f"Whether what calls {within} asks first was not followed.",)
    return draft(
        question,
        claim=f"{head} opens the way from {place(way.ref)} to {name}: {asked}, and nothing further on asks "
        f"{level_words(seen.level)}.",
        op=op,
        subject=subject,
        severity=Severity.BLOCKING if way.entrance else Severity.IMPORTANT,
        support=[way.ref],
        impact=_impact(seen, f"arrives at line {way.ref.start_line}"),
        counter=(
            f"A check between {place(way.ref)} and {name} would refute this; none was found.",
            f"A check left inside {code(seen.function)} would refute this; its body at head has none.",
        ),
        uncertainty=unsure,
    )


def _impact(seen: Exposed, arrives: str) -> str:
    who = "Somebody signed in without that right" if seen.level >= MAY else "Somebody who never signed in"
    return f"{who} sends the request and {arrives}."


def _by_siblings(
    question: Question,
    seen: Exposed,
    siblings: Sequence[Found[DefinitionFact]],
    head: str,
    check: str,
    op: EffectOp,
    subject: str,
) -> Draft:
    name = code(split(seen.function)[1])
    said = [
        f"{code(split(one.fact.qualname)[1])} ({place(one.ref)}) by "
        f"{code(first_check(all_checks(one.fact), seen.level))}"
        for one in siblings
    ]
    return draft(
        question,
        claim=f"{head} leaves {name} open beside handlers that still ask {level_words(seen.level)}: "
        f"{' and '.join(said)}.",
        op=op,
        subject=subject,
        severity=Severity.BLOCKING,
        support=[one.ref for one in siblings],
        impact=_impact(seen, f"is answered by {name} as one who has it would be"),
        counter=(
            f"A check on the class, the router or in a callee of {name} would refute this; none was found.",
            "Handlers whose checks had another reason would refute this; they stand in one place and ask the same.",
        ),
    )


def _by_config(question: Question, seen: Exposed, head: str, check: str, op: EffectOp, subject: str) -> Draft:
    name, first = code(split(seen.function)[1]), seen.configs[0]
    return draft(
        question,
        claim=f"{head} leaves {name} to what {place(first.ref)} asks of every request: "
        f"{snippet(first.evidence.text.strip())}, which tells who the caller is and nothing about rights.",
        op=op,
        subject=subject,
        severity=Severity.BLOCKING,
        support=[first.ref],
        impact=_impact(seen, f"passes line {first.ref.start_line} with any account"),
        counter=(
            f"A rule for the path of {name} would refute this; none was found beside {place(first.ref)}.",
            f"A check left inside {code(seen.function)} would refute this; its body at head has none.",
        ),
    )


def _by_callee(
    question: Question, seen: Exposed, callee: Found[DefinitionFact], head: str, check: str, op: EffectOp, subject: str
) -> Draft:
    name, called = code(split(seen.function)[1]), code(split(callee.fact.qualname)[1])
    return draft(
        question,
        claim=f"{head} lets any request that reaches {name} go on to {called}, which at {place(callee.ref)} "
        f"does its work for whoever calls and asks nothing about them.",
        op=op,
        subject=subject,
        severity=Severity.BLOCKING,
        support=[callee.ref],
        impact=_impact(seen, f"line {callee.ref.start_line} carries it out"),
        counter=(
            f"A check inside {called} would refute this; its body was read and has none.",
            f"A check left inside {code(seen.function)} would refute this; its body at head has none.",
        ),
    )
