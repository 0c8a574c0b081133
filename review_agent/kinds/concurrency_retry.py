"""``concurrency_retry``: locks, awaits, timeouts and retries. Its rules stand in the files beside this one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from review_agent.kinds import (
    concurrency_retry_around,
    concurrency_retry_atomic,
    concurrency_retry_await,
    concurrency_retry_ends,
    concurrency_retry_held,
    concurrency_retry_joins,
    concurrency_retry_locks,
    concurrency_retry_pauses,
    concurrency_retry_recheck,
    concurrency_retry_slow,
    concurrency_retry_timeouts,
)
from review_agent.kinds.base import Seed, Settled
from review_agent.kinds.rulebook import book, raised, settled
from review_agent.vocabulary import Bundle, ChangeKind, Edit, Question

__all__ = ["ConcurrencyRetry"]

_RULES = book(
    *concurrency_retry_locks.RULES,
    *concurrency_retry_held.RULES,
    *concurrency_retry_await.RULES,
    *concurrency_retry_timeouts.RULES,
    *concurrency_retry_ends.RULES,
    *concurrency_retry_pauses.RULES,
    *concurrency_retry_recheck.RULES,
    *concurrency_retry_joins.RULES,
    *concurrency_retry_atomic.RULES,
    *concurrency_retry_slow.RULES,
    *concurrency_retry_around.RULES,
)


class ConcurrencyRetry:
    kind = ChangeKind.CONCURRENCY_RETRY

    def trigger(self, edits: Sequence[Edit]) -> Iterator[Seed]:
        return raised(_RULES, edits)

    def settle(self, question: Question, bundle: Bundle) -> Settled:
        return settled(_RULES, question, bundle)
