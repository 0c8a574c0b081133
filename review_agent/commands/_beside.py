"""What a review says beside its result, on stderr: what it did not read, and what of its set-up it did not take.

Silence about any of it would pass for a clean review.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from review_agent.counting import counted
from review_agent.errors import ReviewAgentError, SnapshotError

if TYPE_CHECKING:
    from pathlib import Path

    from review_agent.commands._common import Change
    from review_agent.commands._engine import EngineOptions
    from review_agent.git import Git
    from review_agent.pipeline import Reviewed
    from review_agent.stages.snapshot import Asked

__all__ = ["naming_worktree", "notices", "unread", "unused_options", "unused_policy"]

_WORKTREE = "`review-agent review --worktree` reviews"


def notices(it: Change, reviewed: Reviewed, policy: Path | None, *, again: bool = False) -> list[str]:
    """What the reader has to know of one review. ``again``: it is the result of a run that was begun before."""
    coverage = reviewed.document.coverage
    found = unread(it, policy, empty=not coverage.files)
    if not coverage.files:
        found.append(_empty(it, reviewed, again))
    elif not coverage.files_examined and it.exclude and _all_excluded(reviewed, it.exclude):
        found.append("--exclude leaves out every file of the change, so nothing was reviewed: write a narrower glob")
    return [one for one in found if one]


def unread(it: Change, policy: Path | None, *, empty: bool) -> list[str]:
    """What is here and is not looked at. ``empty``: the change holds no file."""
    found = _uncommitted(it.git, untracked=empty) if it.asked.commits else ""
    return [one for one in (found, _alone(it.asked), "" if it.asked.alone else unused_policy(it.git, policy)) if one]


def _empty(it: Change, reviewed: Reviewed, again: bool) -> str:
    from review_agent.commands._empty import why_empty

    if again:  # the options that it was begun with are not those of this command
        chosen = reviewed.state.started.get("chosen", "")
        return f"the run compared no file that differs: {chosen}; so nothing was reviewed"
    run = reviewed.document.run
    return why_empty(it.git, it.asked, run.base, run.head, run.merge_base)


def _all_excluded(reviewed: Reviewed, exclude: Sequence[str]) -> bool:
    """Whether the option alone left out all files: a policy excludes too, and a file may have failed."""
    from review_agent import globs
    from review_agent.vocabulary import SkipRule

    document, spec = reviewed.document, globs.spec(exclude)
    excluded = {one.path for one in document.outcomes.skipped if one.rule is SkipRule.EXCLUDED}
    return len(excluded) == document.coverage.files and all(map(spec.match_file, excluded))


def _alone(asked: Asked) -> str:
    if not asked.alone:
        return ""
    return (
        "without a repository nothing but the diff's own lines is read: most rules ask nothing of them; "
        "apply it in a clone and pass --diff there for all of them"
    )


def _uncommitted(git: Git, *, untracked: bool) -> str:
    """A word on changes that are in no commit, where a review reads commits."""
    pending = _pending(git, untracked=untracked)
    if not pending:
        return ""
    return f"{pending} in the work tree not committed, and so not reviewed: {_WORKTREE} {_them(pending)}"


def _pending(git: Git, *, untracked: bool) -> str:
    """What of the work tree is in no commit, in words; new files, which often just lie there, only where asked for."""
    from review_agent.worktree import uncommitted

    changed = uncommitted(git)
    if changed or not untracked or not git.has_work_tree:
        return changed
    try:
        names = [path for path in git.untracked() if not path.startswith(".review-agent/")]
    except ReviewAgentError:
        return ""
    return counted(len(names), "untracked file") if names else ""


def _them(pending: str) -> str:
    return "it" if pending.startswith("1 ") else "them"


@contextmanager
def naming_worktree(git: Git, asked: Asked) -> Iterator[None]:
    """An error about which commits to compare names the work tree, too, where no option named a change and the work
    tree holds one. Any other error of the repository is none that the work tree helps with."""
    try:
        yield
    except SnapshotError as error:
        if asked == type(asked)() and _is_of_choice(git, asked) and (pending := _pending(git, untracked=True)):
            are = "is" if _them(pending) == "it" else "are"
            said = f"{_WORKTREE} the {pending} that {are} not committed"
            error.hint = f"{said}; {error.hint}" if error.hint else said
        raise


def _is_of_choice(git: Git, asked: Asked) -> bool:
    from review_agent.stages.snapshot import choose

    try:
        choose(git, asked)
    except SnapshotError:
        return True
    return False


def unused_policy(git: Git, named: Path | None) -> str:
    """That a policy is here and is not taken, as no protected side has one; empty where that is not so."""
    from review_agent.policy.folder import IN_REPOSITORY, NAMES

    branch = git.default_branch()
    if named is not None or (branch is not None and branch.startswith(("origin/", "remotes/origin/"))):
        return ""
    folder, head = git.root / IN_REPOSITORY, git.head()
    known = {f"{IN_REPOSITORY}/{name}" for name in NAMES}
    in_commit = head is not None and not known.isdisjoint(git.tree(head))
    if not in_commit and not any((folder / name).exists() for name in NAMES):
        return ""
    return (
        f"the policy in {IN_REPOSITORY}/ is not used: no remote has a default branch, so nothing tells it from the "
        "change under review: give --policy DIR with a copy that you trust, or fetch from a remote `origin`"
    )


def unused_options(options: EngineOptions, engine: str) -> str:
    """Which options of a model were given where the rules alone answer; the other engines refuse those of others."""
    from review_agent.engines.building import RULES

    given = [name for name, value in (("--model", options.model), ("--base-url", options.base_url)) if value]
    if engine != RULES or not given:
        return ""
    are = "is" if len(given) == 1 else "are"
    return f"{' and '.join(given)} {are} not used: the engine is rules, which asks no model; --engine openai asks one"
