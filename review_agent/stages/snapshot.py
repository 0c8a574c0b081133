"""Pin down what is reviewed: two commits, their merge base, and the files that differ."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from review_agent import patchfile
from review_agent.counting import counted
from review_agent.diff import parse
from review_agent.errors import SnapshotError, UsageError
from review_agent.git import Git, TreeEntry
from review_agent.vocabulary import FileChange, Snapshot
from review_agent.worktree import Drafted, staged, unstaged

__all__ = ["Asked", "Choice", "choose", "read", "restore", "take"]


class Choice(NamedTuple):
    """Which commits a review compares, as ids, and in words how they were chosen."""

    base: str
    head: str
    merge_base: str
    chosen: str


@dataclass(frozen=True)
class Asked:
    """What to review; refs as they were given.

    ``commit``: one commit against its first parent. ``staged`` the index, ``worktree`` the work tree with its untracked
    files, ``patch`` a diff's bytes: each against ``base``, HEAD where none is given; an ``alone`` patch against nothing
    but itself. None of them: from the merge base
    of ``base`` and ``head`` to ``head``; a missing head is HEAD, a missing base the default branch of the remote (else
    the local ``main`` or ``master``). ``aside``: what of the work tree is the review's own, and no part of it.
    """

    base: str | None = None
    head: str | None = None
    commit: str | None = None
    staged: bool = False
    worktree: bool = False
    patch: bytes | None = None
    alone: bool = False
    aside: tuple[Path, ...] = ()

    @property
    def commits(self) -> bool:
        """Whether it is about commits alone, so that what is not committed stays out."""
        return not self.staged and not self.worktree and self.patch is None

    @property
    def named_by_git(self) -> str | None:
        """How ``git grep`` is told to search the head in the reader's own repository: null for its commit's id, empty
        where it is not there."""
        if self.commits:
            return None
        return "--cached" if self.staged else "--untracked" if self.worktree else ""

    def check(self) -> None:
        """Raises UsageError for what excludes each other."""
        ways = {
            "--commit": self.commit is not None,
            "--staged": self.staged,
            "--worktree": self.worktree,
            "--diff": self.patch is not None,
        }
        given = [name for name, is_given in ways.items() if is_given]
        if len(given) > 1:
            raise UsageError(f"{' and '.join(given)} exclude each other", hint="pass one of them")
        if given and self.head is not None:
            raise UsageError(f"{given[0]} is a head of its own", hint=f"pass {given[0]} or --head")
        if self.commit is not None and self.base is not None:
            raise UsageError("a single commit has its own base and head", hint="pass --commit, or --base and --head")


def take(
    git: Git,
    *,
    base: str | None = None,
    head: str | None = None,
    commit: str | None = None,
    mask: Callable[[str], str],
) -> Snapshot:
    """The snapshot of committed changes: ``choose``, then ``read``."""
    return read(git, choose(git, Asked(base, head, commit)), mask)


def choose(git: Git, asked: Asked) -> Choice:
    """The commits to compare; refs are read once, here.

    ``base`` and ``mergeBase`` of a single commit are its parent. A root commit has none and is compared with the empty
    tree: ``base`` and ``mergeBase`` are then that tree's id, and ``chosen`` says so. The index, the work tree and a
    patch become a commit that exists in this ``git`` alone: the same content on the same base has the same id.

    Raises UsageError for what excludes each other; SnapshotError, with what to do, when a ref or parent is unknown, the
    histories do not meet, no base can be told, or a patch does not apply.
    """
    asked.check()
    if asked.commit is not None:
        return _commit(git, asked.commit)
    if asked.patch is not None:
        return _alone(git, asked.patch) if asked.alone else _patch(git, asked.base, asked.patch)
    if asked.staged or asked.worktree:
        return _drafted(git, asked.base, staged(git) if asked.staged else unstaged(git, asked.aside))
    return _range(git, asked.base, asked.head or "HEAD")


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


def _drafted(git: Git, base: str | None, drafted: Drafted) -> Choice:
    """The index or the work tree against HEAD, or against where HEAD left another base."""
    parent = git.head()
    if base is not None and parent is not None:
        base_id = git.resolve(base)
        found = git.merge_base(base_id, parent)
        if found is None:
            raise _unrelated(git, base, "HEAD")
        start, against = found, f"the merge base {found[:12]} of {base} and HEAD"
    else:
        base_id = start = parent or git.empty_tree()
        against = f"HEAD ({start[:12]})" if parent else "the empty tree, as there is no commit yet"
    head = git.writer.commit(drafted.tree, parent, drafted.told)
    same = "" if git.raw_diff(start, head) else "; nothing differs"
    return Choice(base_id, head, start, f"{drafted.told}, compared with {against}{same}")


def _alone(git: Git, patch: bytes) -> Choice:
    sides: tuple[dict[bytes, TreeEntry], dict[bytes, TreeEntry]] = ({}, {})
    files = patchfile.read(patch)
    for one in files:
        halves = ((one.old_path, one.old_mode, one.old), (one.path, one.mode, one.new))
        for entries, (path, mode, lines) in zip(sides, halves, strict=True):
            if path is not None:
                entries[path] = _known(git, path, mode.decode("ascii", "replace"), one.content(lines))
    base = git.writer.commit(git.writer.tree(sides[0]), None, "before a patch")
    head = git.writer.commit(git.writer.tree(sides[1]), base, "after a patch")
    return Choice(
        base, head, base, f"a patch of {counted(len(files), 'file')} read alone: nothing but its own lines is known"
    )


_SUBPROJECT = re.compile(rb"Subproject commit ([0-9a-f]{40}(?:[0-9a-f]{24})?)\s*")


def _known(git: Git, path: bytes, mode: str, content: bytes) -> TreeEntry:
    commit = _SUBPROJECT.fullmatch(content) if mode == "160000" else None
    if commit is not None:
        return TreeEntry(mode, commit[1].decode(), path)
    return TreeEntry(mode if mode in ("100755", "120000") else "100644", git.writer.blob(len(content), [content]), path)


_STRIPS = (1, 0)
"""How many leading parts of a patch's paths are no part of them: git writes a/ and b/, ``diff.noprefix`` nothing."""
_NO_INDEX = "without full index line"  # of a diff that only names a binary file
_NO_PATCH = "No valid patches in input"  # what git apply says of a text that is no diff


