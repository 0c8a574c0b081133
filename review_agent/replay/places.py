"""Where a place stands on the other side of a change, and whether two places meet."""

from __future__ import annotations

from collections.abc import Iterable

from review_agent.replay.records import Place
from review_agent.vocabulary import FileChange, Hunk, Side

__all__ = ["counterpart", "file_of", "hunk_of", "meets", "touches"]


def file_of(place: Place, files: Iterable[FileChange]) -> FileChange | None:
    """The changed file that a place is in, by the name it has on the place's side; else by its other name."""
    found = list(files)
    for names in (_own, _other):
        for file in found:
            if place.path == names(file, place.side):
                return file
    return None


def _own(file: FileChange, side: Side) -> str:
    return file.old_path if side is Side.OLD else file.path


def _other(file: FileChange, side: Side) -> str:
    return file.path if side is Side.OLD else file.old_path


def hunk_of(place: Place, file: FileChange | None) -> Hunk | None:
    """The hunk whose lines, context included, a place meets."""
    return next((hunk for hunk in file.hunks if touches(place, hunk)), None) if file is not None else None


def touches(place: Place, hunk: Hunk) -> bool:
    """Whether a place meets a hunk's lines on its side."""
    old = place.side is Side.OLD
    start, count = (hunk.old_start, hunk.old_count) if old else (hunk.new_start, hunk.new_count)
    return place.start <= start + max(count, 1) - 1 and place.end >= start


def counterpart(place: Place, file: FileChange) -> Place:
    """The line of the other side before which a changed place stands, or where an unchanged one is."""
    to = Side.NEW if place.side is Side.OLD else Side.OLD
    line = _line(place, file)
    return Place(path=file.path if to is Side.NEW else file.old_path, side=to, start=line, end=line)


def _line(place: Place, file: FileChange) -> int:
    old, shift = place.side is Side.OLD, 0
    for hunk in file.hunks:
        start, count = (hunk.old_start, hunk.old_count) if old else (hunk.new_start, hunk.new_count)
        if place.start < start:
            break
        if place.start < start + count:
            return _within(place.start, hunk, old)
        grown = hunk.new_count - hunk.old_count
        shift += grown if old else -grown
    return max(1, place.start + shift)


def _within(number: int, hunk: Hunk, old: bool) -> int:
    after = hunk.new_start if old else hunk.old_start
    for line in hunk.lines:
        here, there = (line.old, line.new) if old else (line.new, line.old)
        if here == number:
            return max(1, after if there is None else there)
        after = after if there is None else there + 1
    return max(1, after)


def meets(one: Place, other: Place, slack: int, files: Iterable[FileChange]) -> bool:
    """Whether two places of a change overlap within ``slack`` lines; one on the other side counts where it stands."""
    file, others = file_of(one, found := list(files)), file_of(other, found)
    if file is None or others is None:
        return (one.path, one.side) == (other.path, other.side) and _near(one, other, slack)
    if file is not others:
        return False
    return _near(one if one.side is other.side else counterpart(one, file), other, slack)


def _near(one: Place, other: Place, slack: int) -> bool:
    return one.start - slack <= other.end and one.end + slack >= other.start
