"""Which lines of a function are never run one after the other: those of different branches of one conditional."""

from __future__ import annotations

from review_agent.syntax.model import Outline

__all__ = ["apart"]


def apart(outline: Outline, one: int, other: int) -> bool:
    """Whether one line stands in the guarded body of a conditional and the other in the rest of that statement."""
    first, second = sorted((one, other))
    return any(guard.body_start <= first <= guard.body_end < second <= guard.end for guard in outline.parted)
