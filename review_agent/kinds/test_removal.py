"""``test_removal``: tests that went or say less while the code under them lives on. Its rules stand beside."""

from __future__ import annotations

from review_agent.kinds.rulebook import Book, BookKind
from review_agent.vocabulary import ChangeKind

__all__ = ["TestRemoval"]


class TestRemoval(BookKind):
    kind = ChangeKind.TEST_REMOVAL
    rules = Book(
        "test_removal_tests",
        "test_removal_assertions",
    )
