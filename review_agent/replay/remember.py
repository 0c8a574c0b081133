"""Replay results go to the journal: one record a replay."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from review_agent.journal import JOURNAL_FILE, Journal
from review_agent.replay.report import ReplayReport
from review_agent.vocabulary import Replay, ReplayedHalf, digest

__all__ = ["remember"]


def remember(report: ReplayReport, ledger: Path) -> Replay:
    """Append the results to the journal of a state folder. Raises RecordError, StorageFullError."""
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    figures, identity = report.figures, report.identity
    halves = tuple(
        ReplayedHalf(
            unit=entry.result.unit,
            verdict=entry.result.verdict,
            cards=len(entry.result.cards),
            layer=entry.result.miss.layer if entry.result.miss is not None else None,
        )
        for entry in report.entries
    )
    record = Replay(
        kind="replay",
        replay_id=digest([at, identity.wire(), [half.wire() for half in halves]]),
        at=at,
        engine=identity.engine,
        policy_hash=identity.policy_hash,
        product=identity.product,
        source=identity.source,
        found=figures.whole.found.hits,
        defects=figures.whole.found.of,
        silent=figures.whole.silent.hits,
        clean=figures.whole.silent.of,
        failed=figures.failed,
        halves=halves,
    )
    Journal(ledger / JOURNAL_FILE).append(record.wire())
    return record
