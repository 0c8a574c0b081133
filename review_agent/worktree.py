"""The work tree and the index of a repository: what of them no commit holds, and a commit made of them for one review.

Plumbing and our own hashing on purpose: ``git add`` and ``git status`` would run the filters that a repository
configures, and would write its index and its object store. Files are opened without following a link at any step.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from review_agent.counting import counted
from review_agent.errors import ReviewAgentError, SnapshotError
from review_agent.git import Git, Touched, TreeEntry

__all__ = ["Drafted", "staged", "uncommitted", "unstaged"]

_LINK, _SUBMODULE = "120000", "160000"
_REGULAR = ("100644", "100755")
_CHUNK = 1_048_576
# A larger file than this is hardly meant to be committed, and its copy would fill the temporary folder.
_MOST_BYTES = 512 * 1_048_576
_MOST_TEXT = 16 * 1_048_576
_STATE = ".review-agent/"


class Drafted(NamedTuple):
    """A tree made of what is not committed, and in words what it holds."""

    tree: str
    told: str


def uncommitted(git: Git) -> str:
    """Tracked files that differ from HEAD, in words ("2 changed files"); "" where none do or it cannot be told."""
    if not git.has_work_tree:
        return ""
    try:
        names = set(git.staged()) | {one.path for one in git.touched() if _differs(git, one)}
    except (ReviewAgentError, OSError):
        return ""
    return counted(len(names), "changed file") if names else ""


def staged(git: Git) -> Drafted:
    """The index as a tree. Raises SnapshotError where there is no work tree or a conflict is not resolved."""
    _need_work_tree(git)
    entries = {entry.name: entry for _, entry in _resolved(git).items()}
    for one in git.touched():
        if one.status == "A":  # announced by `git add --intent-to-add`, which adds no content
            entries.pop(os.fsencode(one.path), None)
    return Drafted(git.writer.tree(entries), "the index")


def unstaged(git: Git, aside: Sequence[Path] = ()) -> Drafted:
    """The work tree as a tree: tracked files as they are now, and untracked files that are not ignored.

    ``aside``: untracked files and folders that belong to the review and not to the work, such as answers to it.
    A submodule stands as the index has it; a folder that is a repository of its own is left out, as git would. Raises
    SnapshotError where there is no work tree or a file cannot be read.
    """
    _need_work_tree(git)
    entries = {os.fsencode(path): entry for path, entry, _ in git.index()}
    converts, line_ends = git.converts_line_ends(), git.line_ends()
    changed = [one for one in git.touched() if one.index_mode != _SUBMODULE]
    for one in changed:
        name, like = os.fsencode(one.path), None if one.status in "AU" else one.index_blob
        _put(entries, name, _entry(git, name, like, _normalises(line_ends.get(one.path, ""), converts), one.mode))
    own = [path.resolve() for path in aside]
    new = [
        path
        for path in git.untracked()
        if not path.endswith("/") and not path.startswith(_STATE) and not _lies_in(git.root / path, own)
    ]
    for path in new:
        _put(
            entries,
            os.fsencode(path),
            _entry(git, os.fsencode(path), None, _normalises(line_ends.get(path, ""), converts)),
        )
    told = f"the work tree ({counted(len(new), 'untracked file')} in it)" if new else "the work tree"
    return Drafted(git.writer.tree(entries), told)


def _lies_in(path: Path, folders: Sequence[Path]) -> bool:
    """Whether a path is one of these, or below one."""
    return bool(folders) and any(path.resolve().is_relative_to(folder) for folder in folders)


def _need_work_tree(git: Git) -> None:
    if not git.has_work_tree:
        hint = "review commits, with --base and --head or --commit, or run it in a clone that has a work tree"
        raise SnapshotError("a bare repository has no work tree and no index", where=str(git.root), hint=hint)


def _resolved(git: Git) -> dict[str, TreeEntry]:
    """The index by path. Raises SnapshotError where it holds a conflict."""
    listed = git.index()
    conflicts = sorted({path for path, _, stage in listed if stage})
    if conflicts:
        more = f" and {len(conflicts) - 1} more" if len(conflicts) > 1 else ""
        message = f"the index holds a conflict: {conflicts[0]}{more}"
        raise SnapshotError(
            message, where=str(git.root), hint="resolve it and `git add` the file, or review --worktree"
        )
    return {path: entry for path, entry, _ in listed}


def _put(entries: dict[bytes, TreeEntry], name: bytes, entry: TreeEntry | None) -> None:
    if entry is None:
        entries.pop(name, None)
    else:
        entries[name] = entry


def _normalises(attributes: str, converts: bool) -> bool:
    """Whether git would turn a file's carriage returns into line feeds as it adds it."""
    words = attributes.split()
    if "-text" in words:
        return False
    return converts or any(word in ("text", "text=auto", "text=input") or word.startswith("eol=") for word in words)


