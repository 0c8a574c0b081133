"""What ``check`` says of a review in CI: counts alone, no word of a card."""

from __future__ import annotations

from review_agent.vocabulary.base import Record
from review_agent.vocabulary.codes import NoFindingCode, Severity, SkipRule
from review_agent.vocabulary.outcomes import Coverage, RunIdentity, Spend

__all__ = ["CheckSummary"]


class CheckSummary(Record):
    """One review as counts. ``pr`` is null where the change is not known to be a pull or merge request.

    ``source``: where base and head come from; ``chosen``: what was compared, in words. ``artifact``: the run log's
    copy, the record that ``ledger ingest`` takes. ``gate``: why the exit code is 1, null where no gate tripped.
    """

    schema_version: str
    stage: str
    source: str
    pr: str | None
    chosen: str
    policy_source: str
    run: RunIdentity
    coverage: Coverage
    cards: dict[Severity, int]
    no_findings: dict[NoFindingCode, int]
    rejections: int
    unanswered: int
    suppressed: int
    skipped: dict[SkipRule, int]
    spend: Spend
    artifact: str
    gate: str | None
