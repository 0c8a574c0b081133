"""How many examples a property is tried on: as many as it asks for, a quarter of them in ``make check``."""

from __future__ import annotations

__all__ = ["examples", "fewer"]

_SHARE = [1]


def fewer() -> None:
    """From here on a quarter of the examples; conftest calls it before any test is imported."""
    _SHARE[0] = 4


def examples(number: int) -> int:
    return max(10, number // _SHARE[0])
