"""The examined change in bounded groups, as a model sees it: each line with its number on both sides.

A group is filled with hunks in the order of the diff up to the policy's size; a hunk above it is cut into groups of its
own. Hunks that a rule set aside, and files that failed, are in none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from review_agent.vocabulary import DiffGroup, FileChange, Hunk, Line, Side, digest

__all__ = ["Groups", "grouped", "shown"]

# A longer line is data, not code: what a model is shown of it is its start.
_LINE_CHARACTERS = 400


@dataclass(frozen=True)
class _Piece:
    """Some consecutive lines of one hunk."""

    file: FileChange
    hunk: Hunk
    lines: tuple[Line, ...]

    @property
    def text(self) -> str:
        return "\n".join([_title(self.hunk), *map(shown, self.lines)])


@dataclass(frozen=True)
class Groups:
    """All groups of a change, and which one shows a place."""

    all: tuple[DiffGroup, ...]
    _holders: dict[str, tuple[tuple[int, tuple[Line, ...]], ...]]
    _pieces: dict[str, tuple[_Piece, ...]]

    def of(self, hunk_id: str, side: Side, line: int) -> DiffGroup | None:
        """The group that shows a line of a hunk, else the hunk's first; null where the hunk is in none."""
        holders = self._holders.get(hunk_id, ())
        for number, lines in holders:
            if any((one.old if side is Side.OLD else one.new) == line for one in lines):
                return self.all[number]
        return self.all[holders[0][0]] if holders else None

    def shows(self, group: DiffGroup, side: Side, path: str, line: int) -> str | None:
        """The path on its side of a line that a group shows; null where it does not."""
        for piece in self._pieces[group.group_id]:
            numbers = (one.old if side is Side.OLD else one.new for one in piece.lines)
            if path in (piece.file.path, piece.file.old_path) and line in numbers:
                return piece.file.old_path if side is Side.OLD else piece.file.path
        return None

    def changed(self, group: DiffGroup) -> dict[str, int]:
        """How many changed lines of each of its files a group shows, by the file's path at head."""
        pieces = self._pieces[group.group_id]
        counts = Counter({piece.file.path: 0 for piece in pieces})
        for piece in pieces:
            counts[piece.file.path] += sum(line.tag != " " for line in piece.lines)
        return dict(counts)


def grouped(files: Iterable[FileChange], set_aside: Collection[str], most_bytes: int) -> Groups:
    """The groups of what was examined. ``set_aside``: paths of files and ids of hunks that were not.

    ``most_bytes`` bounds a group's text, but for one line that is longer alone.
    """
    filled: list[list[_Piece]] = []
    size = 0
    for piece in _pieces(files, set_aside, most_bytes):
        cost = len(piece.text.encode("utf-8", "surrogatepass")) + len(_head(piece.file)) + 2
        if not filled or size + cost > most_bytes:
            filled.append([])
            size = 0
        filled[-1].append(piece)
        size += cost
    holders: dict[str, list[tuple[int, tuple[Line, ...]]]] = {}
    for number, pieces in enumerate(filled):
        for piece in pieces:
            holders.setdefault(piece.hunk.hunk_id, []).append((number, piece.lines))
    made = tuple(map(_group, filled))
    held = {hunk: tuple(those) for hunk, those in holders.items()}
    return Groups(made, held, {one.group_id: tuple(those) for one, those in zip(made, filled, strict=True)})


def shown(line: Line) -> str:
    """One line of a hunk: its number on the old side, on the new side, git's tag, the text."""
    old = "" if line.old is None else str(line.old)
    new = "" if line.new is None else str(line.new)
    cut = line.text if len(line.text) <= _LINE_CHARACTERS else f"{line.text[:_LINE_CHARACTERS]}…"
    return f"{old:>6} {new:>6} {line.tag} {cut}".rstrip()


def _pieces(files: Iterable[FileChange], set_aside: Collection[str], most_bytes: int) -> Iterator[_Piece]:
    for file in files:
        if file.path in set_aside:
            continue
        for hunk in file.hunks:
            if hunk.hunk_id not in set_aside and hunk.lines:
                yield from (_Piece(file, hunk, lines) for lines in _parts(hunk, most_bytes))


def _parts(hunk: Hunk, most_bytes: int) -> Iterator[tuple[Line, ...]]:
    part: list[Line] = []
    size = 0
    for line in hunk.lines:
        cost = len(shown(line).encode("utf-8", "surrogatepass")) + 1
        if part and size + cost > most_bytes // 2:
            yield tuple(part)
            part, size = [], 0
        part.append(line)
        size += cost
    yield tuple(part)


def _group(pieces: list[_Piece]) -> DiffGroup:
    lines: list[str] = []
    last = None
    for piece in pieces:
        if piece.file.path != last:
            lines.append(_head(piece.file))
            last = piece.file.path
        lines.append(piece.text)
    text = "\n".join(lines)
    return DiffGroup(
        group_id=f"g-{digest(text)[:12]}", paths=tuple(dict.fromkeys(p.file.path for p in pieces)), text=text
    )


def _head(file: FileChange) -> str:
    was = f", was {file.old_path}" if file.old_path != file.path else ""
    return f"=== {file.path} ({file.status.value}{was})"


def _title(hunk: Hunk) -> str:
    section = f" in {hunk.section.strip()}" if hunk.section.strip() else ""
    return f"@@ old {hunk.old_start}+{hunk.old_count} new {hunk.new_start}+{hunk.new_count}{section}"
