"""Records of a run and of people: the run log's event, the journal's decision and replay results."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from review_agent.vocabulary.base import Record
from review_agent.vocabulary.codes import Act, Phase

__all__ = [
    "Decision",
    "Displaced",
    "Event",
    "Proof",
    "Remembered",
    "Replay",
    "ReplayedHalf",
    "Sample",
]


class Event(Record):
    """One line of a run log. ``seq`` counts from 0 over all attempts; ``at`` is UTC, ISO 8601, for people only.

    What a phase wrote counts when ``phase_ended`` of the same phase and attempt follows; answers count at once.
    """

    seq: int
    at: str
    attempt: str
    phase: Phase | None
    type: str
    data: dict[str, Any]


class Proof(Record):
    """A job of the catalogue that was asked for (``result`` null), or its attached result.

    ``log`` is masked and cut; ``logSha256`` and ``logBytes`` are of the raw bytes, null where there is no log.
    """

    job: str
    result: Literal["pass", "fail"] | None = None
    log: str | None = None
    log_sha256: str | None = None
    log_bytes: int | None = None


class Decision(Record):
    """A person's act on a card, as appended to the journal. ``cardVersion`` is the version they saw.

    ``layer``: the layer at fault by the reason code. ``evidence``: the digest of what the card stood on, by which a
    later card of the same fingerprint is told to stand on the same or not. ``seconds``: from the first view to the
    act, null where it is not known. ``until``: the UTC date (ISO 8601) from which a rejection that expires no longer
    holds. ``batch``: shared by the decisions of one bulk act. ``successor``: the card that stands for this one since it
    was overtaken. ``rule`` and ``path`` (the file's base path, its path where it is new) are the finding's.
    """

    kind: Literal["decision"]
    decision_id: str
    at: str
    card_id: str
    card_version: str
    fingerprint: str
    act: Act
    reason_code: str | None
    comment: str | None
    reviewer: str
    layer: str | None = None
    evidence: str | None = None
    seconds: float | None = None
    until: str | None = Field(default=None, pattern=r"^\d{4}-\d{2}-\d{2}$")
    batch: str | None = None
    successor: str | None = None
    proof: Proof | None = None
    rule: str | None = None
    path: str | None = None


class Remembered(Record):
    """A rejection that a review was told of as it began; ``day``: the UTC date it was made on, ISO 8601."""

    fingerprint: str
    evidence: str
    decision_id: str
    card_id: str
    reason_code: str | None
    day: str


class Sample(Record):
    """A silenced outcome drawn for the blind audit, as appended to the journal: it enters the queue as a card.

    ``source``: what kept it silent. ``card``: the card as the queue shows it, as wire data. ``share``: the probability
    it was drawn with, so that what is silenced wrongly can be estimated.
    """

    kind: Literal["sample"]
    sample_id: str
    at: str
    run_file: str
    question_id: str
    source: Literal["no_finding", "refuted", "suppressed"]
    share: float
    card: dict[str, Any]


class Displaced(Record):
    """Cards that a day's reviewer minutes did not reach, as appended to the journal. ``day``: UTC date, ISO 8601."""

    kind: Literal["displaced"]
    at: str
    day: str
    minutes: float
    shown: tuple[str, ...]
    displaced: tuple[str, ...]


class ReplayedHalf(Record):
    """How one half of a case ended; ``layer`` is the one at fault for a miss."""

    unit: str
    verdict: str
    cards: int
    layer: str | None


class Replay(Record):
    """The results of one replay, as appended to the journal. ``source`` is the digest of the product's own source."""

    kind: Literal["replay"]
    replay_id: str
    at: str
    engine: str
    policy_hash: str
    product: str
    source: str
    found: int
    defects: int
    silent: int
    clean: int
    failed: int
    halves: tuple[ReplayedHalf, ...]
