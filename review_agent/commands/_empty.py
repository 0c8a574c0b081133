"""Why there is nothing to review: a review of nothing looks like a clean one, and must not pass for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from review_agent.counting import counted

if TYPE_CHECKING:
    from review_agent.git import Git
    from review_agent.stages.snapshot import Asked

__all__ = ["why_empty"]


def why_empty(git: Git, asked: Asked, base: str, head: str, merge_base: str) -> str:
    """What the commits, the index or the work tree lack, and what to name in their place. For a change of no file."""
    if asked.patch is not None:
        return "the diff changes no file, so nothing was reviewed: give the output of `git diff`"
    if not asked.commits:
        return _of_draft(asked)
    if asked.commit is not None:
        return f"commit {head[:12]} changes no file, so nothing was reviewed: name another with --commit or --base"
    here, there = asked.head or "HEAD", asked.base or "the default branch"
    if base == head:
        return f"{there} and {here} are one commit, {head[:12]}, so nothing was reviewed: name an older --base"
    if merge_base == head:
        swapped = f"--base {here} --head {there}" if asked.base else f"--base {here}"
        return f"{here} lies before {there}, which holds all of it, so nothing was reviewed: did you mean {swapped}?"
    number = len(git.commits(head, since=merge_base))
    of = "the commit" if number <= 1 else f"the {counted(number, 'commit')}"
    leave = "leaves" if number <= 1 else "leave"
    said = f"{of} between {there} and {here} {leave} every file as it was"
    return f"{said}, so nothing was reviewed: name an older --base"


def _of_draft(asked: Asked) -> str:
    against = asked.base or "HEAD"
    if asked.staged:
        hint = "`git add` what is to be reviewed, or pass --worktree"
        return f"nothing is staged against {against}, so nothing was reviewed: {hint}"
    hint = "name commits with --base, --head or --commit"
    return f"the work tree holds no change against {against}, so nothing was reviewed: {hint}"
