"""Numbers with their nouns, as every message says them: 1 card, 2 cards."""

from __future__ import annotations

__all__ = ["counted", "seconds"]


def counted(number: int, one: str, many: str = "") -> str:
    """A number and its noun: ``1 card``, ``2 cards``, ``1 query``, ``0 queries`` (``many`` given)."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def seconds(number: float) -> str:
    """A span of time: ``1 second``, ``2.5 seconds``."""
    return f"{number:g} {'second' if number == 1 else 'seconds'}"
