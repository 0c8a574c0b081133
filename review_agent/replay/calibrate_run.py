"""A calibration run: history scanned, faults and clean commits chosen, all of them replayed. Each part is resumable."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from review_agent.appendlog import AppendLog, read, state_folder
from review_agent.counting import counted
from review_agent.engines.building import Wanted
from review_agent.errors import UsageError
from review_agent.git import Git
from review_agent.policy.model import Policy
from review_agent.replay.calibrate import Calibration, calibration, chosen, jobs_of_scan
from review_agent.replay.history_fixes import Progress, Scan, Step, scan
from review_agent.replay.history_kinds import kind_of
from review_agent.replay.product import source_digest
from review_agent.replay.report import ReplayReport
from review_agent.replay.run import Plan, replay
from review_agent.syntax.parser import Parser
from review_agent.vocabulary import digest

__all__ = ["LIMIT", "MOST", "Calibrating", "calibrate"]

LIMIT, MOST = 1000, 30
_FILE = "history.jsonl"


@dataclass(frozen=True)
class Calibrating:
    """What to calibrate on. At most ``limit`` commits are scanned, ``most`` faults and as many clean ones reviewed."""

    git: Git
    policy: Policy
    state: Path
    engine: Wanted = field(default_factory=Wanted)
    until: str = "HEAD"
    since: str | None = None
    limit: int = LIMIT
    most: int = MOST
    processes: int = 1
    fresh: bool = False
    progress: Progress = lambda done, total, unit: None


def calibrate(asked: Calibrating) -> tuple[Calibration, ReplayReport]:
    """The calibration and the replay under it. Interrupted, the same call goes on where it stopped.

    Raises UsageError where there is no commit to scan or none of them can be used.
    """
    found = _scanned(asked)
    picked = _with_kinds(chosen(found, asked.most, asked.policy.masker()), asked)
    jobs = jobs_of_scan(picked, asked.git)
    if not jobs:
        hint = f"{_older(found, asked)}fixes are found where tests are committed with them (docs/calibration.md)"
        message = f"none of {counted(found.scanned, 'commit')} is a fix or a clean commit that can be used"
        raise UsageError(message, where=str(asked.git.root), hint=hint)
    plan = Plan(
        jobs=jobs,
        policy=asked.policy,
        engine=asked.engine,
        state=asked.state,
        processes=asked.processes,
        fresh=asked.fresh,
        progress=_named("review", asked.progress),
    )
    report = replay(plan)
    return calibration(picked, len(found.fixes), asked.git, asked.policy, report), report


def _older(found: Scan, asked: Calibrating) -> str:
    """What brings more commits to look through, where anything does."""
    if found.more:
        return "look through more: --limit N; "
    if asked.git.is_shallow():
        return "the clone is shallow: `git fetch --unshallow` brings older commits; "
    return "leave out --since; " if asked.since else "these are all there are; "


def _scanned(asked: Calibrating) -> Scan:
    git = asked.git
    until = git.resolve(asked.until)
    since = git.resolve(asked.since) if asked.since else None
    there = git.commits(until, since=since, limit=asked.limit + 1)
    commits = there[: asked.limit]
    if not commits:
        raise UsageError("there is no commit to look through", where=str(git.root), hint="give another --since")
    with _memory(asked) as kept:
        found = scan(git, commits, progress=_named("history", asked.progress), kept=kept)
    return found.model_copy(update={"more": len(there) > len(commits)})


def _named(phase: str, progress: Progress) -> Progress:
    return lambda done, total, unit: progress(done, total, f"{phase} {unit}")


@contextmanager
def _memory(asked: Calibrating) -> Iterator[Callable[[str, Callable[[], Step]], Step]]:
    """Steps of an earlier scan by this very product, and a place for those to come."""
    log, source = AppendLog(state_folder(asked.state) / _FILE), source_digest()
    with log.lock(wait=0.5):
        if asked.fresh:
            log.path.unlink(missing_ok=True)
        log.repair()
        known = dict(_known(log))

        def kept(key: str, make: Callable[[], Step]) -> Step:
            whole = digest([key, source])
            if whole not in known:
                known[whole] = make()
                log.append([{"key": whole, "step": known[whole].wire()}])
            return known[whole]

        yield kept


def _known(log: AppendLog) -> Iterator[tuple[str, Step]]:
    for record in read(log.path) if log.path.exists() else ():
        try:
            yield str(record.get("key")), Step.model_validate(record.get("step"))
        except ValidationError:
            continue  # another version's record: the commit is looked at again


def _with_kinds(scan: Scan, asked: Calibrating) -> Scan:
    progress = _named("kind of", asked.progress)
    with Parser() as parser:
        fixes = []
        for number, fix in enumerate(scan.fixes):
            progress(number, len(scan.fixes), fix.commit[:12])
            fixes.append(fix.model_copy(update={"kind": kind_of(fix, asked.git, asked.policy, parser)}))
    return scan.model_copy(update={"fixes": tuple(fixes)})
