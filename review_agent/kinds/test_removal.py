"""``test_removal``: tests that went or say less while the code under them lives on. Its rules stand beside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from review_agent.kinds import test_removal_assertions, test_removal_tests
from review_agent.kinds.base import Seed, Settled
from review_agent.kinds.rulebook import book, raised, settled
from review_agent.vocabulary import Bundle, ChangeKind, Edit, Question

__all__ = ["TestRemoval"]

_RULES = book(*test_removal_tests.RULES, *test_removal_assertions.RULES)


class TestRemoval:
    kind = ChangeKind.TEST_REMOVAL

    def trigger(self, edits: Sequence[Edit]) -> Iterator[Seed]:
        return raised(_RULES, edits)

    def settle(self, question: Question, bundle: Bundle) -> Settled:
        return settled(_RULES, question, bundle)
