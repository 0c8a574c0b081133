"""Where a faulty line comes from: blame, followed through moves, new layout and rewording that kept the fault.

Blame names the commit that last touched a line. Often that commit only carried the fault along: it moved the line, or
wrote it anew with the same mistake. So where the commit's own diff shows the line's earlier form, blame goes on from
there. A form is an *earlier* one that is no better

- when it is the same but for white space and quotes, wherever it stood;
- when it holds the same three names or more, wherever it stood, or stands in the same hunk and says the same (six in
  ten of the names in both, two thirds of the later one's, two at least), and besides has every token that the fix took
  away and is no nearer to what the fix made of it: a form that is nearer is what the commit broke.

A line whose brackets are closed elsewhere than its earlier form's says something else, unless the whole statements
name the same: an argument that went with the lines below may be what was broken.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from review_agent.errors import GitError
from review_agent.git import BlameLine, Git
from review_agent.stages.history_signs import CommitDiff, commit_diff, is_code, is_product, names_in
from review_agent.vocabulary import FileChange, Hunk, Line

__all__ = ["Origins", "Wrong", "flat"]

_HOPS = 5
_HUGE_LINES, _HUGE_FILES = 400, 12
_ALIKE, _KEPT, _SHARED = 0.6, 0.66, 2
_MOVED_NAMES = 3
_LONGEST = 12
"""Lines that a statement is followed for."""
_FLAT = re.compile(r"[\s'\"`,;()]+")
_TOKEN = re.compile(r"\w+|[^\w\s,;()'\"]+")
_Line = tuple[str, int]


def flat(text: str) -> str:
    """A line without what layout alone changes."""
    return _FLAT.sub("", text)


class Wrong(NamedTuple):
    """A line that a fix took away: the tokens that went with it, and the lines that its hunk brought."""

    text: str
    gone: frozenset[str]
    brought: tuple[str, ...]

    @classmethod
    def of(cls, text: str, hunk: Hunk) -> Wrong:
        brought = tuple(line.text for line in hunk.lines if line.tag == "+" and is_code(line.text))
        after = frozenset(token for line in brought for token in _TOKEN.findall(line))
        return cls(text, frozenset(_TOKEN.findall(text)) - after, brought)

    def mended(self, text: str) -> float:
        """How near a line is to what the fix made of this one."""
        return max((_same(text, line) for line in self.brought), default=0.0)


class _Written:
    """A commit's diff by line: what came, what went, and in which hunk."""

    def __init__(self, diff: CommitDiff) -> None:
        self.diff = diff
        self.came: dict[_Line, tuple[str, FileChange, Hunk]] = {}
        self.gone: dict[tuple[str, int], _Line] = {}
        self.named: dict[tuple[frozenset[str], int], tuple[str, _Line]] = {}
        for file in diff.files:
            for hunk in file.hunks:
                self._take(file, hunk)

    def _take(self, file: FileChange, hunk: Hunk) -> None:
        for line in hunk.lines:
            if line.tag == "+" and line.new:
                self.came[file.path, line.new] = (line.text, file, hunk)
            elif line.tag == "-" and line.old and is_code(line.text):
                at, opens = (file.old_path, line.old), _opens(line.text)
                self.gone.setdefault((flat(line.text), opens), at)
                self.named.setdefault((names_in([line.text]), opens), (line.text, at))

    def moved(self, text: str, wrong: Wrong) -> _Line | None:
        """Where the commit took away what a line says, in the same words or with the same names."""
        opens, names = _opens(text), names_in([text])
        exact = self.gone.get((flat(text), opens))
        named = self.named.get((names, opens)) if len(names) >= _MOVED_NAMES else None
        if exact is None and named is not None and _as_wrong(named[0], wrong):
            return named[1]
        return exact

    @cached_property
    def is_huge(self) -> bool:
        return len(self.diff.product) > _HUGE_FILES or self.diff.size > _HUGE_LINES


