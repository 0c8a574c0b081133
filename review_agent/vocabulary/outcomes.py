"""How questions end: draft, card, no finding, rejection, unanswered, suppressed, skipped; and the whole document."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from review_agent.vocabulary.base import Record
from review_agent.vocabulary.change import SourceRef
from review_agent.vocabulary.codes import (
    ChangeKind,
    Confidence,
    ContractCode,
    EffectOp,
    NoFindingCode,
    RunStatus,
    Severity,
    SkipRule,
    UnansweredCause,
)

__all__ = [
    "ContractReason",
    "Coverage",
    "Draft",
    "Effect",
    "FailedFile",
    "Failure",
    "NoFinding",
    "Outcomes",
    "Rejection",
    "ReviewDocument",
    "ReviewEvidenceCard",
    "RunIdentity",
    "Skipped",
    "Spend",
    "Suppressed",
    "Unanswered",
    "Verification",
]


class Effect(Record):
    """``to`` is the new name of a rename, the new value of a change; null otherwise."""

    op: EffectOp
    subject: str
    to: str | None = None


class Draft(Record):
    """What a synthesizer proposes. Untrusted until the contract has passed it."""

    question_id: str
    change_kind: ChangeKind
    claim: str
    effect: Effect
    severity: Severity
    diff_anchor: SourceRef
    supporting_refs: tuple[SourceRef, ...]
    impact_condition: str
    counter_evidence: tuple[str, ...]
    uncertainty: tuple[str, ...]
    confidence: Confidence


class Verification(Record):
    kind: Literal["test", "static-query", "manual-check"]
    command_or_procedure: str
    expected_signal: str


class ReviewEvidenceCard(Record):
    """A draft that passed the contract."""

    kind: Literal["card"]
    schema_version: str
    card_id: str
    card_version: str
    fingerprint: str
    question_id: str
    rule: str
    pr: str | None
    change_kind: ChangeKind
    claim: str
    effect: Effect
    severity: Severity
    diff_anchor: SourceRef
    supporting_refs: tuple[SourceRef, ...]
    impact_condition: str
    verification: tuple[Verification, ...]
    counter_evidence: tuple[str, ...]
    uncertainty: tuple[str, ...]
    confidence: Confidence
    model_may_post: bool
    searched: tuple[str, ...] = Field(
        default=(), description="where the names were looked for that the card says to stand nowhere else"
    )


class NoFinding(Record):
    """``missing`` names what would have settled the question; ``refs`` what defeated it, where something did."""

    kind: Literal["no_finding"]
    question_id: str
    rule: str
    change_kind: ChangeKind
    path: str
    line: int
    code: NoFindingCode
    detail: str
    missing: tuple[str, ...]
    searched: tuple[str, ...]
    refs: tuple[SourceRef, ...]


class ContractReason(Record):
    code: ContractCode
    detail: str


class Rejection(Record):
    """A draft that failed the contract, with every reason. ``draft`` is the engine's data, masked, as it came."""

    kind: Literal["rejection"]
    question_id: str
    ordinal: int
    change_kind: ChangeKind
    reasons: tuple[ContractReason, ...]
    draft: dict[str, Any]


class Unanswered(Record):
    kind: Literal["unanswered"]
    question_id: str
    cause: UnansweredCause
    detail: str


class Suppressed(Record):
    """A finding that a person has rejected before, what it stands on unchanged. ``card`` is what would be shown."""

    kind: Literal["suppressed"]
    question_id: str
    fingerprint: str
    decision_id: str
    detail: str
    card: ReviewEvidenceCard


class Skipped(Record):
    """A file (``hunkId`` null), hunk or question that a named rule set aside."""

    kind: Literal["skipped"]
    path: str
    hunk_id: str | None
    question_id: str | None
    rule: SkipRule
    detail: str


class FailedFile(Record):
    """A file that could not be examined. A run with one is incomplete."""

    path: str
    detail: str


class Failure(Record):
    """Work that failed beside the changed files; a run with any is incomplete, never clean.

    A rule that could not ask (``name`` is the rule), a search that failed or was late (its words), a file that the
    parser gave up while evidence was collected (its side), a part of the change that a model gave no questions for.
    ``path`` is where, "" where that is no one file.
    """

    what: Literal["rule", "search", "file", "compile"]
    name: str
    path: str
    detail: str


class Coverage(Record):
    files: int
    files_examined: int
    files_skipped: int
    files_failed: int
    hunks: int
    hunks_examined: int
    hunks_skipped: int
    hunks_failed: int
    line_facts_only: tuple[str, ...] = Field(description="files examined without a parse: language or syntax")
    failed: tuple[FailedFile, ...]
    failures: tuple[Failure, ...] = ()


class Outcomes(Record):
    cards: tuple[ReviewEvidenceCard, ...]
    no_findings: tuple[NoFinding, ...]
    rejections: tuple[Rejection, ...]
    unanswered: tuple[Unanswered, ...]
    suppressed: tuple[Suppressed, ...]
    skipped: tuple[Skipped, ...]


class RunIdentity(Record):
    review_id: str
    attempt_id: str
    status: RunStatus
    engine: str
    policy_hash: str
    base: str
    head: str
    merge_base: str


class Spend(Record):
    """What the run cost. Null is unknown, never zero."""

    questions: int
    queries: int
    candidate_files: int
    files_read: int
    lines_read: int
    requests: int
    prompt_tokens: int | None
    completion_tokens: int | None
    cost_usd: float | None


class ReviewDocument(Record):
    """What ``review --format json`` prints."""

    schema_version: str
    run: RunIdentity
    coverage: Coverage
    outcomes: Outcomes
    spend: Spend
