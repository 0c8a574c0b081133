"""``replay --from-history`` and ``init --calibrate``: the run, its progress and its report."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from review_agent.commands._engine import EngineOptions, wanted
from review_agent.commands._replays import Watch, folders, policy_in_force
from review_agent.errors import UsageError
from review_agent.git import Git
from review_agent.replay.calibrate import Calibration, json_text
from review_agent.replay.calibrate_html import calibration_html
from review_agent.replay.calibrate_run import LIMIT, MOST, Calibrating, calibrate
from review_agent.replay.calibrate_text import calibration_text
from review_agent.replay.remember import remember

__all__ = ["Asked", "calibrated", "check_format", "rendered"]


@dataclass(frozen=True)
class Asked:
    """The options of a calibration as the command line has them; null: as it is by default."""

    repo: Path
    policy: Path | None = None
    engine: EngineOptions = field(default_factory=EngineOptions)
    since: str | None = None
    limit: int | None = None
    most: int | None = None
    jobs: int = 0
    state: Path | None = None
    fresh: bool = False


def calibrated(asked: Asked) -> Calibration:
    """Calibrate on a repository's own history; the replay under it goes to the journal."""
    folder, ledger = folders(asked.repo, asked.state)
    watch, policy = Watch(), policy_in_force(asked.repo, asked.policy)
    try:
        made, report = calibrate(
            Calibrating(
                git=Git(asked.repo),
                policy=policy,
                state=folder,
                engine=wanted(asked.engine, policy),
                since=asked.since,
                limit=asked.limit or LIMIT,
                most=asked.most or MOST,
                processes=asked.jobs or os.cpu_count() or 1,
                fresh=asked.fresh,
                progress=watch.at,
            )
        )
    finally:
        watch.clear()
    remember(report, ledger)
    return made


def rendered(made: Calibration, format: str) -> str:
    """The calibration as ``text``, ``json`` or ``html``."""
    check_format(format)
    if format == "html":
        return calibration_html(made)
    return json_text(made) if format == "json" else calibration_text(made)


def check_format(format: str) -> None:
    """Raises UsageError for a form that a calibration does not have: before the work, not after it."""
    if format not in ("text", "json", "html"):
        raise UsageError(f"a calibration has no {format} form", hint="--format text, json or html")
