"""How alike two sequences are, at a cost that no input can drive up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from difflib import SequenceMatcher
from typing import TypeVar

__all__ = ["Matcher"]

T = TypeVar("T", bound=Hashable)

# difflib compares each item with every like item of the other side, once for each block that matches.
_MOST_PAIRS = 1_000_000
_CUT = 1_000


class Matcher(SequenceMatcher[T]):
    """difflib's matcher without its guesses at junk. Of sequences with more than a million pairs of like items only the
    first thousand items of each are compared."""

    def __init__(self, one: Sequence[T], other: Sequence[T]) -> None:
        if _pairs(one, other) > _MOST_PAIRS:
            one, other = one[:_CUT], other[:_CUT]
        super().__init__(None, one, other, autojunk=False)


def _pairs(one: Sequence[T], other: Sequence[T]) -> int:
    if len(one) * len(other) <= _MOST_PAIRS:
        return 0
    counts = Counter(other)
    return sum(counts[item] for item in one)
