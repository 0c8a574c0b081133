"""What follows from runs that have ended, here or elsewhere: cards settled, samples drawn, minutes cut."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import date
from pathlib import Path

from review_agent.appendlog import AppendLog, read
from review_agent.counting import counted
from review_agent.errors import RecordError
from review_agent.journal import LOCK_FILE
from review_agent.memory import audit, minutes
from review_agent.memory.lines import IsAncestor
from review_agent.memory.settle import settle
from review_agent.memory.settling import REOPENED, IsProven
from review_agent.memory.telling import heads
from review_agent.policy.model import Policy
from review_agent.runlog import is_from_elsewhere

__all__ = ["SETTLED_FILE", "after", "pending"]

SETTLED_FILE = "settled.jsonl"
"""The ingested runs whose cards have been settled; where it is lost, they are settled again, which adds nothing."""


def pending(state_dir: Path) -> list[Path]:
    """The ingested runs that have ended and are not settled yet, oldest first: new ones, and those that a kill left."""
    known = _settled(state_dir)
    ended = [run for run in heads(state_dir / "runs") if is_from_elsewhere(run.path) and run.ended]
    return [run.path for run in ended if (run.path.name, run.path.stat().st_size) not in known]


def after(
    state_dir: Path,
    runs: Sequence[Path],
    policy: Policy,
    today: date,
    *,
    is_ancestor: IsAncestor = lambda older, newer: False,
    is_proven: IsProven = lambda newer, older: False,
) -> list[str]:
    """Writes to the journal what ended runs say of earlier cards, which samples they give, and which cards the day's
    minutes do not reach; the same runs a second time add nothing. ``today`` is the UTC date.

    Returns, in words, what is asked about again, what is displaced, and what could not be written: the runs are
    recorded all the same, and the next call makes up for it.
    """
    told: list[str] = []
    sizes = {path.name: path.stat().st_size for path in runs if is_from_elsewhere(path)}
    try:
        decided = settle(state_dir, runs, today, is_ancestor=is_ancestor, is_proven=is_proven, notice=told.append)
        _draw(state_dir, runs, policy, told)
        _mark(state_dir, sizes)
    except RecordError as error:
        return [f"earlier cards are not settled yet, the next review does it: {error.message}: {error.where}"]
    again = [one for one in decided if (one.comment or "").startswith(REOPENED)]
    told += [f"{(one.successor or one.card_id)[:8]} {one.comment}" for one in again]
    # A ledger that cannot be had is told of by whoever takes the runs in; the minutes can wait for it.
    with suppress(RecordError):
        displaced = minutes.record(state_dir, policy.queue, today)
        if displaced is not None:
            number = counted(len(displaced.displaced), "card")
            told.append(f"{number} more than today's {displaced.minutes:g} reviewer minutes reach: displaced, not lost")
    return told


def _draw(state_dir: Path, runs: Sequence[Path], policy: Policy, told: list[str]) -> None:
    try:
        audit.draw(state_dir, runs, policy)
    except (LookupError, TypeError, ValueError) as error:
        told.append(f"no samples are drawn: a run log is of another shape ({type(error).__name__})")


def _settled(state_dir: Path) -> set[tuple[str, int]]:
    path = state_dir / SETTLED_FILE
    with suppress(RecordError, LookupError, TypeError):
        return {(one["run"], one["bytes"]) for one in read(path)} if path.exists() else set()
    return set()


def _mark(state_dir: Path, sizes: dict[str, int]) -> None:
    known = _settled(state_dir)
    new = [{"run": name, "bytes": size} for name, size in sizes.items() if (name, size) not in known]
    log = AppendLog(state_dir / SETTLED_FILE, state_dir / LOCK_FILE)
    if new:
        with log.lock():
            log.append(new)
