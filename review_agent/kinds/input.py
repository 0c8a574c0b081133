"""``input``: values from outside, and what refuses them. Its rules stand in the files beside this one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from review_agent.kinds import input_bounds, input_checks
from review_agent.kinds.base import Seed, Settled
from review_agent.kinds.rulebook import book, raised, settled
from review_agent.vocabulary import Bundle, ChangeKind, Edit, Question

__all__ = ["Input"]

_RULES = book(*input_bounds.RULES, *input_checks.RULES)


class Input:
    kind = ChangeKind.INPUT

    def trigger(self, edits: Sequence[Edit]) -> Iterator[Seed]:
        return raised(_RULES, edits)

    def settle(self, question: Question, bundle: Bundle) -> Settled:
        return settled(_RULES, question, bundle)
