"""What people have said of a finding so far, by its fingerprint: derived from the journal alone.

A rejection is remembered with the evidence it was made on. The same finding on the same evidence is suppressed; on
other evidence, or once the rejection has lapsed, it is asked about again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from functools import cached_property
from typing import Any

from review_agent import fingerprint
from review_agent.policy.model import Policy
from review_agent.transitions import folded, lapsed
from review_agent.vocabulary import Act, CardState, Remembered, ReviewEvidenceCard, Suppressed, digest

__all__ = [
    "AGENT",
    "Memory",
    "Verdict",
    "Word",
    "by_person",
    "by_team",
    "evidence_of",
    "recall",
    "standing",
    "suppressed",
    "verdicts",
]

AGENT = "review-agent"
"""The reviewer in whose name cards are superseded and marked stale; it never accepts and never rejects."""

evidence_of = fingerprint.evidence
_OVERTAKES = frozenset({Act.SUPERSEDE, Act.MARK_STALE})
_TAKEN_BACK = "revoked"


class Word(StrEnum):
    """What became of a finding."""

    OPEN = "open"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    FIXED = "fixed"
    STALE = "stale"


_WORDS = {
    Act.ACCEPT: Word.ACCEPTED,
    Act.DOWNGRADE: Word.ACCEPTED,
    Act.REJECT: Word.REJECTED,
    Act.REVOKE: Word.REJECTED,
}


@dataclass(frozen=True)
class Verdict:
    """What became of one finding. ``reason`` is the code of a rejection, or ``revoked``; ``rule`` and ``path`` are null
    where its decisions are older than these fields. ``decisions`` are all on its cards, as wire data, oldest first."""

    fingerprint: str
    word: Word
    reason: str | None
    rule: str | None
    path: str | None
    decisions: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True)
class Memory:
    """The rejections that hold for a review, as it was told of them when it began.

    ``round``: how often cards of this very review have gone stale before: those that it has anew are other cards.
    """

    rejections: tuple[Remembered, ...] = ()
    round: int = 0

    @property
    def digest(self) -> str:
        """What is remembered, as one word in the review's identity; empty where that is nothing."""
        return digest(self.wire()) if self.rejections or self.round else ""

    @classmethod
    def of(cls, wire: Mapping[str, Any]) -> Memory:
        """The memory that ``wire`` gave; an empty one for no data."""
        return cls(tuple(map(Remembered.model_validate, wire.get("rejections", ()))), int(wire.get("round", 0)))

    @cached_property
    def _by_finding(self) -> dict[tuple[str, str], Remembered]:
        return {(one.fingerprint, one.evidence): one for one in self.rejections}

    def verdict(self, fingerprint: str, evidence: str) -> Remembered | None:
        """The rejection of this finding on this very evidence, where one holds."""
        return self._by_finding.get((fingerprint, evidence))

    def wire(self) -> dict[str, Any]:
        """As plain data, for the run log."""
        return {"rejections": [one.wire() for one in self.rejections], "round": self.round}


def recall(records: Iterable[Mapping[str, Any]], today: date, paths: Collection[str] | None = None) -> Memory:
    """The rejections in force on the UTC date ``today``, from journal records.

    ``paths``: the paths of a change on both sides; what cannot be found in it is left out. Of several rejections of a
    finding on the same evidence the latest counts; none does once the finding has been accepted after it.
    """
    found: dict[tuple[str, str], Mapping[str, Any]] = {}
    for finding in _findings(records).values():
        for decision in _in_force(finding, today):
            if paths is None or decision.get("path") is None or decision["path"] in paths:
                found[decision["fingerprint"], decision["evidence"]] = decision
    return Memory(tuple(_remembered(found[key]) for key in sorted(found)))


def by_team(policy: Policy, fingerprint: str, evidence: str) -> Remembered | None:
    """The rejection that the policy has for everybody, of this finding on this very evidence."""
    for one in policy.queue.suppressed:
        if (one.fingerprint, one.evidence) == (fingerprint, evidence):
            return Remembered(
                fingerprint=fingerprint,
                evidence=evidence,
                decision_id=one.decision,
                card_id="",
                reason_code=one.reason,
                day=one.day,
            )
    return None


def suppressed(card: ReviewEvidenceCard, rejected: Remembered) -> Suppressed:
    """The card set aside: the finding has been rejected on the same evidence."""
    reason = f" as {rejected.reason_code}" if rejected.reason_code else ""
    where = f"card {rejected.card_id[:8]}" if rejected.card_id else "by the team's policy"
    return Suppressed(
        kind="suppressed",
        question_id=card.question_id,
        fingerprint=card.fingerprint,
        decision_id=rejected.decision_id,
        detail=f"rejected{reason} on {rejected.day} ({where}), on the same evidence",
        card=card,
    )


