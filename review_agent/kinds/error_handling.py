"""``error_handling``: what happens when something fails: caught, hidden, retried, dropped, or met by nobody."""

from __future__ import annotations

from review_agent.kinds.rulebook import Book, BookKind
from review_agent.vocabulary import ChangeKind

__all__ = ["ErrorHandling"]


class ErrorHandling(BookKind):
    """Handlers, errors and absent values against what is seen to raise, return and miss at head."""

    kind = ChangeKind.ERROR_HANDLING
    rules = Book(
        "error_handling_broadened",
        "error_handling_swallows",
        "error_handling_removed",
        "error_handling_types",
        "error_handling_dropped",
        "error_handling_retries",
        "error_handling_absent",
        "error_handling_guards",
        "error_handling_weakened",
        "error_handling_go",
        "error_handling_caught",
        "error_handling_success",
        "error_handling_optional",
        "error_handling_typed",
    )
