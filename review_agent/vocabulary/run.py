"""Records of a run and of people: the run log's event, the journal's decision and replay results."""

from __future__ import annotations

from typing import Any, Literal

from review_agent.vocabulary.base import Record
from review_agent.vocabulary.codes import Act, Phase

__all__ = [
    "Decision",
    "Event",
    "Replay",
    "ReplayedHalf",
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


class Decision(Record):
    """A person's act on a card, as appended to the journal. ``cardVersion`` is the version they saw."""

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
