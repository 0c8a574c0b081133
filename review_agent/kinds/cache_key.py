"""``cache_key``: what a cached value depends on, and when it is dropped."""

from __future__ import annotations

from review_agent.kinds.rulebook import Book, BookKind
from review_agent.vocabulary import ChangeKind

__all__ = ["CacheKey"]


class CacheKey(BookKind):
    kind = ChangeKind.CACHE_KEY
    rules = Book(
        "cache_key_components",
        "cache_key_forms",
        "cache_key_invalidation",
        "cache_key_order",
        "cache_key_memo",
    )