def verdicts(records: Iterable[Mapping[str, Any]], today: date) -> dict[str, Verdict]:
    """What became of every finding that the journal has a decision on, by fingerprint."""
    return {mark: _verdict(mark, finding, today) for mark, finding in _findings(records).items()}


def standing(records: Iterable[Mapping[str, Any]], today: date) -> dict[str, CardState]:
    """The state of every decided card on the UTC date ``today``; of a superseded one, that of the card that stands for
    it."""
    acts: dict[str, list[Mapping[str, Any]]] = {}
    for record in records:
        if record.get("kind") == "decision":
            acts.setdefault(record["cardId"], []).append(record)
    return {card_id: folded(acts.get(_standing(card_id, acts), ()), today) for card_id in acts}


def _standing(card_id: str, acts: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """The card at the end of the successors."""
    seen = {card_id}
    while (last := acts.get(card_id, [{}])[-1]).get("successor") and last["successor"] not in seen:
        card_id = last["successor"]
        seen.add(card_id)
    return card_id


def by_person(decision: Mapping[str, Any]) -> bool:
    """Whether a person decided, and not the product itself for a newer push."""
    return bool(decision["reviewer"] != AGENT)


@dataclass
class _Card:
    """The decisions on one card: people's, each with its place in the journal, and what overtook it."""

    decisions: list[tuple[int, Mapping[str, Any]]] = field(default_factory=list)
    overtaken: Mapping[str, Any] | None = None

    @property
    def last(self) -> tuple[int, Mapping[str, Any]]:
        """The latest act that was no push's."""
        return self.decisions[-1] if self.decisions else (-1, {})


_Finding = dict[str, _Card]


def _findings(records: Iterable[Mapping[str, Any]]) -> dict[str, _Finding]:
    """The decided cards of each finding. Samples of the blind audit are no findings."""
    every = list(records)
    samples = {record["card"].get("cardId") for record in every if record.get("kind") == "sample"}
    found: dict[str, _Finding] = {}
    for position, record in enumerate(every):
        if record.get("kind") != "decision" or record["cardId"] in samples:
            continue
        card = found.setdefault(record["fingerprint"], {}).setdefault(record["cardId"], _Card())
        if Act(record["act"]) in _OVERTAKES:
            card.overtaken = record
        else:
            card.decisions.append((position, record))
    return found


def _in_force(finding: _Finding, today: date) -> Iterator[Mapping[str, Any]]:
    """The rejections of a finding that hold, in the order of the journal."""
    last = sorted((card.last for card in finding.values()), key=lambda one: one[0])
    accepted = max((at for at, act in last if _word(act, today) is Word.ACCEPTED), default=-1)
    for position, act in last:
        rejects = act.get("act") == Act.REJECT and act.get("evidence") is not None
        if rejects and position > accepted and not lapsed(act, today):
            yield act


def _remembered(decision: Mapping[str, Any]) -> Remembered:
    names = ("fingerprint", "evidence", "decisionId", "cardId", "reasonCode")
    return Remembered.model_validate({**{name: decision[name] for name in names}, "day": decision["at"][:10]})


def _word(act: Mapping[str, Any], today: date) -> Word:
    """What a card's latest act says of it."""
    if not act or lapsed(act, today):
        return Word.OPEN
    return _WORDS.get(Act(act["act"]), Word.OPEN)


def _verdict(mark: str, finding: _Finding, today: date) -> Verdict:
    decided = [card_id for card_id, card in finding.items() if card.decisions]
    first = max(decided, key=lambda card_id: finding[card_id].last[0]) if decided else next(reversed(finding))
    word, act = _fate(first, finding, today)
    every = [one for card in finding.values() for one in _all(card)]
    return Verdict(
        fingerprint=mark,
        word=word,
        reason=_reason(word, act),
        rule=next((one["rule"] for one in every if one.get("rule")), None),
        path=next((one["path"] for one in every if one.get("path")), None),
        decisions=tuple(sorted(every, key=lambda one: str(one["at"]))),
    )


def _fate(card_id: str, finding: _Finding, today: date) -> tuple[Word, Mapping[str, Any]]:
    """What became of the card that stands for this one at the end, and the act that says so."""
    seen: set[str] = set()
    while True:
        card = finding.get(card_id, _Card())
        word, over = _word(card.last[1], today), card.overtaken
        if over is None:
            return word, card.last[1]
        if over["act"] == Act.MARK_STALE:
            return (Word.FIXED if word is Word.ACCEPTED else Word.STALE), over
        seen.add(card_id)
        card_id = over.get("successor") or ""
        if not card_id or card_id in seen:
            return word, card.last[1]


def _reason(word: Word, act: Mapping[str, Any]) -> str | None:
    if word is not Word.REJECTED:
        return None
    return _TAKEN_BACK if act["act"] == Act.REVOKE else act.get("reasonCode")


def _all(card: _Card) -> Sequence[Mapping[str, Any]]:
    return [decision for _, decision in card.decisions] + ([card.overtaken] if card.overtaken else [])
