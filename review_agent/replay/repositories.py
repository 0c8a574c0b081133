"""A half becomes a throw-away git repository: two commits of fixed author, date and message, outside the user's own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from review_agent import process
from review_agent.errors import SnapshotError
from review_agent.replay.records import Overlay

__all__ = ["build"]

_TIMEOUT = 60.0
_MAX_OUTPUT = 1_000_000
_HINT = "see that the temporary folder has room and can be written; `review-agent doctor` looks at git"
_SETTINGS = (
    *("core.autocrlf=false", "core.fileMode=false", "core.quotePath=false", f"core.hooksPath={os.devnull}"),
    *("commit.gpgSign=false", "gc.auto=0", "maintenance.auto=false"),
)
# The two commits say nothing of what they hold; their ids are the same on every machine.
_WHO = {"NAME": "Replay", "EMAIL": "replay@localhost"}
_DATES = {"base": "2024-01-01T00:00:00+0000", "head": "2024-01-02T00:00:00+0000"}


def build(origin: Overlay, target: Path) -> tuple[str, str]:
    """Make the repository in a folder that does not exist yet; its base and head commit ids.

    Raises SnapshotError where git or the file system refuses.
    """
    try:
        target.mkdir(parents=True)
        _git(target, ["init", "-q", "--template=", "-b", "main"])
        _lay(origin.base, target)
        base = _commit(target, "base")
        _lay(origin.head, target)
        for path in origin.removed:
            (target / path).unlink()
        return base, _commit(target, "head")
    except OSError as error:
        raise SnapshotError(
            f"the case's repository could not be made: {error}", where=str(target), hint=_HINT
        ) from error


def _lay(folders: Iterable[str], target: Path) -> None:
    compiled = shutil.ignore_patterns("__pycache__", "*.pyc")
    for folder in folders:
        shutil.copytree(folder, target, copy_function=shutil.copyfile, ignore=compiled, dirs_exist_ok=True)


def _commit(target: Path, which: str) -> str:
    # --force: a project's own .gitignore does not decide what belongs to the case.
    _git(target, ["add", "--all", "--force"])
    _git(target, ["commit", "-q", "--no-verify", "--allow-empty", "-m", which], _DATES[which])
    return _git(target, ["rev-parse", "HEAD"]).strip()


def _git(target: Path, args: list[str], date: str = "") -> str:
    settings = [word for one in _SETTINGS for word in ("-c", one)]
    roles = ("AUTHOR", "COMMITTER")
    who = {f"GIT_{role}_{field}": text for role in roles for field, text in {**_WHO, "DATE": date}.items() if text}
    clean = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_DEFAULT_HASH": "sha1", **who}
    done = process.run(
        ["git", *settings, *args], cwd=target, timeout=_TIMEOUT, max_output=_MAX_OUTPUT, environment=clean
    )
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()
        message = f"the case's repository could not be made: git {args[0]}: {said}"
        raise SnapshotError(message, where=str(target), hint=_HINT)
    return done.stdout.decode()
