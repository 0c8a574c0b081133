"""Pin down what is reviewed: two commits, their merge base, and the files that differ."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from review_agent.diff import parse
from review_agent.errors import SnapshotError, UsageError
from review_agent.git import Git
from review_agent.vocabulary import FileChange, Snapshot

__all__ = ["Choice", "choose", "read", "restore", "take"]


class Choice(NamedTuple):
    """Which commits a review compares, as ids, and in words how they were chosen."""

    base: str
    head: str
    merge_base: str
    chosen: str


def take(
    git: Git,
    *,
    base: str | None = None,
    head: str | None = None,
    commit: str | None = None,
    mask: Callable[[str], str],
) -> Snapshot:
    """The snapshot of a change, from what was asked for: ``choose``, then ``read``."""
    return read(git, choose(git, base=base, head=head, commit=commit), mask)


def choose(git: Git, *, base: str | None = None, head: str | None = None, commit: str | None = None) -> Choice:
    """The commits to compare; refs are read once, here.

    ``commit``: from its first parent to it (``base`` and ``mergeBase`` are the parent). A root commit has none and is
    compared with the empty tree: ``base`` and ``mergeBase`` are then that tree's id, and ``chosen`` says so. Otherwise
    from the merge base of ``base`` and ``head`` to ``head``; a missing head is HEAD, a missing base the default branch
    of the remote (else the local ``main`` or ``master``).

    Raises UsageError for ``commit`` beside a base or head; SnapshotError, with what to do, when a ref or parent is
    unknown, the histories do not meet, or no base can be told.
    """
    if commit is not None and (base is not None or head is not None):
        raise UsageError("a single commit has its own base and head", hint="pass --commit, or --base and --head")
    return _commit(git, commit) if commit is not None else _range(git, base, head or "HEAD")


def read(git: Git, choice: Choice, mask: Callable[[str], str]) -> Snapshot:
    """The files that differ between merge base and head. Raises DiffError, GitError."""
    raw = git.raw_diff(choice.merge_base, choice.head)
    patch = git.patch(choice.merge_base, choice.head)
    return restore(choice, parse(raw, patch, mask))


def restore(choice: Choice, files: Iterable[FileChange]) -> Snapshot:
    """The snapshot of chosen commits whose files are known already, as from a run log."""
    return Snapshot(
        base=choice.base, head=choice.head, merge_base=choice.merge_base, files=tuple(files), chosen=choice.chosen
    )


def _commit(git: Git, ref: str) -> Choice:
    head = git.resolve(ref)
    parents = git.parents(head)
    if not parents:
        empty = git.empty_tree()
        return Choice(empty, head, empty, f"root commit {head[:12]}, compared with the empty tree")
    parent = parents[0]
    if git.missing(parent):
        message = f"the parent {parent[:12]} of commit {head[:12]} is not in this clone"
        raise SnapshotError(message, where=str(git.root), hint=_deepen(git))
    which = "its parent" if len(parents) == 1 else f"the first of its {len(parents)} parents"
    return Choice(parent, head, parent, f"commit {head[:12]}, compared with {which}, {parent[:12]}")


def _range(git: Git, base: str | None, head: str) -> Choice:
    head_id = git.resolve(head)
    base_name = base if base is not None else _default(git, head)
    base_id = git.resolve(base_name)
    merge_base = git.merge_base(base_id, head_id)
    if merge_base is None:
        raise _unrelated(git, base_name, head)
    if base is None and merge_base == head_id and head == "HEAD":
        _refuse_default_branch(git, base_name)
    default = "" if base is not None else ", the default branch"
    same = "; nothing lies between them" if merge_base == head_id else ""
    chosen = (
        f"from the merge base {merge_base[:12]} of {base_name}{default} and {head} to {head} ({head_id[:12]}){same}"
    )
    return Choice(base_id, head_id, merge_base, chosen)


def _default(git: Git, head: str) -> str:
    default = git.default_branch()
    if default is None:
        raise SnapshotError(
            f"no base to compare {head} with: there is no default branch of a remote, no main and no master",
            where=str(git.root),
            hint="pass --base REF, or --commit HEAD for the last commit alone",
        )
    return default


def _refuse_default_branch(git: Git, default: str) -> None:
    """On the default branch itself an empty review would only look like a clean one."""
    branch = git.current_branch()
    if branch == default.removeprefix("remotes/").removeprefix("heads/").removeprefix("origin/"):
        raise SnapshotError(
            f"HEAD is on {branch}, and {default} already holds all of it: there is no change to tell apart",
            where=str(git.root),
            hint="pass --commit HEAD for the last commit, --base REF for more, or switch to the branch to review",
        )


def _unrelated(git: Git, base: str, head: str) -> SnapshotError:
    hint = _deepen(git) if git.is_shallow() else "check the refs, or review one commit: --commit REF"
    return SnapshotError(f"{base} and {head} have no merge base", where=str(git.root), hint=hint)


def _deepen(git: Git) -> str:
    if git.is_shallow():
        return "the clone is shallow: run `git fetch --unshallow`, or `git fetch --deepen=N` with enough commits"
    return "run `git fetch` to get it, or `git fsck` to see what is broken"
