"""The lines of the two commits that a run names, and whether a recorded text is what stands there, masked or not."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from review_agent.git import Git, TreeEntry
from review_agent.sources import Sources
from review_agent.vocabulary import Role, Side, SourceRef

__all__ = ["AbsentError", "Mask", "Pinned", "agrees", "begins", "masked_sides"]

Mask = Callable[[str], str]

MOST_BYTES = 16 * 1_048_576
"""git takes a larger file for a binary one."""
_SYMLINK, _SUBMODULE = "120000", "160000"
_LEAST_CUT = 40
"""No policy lets lines be cut to fewer characters."""
_MASK = re.compile(r"\[masked:[A-Za-z0-9_.-]+\]")
_HALF_MASK = re.compile(r"\[(?:m(?:a(?:s(?:k(?:e(?:d(?::[A-Za-z0-9_.-]*)?)?)?)?)?)?)?$")


class AbsentError(Exception):
    """An object that the clone lacks."""


class Pinned:
    """One side of a run: the merge base (old) or the head (new), as git has it. ``mask``: null to leave text as it is.

    Methods raise AbsentError for an object that is not in this clone, GitError where git fails.
    """

    def __init__(self, git: Git, commit: str, side: Side, mask: Mask | None) -> None:
        self.sources = Sources(git, commit, mask or (lambda text: text), side=side, max_bytes=MOST_BYTES)
        self.entries: Mapping[str, TreeEntry] = git.tree(commit)
        self._git = git

    def lines(self, path: str) -> tuple[bytes, ...] | None:
        """The raw lines of a path, as git's diff has them; null for what it takes for a binary file."""
        entry = self.entries[path]
        if entry.mode == _SUBMODULE:
            return (f"Subproject commit {entry.blob}\n".encode(),)
        if entry.mode == _SYMLINK:
            data = next(self._git.blobs([entry.blob], max_bytes=MOST_BYTES))[1]
            if data is None:
                raise AbsentError(entry.blob)
            return _by_feed(data)
        source = self.sources.get(path)
        if source is None and self.sources.problem(path) == "missing":
            raise AbsentError(entry.blob)
        return None if source is None else source.raw_lines

    def size(self, path: str) -> int:
        entry = self.entries[path]
        return self._git.sizes([entry.blob])[entry.blob] or 0

    def ref(self, path: str, start: int, end: int, role: Role) -> SourceRef:
        """The reference that these lines have in truth. Raises ValueError where there are no such lines."""
        if path in self.entries and self.sources.problem(path) == "missing":
            raise AbsentError(self.entries[path].blob)
        return self.sources.ref(path, start, end, role)

    def shown(self, path: str, start: int, end: int) -> Sequence[str]:
        """Lines as an excerpt has them before it is cut."""
        source = self.sources.get(path)
        return source.lines[start - 1 : end] if source else ()


def agrees(said: str, true: str) -> bool:
    """Whether a recorded line is the true one, with masks in it or without."""
    return said == true or (_MASK.search(said) is not None and _around(_MASK.split(said), true, whole=True))


def begins(said: str, true: str, least: int = _LEAST_CUT) -> bool:
    """Whether a recorded line is the true one or, from ``least`` characters on, the beginning of it."""
    if agrees(said, true):
        return True
    if len(said) < least:
        return False
    return true.startswith(said) or _around(_MASK.split(_HALF_MASK.sub("", said)), true, whole=False)


def masked_sides(tags: Sequence[str], texts: Sequence[str], mask: Mask) -> list[str]:
    """The lines of a hunk as they are recorded: each side is masked as a text of its own."""
    shown = list(texts)
    for other in ("+", "-"):
        side = [at for at, tag in enumerate(tags) if tag != other]
        masked = mask("\n".join(texts[at] for at in side)).split("\n") if side else []
        for at, text in zip(side, masked, strict=False):
            shown[at] = text if text != texts[at] else shown[at]
    return shown


def _around(pieces: Sequence[str], true: str, *, whole: bool) -> bool:
    """Whether a line is these pieces in their order with something between any two; ``whole``: and nothing after."""
    if len(pieces) == 1 or not true.startswith(pieces[0]):
        return len(pieces) == 1 and (true == pieces[0] if whole else true.startswith(pieces[0]))
    at = len(pieces[0])
    for piece in pieces[1:-1]:
        found = true.find(piece, at + 1)
        if found < 0:
            return False
        at = found + len(piece)
    last = pieces[-1]
    if whole:
        return true.endswith(last) and len(true) - len(last) > at
    return true.find(last, at + 1) >= 0


def _by_feed(data: bytes) -> tuple[bytes, ...]:
    parts = data.split(b"\n")
    return tuple(part + b"\n" for part in parts[:-1]) + ((parts[-1],) if parts[-1] else ())
