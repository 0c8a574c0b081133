"""``input``: values from outside, and what refuses them. Its rules stand in the files beside this one."""

from __future__ import annotations

from review_agent.kinds.rulebook import Book, BookKind
from review_agent.vocabulary import ChangeKind

__all__ = ["Input"]


class Input(BookKind):
    kind = ChangeKind.INPUT
    rules = Book(
        "input_bounds",
        "input_checks",
    )
