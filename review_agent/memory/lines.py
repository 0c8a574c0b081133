"""Which runs belong to one line of development, so that a newer one may speak of an older one's cards.

docs/decisions/006-lines-of-development.md has the reasons. In short: a run that has the same ``of`` (a pull request or
a branch) may carry a card on; only one that looked at the same ``scope`` of it may say that a finding is gone; a run of
neither has nothing to say, as two branches that leave one commit look just like a branch before and after a rebase.
Where one of two runs has no name, commits that lead from one to the other make one finding of two that stand on the
same evidence, and nothing more.

The line is no part of a review's identity, so nothing shows whether an artifact's was edited. A run from elsewhere
therefore says of earlier cards what only adds to them, and more only where it is *proven* to go on from their run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from typing import Any

from review_agent.errors import GitError
from review_agent.git import Git
from review_agent.stages.snapshot import Asked, Choice

__all__ = ["IsAncestor", "ancestry", "carries", "follows", "joins", "line_of", "speaks_for"]

IsAncestor = Callable[[str, str], bool]
"""Whether the first commit is the second, or leads to it; false where it is not known."""


def ancestry(git: Git) -> IsAncestor:
    """What the clone knows of its commits, each pair asked once."""

    @cache
    def is_ancestor(older: str, newer: str) -> bool:
        with suppress(GitError):
            return not git.missing(older) and git.merge_base(older, newer) == older
        return False

    return is_ancestor


def follows(git: Git, is_ancestor: IsAncestor, newer: Mapping[str, Any], older: Mapping[str, Any]) -> bool:
    """Whether git proves that the newer run looked at all the commits that the older one did, and at those on top.

    Both are what ``run_started`` says. A newer run that begins in the midst of the older one's commits does not.
    """
    if not is_ancestor(str(older.get("head")), str(newer.get("head"))):
        return False
    with suppress(GitError):
        begins = git.merge_base(str(newer.get("mergeBase")), str(older.get("head")))
        return begins is not None and is_ancestor(begins, str(older.get("mergeBase")))
    return False


def line_of(git: Git, asked: Asked, choice: Choice, pr: str | None) -> dict[str, str | None]:
    """The line of a review, as its run log keeps it: ``of``, null where nothing has a name, and ``scope``."""
    if asked.commit is not None:
        return {"of": _of(git, asked.commit, choice.head), "scope": f"commit {choice.head}"}
    if asked.patch is not None:
        of = None if asked.alone else _of(git, asked.base or "HEAD", choice.merge_base)
        return {"of": of, "scope": f"patch {choice.head} on {choice.merge_base}"}
    branch = git.branch(asked.head or "HEAD")
    of = f"request {pr}" if pr else f"branch {branch}" if branch else None
    if asked.commits:
        return {"of": of, "scope": "range" if pr else f"range from {_base(git, asked, choice)}"}
    return {"of": of, "scope": f"{'index' if asked.staged else 'work tree'} on {choice.merge_base}"}


def _of(git: Git, ref: str, commit: str) -> str | None:
    """Whose work a single commit, or what a patch applies to, is: of the branch that is checked out, where that holds
    it, so that an edit is one finding before and after it is committed; else of the branch that the ref names."""
    head = git.head()
    holds = head is not None and ancestry(git)(commit, head)
    branch = (git.branch("HEAD") if holds else None) or git.branch(ref)
    return f"branch {branch}" if branch else None


def _base(git: Git, asked: Asked, choice: Choice) -> str:
    """The base branch by name, as it moves on; a base that is none, such as HEAD~1, by its commit."""
    name = asked.base or git.default_branch()
    return (git.branch(name) if name else None) or choice.base


def carries(newer: Mapping[str, Any], older: Mapping[str, Any], is_ancestor: IsAncestor) -> bool:
    """Whether a finding that both runs have is one. Both are what ``run_started`` says."""
    new, old = _line(newer), _line(older)
    if new.get("of") is not None:
        return bool(new["of"] == old.get("of"))
    if not new or new.get("scope") != old.get("scope") or old.get("of") is not None:
        return False
    heads = str(older.get("head")), str(newer.get("head"))
    return heads[0] == heads[1] or is_ancestor(*heads)


def joins(newer: Mapping[str, Any], older: Mapping[str, Any], is_ancestor: IsAncestor) -> bool:
    """Whether a finding that both runs have on the same evidence is one, though only commits tell that they belong
    together: one of them has no name, and its head is the other's, leads to it or comes from it."""
    new, old = _line(newer), _line(older)
    if not new or not old or (new.get("of") is not None and old.get("of") is not None):
        return False
    one, other = str(older.get("head")), str(newer.get("head"))
    return one == other or is_ancestor(one, other) or is_ancestor(other, one)


def speaks_for(newer: Mapping[str, Any], older: Mapping[str, Any], is_ancestor: IsAncestor) -> bool:
    """Whether a finding of the older run that the newer one does not have is gone for the older one, too."""
    return _line(newer).get("scope") == _line(older).get("scope") and carries(newer, older, is_ancestor)


def _line(started: Mapping[str, Any]) -> Mapping[str, Any]:
    """The line that a run log names; empty where an older product, or somebody's hand, wrote none."""
    line = started.get("line")
    return line if isinstance(line, dict) else {}
