"""``cache_key``: what a cached value depends on, and when it is dropped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from review_agent.kinds.base import Seed, Settled
from review_agent.kinds.cache_key_components import RULES as COMPONENTS
from review_agent.kinds.cache_key_forms import RULES as FORMS
from review_agent.kinds.cache_key_invalidation import RULES as INVALIDATION
from review_agent.kinds.cache_key_memo import RULES as MEMO
from review_agent.kinds.cache_key_order import RULES as ORDER
from review_agent.kinds.rulebook import book, raised, settled
from review_agent.vocabulary import Bundle, ChangeKind, Edit, Question

__all__ = ["CacheKey"]

_RULES = book(*COMPONENTS, *FORMS, *INVALIDATION, *ORDER, *MEMO)


class CacheKey:
    kind = ChangeKind.CACHE_KEY

    def trigger(self, edits: Sequence[Edit]) -> Iterator[Seed]:
        return raised(_RULES, edits)

    def settle(self, question: Question, bundle: Bundle) -> Settled:
        return settled(_RULES, question, bundle)
