"""The files of one side of a change, read by blob id from its commit: masked text, raw lines, references that hold."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, KeysView
from functools import cached_property

from review_agent.errors import SnapshotError
from review_agent.git import Git, TreeEntry
from review_agent.vocabulary import Role, Side, SourceRef

__all__ = ["Source", "Sources"]

_SYMLINK, _SUBMODULE = "120000", "160000"
# git's own measure of a binary file: a NUL in its first 8000 bytes.
_BINARY_PROBE = 8_000
_MOST = 0.9  # of text in UTF-16 so many signs are Latin, and can be read; the others are what else a text holds


class Source:
    """One text file at the commit. ``lines[i]`` and ``raw_lines[i]`` are line ``i + 1``.

    ``text`` and ``lines`` are masked, at the first look: of many a file only the hits of a search are wanted. Bytes
    that are not UTF-8 stand as U+FFFD; lines end at a line feed alone and come without it, a carriage return stays.
    ``raw_lines`` are the bytes of the blob, line ends included. A look raises SnapshotError where masking changes the
    number of lines.
    """

    def __init__(self, path: str, blob: str, data: bytes, mask: Callable[[str], str]) -> None:
        self.path = path
        self.blob = blob
        self._data = data
        self._mask = mask

    @cached_property
    def raw_lines(self) -> tuple[bytes, ...]:
        return _raw_lines(self._data)

    @cached_property
    def text(self) -> str:
        text = self._mask(self._data.decode("utf-8", "replace"))
        lines = self._data.count(b"\n") + (not self._data.endswith(b"\n") and bool(self._data))
        if text.count("\n") + (not text.endswith("\n") and bool(text)) != lines:
            raise SnapshotError(
                "masking changed the number of lines", where=self.path, hint="check the policy's patterns"
            )
        return text

    @cached_property
    def lines(self) -> tuple[str, ...]:
        lines = self.text.split("\n")
        return tuple(lines[:-1] if not lines[-1] else lines)

    def forget(self) -> None:
        """Let go of the lines, which take more memory than the text; the next look makes them again."""
        self.__dict__.pop("lines", None)
        self.__dict__.pop("raw_lines", None)

    def says(self, pattern: re.Pattern[str]) -> bool:
        """Whether the text as it is holds the pattern: none of it is handed out, so none need be masked."""
        return pattern.search(self._data.decode("utf-8", "replace")) is not None

    def opening(self, most: int) -> tuple[str, ...]:
        """The first lines, masked without a look at the rest."""
        end = 0
        for _ in range(most):
            end = self._data.find(b"\n", end) + 1 or len(self._data)
        return tuple(self._mask(self._data[:end].decode("utf-8", "replace")).split("\n")[:most])


class Sources:
    """The text files at one commit (or tree). Nothing is read from a checkout, no symlink or submodule is followed.

    ``max_bytes`` bounds the size of a file that is read at all. Methods raise SnapshotError (GitError among them) when
    git fails or masking changes the number of lines of a file.
    """

    def __init__(self, git: Git, commit: str, mask: Callable[[str], str], *, side: Side, max_bytes: int) -> None:
        self.commit = commit
        self.side = side
        self._git = git
        self._mask = mask
        self._max_bytes = max_bytes
        self._known: dict[str, Source | str] = {}
        self._wide: set[str] = set()

    @property
    def paths(self) -> KeysView[str]:
        """Every path of the commit's tree in git's order, symlinks and submodules included."""
        return self._git.tree(self.commit).keys()

    def prefetch(self, paths: Iterable[str]) -> None:
        """Read several files in one batch; ``get`` and ``problem`` then answer from memory."""
        tree = self._git.tree(self.commit)
        wanted = {path: tree.get(path) for path in paths if path not in self._known}
        known: dict[str, Source | str] = {path: _unreadable(entry) for path, entry in wanted.items()}
        files = {path: entry.blob for path, entry in wanted.items() if entry is not None and not known[path]}
        sizes = self._git.sizes(dict.fromkeys(files.values()))
        contents = dict(self._git.blobs(dict.fromkeys(files.values()), max_bytes=self._max_bytes))
        for path, blob in files.items():
            known[path] = self._read(path, blob, sizes[blob], contents[blob])
        self._known |= known

    def get(self, path: str) -> Source | None:
        """The file, or None: then ``problem`` says why."""
        if path not in self._known:
            self.prefetch([path])
        known = self._known[path]
        return known if isinstance(known, Source) else None

    def problem(self, path: str) -> str:
        """Why ``get`` gives None: missing, symlink, submodule, too_large or binary; "" when it gives the file."""
        return "" if self.get(path) is not None else str(self._known[path])

    def is_wide(self, path: str) -> bool:
        """Whether a binary file looks like text in UTF-16, with its mark or without."""
        return self.problem(path) == "binary" and path in self._wide

    def ref(self, path: str, start: int, end: int, role: Role) -> SourceRef:
        """A reference to lines ``start`` to ``end`` (1-based, inclusive) that carries the hash of their raw bytes.

        Raises ValueError when the file cannot be read or does not have these lines.
        """
        source = self.get(path)
        if source is None:
            raise ValueError(f"{path} has no lines to refer to: {self.problem(path)}")
        if not 1 <= start <= end <= len(source.raw_lines):
            raise ValueError(f"{path} has lines 1 to {len(source.raw_lines)}, not {start} to {end}")
        return SourceRef(
            path=path,
            start_line=start,
            end_line=end,
            commit=self.commit,
            role=role,
            side=self.side,
            blob=source.blob,
            quote_sha256=_quote_hash(source.raw_lines, start, end),
        )

    def holds(self, ref: SourceRef) -> bool:
        """Whether a reference is true: this commit and side, the blob at that path, and its bytes, read anew."""
        entry = self._git.tree(self.commit).get(ref.path)
        if entry is None or (ref.commit, ref.side, ref.blob) != (self.commit, self.side, entry.blob):
            return False
        if _unreadable(entry):
            return False
        data = next(self._git.blobs([entry.blob], max_bytes=self._max_bytes))[1]
        lines = _raw_lines(data or b"")
        if not 1 <= ref.start_line <= ref.end_line <= len(lines):
            return False
        return _quote_hash(lines, ref.start_line, ref.end_line) == ref.quote_sha256

    def _read(self, path: str, blob: str, size: int | None, data: bytes | None) -> Source | str:
        if data is None:
            return "missing" if size is None else "too_large"
        if b"\0" in data[:_BINARY_PROBE]:
            if _is_wide(data[:_BINARY_PROBE]):
                self._wide.add(path)
            return "binary"
        return Source(path, blob, data, self._mask)


def _unreadable(entry: TreeEntry | None) -> str:
    if entry is None:
        return "missing"
    return {_SYMLINK: "symlink", _SUBMODULE: "submodule"}.get(entry.mode, "")


def _is_wide(data: bytes) -> bool:
    """UTF-16 by its mark; without one, where nearly every second byte is zero and what they make is to be read."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    half = len(data) // 2
    low, high = data[: 2 * half : 2], data[1 : 2 * half : 2]
    coding, rest = ("utf-16-le", high) if high.count(0) > low.count(0) else ("utf-16-be", low)
    text = data[: 2 * half].decode(coding, "replace")
    read = sum(sign.isprintable() or sign.isspace() for sign in text)
    return half > 1 and rest.count(0) >= half * _MOST and read >= half * _MOST


def _raw_lines(data: bytes) -> tuple[bytes, ...]:
    """Lines with their line feeds; unlike ``splitlines``, nothing else ends one."""
    parts = data.split(b"\n")
    return tuple(part + b"\n" for part in parts[:-1]) + ((parts[-1],) if parts[-1] else ())


def _quote_hash(lines: tuple[bytes, ...], start: int, end: int) -> str:
    return hashlib.sha256(b"".join(lines[start - 1 : end])).hexdigest()
