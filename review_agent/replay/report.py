"""The document of a whole replay: who answered, every half, and the figures."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import Field

from review_agent.publish import safe
from review_agent.replay.drift import Drift
from review_agent.replay.product import Identity
from review_agent.replay.records import Half, HalfResult, Job
from review_agent.replay.tally import Figures, figures
from review_agent.vocabulary import SCHEMA_VERSION, Record

__all__ = ["Entry", "ReplayReport", "json_text", "report"]


class Entry(Record):
    """One half with what was known of it."""

    case: str
    half: Half
    kind: str
    language: str
    evidence: str
    project: str
    result: HalfResult


class ReplayReport(Record):
    """What ``replay --format json`` prints."""

    schema_version: str
    identity: Identity
    entries: tuple[Entry, ...]
    figures: Figures
    kept: int = Field(description="halves whose result was kept from before, and not reviewed again")
    drift: Drift | None = Field(default=None, description="what changed against the baseline that was asked for")


def report(
    identity: Identity, done: Iterable[tuple[Job, HalfResult]], kept: int, changes: Drift | None = None
) -> ReplayReport:
    """The document, entries in the order of the jobs."""
    pairs = list(done)
    return ReplayReport(
        schema_version=SCHEMA_VERSION,
        identity=identity,
        entries=tuple(_entry(job, result) for job, result in pairs),
        figures=figures(pairs),
        kept=kept,
        drift=changes,
    )


def json_text(report: ReplayReport) -> str:
    """The document as indented JSON with its last newline."""
    return safe.json_text(report.wire(), sort_keys=False)


def _entry(job: Job, result: HalfResult) -> Entry:
    return Entry(
        case=job.case,
        half=job.half,
        kind=job.kind,
        language=job.language,
        evidence=job.evidence,
        project=job.project,
        result=result,
    )
