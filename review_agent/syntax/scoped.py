"""What one scope of an outline holds, grouped once: a fact's neighbours are found without a walk over the file."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from review_agent.syntax.model import Assign, Block, Call, Guard, Raise, Return, Symbol

__all__ = ["Scoped", "grouped"]


class _InScope(Protocol):
    @property
    def scope(self) -> str: ...

    @property
    def start(self) -> int: ...


F = TypeVar("F", bound=_InScope)


def grouped(facts: Iterable[F]) -> Mapping[str, list[F]]:
    """Facts in order, grouped by their scope."""
    groups: dict[str, list[F]] = defaultdict(list)
    for fact in facts:
        groups[fact.scope].append(fact)
    return groups


class Scoped:
    """The groups of an outline; each is made when it is first asked for, as an outline never changes."""

    if TYPE_CHECKING:
        symbols: tuple[Symbol, ...]
        calls: tuple[Call, ...]
        assigns: tuple[Assign, ...]
        blocks: tuple[Block, ...]
        guards: tuple[Guard, ...]
        raises: tuple[Raise, ...]
        returns: tuple[Return, ...]

    def calls_in(self, scope: str) -> Sequence[Call]:
        return self._calls.get(scope, ())

    def assigns_in(self, scope: str) -> Sequence[Assign]:
        return self._assigns.get(scope, ())

    def calls_on(self, scope: str, receiver: str) -> Sequence[Call]:
        """The calls of a function on one thing."""
        return self._on.get((scope, receiver), ())

    def calls_named(self, scope: str, wanted: Callable[[str], bool]) -> Sequence[Call]:
        """The calls of a function whose names are wanted; what is wanted is asked once a name."""
        if (scope, wanted) not in self._named:
            answers = {name: wanted(name) for name in {one.name for one in self.calls_in(scope)}}
            self._named[scope, wanted] = [one for one in self.calls_in(scope) if answers[one.name]]
        return self._named[scope, wanted]

    def sets_of(self, scope: str, name: str) -> Sequence[Assign]:
        """The assignments of a function to one name."""
        return self._sets.get((scope, name), ())

    def symbols_named(self, scope: str) -> Sequence[Symbol]:
        """The symbols of one qualified name."""
        return self._symbols.get(scope, ())

    def dotted_sets(self, scope: str) -> Sequence[tuple[int, str]]:
        """The lines on which a function sets attributes of other objects, with what they set."""
        return self._dotted.get(scope, ())

    def bound_by(self, scope: str, name: str) -> str:
        """The last block of a function that binds a name, by its subject."""
        return self._bound.get((scope, name), "")

    def is_final(self, scope: str, line: int) -> bool:
        """Whether a line stands in a ``finally`` of its function."""
        return (scope, line) in self._final

    def blocks_at(self, line: int) -> Sequence[Block]:
        """The blocks that hold something while a line runs, in order."""
        return self._blocks.get(line, ())

    def calls_before(self, scope: str, line: int, most: int) -> Sequence[Call]:
        """The last calls of a function before a line."""
        calls, starts = self._by_line(scope)
        end = bisect_left(starts, line)
        return calls[max(end - most, 0) : end]

    def calls_after(self, scope: str, line: int, most: int) -> Sequence[Call]:
        """The first calls of a function after a line."""
        calls, starts = self._by_line(scope)
        first = bisect_right(starts, line)
        return calls[first : first + most]

    def lines_of_callees(self, scope: str) -> Mapping[str, tuple[list[int], int | None]]:
        """By callee, the lines of a function that call it, and the first of those that leave it to the end."""
        if scope not in self._callees:
            found: dict[str, tuple[list[int], int | None]] = {}
            for one in sorted(self.calls_in(scope), key=lambda one: one.start):
                lines, deferred = found.get(one.callee, ([], None))
                lines.append(one.start)
                found[one.callee] = (lines, one.start if one.deferred and deferred is None else deferred)
            self._callees[scope] = found
        return self._callees[scope]

    @cached_property
    def wide_calls(self) -> Sequence[Call]:
        """The calls of more than one line."""
        return [one for one in self.calls if one.start < one.end]

    @cached_property
    def ways_out(self) -> frozenset[tuple[str, int]]:
        """Scopes and lines of returns and raises."""
        ways: tuple[_InScope, ...] = (*self.returns, *self.raises)
        return frozenset((one.scope, one.start) for one in ways)

    @cached_property
    def parted(self) -> Sequence[Guard]:
        """The conditionals that have a rest behind their guarded body."""
        return [one for one in self.guards if one.start < one.body_start and one.body_end < one.end]

    def _by_line(self, scope: str) -> tuple[Sequence[Call], Sequence[int]]:
        if scope not in self._ordered:
            calls = sorted(self.calls_in(scope), key=lambda one: one.start)
            self._ordered[scope] = calls, [one.start for one in calls]
        return self._ordered[scope]

    @cached_property
    def _ordered(self) -> dict[str, tuple[Sequence[Call], Sequence[int]]]:
        return {}

    @cached_property
    def _callees(self) -> dict[str, Mapping[str, tuple[list[int], int | None]]]:
        return {}

    @cached_property
    def _calls(self) -> Mapping[str, Sequence[Call]]:
        return grouped(self.calls)

    @cached_property
    def _on(self) -> Mapping[tuple[str, str], Sequence[Call]]:
        found: dict[tuple[str, str], list[Call]] = defaultdict(list)
        for one in self.calls:
            found[one.scope, one.receiver].append(one)
        return found

    @cached_property
    def _named(self) -> dict[tuple[str, Callable[[str], bool]], Sequence[Call]]:
        return {}

    @cached_property
    def _assigns(self) -> Mapping[str, Sequence[Assign]]:
        return grouped(self.assigns)

    @cached_property
    def _sets(self) -> Mapping[tuple[str, str], Sequence[Assign]]:
        found: dict[tuple[str, str], list[Assign]] = defaultdict(list)
        for one in self.assigns:
            for name in dict.fromkeys(one.targets):
                found[one.scope, name].append(one)
        return found

    @cached_property
    def _dotted(self) -> Mapping[str, Sequence[tuple[int, str]]]:
        found: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for one in self.assigns:
            found[one.scope] += [(one.start, target) for target in one.targets if "." in target]
        return found

    @cached_property
    def _bound(self) -> Mapping[tuple[str, str], str]:
        return {(one.scope, one.binds): one.subject for one in self.blocks}

    @cached_property
    def _final(self) -> frozenset[tuple[str, int]]:
        finals = [one for one in self.blocks if one.kind == "finally"]
        return frozenset((one.scope, line) for one in finals for line in range(one.body_start, one.body_end + 1))

    @cached_property
    def _symbols(self) -> Mapping[str, Sequence[Symbol]]:
        found: dict[str, list[Symbol]] = defaultdict(list)
        for one in self.symbols:
            found[one.qualname].append(one)
        return found

    @cached_property
    def _blocks(self) -> Mapping[int, Sequence[Block]]:
        found: dict[int, list[Block]] = defaultdict(list)
        for one in self.blocks:
            if one.subject:
                for line in range(one.body_start, one.body_end + 1):
                    found[line].append(one)
        return found
