"""Whether the work tree holds what no commit does: told to the user, never read into a review."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from review_agent.errors import ReviewAgentError
from review_agent.git import Git

__all__ = ["uncommitted"]


def uncommitted(git: Git) -> str:
    """Tracked files that differ from HEAD, in words ("2 changed files"); "" where there are none or none can be told.

    Plumbing and our own hashing on purpose: ``git status`` would run the clean filters that a repository configures.
    """
    if git.root == git.git_dir:
        return ""
    try:
        names = set(git.staged()) | set(_changed(git))
    except (ReviewAgentError, OSError):
        return ""
    return f"{len(names)} changed file{'s' if len(names) > 1 else ''}" if names else ""


def _changed(git: Git) -> Iterator[str]:
    """Files whose bytes are not those of the index; the index alone only knows that a file was touched."""
    for name, mode, blob in git.touched():
        path = git.root / name
        if not path.is_file() or path.is_symlink():
            yield name
            continue
        data = path.read_bytes()
        made = hashlib.new("sha1" if len(blob) == 40 else "sha256", b"blob %d\0" % len(data), usedforsecurity=False)
        made.update(data)
        if made.hexdigest() != blob and not (b"\r\n" in data and mode.startswith("100")):
            yield name
