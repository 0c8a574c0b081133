"""A commit's files in a folder of their own, for a job that has to see files and not objects.

The folder is a repository for itself: its objects are borrowed, and it has none of the user's configuration, remotes,
hooks or filters. Links are written as files that hold where they lead, so that none leads out of the folder.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from review_agent.gitcall import Caller, borrowing_repository

__all__ = ["ENVIRONMENT", "checkout"]

_CONFIG = (
    "[core]\n\trepositoryformatversion = 1\n\tbare = false\n\tsymlinks = false\n\thooksPath = /dev/null\n"
    "\tfsmonitor = false\n[protocol]\n\tallow = never\n[extensions]\n\tobjectformat = {}\n"
)

ENVIRONMENT: Mapping[str, str] = MappingProxyType(
    {name: value for name, value in Caller.plain.items() if name != "GIT_GRAFT_FILE"}  # git tells of it on stderr
)
"""Variables under which git, started in such a folder, reads nobody's configuration and reaches no network."""


def checkout(caller: Caller, commit: str, folder: Path) -> None:
    """Fills an empty folder with the files of a commit; ``HEAD`` there is the commit, and the index knows the files.

    Raises GitError where that cannot be done: an object is missing, a path is none that may be written.
    """
    git_dir = folder / ".git"
    git_dir.mkdir()
    borrowing_repository(git_dir, caller.object_format, caller.room / "objects", _CONFIG)
    (git_dir / "HEAD").write_text(f"{commit}\n", encoding="ascii")
    here = {"GIT_DIR": str(git_dir), "GIT_WORK_TREE": str(folder)}
    caller.read("read-tree", commit, more=here)
    caller.read("checkout-index", "--all", "--quiet", "--index", more=here)