class Origins:
    """Traces lines of one repository; diffs of commits are remembered."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._known: dict[str, _Written | None] = {}

    def blame(self, commit: str, path: str, start: int, end: int) -> list[BlameLine]:
        """Blame through white space; nothing where git cannot say, or history is cut off."""
        try:
            found = self._git.blame(commit, path, start, end, through_space=True)
        except GitError:
            return []
        return [line for line in found if not line.boundary]

    def of(self, line: BlameLine, wrong: Wrong) -> BlameLine | None:
        """The line as the commit wrote it that brought what is wrong; null where that is not to be told."""
        for _ in range(_HOPS):
            written = self._of(line.commit)
            if written is None or (line.original_path, line.original_line) not in written.came:
                return None
            before = _before(written, line, wrong)
            if before is None:
                return line if is_product(line.original_path) and not written.is_huge else None
            found = self.blame(written.diff.parent, before[0], before[1], before[1])
            if not found:
                return None
            line = found[0]
        return None

    def _of(self, commit: str) -> _Written | None:
        if commit not in self._known:
            diff = commit_diff(self._git, commit)
            self._known[commit] = _Written(diff) if diff is not None else None
        return self._known[commit]


def _before(written: _Written, line: BlameLine, wrong: Wrong) -> _Line | None:
    """The earlier form of a line that was as wrong, by path and number in the commit's parent."""
    text, file, hunk = written.came[line.original_path, line.original_line]
    moved = written.moved(text, wrong)
    if moved is not None:
        return moved
    likeness = [
        _likeness(hunk, line.original_line, old)
        for old in hunk.lines
        if old.tag == "-" and old.old and is_code(old.text)
    ]
    best = max(likeness, default=(0.0, 0, ""), key=lambda one: one[0])
    if best[1] and best[0] >= _ALIKE and _as_wrong(best[2], wrong):
        return file.old_path, best[1]
    return None


def _opens(text: str) -> int:
    """How many brackets a line leaves open; negative where it closes those of others."""
    return sum(map(text.count, "([{")) - sum(map(text.count, ")]}"))


def _likeness(hunk: Hunk, at: int, old: Line) -> tuple[float, int, str]:
    """How alike a line is to an earlier one, with that one's number and what it says.

    Where their brackets do not close alike, only as whole statements that name the same, wrapped anew.
    """
    came = [line for line in hunk.lines if line.new and line.new >= at]
    gone = [line for line in hunk.lines if line.old and old.old and line.old >= old.old]
    if _opens(came[0].text) == _opens(old.text):
        return _alike(came[0].text, old.text), old.old or 0, old.text
    now, before = _statement(came), _statement(gone)
    names = names_in([now])
    same = len(names) >= _SHARED and names == names_in([before])
    return float(same), old.old or 0, before


def _statement(lines: Sequence[Line]) -> str:
    """The first line, and those after it up to where its brackets are closed."""
    said, left = "", 0
    for line in lines[:_LONGEST]:
        said, left = f"{said} {line.text}", left + _opens(line.text)
        if left <= 0:
            break
    return said


def _as_wrong(text: str, wrong: Wrong) -> bool:
    return wrong.gone <= frozenset(_TOKEN.findall(text)) and wrong.mended(text) <= wrong.mended(wrong.text)


def _alike(one: str, other: str) -> float:
    """The share of names that two lines have in common (Dice's coefficient); words of languages say nothing."""
    first, second = names_in([one]), names_in([other])
    shared = len(first & second)
    if shared < _SHARED or shared < _KEPT * len(first):
        return 0.0
    return 2 * shared / (len(first) + len(second))


def _same(one: str, other: str) -> float:
    """The share of tokens that two lines have in common."""
    first, second = Counter(_TOKEN.findall(one)), Counter(_TOKEN.findall(other))
    both = first.total() + second.total()
    return 2 * (first & second).total() / both if both else 0.0
