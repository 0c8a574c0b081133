"""The calls of one function by what a release shares with what it gives back: only those are compared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cached_property

from review_agent.syntax.edits.giving import pairs
from review_agent.syntax.model import Call

__all__ = ["Takings"]


class Takings:
    """``thing`` names what a call takes, "" for none."""

    def __init__(self, calls: Sequence[Call], thing: Callable[[Call], str]) -> None:
        self.calls, self._thing = calls, thing
        self._paired: dict[tuple[str, str], list[int]] = {}

    def by_thing(self, thing: str) -> Sequence[Call]:
        """The calls that take a thing under this name; none for ""."""
        return [self.calls[at] for at in self._things.get(thing, ())] if thing else []

    def by_callee(self, callee: str) -> Sequence[Call]:
        return [self.calls[at] for at in self._callees.get(callee, ())]

    def may_release(self, taken: Call, thing: str) -> Sequence[Call]:
        """The calls that are not ruled out by their words as what gives back what another took, in order."""
        found = {at for name in taken.targets for at in self._callees.get(name, ())}
        if thing:
            found.update(self._about.get(thing, ()) if "." not in thing else ())
        else:
            found.update(self._undoing(taken))
        return [self.calls[at] for at in sorted(found)]

    def _undoing(self, taken: Call) -> Sequence[int]:
        """Calls on the same receiver that are left to the function's end or are, by name, a pair with this one."""
        key = (taken.receiver, taken.name)
        if key not in self._paired:
            names = self._on.get(taken.receiver, {})
            found = {at for places in names.values() if pairs(taken, self.calls[places[0]]) for at in places}
            found.update(at for places in names.values() for at in places if self.calls[at].deferred)
            self._paired[key] = sorted(found)
        return self._paired[key]

    @cached_property
    def _things(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for at, one in enumerate(self.calls):
            found[self._thing(one)].append(at)
        return found

    @cached_property
    def _callees(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for at, one in enumerate(self.calls):
            found[one.callee].append(at)
        return found

    @cached_property
    def _on(self) -> dict[str, dict[str, list[int]]]:
        """Calls by receiver and name."""
        found: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for at, one in enumerate(self.calls):
            found[one.receiver][one.name].append(at)
        return found

    @cached_property
    def _about(self) -> dict[str, list[int]]:
        """Calls by the plain names that they are made on, are, or take."""
        found: dict[str, list[int]] = defaultdict(list)
        for at, one in enumerate(self.calls):
            texts = (one.receiver, *(arg.text for arg in one.args))
            for name in {one.callee, *(text.partition(".")[0] for text in texts)}:
                found[name].append(at)
        return found
