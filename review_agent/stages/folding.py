"""One defect that two kinds saw gives one card: what says the same of the same lines is folded, and recorded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from review_agent.vocabulary import (
    ChangeKind,
    Confidence,
    ContractCode,
    ContractReason,
    Draft,
    Record,
    Rejection,
    ReviewEvidenceCard,
    Severity,
    SourceRef,
)

__all__ = ["folded", "rejection"]

Ended = tuple[str, Record | dict[str, Any]]
_SEVERITIES, _CONFIDENCES = list(Severity), list(Confidence)


def folded(ended: Iterable[Ended]) -> Iterator[Ended]:
    """How questions ended, in their order. Of the cards of several kinds that rest on the same lines one is left.

    Two cards say the same where their anchors and the places of all that supports them are equal. The one that stays
    is the more severe, then the surer; then a kind of its own before ``incomplete_change``, which asks of everything;
    then the one whose question ranks higher. The others become rejections that name it.
    """
    ends = list(ended)
    kept = _kept([record for _, record in ends if isinstance(record, ReviewEvidenceCard)])
    drafts: dict[str, int] = {}
    for name, record in ends:
        if isinstance(record, ReviewEvidenceCard | Rejection):
            ordinal = drafts[record.question_id] = drafts.get(record.question_id, -1) + 1
            if isinstance(record, ReviewEvidenceCard) and kept[record.card_id] is not record:
                yield "rejection", rejection(record, ordinal, _same(kept[record.card_id]))
                continue
        yield name, record


def _kept(cards: Sequence[ReviewEvidenceCard]) -> dict[str, ReviewEvidenceCard]:
    """The card that stands for each, by its id."""
    groups: dict[tuple[Any, ...], list[ReviewEvidenceCard]] = {}
    for card in cards:
        groups.setdefault((_place(card.diff_anchor), frozenset(map(_place, card.supporting_refs))), []).append(card)
    kept: dict[str, ReviewEvidenceCard] = {}
    for group in groups.values():
        best = min(group, key=_worth)
        # Two cards of one kind tell of two effects: that they are the same is for their fingerprints to say.
        kept |= {card.card_id: card if card.change_kind is best.change_kind else best for card in group}
    return kept


def _worth(card: ReviewEvidenceCard) -> tuple[int, int, bool]:
    return (
        _SEVERITIES.index(card.severity),
        _CONFIDENCES.index(card.confidence),
        card.change_kind is ChangeKind.INCOMPLETE_CHANGE,
    )


def _place(ref: SourceRef) -> tuple[str, str, int, int]:
    return ref.side.value, ref.path, ref.start_line, ref.end_line


def _same(stays: ReviewEvidenceCard) -> ContractReason:
    said = f"the card {stays.card_id[:8]} ({stays.change_kind.value}, {stays.rule}) rests on the same lines: one defect"
    return ContractReason(code=ContractCode.DUPLICATE, detail=said)


def rejection(card: ReviewEvidenceCard, ordinal: int, why: ContractReason) -> Rejection:
    """The draft of a card that passed alone and falls for this reason."""
    draft = Draft(**{name: getattr(card, name) for name in Draft.model_fields})
    return Rejection(
        kind="rejection",
        question_id=card.question_id,
        ordinal=ordinal,
        change_kind=card.change_kind,
        reasons=(why,),
        draft=draft.wire(),
    )
