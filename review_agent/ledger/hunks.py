"""Whether a recorded file change is the one between two commits: its blobs, every line, and nothing left out.

The hunks are laid over both sides of the file, so that they need not be cut as this machine's git would cut them: what
lies between two hunks must be the same on both sides, and what lies in one must stand there as its tag says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from review_agent.ledger.pinned import Mask, Pinned, agrees, begins, masked_sides
from review_agent.vocabulary import FileChange, FileStatus, Hunk

__all__ = ["LieError", "check_file", "left_out"]

_NONE = "000000"
_Lines = Sequence[bytes]


class LieError(Exception):
    """What is recorded and not so."""


def check_file(file: FileChange, old: Pinned, new: Pinned, mask: Mask | None, most: int | None) -> None:
    """Raises LieError where the change is not what lies between the commits.

    ``mask``: what masked the texts, null where it is not known; ``most``: the size from which hunks have no lines.
    """
    _check_blobs(file, old, new)
    before = old.lines(file.old_path) if file.old_blob else ()
    after = new.lines(file.path) if file.new_blob else ()
    if before is None or after is None:
        if not file.binary or (file.hunks and file.status is not FileStatus.TYPE_CHANGED):
            raise LieError(f"{file.path} is binary, and lines of it are shown")
        return
    if file.binary:
        raise LieError(f"{file.path} is said to be binary and is text")
    if any(not hunk.lines and (hunk.old_count or hunk.new_count) for hunk in file.hunks):
        _check_large(file, old, new, most)
        return
    if file.status is not FileStatus.TYPE_CHANGED:
        _check_cover(file, before, after)
    for hunk in file.hunks:
        _check_hunk(hunk, file, before, after, mask)


def left_out(files: Sequence[FileChange], old: Pinned, new: Pinned) -> str | None:
    """A path that the commits change and that none of the files is about."""
    told = {path for file in files for path in (file.old_path, file.path)}
    paths = (path for path in old.entries.keys() | new.entries.keys() if path not in told)
    return min((path for path in paths if old.entries.get(path) != new.entries.get(path)), default=None)


def _check_blobs(file: FileChange, old: Pinned, new: Pinned) -> None:
    before = None if file.status is FileStatus.ADDED else old.entries.get(file.old_path)
    after = None if file.status is FileStatus.DELETED else new.entries.get(file.path)
    true = [(one.mode, one.blob) if one else (_NONE, None) for one in (before, after)]
    said = [(file.old_mode, file.old_blob), (file.new_mode, file.new_blob)]
    gone = file.status is FileStatus.DELETED and file.path in new.entries
    came = file.status is FileStatus.ADDED and file.path in old.entries
    if said != true or gone or came or (before is None and after is None):
        raise LieError(f"{file.path} was not {file.status.value} with these contents between the two commits")


def _check_large(file: FileChange, old: Pinned, new: Pinned, most: int | None) -> None:
    sizes = [side.size(path) for side, path in ((old, file.old_path), (new, file.path)) if path in side.entries]
    if any(hunk.lines for hunk in file.hunks) or (most is not None and max(sizes, default=0) <= most):
        raise LieError(f"{file.path}: a hunk lacks its lines")


def _check_cover(file: FileChange, before: _Lines, after: _Lines) -> None:
    """That the hunks, in order, hold every difference: between them both sides are the same."""
    at_old = at_new = 0
    for hunk in file.hunks:
        start_old, start_new = _starts(hunk)
        if start_old < at_old or before[at_old:start_old] != after[at_new:start_new]:
            raise LieError(f"{file.path}: a difference before line {hunk.new_start} is left out")
        at_old, at_new = start_old + hunk.old_count, start_new + hunk.new_count
    if before[at_old:] != after[at_new:]:
        raise LieError(f"{file.path}: a difference after line {at_new} is left out")


def _starts(hunk: Hunk) -> tuple[int, int]:
    """How many lines of each side stand before the hunk: git names the line before where there are none of a side."""
    return hunk.old_start - bool(hunk.old_count), hunk.new_start - bool(hunk.new_count)


def _check_hunk(hunk: Hunk, file: FileChange, before: _Lines, after: _Lines, mask: Mask | None) -> None:
    if (hunk.path, hunk.old_path) != (file.path, file.old_path):
        raise LieError(f"a hunk of {file.path} is said to be of {hunk.path}")
    true = list(_true(hunk, before, after))
    shown = masked_sides([line.tag for line in hunk.lines], true, mask) if mask else true
    for line, text in zip(hunk.lines, shown, strict=True):
        if line.text != text and (mask is not None or not agrees(line.text, text)):
            side, number = ("old", line.old) if line.tag == "-" else ("new", line.new)
            raise LieError(f"{file.path}: line {number} of the {side} side reads otherwise in git")
    if hunk.section and not any(begins(hunk.section, _text(line), 1) for line in reversed(before[: hunk.old_start])):
        raise LieError(f"{file.path}: no line before line {hunk.old_start} reads as the hunk's heading")


def _true(hunk: Hunk, before: _Lines, after: _Lines) -> Iterator[str]:
    """The hunk's lines as git has them. Raises LieError where their numbers or tags are not so."""
    old, new = _starts(hunk)
    for line in hunk.lines:
        numbers = (old + 1 if line.tag != "+" else None, new + 1 if line.tag != "-" else None)
        sides = [
            lines[at] if at < len(lines) else None
            for lines, at, tag in ((before, old, "+"), (after, new, "-"))
            if line.tag != tag
        ]
        if (line.old, line.new) != numbers or None in sides or len(set(sides)) != 1:
            raise LieError(f"{hunk.path}: line {line.new or line.old} does not stand as the hunk has it")
        yield _text(sides[0] or b"")
        old += line.tag != "+"
        new += line.tag != "-"
    if (old, new) != tuple(
        start + count for start, count in zip(_starts(hunk), (hunk.old_count, hunk.new_count), strict=True)
    ):
        raise LieError(f"{hunk.path}: the hunk at line {hunk.new_start} has other lines than it counts")


def _text(line: bytes) -> str:
    return line.removesuffix(b"\n").decode("utf-8", "replace")
