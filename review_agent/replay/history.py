"""Past commits of a repository as jobs: each reviewed against its parent, with nothing expected."""

from __future__ import annotations

from review_agent.errors import UsageError
from review_agent.git import Git
from review_agent.replay.records import UNKNOWN, Expected, Job, Range
from review_agent.vocabulary import digest

__all__ = ["jobs_of_commits"]


def jobs_of_commits(git: Git, spread: str, limit: int | None) -> list[Job]:
    """Every commit of ``A..B`` that is no merge, newest first, at most ``limit``.

    ``B`` alone means all that leads to it. Raises UsageError for another form, SnapshotError for an unknown ref.
    """
    if "..." in spread or spread.count("..") > 1:
        raise UsageError(f"{spread!r} is no range of commits", hint="write A..B, or one ref for all that leads to it")
    since, dots, until = spread.rpartition("..")
    last = git.resolve(until or "HEAD")
    first = git.resolve(since or "HEAD") if dots else None
    commits = git.commits(last, since=first, limit=limit)
    if not commits:
        hint = f"`git log --no-merges {spread}` shows what lies there: A..B is what B holds and A does not"
        raise UsageError(f"no commit that is not a merge lies in {spread}", where=str(git.root), hint=hint)
    return [_job(commit, git) for commit in commits]


def _job(commit: str, git: Git) -> Job:
    return Job(
        unit=commit,
        case=commit,
        half="commit",
        kind="",
        language="",
        evidence="",
        project=git.root.name,
        origin=Range(repository=str(git.root), base=None, head=commit),
        expected=Expected(answer=UNKNOWN),
        content=digest([commit]),
    )
