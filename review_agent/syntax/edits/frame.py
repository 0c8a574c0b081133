"""Where an edit may stand: the changed lines of both sides, and how lines of one side answer to the other's."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol, TypeVar

from review_agent.syntax.model import Outline
from review_agent.syntax.words import whole_name
from review_agent.vocabulary import EditOp, FactValue, FileChange, Hunk, Side

__all__ = ["Changed", "Frame", "Lines", "Run", "Sighting", "Spot", "dotted", "leftover", "renamed", "words"]

Lines = tuple[int, int]
WORD = re.compile(r"[A-Za-z_]\w*")


class Spanned(Protocol):
    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...


F = TypeVar("F", bound=Spanned)


@dataclass(frozen=True)
class Spot:
    """Changed lines of one hunk on one side, without a gap."""

    hunk: int
    side: Side
    start: int
    end: int


@dataclass(frozen=True)
class Run:
    """Changed lines that stand together: those removed and those added in their place."""

    hunk: int
    old: tuple[int, ...]
    new: tuple[int, ...]
    before: int = field(default=0)
    """The last old line in front of the run."""


@dataclass(frozen=True)
class Sighting:
    """An edit before it has an id."""

    op: EditOp
    spot: Spot
    scope: str
    subject: str
    before: str | None
    after: str | None
    facts: Mapping[str, FactValue]


class Changed:
    """The changed lines of one file. ``old`` and ``new`` map each to the number of its hunk."""

    def __init__(self, change: FileChange) -> None:
        self.change = change
        self.path = change.path
        self.old = {line: n for n, hunk in enumerate(change.hunks) for line in hunk.changed(Side.OLD)}
        self.new = {line: n for n, hunk in enumerate(change.hunks) for line in hunk.changed(Side.NEW)}
        self.runs = tuple(run for n, hunk in enumerate(change.hunks) for run in _runs(n, hunk))

    def on(self, side: Side) -> Mapping[int, int]:
        return self.old if side is Side.OLD else self.new

    def touches(self, side: Side, start: int, end: int) -> bool:
        """Whether any of these lines was changed on that side."""
        changed = self.on(side)
        if end - start > len(changed):
            return any(start <= line <= end for line in changed)
        return any(line in changed for line in range(start, end + 1))

    def spot(self, *wanted: tuple[Side, Lines | None]) -> Spot | None:
        """The first changed lines within the ranges wanted, the ranges tried in order."""
        for side, lines in wanted:
            found = None if lines is None else self._first(side, *lines)
            if found is not None:
                return found
        return None

    def _first(self, side: Side, start: int, end: int) -> Spot | None:
        changed = self.on(side)
        first = next((line for line in range(start, end + 1) if line in changed), None)
        if first is None:
            return None
        hunk, last = changed[first], first
        while last + 1 <= end and changed.get(last + 1) == hunk:
            last += 1
        return Spot(hunk, side, first, last)

    def to_new(self, line: int) -> int:
        """The new line that an old line became; for a removed line, the first new line of what stands in its place."""
        shift = 0
        for run in self.runs:
            if line <= run.before:
                break
            if run.old and line <= run.old[-1]:
                place = run.before + 1 + shift
                return min(place + line - run.old[0], max(place, run.new[-1] if run.new else 0))
            shift += len(run.new) - len(run.old)
        return line + shift

    def run_of(self, side: Side, line: int) -> Run | None:
        """The run that a changed line belongs to."""
        return self._run_by_line[side].get(line)

    @cached_property
    def _run_by_line(self) -> Mapping[Side, Mapping[int, Run]]:
        return {
            Side.OLD: {line: run for run in self.runs for line in run.old},
            Side.NEW: {line: run for run in self.runs for line in run.new},
        }


class Frame(Changed):
    """Both outlines of one changed file, with the lines that its hunks changed."""

    def __init__(
        self,
        change: FileChange,
        language: str,
        old: Outline,
        new: Outline,
        old_lines: Sequence[str],
        new_lines: Sequence[str],
    ) -> None:
        super().__init__(change)
        self.language = language
        self.old_outline, self.new_outline = old, new
        self.old_lines, self.new_lines = old_lines, new_lines
        # Many edits ask for the same takers of a value; each answer is a walk over all calls.
        self.takers: dict[tuple[str, str], tuple[str, ...]] = {}

    def text(self, side: Side, start: int, end: int) -> str:
        """Source lines start..end of one side, joined by line ends."""
        return "\n".join(self.lines(side, start, end))

    def lines(self, side: Side, start: int, end: int) -> Sequence[str]:
        """Source lines start..end of one side."""
        lines = self.old_lines if side is Side.OLD else self.new_lines
        return lines[max(start, 1) - 1 : end]


def _runs(number: int, hunk: Hunk) -> Iterator[Run]:
    old: list[int] = []
    new: list[int] = []
    before = hunk.old_start - 1 if hunk.old_count else hunk.old_start
    for line in hunk.lines:
        if line.tag == " ":
            if old or new:
                yield Run(number, tuple(old), tuple(new), before)
            old, new, before = [], [], line.old or before
        elif line.tag == "-" and line.old is not None:
            old.append(line.old)
        elif line.tag == "+" and line.new is not None:
            new.append(line.new)
    if old or new:
        yield Run(number, tuple(old), tuple(new), before)


def leftover(
    items: Iterable[F],
    others: Iterable[F],
    key: Callable[[F], Hashable],
    touched: Callable[[F], bool],
    other_key: Callable[[F], Hashable] | None = None,
) -> list[F]:
    """The items that no other answers to, one for one by key; untouched items find their partner first."""
    left = Counter((other_key or key)(other) for other in others)
    rest = []
    for item in sorted(items, key=touched):
        name = key(item)
        if left[name]:
            left[name] -= 1
        else:
            rest.append(item)
    return sorted(rest, key=lambda item: (item.start, item.end))


def words(text: str) -> list[str]:
    """The identifiers of a text, in order."""
    return WORD.findall(text)


def renamed(text: str, names: Mapping[str, str]) -> str:
    """A text with its renamed words in their new spelling."""
    return WORD.sub(lambda found: names.get(found.group(), found.group()), text) if names else text


def dotted(name: str) -> re.Pattern[str]:
    """A pattern that finds a dotted name where it is not part of a longer one."""
    return re.compile(rf"(?<![\w.]){whole_name(name)}")
