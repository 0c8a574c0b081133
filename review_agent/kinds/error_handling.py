"""``error_handling``: what happens when something fails: caught, hidden, retried, dropped, or met by nobody."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from review_agent.kinds import (
    error_handling_absent,
    error_handling_broadened,
    error_handling_caught,
    error_handling_dropped,
    error_handling_go,
    error_handling_guards,
    error_handling_optional,
    error_handling_removed,
    error_handling_retries,
    error_handling_success,
    error_handling_swallows,
    error_handling_typed,
    error_handling_types,
    error_handling_weakened,
)
from review_agent.kinds.base import Seed, Settled
from review_agent.kinds.rulebook import book, raised, settled
from review_agent.vocabulary import Bundle, ChangeKind, Edit, Question

__all__ = ["ErrorHandling"]

_RULES = book(
    *error_handling_broadened.RULES,
    *error_handling_swallows.RULES,
    *error_handling_removed.RULES,
    *error_handling_types.RULES,
    *error_handling_dropped.RULES,
    *error_handling_retries.RULES,
    *error_handling_absent.RULES,
    *error_handling_guards.RULES,
    *error_handling_weakened.RULES,
    *error_handling_go.RULES,
    *error_handling_caught.RULES,
    *error_handling_success.RULES,
    *error_handling_optional.RULES,
    *error_handling_typed.RULES,
)


class ErrorHandling:
    """Handlers, errors and absent values against what is seen to raise, return and miss at head."""

    kind = ChangeKind.ERROR_HANDLING

    def trigger(self, edits: Sequence[Edit]) -> Iterator[Seed]:
        return raised(_RULES, edits)

    def settle(self, question: Question, bundle: Bundle) -> Settled:
        return settled(_RULES, question, bundle)