def _patch(git: Git, base: str | None, patch: bytes) -> Choice:
    parent = git.resolve(base or "HEAD")
    if not patch.strip():
        return Choice(parent, parent, parent, f"an empty patch on {base or 'HEAD'} ({parent[:12]}): nothing differs")
    refusals = []
    for strip in _STRIPS:
        try:
            tree = git.writer.patched(parent, patch, strip)
        except SnapshotError as error:
            refusals.append(error.message)
            continue
        patchfile.refuse_unread(patch)
        head = git.writer.commit(tree, parent, "a patch")
        paths = "" if strip else ", paths without a/ and b/"
        return Choice(parent, head, parent, f"a patch applied to {base or 'HEAD'} ({parent[:12]}){paths}")
    if _NO_PATCH in refusals[0]:
        patchfile.refuse_unread(patch)
        raise SnapshotError("there is no diff in it", hint="give what git diff or diff -u prints")
    binary = _NO_INDEX in refusals[0]
    hint = (
        "make it anew with git diff --binary"
        if binary
        else "pass --base with the commit it was made from, or --no-repo to read the patch alone"
    )
    message = f"the patch does not apply to {base or 'HEAD'} ({parent[:12]}): {refusals[0]}"
    raise SnapshotError(message, where=str(git.root), hint=hint)


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
            hint=f"pass --base REF; {_older(git)}",
        )
    return default


def _older(git: Git) -> str:
    """How the last commit is named; the first one has none before it to compare with."""
    head = git.head()
    if head is not None and not git.parents(head):
        return "--commit HEAD reviews this first commit"
    return "--base HEAD~1 compares with the commit before"


def _refuse_default_branch(git: Git, default: str) -> None:
    """On the default branch itself an empty review would only look like a clean one."""
    branch = git.current_branch()
    if branch == default.removeprefix("remotes/").removeprefix("heads/").removeprefix("origin/"):
        raise SnapshotError(
            f"HEAD is on {branch}, and {default} already holds all of it: there is no change to tell apart",
            where=str(git.root),
            hint=f"{_older(git)}, --base REF for more, or switch to the branch to review",
        )


def _unrelated(git: Git, base: str, head: str) -> SnapshotError:
    hint = _deepen(git) if git.is_shallow() else "check the refs, or review one commit: --commit REF"
    return SnapshotError(f"{base} and {head} have no merge base", where=str(git.root), hint=hint)


def _deepen(git: Git) -> str:
    if git.is_shallow():
        return "the clone is shallow: run `git fetch --unshallow`, or `git fetch --deepen=N` with enough commits"
    return "run `git fetch` to get it, or `git fsck` to see what is broken"
