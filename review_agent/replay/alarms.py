"""Which layer let a card through that nobody expected.

Its contract passed, so the fault lies above it, in the earliest layer that led it astray:

    edits       what the card says was changed stands in no edit of its hunk
    questions   the question is about a hunk that has nothing to do with the defect
    retrieval   a search for it was refused, failed or cut, or all that supports it is of uncertain resolution
    synthesis   everything was there, and the conclusion is wrong
"""

from __future__ import annotations

from collections.abc import Sequence

from review_agent.replay.records import CardFound, Layer
from review_agent.replay.trail import Trail
from review_agent.vocabulary import (
    Bundle,
    Evidence,
    Hunk,
    QueryStatus,
    Question,
    Resolution,
    ReviewEvidenceCard,
)

__all__ = ["explained"]

_LOST = (QueryStatus.REFUSED, QueryStatus.FAILED)


def explained(found: Sequence[CardFound], cards: Sequence[ReviewEvidenceCard], trail: Trail) -> tuple[CardFound, ...]:
    """The cards with layer and cause on every false alarm."""
    return tuple(
        _explained(one, card, trail) if one.mark == "false_alarm" else one
        for one, card in zip(found, cards, strict=True)
    )


def _explained(found: CardFound, card: ReviewEvidenceCard, trail: Trail) -> CardFound:
    layer, why = _layer(found, card, trail)
    return found.model_copy(update={"layer": layer, "why": why})


def _layer(found: CardFound, card: ReviewEvidenceCard, trail: Trail) -> tuple[Layer, str]:
    question = next(one for one in trail.questions if one.question_id == card.question_id)
    subject = card.effect.subject
    if not _in_edits(subject, question) and not _in_hunk(subject, question, trail):
        return "edits", f"`{subject}` stands neither in an edit nor in the hunk"
    if found.beside_defect:
        return "questions", f"{question.rule} was asked in a hunk that holds no line of the defect"
    lost = _lost(trail.bundles.get(card.question_id), card)
    return ("retrieval", lost) if lost else ("synthesis", f"{question.rule} concluded it from a whole bundle")


def _in_edits(subject: str, question: Question) -> bool:
    return any(
        subject in text for edit in question.edits for text in (edit.subject, edit.before or "", edit.after or "")
    )


def _in_hunk(subject: str, question: Question, trail: Trail) -> bool:
    hunks: list[Hunk] = [hunk for file in trail.files for hunk in file.hunks if hunk.hunk_id == question.hunk_id]
    last = subject.rsplit(".", 1)[-1]
    return any(last in line.text for hunk in hunks for line in hunk.lines if line.tag != " ")


def _lost(bundle: Bundle | None, card: ReviewEvidenceCard) -> str:
    """What of the search was not to be had, in words; empty where all was."""
    if bundle is None:
        return ""
    for result in bundle.queries:
        if result.status in _LOST or result.truncated:
            how = "was cut" if result.truncated else str(result.status)
            return f"its query {result.query.kind} {result.query.name} {how}: what refutes it may lie there"
    support = [one for one in bundle.evidence if one.ref in card.supporting_refs]
    if support and not any(_sure(one) for one in support):
        return "no supporting place is resolved to what the card says it is"
    return ""


def _sure(evidence: Evidence) -> bool:
    return any(getattr(fact, "resolution", Resolution.RESOLVED) is Resolution.RESOLVED for fact in evidence.facts)
