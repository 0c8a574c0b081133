"""``serialization``: what is written for others to read. Its rules stand in the files beside this one."""

from __future__ import annotations

from review_agent.kinds.rulebook import Book, BookKind
from review_agent.vocabulary import ChangeKind

__all__ = ["Serialization"]


class Serialization(BookKind):
    kind = ChangeKind.SERIALIZATION
    rules = Book(
        "serialization_keys",
        "serialization_readers",
        "serialization_codecs",
        "serialization_escapes",
        "serialization_positions",
        "serialization_sequence",
        "serialization_shape",
    )
