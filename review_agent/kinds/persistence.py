"""``persistence``: stored data that a change can lose or no longer finds."""

from __future__ import annotations

from review_agent.kinds.rulebook import Book, BookKind
from review_agent.vocabulary import ChangeKind

__all__ = ["Persistence"]


class Persistence(BookKind):
    kind = ChangeKind.PERSISTENCE
    rules = Book(
        "persistence_commit",
        "persistence_transaction",
        "persistence_outside",
        "persistence_conditions",
        "persistence_filters",
        "persistence_columns",
        "persistence_order",
        "persistence_condition_of",
    )
