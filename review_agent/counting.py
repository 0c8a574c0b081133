"""Numbers with their nouns, as every message says them: 1 card, 2 cards."""

from __future__ import annotations

__all__ = ["counted"]


def counted(number: int, one: str, many: str = "") -> str:
    """A number and its noun: ``1 card``, ``2 cards``, ``1 query``, ``0 queries`` (``many`` given)."""
    return f"{number} {one if number == 1 else many or one + 's'}"
