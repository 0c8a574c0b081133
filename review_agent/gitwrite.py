"""Commits that exist for one review alone: written into the clean room, never into the repository.

The clean room has an object store of its own beside the repository's, so a work tree, an index or a patch can become
a commit that is read like any other, and the repository's objects, index and refs stay as they are. Such a commit has
a fixed author and date: the same content on the same parent is the same commit wherever it is made.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator, Mapping

from review_agent.errors import GitError, SnapshotError
from review_agent.gitcall import Caller
from review_agent.gitoutput import TreeEntry

__all__ = ["Writer"]

_AUTHOR: Mapping[str, str] = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "review-agent"), ("EMAIL", "review-agent@localhost"), ("DATE", "@1 +0000"))
}
_MOST_SAID = 20


class Writer:
    """Writes blobs, trees and commits into the room of a ``Caller``. Every method raises GitError when git fails."""

    def __init__(self, caller: Caller) -> None:
        self._git = caller
        self._hash = (
            "sha256" if caller.read("rev-parse", "--show-object-format").stdout.strip() == b"sha256" else "sha1"
        )

    def blob(self, size: int, parts: Iterable[bytes]) -> str:
        """Write ``size`` bytes that come in parts as a blob, and return its id.

        Written as a loose object by ourselves: a process for each of ten thousand files would take half a minute.
        """
        made = hashlib.new(self._hash, usedforsecurity=False)
        packer = zlib.compressobj(1)
        partial = self._git.room / "objects" / "partial"
        with partial.open("wb") as file:
            for part in _counted(size, parts):
                made.update(part)
                file.write(packer.compress(part))
            file.write(packer.flush())
        name = made.hexdigest()
        place = self._git.room / "objects" / name[:2] / name[2:]
        place.parent.mkdir(exist_ok=True)
        partial.replace(place)
        return name

    def tree(self, entries: Mapping[bytes, TreeEntry]) -> str:
        """The tree of these entries by path. Raises GitError where a path is a file and a folder at once."""
        lines = b"".join(b"%s %s\t%s\0" % (e.mode.encode(), e.blob.encode(), path) for path, e in entries.items())
        index = {"GIT_INDEX_FILE": str(self._git.room / "index.tree")}
        self._git.read("read-tree", "--empty", more=index)
        self._git.read("update-index", "-z", "--index-info", stdin=lines, more=index)
        return self._git.read("write-tree", "--missing-ok", more=index).stdout.decode().strip()

    def patched(self, base: str, patch: bytes, strip: int) -> str:
        """The tree that a patch makes of a commit's or tree's; ``strip`` leading parts of its paths are dropped.

        Raises SnapshotError, in git's words, where it does not apply.
        """
        index = {"GIT_INDEX_FILE": str(self._git.room / "index.patch")}
        self._git.read("read-tree", base, more=index)
        argv = ("apply", "--cached", f"-p{strip}", "--whitespace=nowarn", "--binary", "-")
        done = self._git.read(*argv, stdin=patch, ok=(0, 1, 128), more=index)
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").replace("error: ", "").strip().splitlines()
            raise SnapshotError("; ".join(said[:_MOST_SAID]) or "git apply refused the patch")
        return self._git.read("write-tree", "--missing-ok", more=index).stdout.decode().strip()

    def commit(self, tree: str, parent: str | None, message: str) -> str:
        """A commit of a tree; the same tree, parent and message give the same id."""
        parents = () if parent is None else ("-p", parent)
        done = self._git.read("commit-tree", tree, *parents, "-m", message, more=_AUTHOR)
        return done.stdout.decode().strip()


def _counted(size: int, parts: Iterable[bytes]) -> Iterator[bytes]:
    """A blob's header and bytes. Raises GitError where there are not as many as was said."""
    yield b"blob %d\0" % size
    left = size
    for part in parts:
        left -= len(part)
        yield part
    if left:
        raise GitError(f"a file changed while it was read: {-left:+} bytes", hint="run it again")
