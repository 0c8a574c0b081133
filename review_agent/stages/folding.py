"""One defect that two kinds saw gives one card: what says the same of the same lines is folded, and recorded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from review_agent.vocabulary import (
    COMPILED,
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
    is a rule's before a model's, then the more severe, then the surer; then a kind of its own before
    ``incomplete_change``, which asks of everything; then the one whose question ranks higher. A model's own question
    gives way to a rule's where both tell of the same subject on the same changed line, whatever else they rest on. Of
    one rule's cards that tell of the same place that was left, by several changed places, the first stays: of other
    kinds each changed place is a defect of its own, whatever they rest on. The others become rejections that name it.
    """
    ends = list(ended)
    cards = [record for _, record in ends if isinstance(record, ReviewEvidenceCard)]
    kept = _kept(cards)
    kept |= {card.card_id: kept[rules.card_id] for card in cards if (rules := _told_by_rules(card, cards)) is not None}
    firsts: dict[tuple[Any, ...], ReviewEvidenceCard] = {}
    for card in cards:
        is_left = card.change_kind is ChangeKind.INCOMPLETE_CHANGE and kept[card.card_id] is card
        first = firsts.setdefault(_told(card), card) if is_left else card
        if _place(first.diff_anchor) != _place(card.diff_anchor):
            kept[card.card_id] = first
    stays = {card.card_id: _left(card, kept) for card in cards}
    drafts: dict[str, int] = {}
    for name, record in ends:
        if isinstance(record, ReviewEvidenceCard | Rejection):
            ordinal = drafts[record.question_id] = drafts.get(record.question_id, -1) + 1
            if isinstance(record, ReviewEvidenceCard) and stays[record.card_id] is not record:
                yield (
                    "rejection",
                    rejection(record, ordinal, _same(record, kept[record.card_id], stays[record.card_id])),
                )
                continue
        yield name, record


def _kept(cards: Sequence[ReviewEvidenceCard]) -> dict[str, ReviewEvidenceCard]:
    """The card that stands for each, by its id."""
    groups: dict[tuple[Any, ...], list[ReviewEvidenceCard]] = {}
    for card in cards:
        groups.setdefault(_lines(card), []).append(card)
    kept: dict[str, ReviewEvidenceCard] = {}
    for group in groups.values():
        best = min(group, key=_worth)
        # Two cards of one kind tell of two effects: that they are the same is for their fingerprints to say.
        kept |= {card.card_id: card if card.change_kind is best.change_kind else best for card in group}
    return kept


def _left(card: ReviewEvidenceCard, kept: Mapping[str, ReviewEvidenceCard]) -> ReviewEvidenceCard:
    """The card that is left in the end, where the one that stands for a card gives way itself."""
    passed = {card.card_id}
    while (other := kept[card.card_id]) is not card and other.card_id not in passed:
        passed.add(other.card_id)
        card = other
    return card


def _told_by_rules(card: ReviewEvidenceCard, cards: Sequence[ReviewEvidenceCard]) -> ReviewEvidenceCard | None:
    """The card of a rule's question that tells what this one of a model's question does; null where there is none."""
    if not card.rule.startswith(COMPILED):
        return None
    of_rules = (one for one in cards if not one.rule.startswith(COMPILED))
    told = (one for one in of_rules if _meet(card.diff_anchor, one.diff_anchor) and _subject(card) == _subject(one))
    return next(told, None)


def _meet(one: SourceRef, other: SourceRef) -> bool:
    same = (one.side, one.path) == (other.side, other.path)
    return same and one.start_line <= other.end_line and other.start_line <= one.end_line


def _subject(card: ReviewEvidenceCard) -> str:
    """What the effect is on, by its last name: a model calls `Carrier.book(order)` what a rule calls `book`."""
    called = re.sub(r"\s+|`|\(.*", "", card.effect.subject, flags=re.DOTALL)
    return called.rpartition(".")[2] or card.effect.subject


def _worth(card: ReviewEvidenceCard) -> tuple[bool, int, int, bool]:
    return (
        card.rule.startswith(COMPILED),
        _SEVERITIES.index(card.severity),
        _CONFIDENCES.index(card.confidence),
        card.change_kind is ChangeKind.INCOMPLETE_CHANGE,
    )


def _lines(card: ReviewEvidenceCard) -> tuple[Any, ...]:
    """All that a card rests on."""
    return _place(card.diff_anchor), frozenset(map(_place, card.supporting_refs))


def _told(card: ReviewEvidenceCard) -> tuple[Any, ...]:
    """What a card says and rests on, wherever in the change it says so."""
    effect = card.effect
    said = card.change_kind, card.rule, effect.op, effect.subject, effect.to
    return said, frozenset(map(_place, card.supporting_refs))


def _place(ref: SourceRef) -> tuple[str, str, int, int]:
    return ref.side.value, ref.path, ref.start_line, ref.end_line


def _same(card: ReviewEvidenceCard, other: ReviewEvidenceCard, stays: ReviewEvidenceCard) -> ContractReason:
    """``other`` tells the same as the card, and ``stays`` stands for both."""
    how = "tells of the same on the same line"
    if _lines(card) == _lines(other):
        how = "rests on the same lines"
    elif _told(card) == _told(other):
        how = "tells the same of another place by the same lines"
    for_it = "" if stays is other else "stands for one that "
    said = f"the card {stays.card_id[:8]} ({stays.change_kind.value}, {stays.rule}) {for_it}{how}: one defect"
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
