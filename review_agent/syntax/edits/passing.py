"""Which things of a row now come before what they came after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from itertools import accumulate
from typing import Generic, TypeVar

__all__ = ["Order"]

K = TypeVar("K", bound=Hashable)


class Order(Generic[K]):
    """Two rows of keys. Only keys that the old row has once can be said to have changed places."""

    def __init__(self, old: Sequence[K], new: Sequence[K]) -> None:
        self.old, self.new = old, new
        counts = Counter(old)
        self._place = {key: i for i, key in enumerate(old) if counts[key] == 1}
        self._last = {key: at for at, key in enumerate(new)}
        ends = (self._last.get(key, -1) if key in self._place else -1 for key in old)
        # How far back in the new row anything up to a place of the old row stands: most things passed nothing.
        self._furthest = list(accumulate(ends, max))

    def passed(self, at: int) -> list[K]:
        """The keys in front of which a key of the new row came, in their old order."""
        was = self._place.get(self.new[at], 0)
        if not was or self._furthest[was - 1] <= at:
            return []
        return [key for key in self.old[:was] if key in self._place and self._last.get(key, -1) > at]

    def later(self, at: int, keys: Sequence[K]) -> Iterator[int]:
        """The places behind one of the new row where any of the keys stands."""
        wanted = frozenset(keys)
        yield from (i for i in range(at + 1, len(self.new)) if self.new[i] in wanted) if wanted else ()
