"""What ``replay`` is asked to review, and its report in one of the formats."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from time import monotonic

from review_agent.commands._common import protected_policy, state_dir
from review_agent.counting import counted
from review_agent.errors import SnapshotError, UsageError
from review_agent.git import Git
from review_agent.policy.load import load
from review_agent.policy.model import Policy
from review_agent.replay.cases import jobs_of_folders
from review_agent.replay.history import jobs_of_commits
from review_agent.replay.html import html_text
from review_agent.replay.junit import junit_text
from review_agent.replay.listing import jobs_of_list
from review_agent.replay.records import Job
from review_agent.replay.report import ReplayReport, json_text
from review_agent.replay.text import report_text

__all__ = ["Watch", "asked", "chosen", "folders", "policy_in_force", "rendered"]

_TOLD_AFTER = 3.0
"""Seconds: before so many have passed a pace tells nothing."""
_ID, _SHORT = re.compile(r"(?<![0-9a-f])[0-9a-f]{40}(?:[0-9a-f]{24})?(?![0-9a-f])"), 12


def asked(
    cases: Sequence[Path], listing: Path | None, repos: Path | None, commits: str | None, repo: Path, limit: int | None
) -> list[Job]:
    """All jobs: of folders, of a list and of commits. Raises UsageError where that is not what is named."""
    if not (cases or listing or commits):
        hint = "name folders of cases, or give --list FILE --repos DIR, --commits A..B, or --from-history"
        raise UsageError("nothing to replay is named", hint=hint)
    if (listing is None) != (repos is None):
        raise UsageError("a list and the folder of its repositories go together", hint="give --list and --repos")
    if limit is not None and commits is None:
        raise UsageError("--limit counts commits", hint="give --commits A..B or --from-history with it")
    jobs = jobs_of_folders(cases)
    if listing is not None and repos is not None:
        jobs += jobs_of_list(listing, repos)
    if commits is not None:
        jobs += jobs_of_commits(Git(repo), commits, limit)
    return jobs


def chosen(jobs: Sequence[Job], kinds: Sequence[str], languages: Sequence[str], names: Sequence[str]) -> list[Job]:
    """The jobs that a user narrowed the replay to. Raises UsageError where none is left."""
    found = [
        job
        for job in jobs
        if (not kinds or job.kind in kinds)
        and (not languages or job.language in languages)
        and (not names or any(name in job.unit for name in names))
    ]
    if found:
        return found
    known = {"kinds": {job.kind for job in jobs}, "languages": {job.language for job in jobs}}
    there = "; ".join(f"{name}: {', '.join(sorted(filter(None, of)))}" for name, of in known.items())
    raise UsageError(
        f"no case of {counted(len(jobs), 'half', 'halves')} is left by --kind, --language and --case",
        hint=f"there are {there}",
    )


def folders(repo: Path, state: Path | None) -> tuple[Path, Path]:
    """Where results are kept, and the state folder whose journal gets them. Raises UsageError outside a repository."""
    if state is not None:
        return state.absolute(), state.absolute()
    try:
        ledger = state_dir(Git(repo))
    except SnapshotError as error:
        hint = "give --state DIR, or --repo with the folder of one"
        raise UsageError(
            "results are kept in a repository, and this is none", where=str(repo.absolute()), hint=hint
        ) from error
    return ledger / "replay", ledger


def policy_in_force(repo: Path, folder: Path | None) -> Policy:
    """The policy given, else the one protected in the repository, else the shipped one."""
    try:
        git = Git(repo)
    except SnapshotError:
        return load(folder)
    return protected_policy(git, folder)


def rendered(report: ReplayReport, format: str, state: Path) -> str:
    """The report as ``text``, ``json``, ``junit`` or ``html``."""
    if format == "json":
        return json_text(report)
    if format == "junit":
        return junit_text(report)
    return html_text(report) if format == "html" else report_text(report, _near(state))


def _near(path: Path) -> str:
    """The path as short as it can be said from here."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


class Watch:
    """One line on stderr that says how far the work is and about how long it takes, only where that is a terminal."""

    def __init__(self) -> None:
        self._shown = sys.stderr is not None and sys.stderr.isatty()
        self._began, self._first, self._last = monotonic(), 0, 0

    def at(self, done: int, total: int, unit: str) -> None:
        if done < self._last or done <= self._first:
            self._began, self._first = monotonic(), done
        self._last = done
        short = _ID.sub(lambda found: found[0][:_SHORT], unit)
        self._say(f"{done}/{total} {short} …{self._left(done, total)}")

    def clear(self) -> None:
        self._say("")

    def _left(self, done: int, total: int) -> str:
        """About how long the rest takes, at the pace since this part of the work began."""
        took = monotonic() - self._began
        if took < _TOLD_AFTER or done <= self._first:
            return ""
        seconds = took / (done - self._first) * (total - done)
        return f" about {seconds / 60:.0f} min left" if seconds >= 90 else f" about {seconds:.0f} s left"

    def _say(self, text: str) -> None:
        if self._shown:
            sys.stderr.write(f"\r\x1b[2K{text}")
            sys.stderr.flush()
