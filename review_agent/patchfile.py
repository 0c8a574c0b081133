"""A patch read without the repository it was made from: what is known of both sides of each file it changes.

Only the lines that the patch shows are known. They stand at their own line numbers; every other line is empty. So
places are true, and a reader of such a file must conclude nothing from what is not there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from review_agent.errors import UsageError
from review_agent.gitoutput import unquoted

__all__ = ["PatchedFile", "read", "refuse_unread"]

_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_NAMED = re.compile(
    rb"(rename from|rename to|copy from|copy to|old mode|new mode|deleted file mode|new file mode) (.*)"
)
_PREFIXES = ((b"a/", b"b/"), (b"i/", b"w/"), (b"c/", b"i/"), (b"c/", b"w/"), (b"o/", b"w/"), (b"b/", b"a/"))
_NONE = b"/dev/null"
_DEFAULT_MODE = b"100644"
# A hunk may stand at any line; each line before it is an empty one in memory.
_MOST_LINES = 2_000_000


_ANEW = "make it anew with git diff, or git format-patch"
# What stands between the diffs and changes a file all the same: the line, what it is, what to do.
_UNREAD = (
    (
        rb"diff --cc |diff --combined |@@@ ",
        "this is a combined diff of a merge",
        "make it against one parent: git diff PARENT MERGE",
    ),
    (rb"\* Unmerged path ", "a file is unmerged", "finish the merge, or make the diff of one side: git diff --ours"),
    (rb"\x1b\[", "it is coloured", "make it anew with git diff --no-color"),
    (
        rb"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@",
        "a hunk stands under no file: a line before it is no part of a diff",
        _ANEW,
    ),
    (rb"[ \t>|]+(?:diff --git |@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@)", "a part of it is indented", _ANEW),
    (rb"\*{15}.*\n\*\*\* \d", "a part of it is in context format", "make it anew with git diff, or diff -u"),
    (
        rb"\d+(?:,\d+)?[acd]\d+(?:,\d+)?\r?\n[<>] ",
        "a part of it is in the format of a plain diff",
        "make it anew with git diff, or diff -u",
    ),
    (rb"Only in [^:]+: .", "a file is named without its text", "make it anew with git diff, or diff -ruN"),
    (
        rb"(?:Binary files|Files) .+ and .+ differ\r?\n",
        "a file is named without its contents",
        "make it anew with git diff --binary",
    ),
    (
        rb"Submodule .+ [0-9a-f]{7,}\.{2,3}[0-9a-f]{7,}",
        "a submodule is told by its commits",
        "make it anew with git diff --submodule=short",
    ),
)


@dataclass
class PatchedFile:
    """One changed file: paths as bytes, git's octal modes, contents; None for a side that does not exist."""

    old_path: bytes | None = None
    path: bytes | None = None
    old_mode: bytes = _DEFAULT_MODE
    mode: bytes = _DEFAULT_MODE
    binary: bool = False
    bare: bool = False
    """Whether the names come without a prefix, as those of a rename do."""
    old: dict[int, bytes] = field(default_factory=dict)
    new: dict[int, bytes] = field(default_factory=dict)

    def content(self, lines: dict[int, bytes]) -> bytes:
        """One side's bytes: known lines at their numbers, empty ones between them."""
        if self.binary:
            return b"\0" + (b"old" if lines is self.old else b"new")
        return b"".join(lines.get(number, b"\n") for number in range(1, max(lines, default=0) + 1))


def read(patch: bytes) -> list[PatchedFile]:
    """The files a unified diff changes: git's own kind, with any of its prefixes or none, or that of ``diff -u``.

    Text around the diffs (a mail, a commit message) is passed over. Raises UsageError, with the line, for a combined
    diff, a hunk that is not what it says, a path that leaves the tree, and text in which there is no diff at all.
    """
    reader = _Reader(patch.split(b"\n"))
    files = list(reader.files())
    if not files and patch.strip():
        raise UsageError("there is no diff in it", hint="give what git diff or diff -u prints")
    _strip(files)
    seen: set[bytes] = set()
    for one in files:
        for path in {one.old_path, one.path} - {None}:
            _check(path)
        changed = one.path or one.old_path or b""
        if not changed:
            raise UsageError("the diff does not say which file it changes", hint="make it anew with git diff")
        if changed in seen:
            hint = "make one of them: git diff BASE HEAD, or give it the repository: --repo DIR"
            raise UsageError(
                "the diff changes a file twice, as several commits do", where=repr(changed)[2:-1], hint=hint
            )
        seen.add(changed)
    return files


def refuse_unread(patch: bytes) -> None:
    """Raises UsageError, with the line, where a part of a patch is read by nobody, which git passes over in silence."""
    for _ in _Reader(patch.split(b"\n")).files():
        pass


