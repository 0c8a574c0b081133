"""``concurrency_retry``: locks, awaits, timeouts and retries. Its rules stand in the files beside this one."""

from __future__ import annotations

from review_agent.kinds.rulebook import Book, BookKind
from review_agent.vocabulary import ChangeKind

__all__ = ["ConcurrencyRetry"]


class ConcurrencyRetry(BookKind):
    kind = ChangeKind.CONCURRENCY_RETRY
    rules = Book(
        "concurrency_retry_locks",
        "concurrency_retry_held",
        "concurrency_retry_await",
        "concurrency_retry_timeouts",
        "concurrency_retry_ends",
        "concurrency_retry_pauses",
        "concurrency_retry_recheck",
        "concurrency_retry_joins",
        "concurrency_retry_atomic",
        "concurrency_retry_slow",
        "concurrency_retry_around",
    )
