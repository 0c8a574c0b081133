"""The demo repository: a small service with one pull request, built on the spot from ``fixtures/demo``.

``base/`` holds the whole tree of the first commit, ``head/`` the files that the second adds or changes, ``removed.txt``
the paths that it deletes, ``demo.yml`` who committed what and when.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from ruamel.yaml import YAML

from review_agent import process
from review_agent.errors import SnapshotError, UsageError
from review_agent.resources import shipped

__all__ = ["build"]

_TIMEOUT = 60.0
_MAX_OUTPUT = 1_000_000
# Nothing of the user's configuration may enter the two commits: their ids are the same on every machine.
_SETTINGS = ("core.autocrlf=false", "core.fileMode=false", f"core.hooksPath={os.devnull}", "commit.gpgSign=false")


def build(target: Path) -> tuple[str, str]:
    """Make the repository in ``target``, which must not exist or be empty; its base and head commit ids.

    The pull request is the checked-out branch. Raises UsageError if ``target`` holds something already, SnapshotError
    if git refuses.
    """
    if target.exists() and any(target.iterdir()):
        raise UsageError("the folder for the demo is not empty", where=str(target), hint="name one that does not exist")
    source = shipped("fixtures") / "demo"
    told = YAML(typ="safe").load((source / "demo.yml").read_text(encoding="utf-8"))
    target.mkdir(parents=True, exist_ok=True)
    _git(target, ["init", "-q", "--template=", "-b", told["base"]["branch"]])
    _copy(source / "base", target)
    base = _commit(target, told["base"])
    _git(target, ["switch", "-q", "-c", told["head"]["branch"]])
    _copy(source / "head", target)
    _remove(target, (source / "removed.txt").read_text(encoding="utf-8").split())
    return base, _commit(target, told["head"])


def _copy(source: Path, target: Path) -> None:
    """The files of a tree, but not what an installer compiled among them."""
    compiled = shutil.ignore_patterns("__pycache__", "*.pyc")
    shutil.copytree(source, target, copy_function=shutil.copyfile, ignore=compiled, dirs_exist_ok=True)


def _remove(target: Path, paths: Iterable[str]) -> None:
    for path in paths:
        (target / path).unlink()


def _commit(target: Path, told: Mapping[str, str]) -> str:
    _git(target, ["add", "--all"])
    who = {
        f"GIT_{role}_{field}": value
        for role in ("AUTHOR", "COMMITTER")
        for field, value in (("NAME", told["author"]), ("EMAIL", told["email"]), ("DATE", told["date"]))
    }
    _git(target, ["commit", "-q", "--no-verify", "--cleanup=strip", "-m", told["message"]], who)
    return _git(target, ["rev-parse", "HEAD"]).strip()


def _git(target: Path, args: list[str], variables: Mapping[str, str] | None = None) -> str:
    settings = [word for one in _SETTINGS for word in ("-c", one)]
    done = process.run(
        ["git", *settings, *args],
        cwd=target,
        timeout=_TIMEOUT,
        max_output=_MAX_OUTPUT,
        environment={
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_DEFAULT_HASH": "sha1",
            **(variables or {}),
        },
    )
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()
        message = f"the demo repository could not be made: git {args[0]}: {said}"
        raise SnapshotError(message, where=str(target), hint="name a new folder that can be written: --dir DIR")
    return done.stdout.decode()
