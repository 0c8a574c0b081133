"""A case that only one test had: the same value given in two places of one call."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.base import code, draft, place, text
from review_agent.kinds.bodies import split_top
from review_agent.kinds.tested import Life, given, last
from review_agent.kinds.wording import snippet
from review_agent.syntax.roles import words_of
from review_agent.vocabulary import CallFact, Draft, Edit, EditOp, EffectOp, Question, Severity

__all__ = ["lost_twice"]

# How the name of a test says that one thing stands in two places.
_SAME = frozenset({"same", "self", "itself", "identical", "equal", "alias", "aliased", "overlap", "overlapping"})
_PLAIN = re.compile(r"-?[\d.]+\w?|true|false|True|False|None|nil|null|undefined|\"\"|''")


def lost_twice(question: Question, alive: Sequence[Life]) -> Draft | None:
    """A subject that only this test gave one value twice, as its own name says; null where another test does too."""
    edit = question.edits[0]
    if not _SAME & set(words_of(edit.subject)):
        return None
    for one in alive:
        twice = next((call for call in given(edit, one.subject) if _repeats(split_top(call[1:-1]))), "")
        calls = [other.fact for other in one.tests if isinstance(other.fact, CallFact)]
        known = one.whole and not one.unclear and len(calls) == len(one.tests)
        home = one.home
        if not twice or not known or home is None or home.evidence.near_change:
            continue
        if not any(_repeats([argument.text for argument in call.arguments]) for call in calls):
            return _card(edit, question, one, twice)
    return None


def _repeats(arguments: Sequence[str]) -> bool:
    telling = [one for one in arguments if not _PLAIN.fullmatch(one)]
    return len(set(telling)) < len(telling)


def _card(edit: Edit, question: Question, one: Life, twice: str) -> Draft:
    assert one.home is not None
    name, skipped = last(one.subject), edit.op is EditOp.TEST_SKIPPED
    how = (
        f"Skipping {code(edit.subject)} by {snippet(text(edit, 'by'))}" if skipped else f"Deleting {code(edit.subject)}"
    )
    return draft(
        question,
        claim=f"{how} leaves the case of {snippet(one.subject + twice)}, one value in two places, to no test: "
        f"{code(name)} lives on in {place(one.home.ref)}, and every call in a test left gives it different ones.",
        op=EffectOp.WEAKENED if skipped else EffectOp.REMOVED,
        subject=edit.subject,
        severity=Severity.IMPORTANT,
        support=[one.home.ref],
        impact=f"A later change makes {code(name)} fail or lose data where both are the same; all tests still pass.",
        counter=(
            f"A test elsewhere that gives {code(name)} one value twice would refute this; the search found none.",
        ),
    )
