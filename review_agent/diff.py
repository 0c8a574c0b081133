"""git's bytes into FileChange and Hunk: paths from the raw list, bodies from the patch, matched in order.

A path is never read from a patch header, where quoting and spaces make it ambiguous; a body belongs to a file because
it comes in its turn and names the same blobs. Where the two disagree, or a hunk's lines do not add up to its counts,
nothing is used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal, NamedTuple

from review_agent.errors import DiffError
from review_agent.vocabulary import FileChange, FileStatus, Hunk, Line, digest

__all__ = ["display_path", "parse", "paths"]

Mask = Callable[[str], str]

_STATUS = {
    "A": FileStatus.ADDED,
    "D": FileStatus.DELETED,
    "M": FileStatus.MODIFIED,
    "R": FileStatus.RENAMED,
    "C": FileStatus.COPIED,
    "T": FileStatus.TYPE_CHANGED,
}
_RAW = re.compile(rb":(\d{6}) (\d{6}) ([0-9a-f]{40,64}) ([0-9a-f]{40,64}) ([A-Z])\d*")
_INDEX = re.compile(rb"index ([0-9a-f]{40,64})\.\.([0-9a-f]{40,64})(?: \d{6})?")
_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(?: (.*))?", re.DOTALL)
_HEADERS = (
    *(b"old mode ", b"new mode ", b"new file mode ", b"deleted file mode ", b"index ", b"--- ", b"+++ "),
    *(b"similarity index ", b"dissimilarity index ", b"rename from ", b"rename to ", b"copy from ", b"copy to "),
)
_WRITTEN = re.compile(rb"\\(?=x[0-9a-f]{2})")
# git cuts the text behind a hunk's numbers at 80 bytes, in the middle of a word if need be.
_SECTION_LIMIT = 80

_Tag = Literal[" ", "-", "+"]
_TAGS: dict[bytes, _Tag] = {b" ": " ", b"-": "-", b"+": "+"}


class _Entry(NamedTuple):
    old_mode: str
    new_mode: str
    old_blob: str
    new_blob: str
    status: FileStatus
    old_path: str
    path: str


class _Body(NamedTuple):
    old_start: int
    old_count: int
    new_start: int
    new_count: int
    section: bytes
    tags: tuple[_Tag, ...]
    texts: tuple[str, ...]


@dataclass
class _Part:
    """What the patch says about one file, under one ``diff --git`` line."""

    blobs: tuple[str, str] | None = None
    binary: bool = False
    bodies: list[_Body] = field(default_factory=list)


def parse(raw: bytes, patch: bytes, mask: Mask) -> tuple[FileChange, ...]:
    """The changed files, in git's order, from ``--raw -z`` with full ids and the patch of the same diff.

    Lines end at a line feed and nowhere else: a carriage return before it stays in the text. Bytes that are not UTF-8
    become U+FFFD. ``mask`` sees each side of a hunk as one text and must keep its number of lines. A file that changed
    its type has the hunks of its removal and of its addition. Raises DiffError when anything does not fit.
    """
    parts = _parts(patch)
    changes = tuple(_change(entry, parts, mask) for entry in _entries(raw))
    if next(parts, None) is not None:
        raise DiffError("the patch holds more files than the raw list")
    return changes


def paths(raw: bytes) -> set[str]:
    """The paths of the changed files on both sides, from ``--raw -z`` with full ids. Raises DiffError."""
    return {path for entry in _entries(raw) for path in (entry.old_path, entry.path)}


def display_path(path: bytes) -> str:
    """A path's bytes as text; bytes that are not UTF-8, and control characters and others without a shape of their own,
    stand as ``\\xNN`` for each byte: a name may be shown and quoted anywhere. Two paths never read alike: where a name
    itself says ``\\xNN``, its backslash stands as a byte too."""
    text = _WRITTEN.sub(rb"\\x5c", path).decode("utf-8", "backslashreplace")
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else "".join(f"\\x{byte:02x}" for byte in c.encode()) for c in text)


def _entries(raw: bytes) -> Iterator[_Entry]:
    items = iter(raw.split(b"\0")[:-1])
    for item in items:
        match = _RAW.fullmatch(item)
        letter = match[5].decode() if match else ""
        if match is None or letter not in _STATUS:
            raise DiffError(f"the raw list holds {display_path(item)!r}")
        paths = [display_path(path) for path in islice(items, 1 + (letter in "RC"))]
        if len(paths) != 1 + (letter in "RC"):
            raise DiffError("the raw list ends before its last path")
        old_mode, new_mode, old_blob, new_blob = (group.decode() for group in match.groups()[:4])
        yield _Entry(old_mode, new_mode, old_blob, new_blob, _STATUS[letter], paths[0], paths[-1])


def _parts(patch: bytes) -> Iterator[_Part]:
    lines = _Lines(patch)
    while lines.peek() is not None:
        if not lines.take().startswith(b"diff --git "):
            raise DiffError("a file of the patch does not start with `diff --git`", where=lines.where)
        yield _part(lines)


class _Lines:
    """The lines of the patch and how far they have been read."""

    def __init__(self, patch: bytes) -> None:
        self._lines = patch.split(b"\n")
        if self._lines.pop():
            raise DiffError("the patch ends in the middle of a line")
        self._at = 0

    @property
    def where(self) -> str:
        return f"patch line {self._at}"

    def peek(self) -> bytes | None:
        return self._lines[self._at] if self._at < len(self._lines) else None

    def take(self) -> bytes:
        line = self.peek()
        if line is None:
            raise DiffError("the patch ends in the middle of a file", where=self.where)
        self._at += 1
        return line


def _part(lines: _Lines) -> _Part:
    part = _Part()
    while (line := lines.peek()) is not None and not line.startswith(b"diff --git "):
        if line.startswith(b"@@ -"):
            part.bodies.append(_body(lines))
            continue
        lines.take()
        if index := _INDEX.fullmatch(line):
            part.blobs = index[1].decode(), index[2].decode()
        elif line.startswith(b"Binary files "):
            part.binary = True
        elif part.bodies or not line.startswith(_HEADERS):
            raise DiffError(f"the patch holds {display_path(line[:80])!r}", where=lines.where)
    return part


def _body(lines: _Lines) -> _Body:
    match = _HUNK.fullmatch(lines.take())
    if match is None:
        raise DiffError("a hunk's header is unreadable", where=lines.where)
    old_start, old_count, new_start, new_count = (1 if n is None else int(n) for n in match.groups()[:4])
    old_left, new_left = old_count, new_count
    tags: list[_Tag] = []
    texts: list[str] = []
    while old_left or new_left:
        line = lines.take()
        tag = _TAGS.get(line[:1])
        if tag is not None:
            old_left -= tag != "+"
            new_left -= tag != "-"
            tags.append(tag)
            texts.append(line[1:].decode("utf-8", "replace"))
        if (tag is None and not (line.startswith(b"\\ ") and tags)) or old_left < 0 or new_left < 0:
            raise DiffError("a hunk's lines do not add up to its header", where=lines.where)
    if (lines.peek() or b"").startswith(b"\\ "):
        lines.take()
    return _Body(old_start, old_count, new_start, new_count, match[5] or b"", tuple(tags), tuple(texts))


def _change(entry: _Entry, parts: Iterator[_Part], mask: Mask) -> FileChange:
    none = "0" * len(entry.old_blob)
    if entry.status is FileStatus.TYPE_CHANGED:
        own = [_claimed(parts, entry, entry.old_blob, none), _claimed(parts, entry, none, entry.new_blob)]
    else:
        own = [_claimed(parts, entry, entry.old_blob, entry.new_blob)]
    return FileChange(
        path=entry.path,
        old_path=entry.old_path,
        status=entry.status,
        old_mode=entry.old_mode,
        new_mode=entry.new_mode,
        old_blob=None if entry.old_blob == none else entry.old_blob,
        new_blob=None if entry.new_blob == none else entry.new_blob,
        binary=any(part.binary for part in own),
        hunks=tuple(_hunk(body, entry, mask) for part in own for body in _bodies(part, entry)),
    )


def _bodies(part: _Part, entry: _Entry) -> Sequence[_Body]:
    """The hunks of a file; of one that only moved, the move itself: a hunk without lines."""
    if part.bodies or part.binary or entry.status is not FileStatus.RENAMED or entry.old_blob != entry.new_blob:
        return part.bodies
    return [_Body(1, 0, 1, 0, b"", (), ())]


def _claimed(parts: Iterator[_Part], entry: _Entry, old_blob: str, new_blob: str) -> _Part:
    part = next(parts, None)
    if part is None:
        raise DiffError("the patch holds fewer files than the raw list", where=entry.path)
    if (part.blobs or (old_blob, old_blob)) != (old_blob, new_blob):
        raise DiffError("patch and raw list name different contents", where=entry.path)
    return part


def _hunk(body: _Body, entry: _Entry, mask: Mask) -> Hunk:
    texts = _masked(body, entry.path, mask)
    identity = {
        "oldPath": entry.old_path,
        "path": entry.path,
        "oldStart": body.old_start,
        "newStart": body.new_start,
        "lines": [tag + text for tag, text in zip(body.tags, texts, strict=True)],
    }
    return Hunk(
        hunk_id=digest(identity)[:16],
        path=entry.path,
        old_path=entry.old_path,
        old_start=body.old_start,
        old_count=body.old_count,
        new_start=body.new_start,
        new_count=body.new_count,
        section=_section(body.section, mask),
        lines=tuple(_numbered(body, texts)),
    )


def _numbered(body: _Body, texts: Sequence[str]) -> Iterator[Line]:
    old, new = body.old_start, body.new_start
    for tag, text in zip(body.tags, texts, strict=True):
        yield Line(tag=tag, old=None if tag == "+" else old, new=None if tag == "-" else new, text=text)
        old += tag != "+"
        new += tag != "-"


def _masked(body: _Body, path: str, mask: Mask) -> list[str]:
    """Each side is masked as a text of its own: a secret that spans lines is whole there, not in the patch."""
    texts = list(body.texts)
    for other in ("+", "-"):
        side = [at for at, tag in enumerate(body.tags) if tag != other]
        masked = mask("\n".join(body.texts[at] for at in side)).split("\n") if side else []
        if len(masked) != len(side):
            raise DiffError("masking changed the number of lines", where=path)
        for at, text in zip(side, masked, strict=True):
            if text != body.texts[at]:
                texts[at] = text
    return texts


def _section(section: bytes, mask: Mask) -> str:
    # Half a secret would not be recognised as one: what git cut goes up to the last blank.
    if len(section) >= _SECTION_LIMIT:
        section = section.rpartition(b" ")[0]
    return mask(section.decode("utf-8", "replace"))