def _entry(git: Git, name: bytes, like: str | None, normalises: bool, mode: str = "") -> TreeEntry | None:
    """The entry that a file of the work tree would be; None where there is none.

    ``like``: the blob it had; ``mode``: what git takes its mode for, where it knows it.
    """
    found = _read(git.root, name)
    if found is None:
        return None
    if found.link is not None:
        return TreeEntry(_LINK, git.writer.blob(len(found.link), [found.link]), name)
    with os.fdopen(found.file, "rb") as file:
        info = os.fstat(found.file)
        if info.st_size > _MOST_BYTES:
            message = f"a file of {info.st_size // 1_048_576} MiB is too large to be read for a review"
            hint = "move it out of the work tree, or let git ignore it"
            raise SnapshotError(message, where=os.fsdecode(name), hint=hint)
        own = "100755" if info.st_mode & stat.S_IXUSR else "100644"
        return TreeEntry(mode if mode in _REGULAR else own, _blob(git, file, info.st_size, like, normalises), name)


def _blob(git: Git, file: BinaryIO, size: int, like: str | None, normalises: bool) -> str:
    if not normalises or size > _MOST_TEXT:
        return git.writer.blob(size, iter(lambda: file.read(_CHUNK), b""))
    data = file.read()
    if b"\r\n" in data and b"\0" not in data and not _had_carriage_returns(git, like):
        data = data.replace(b"\r\n", b"\n")
    return git.writer.blob(len(data), [data])


def _had_carriage_returns(git: Git, blob: str | None) -> bool:
    """Whether a file is committed with them: then git leaves them as they are."""
    return blob is not None and b"\r" in (next(git.blobs([blob]))[1] or b"")


class _Opened(NamedTuple):
    """A file that is open, or where a link points to."""

    file: int = -1
    link: bytes | None = None


def _read(root: Path, name: bytes) -> _Opened | None:
    """Open a path below the root; no link is followed at any step. None where there is no file or link."""
    *folders, last = name.split(b"/")
    here = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for folder in folders:
            below = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=here)
            os.close(here)
            here = below
        return _open_last(here, last)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:  # a folder that is a link now: git sees no file there either
            return None
        message = f"a file of the work tree cannot be read: {error.strerror}"
        raise SnapshotError(message, where=os.fsdecode(name), hint="see its permissions") from error
    finally:
        os.close(here)


def _open_last(folder: int, name: bytes) -> _Opened | None:
    mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    if stat.S_ISLNK(mode):
        return _Opened(link=os.readlink(name, dir_fd=folder))
    if not stat.S_ISREG(mode):
        return None  # a folder, a pipe, a device: nothing git would add
    return _Opened(os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder))


def _differs(git: Git, one: Touched) -> bool:
    """Whether a file's bytes are not those of the index; the index alone only knows that it was touched."""
    path = git.root / one.path
    if one.status != "M" or one.index_mode != one.mode or not path.is_file() or path.is_symlink():
        return True
    data = path.read_bytes()
    kind = "sha1" if len(one.index_blob) == 40 else "sha256"
    made = hashlib.new(kind, b"blob %d\0" % len(data) + data, usedforsecurity=False)
    return made.hexdigest() != one.index_blob and not (b"\r\n" in data and one.index_mode.startswith("100"))
