"""What all resolvers share: each evaluation is made once and ends, and a type's bases are walked in one order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from review_agent.syntax.resolution_world import Value

__all__ = ["ITSELF", "Evaluations", "lineage"]

# A name met again while it is being evaluated adds nothing to what it can be.
ITSELF = Value("unknown", why="it is defined by itself")


class Evaluations:
    """Remembers what keys came to. ``deepest``: nested evaluations before a value counts as unknown."""

    deepest = 12
    itself = ITSELF

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], tuple[Value, ...]] = {}
        self._depth = 0

    def once(self, key: tuple[object, ...], name: str, evaluate: Callable[[], Iterable[Value]]) -> tuple[Value, ...]:
        """Evaluate and remember. What leads back to itself, or too far, adds nothing to what a name can be."""
        if key in self._known:
            return self._known[key]
        if self._depth >= self.deepest:
            return (Value("unknown", why=f"`{name}` is reached through more than {self.deepest} steps"),)
        self._known[key] = (self.itself,)
        self._depth += 1
        try:
            found = tuple(dict.fromkeys(evaluate()))
        finally:
            self._depth -= 1
            del self._known[key]
        self._known[key] = tuple(one for one in found if one != self.itself) or found
        return self._known[key]


def lineage(
    path: str, qualname: str, bases: Callable[[str, str], Iterable[tuple[str, str]]]
) -> Iterator[tuple[str, str, str]]:
    """A type and its bases, depth first: ("class", path, qualname), or ("open", "", base) where one is unknown."""
    seen: set[tuple[str, str]] = set()
    todo = [(path, qualname)]
    while todo:
        here = todo.pop(0)
        if here in seen:
            continue
        seen.add(here)
        if here[0] == "":
            yield "open", "", here[1]
            continue
        yield "class", *here
        todo = [*bases(*here), *todo]