class _Reader:
    def __init__(self, lines: list[bytes]) -> None:
        self._lines = lines if lines[-1] else lines[:-1]
        self._at = 0

    def files(self) -> Iterator[PatchedFile]:
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.startswith(b"diff --git "):
                yield self._file(self._named(line.removeprefix(b"diff --git ").rstrip(b"\r")))
            elif line.startswith(b"--- ") and self._next(1).startswith(b"+++ ") and self._next(2).startswith(b"@@ -"):
                yield self._file(PatchedFile())
            else:
                self._pass_over(line)

    def _pass_over(self, line: bytes) -> None:
        for shape, what, hint in _UNREAD:
            if re.match(shape, b"%s\n%s" % (line, self._next(1))):
                raise self._wrong(what, hint)
        self._at += 1

    def _next(self, ahead: int) -> bytes:
        return self._lines[self._at + ahead] if self._at + ahead < len(self._lines) else b""

    def _named(self, names: bytes) -> PatchedFile:
        """A file as its ``diff --git`` line names it: needed where no other line does, and then both are alike."""
        self._at += 1
        half = len(names) // 2
        old, new = (
            (unquoted(names[:half]), unquoted(names[half + 1 :])) if names[half : half + 1] == b" " else (b"", b"")
        )
        return PatchedFile(old or None, new or None)

    def _file(self, file: PatchedFile) -> PatchedFile:
        while self._at < len(self._lines):
            line = self._lines[self._at].rstrip(b"\r")
            if named := _NAMED.fullmatch(line):
                _take(file, named[1], named[2])
            elif line.startswith(b"--- ") and self._next(1).startswith(b"+++ "):
                if file.old or file.new:
                    break
                if not file.bare:
                    file.old_path, file.path = _name(line[4:], file.old_path), _name(self._next(1)[4:], file.path)
                self._at += 1
            elif line.startswith((b"Binary files ", b"GIT binary patch")) and not (file.old or file.new):
                file.binary = True
            elif line.startswith(b"@@ -"):
                self._hunk(file)
                continue
            elif line.startswith(b"diff --") or not line.startswith((b"index ", b"similarity ", b"dissimilarity ")):
                break
            self._at += 1
        return file

    def _hunk(self, file: PatchedFile) -> None:
        header = _HUNK.match(self._lines[self._at])
        if header is None:
            raise self._wrong("a hunk's header has no line numbers")
        old, new = int(header[1]), int(header[3])
        left_old, left_new = (int(header[n]) if header[n] is not None else 1 for n in (2, 4))
        if old + left_old > _MOST_LINES or new + left_new > _MOST_LINES:
            raise self._wrong(f"a hunk stands beyond line {_MOST_LINES}")
        if (file.old and old <= max(file.old)) or (file.new and new <= max(file.new)):
            raise self._wrong("a hunk stands before the end of the one above it")
        while left_old > 0 or left_new > 0:
            self._at += 1
            line = self._next(0) if self._at < len(self._lines) else b"?"
            tag, text = (line[:1], line[1:] + b"\n") if line else (b" ", b"\n")
            if tag not in b" +-\\" or (tag in b" -" and not left_old) or (tag in b" +" and not left_new):
                raise self._wrong("a hunk has fewer or more lines than it says")
            if tag in b" -":
                file.old[old], old, left_old = text, old + 1, left_old - 1
            if tag in b" +":
                file.new[new], new, left_new = text, new + 1, left_new - 1
            if tag == b"\\":
                _cut_end(file, self._lines[self._at - 1][:1])
        self._at += 1
        if self._next(0).startswith(b"\\"):
            _cut_end(file, self._lines[self._at - 1][:1])
            self._at += 1
        self._refuse_more()

    def _refuse_more(self) -> None:
        """Lines of a hunk behind its end: what a mail ends with, and the head of another file, are none."""
        at = self._at
        while (line := self._next(0)).startswith(b" "):
            self._at += 1
        heads = line.startswith(b"--- ") and self._next(1).startswith(b"+++ ")
        if line[:1] in (b"+", b"-") and not heads and line.rstrip() != b"--":
            raise self._wrong("a hunk has more lines than it says")
        self._at = at

    def _wrong(self, what: str, hint: str = _ANEW) -> UsageError:
        return UsageError(f"the diff cannot be read: {what}", where=f"line {self._at + 1} of it", hint=hint)


def _cut_end(file: PatchedFile, tag: bytes) -> None:
    """The last line has no line end, on the sides that the line belongs to."""
    for lines, tags in ((file.old, b" -"), (file.new, b" +")):
        if tag in tags and lines:
            last = max(lines)
            lines[last] = lines[last].removesuffix(b"\n")


def _name(text: bytes, known: bytes | None) -> bytes | None:
    """A path as ``---`` or ``+++`` names it; after a tab stands a time."""
    name = unquoted(text) if text.startswith(b'"') else text.split(b"\t")[0].rstrip(b"\r")
    return None if name == _NONE else name or known


def _take(file: PatchedFile, key: bytes, value: bytes) -> None:
    verb, _, what = key.partition(b" ")
    if what in (b"from", b"to"):
        file.bare = True
        file.old_path, file.path = (unquoted(value), file.path) if what == b"from" else (file.old_path, unquoted(value))
    elif key == b"deleted file mode":
        file.old_mode, file.path = value, None
    elif key == b"new file mode":
        file.mode, file.old_path = value, None
    elif verb == b"old":
        file.old_mode = value
    else:
        file.mode = value


def _strip(files: list[PatchedFile]) -> None:
    """Take git's prefixes off, where every name of ``---`` and ``+++`` has them."""
    named = [one for one in files if not one.bare]
    for old, new in _PREFIXES:
        sides = [(one.old_path, old) for one in named] + [(one.path, new) for one in named]
        if all(path is None or path.startswith(prefix) for path, prefix in sides):
            for one in named:
                one.old_path = one.old_path and one.old_path.removeprefix(old)
                one.path = one.path and one.path.removeprefix(new)
            return


def _check(path: bytes | None) -> None:
    parts = path.split(b"/") if path is not None else [b"x"]
    if any(part in (b"", b".", b"..") or part.lower() == b".git" for part in parts) or b"\0" in (path or b""):
        shown = (path or b"").decode("utf-8", "replace")
        raise UsageError(
            f"the diff names a path that leaves its tree: {shown!r}", hint="paths are relative, without .."
        )
