"""Records of a run and of people: the run log's event and the journal's decision."""

from __future__ import annotations

from typing import Any, Literal

from review_agent.vocabulary.base import Record
from review_agent.vocabulary.codes import Act, Phase

__all__ = [
    "Decision",
    "Event",
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
