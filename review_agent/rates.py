"""Shares with their intervals.

Intervals are Wilson's score interval (E. B. Wilson, "Probable inference, the law of succession, and statistical
inference", Journal of the American Statistical Association 22, 1927, 209-212), at 95%:

    (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n),  z = 1.959964
"""

from __future__ import annotations

import math

from review_agent.vocabulary import Record

__all__ = ["Rate", "rate", "wilson"]

_Z = 1.959964


class Rate(Record):
    """So many of so many; null where there is nothing to take a rate of."""

    hits: int
    of: int
    rate: float | None
    low: float | None
    high: float | None


def wilson(hits: int, of: int) -> tuple[float, float] | None:
    """Wilson's 95% interval of a share; null for none of nothing."""
    if not of:
        return None
    p, z2 = hits / of, _Z * _Z
    middle = p + z2 / (2 * of)
    half = _Z * math.sqrt(p * (1 - p) / of + z2 / (4 * of * of))
    scale = 1 + z2 / of
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)


def rate(hits: int, of: int) -> Rate:
    """A share with its interval, to four digits."""
    interval = wilson(hits, of)
    if interval is None:
        return Rate(hits=hits, of=of, rate=None, low=None, high=None)
    return Rate(hits=hits, of=of, rate=round(hits / of, 4), low=round(interval[0], 4), high=round(interval[1], 4))
