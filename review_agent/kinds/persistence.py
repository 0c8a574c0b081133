"""``persistence``: stored data that a change can lose or no longer finds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from review_agent.kinds import (
    persistence_columns,
    persistence_commit,
    persistence_condition_of,
    persistence_conditions,
    persistence_filters,
    persistence_order,
    persistence_outside,
    persistence_transaction,
)
from review_agent.kinds.base import Seed, Settled
from review_agent.kinds.rulebook import book, raised, settled
from review_agent.vocabulary import Bundle, ChangeKind, Edit, Question

__all__ = ["Persistence"]

_RULES = book(
    *persistence_commit.RULES,
    *persistence_transaction.RULES,
    *persistence_outside.RULES,
    *persistence_conditions.RULES,
    *persistence_filters.RULES,
    *persistence_columns.RULES,
    *persistence_order.RULES,
    *persistence_condition_of.RULES,
)


class Persistence:
    kind = ChangeKind.PERSISTENCE

    def trigger(self, edits: Sequence[Edit]) -> Iterator[Seed]:
        return raised(_RULES, edits)

    def settle(self, question: Question, bundle: Bundle) -> Settled:
        return settled(_RULES, question, bundle)
