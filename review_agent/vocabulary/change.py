"""The change under review: snapshot, files, hunks, lines, edits, and references into the source."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from review_agent.vocabulary.base import Record
from review_agent.vocabulary.codes import FileStatus, Role, Side
from review_agent.vocabulary.edit_ops import EditOp

__all__ = [
    "Edit",
    "FactValue",
    "FileChange",
    "Hunk",
    "Line",
    "Snapshot",
    "SourceRef",
]


class Line(Record):
    """One line of a hunk. ``tag`` is git's: a space for context, ``-`` removed, ``+`` added. Text has no line end."""

    tag: Literal[" ", "-", "+"]
    old: int | None
    new: int | None
    text: str


class Hunk(Record):
    """One changed region of one file, with both sides' numbers on every line.

    A file that only moved has one without lines: the move itself, anchored at the file's first line.
    """

    hunk_id: str
    path: str
    old_path: str
    old_start: int
    old_count: int
    new_start: int
    new_count: int
    section: str
    lines: tuple[Line, ...]

    def changed(self, side: Side) -> tuple[int, ...]:
        """Numbers of the lines changed on one side, ascending: removed lines on the old, added ones on the new."""
        if side is Side.OLD:
            return tuple(line.old for line in self.lines if line.tag == "-" and line.old is not None)
        return tuple(line.new for line in self.lines if line.tag == "+" and line.new is not None)


class FileChange(Record):
    """One changed file. ``path`` is the head path (the base path of a deleted file); blobs are null where absent.

    Bytes of a path that are not UTF-8 stand as ``\\xNN``.
    """

    path: str
    old_path: str
    status: FileStatus
    old_mode: str
    new_mode: str
    old_blob: str | None
    new_blob: str | None
    binary: bool
    hunks: tuple[Hunk, ...]


class Snapshot(Record):
    """Base commit, head commit, merge base and what changed from merge base to head. Immutable; ids are full."""

    base: str
    head: str
    merge_base: str
    files: tuple[FileChange, ...]
    chosen: str = Field(description="how base and head were chosen, in words for the reader")


class SourceRef(Record):
    """Lines of one blob at one commit. ``quoteSha256`` is of the raw bytes of those lines, line ends included."""

    path: str
    start_line: int
    end_line: int
    commit: str
    role: Role
    side: Side
    blob: str
    quote_sha256: str


FactValue = str | int | bool | tuple[str, ...] | None


class Edit(Record):
    """One structural difference. Lines are changed lines of the hunk, on ``side``.

    ``scope`` is the qualified name of the enclosing symbol on that side ("" at module level); ``subject`` the
    identifier or expression the edit is about; before and after are source text, whitespace folded.
    """

    edit_id: str
    op: EditOp
    hunk_id: str
    path: str
    old_path: str
    language: str
    side: Side
    start_line: int
    end_line: int
    scope: str
    subject: str
    before: str | None
    after: str | None
    facts: dict[str, FactValue]
