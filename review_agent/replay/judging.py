"""What the cards of a half are worth: hits, the right place under another kind, false alarms."""

from __future__ import annotations

from collections.abc import Sequence

from review_agent.replay.places import counterpart, file_of, hunk_of, meets, touches
from review_agent.replay.records import CLEAN, DEFECT, CardFound, Expected, Mark, Place, Verdict
from review_agent.vocabulary import FileChange, ReviewEvidenceCard, Side, SourceRef

__all__ = ["judged", "place_of", "verdict"]


def place_of(ref: SourceRef) -> Place:
    """The lines of a reference."""
    return Place(path=ref.path, side=ref.side, start=ref.start_line, end=ref.end_line)


def judged(
    cards: Sequence[ReviewEvidenceCard], expected: Expected, files: Sequence[FileChange]
) -> tuple[CardFound, ...]:
    """Every card with its mark; why an alarm is false is for ``layers`` to say."""
    return tuple(_judged(card, expected, files) for card in cards)


def _judged(card: ReviewEvidenceCard, expected: Expected, files: Sequence[FileChange]) -> CardFound:
    anchor = place_of(card.diff_anchor)
    file = file_of(anchor, files)
    head = counterpart(anchor, file) if anchor.side is Side.OLD and file is not None else anchor
    return CardFound(
        card_id=card.card_id,
        question_id=card.question_id,
        rule=card.rule,
        kind=card.change_kind,
        anchor=anchor,
        head_path=head.path,
        head_start=head.start,
        head_end=head.end,
        claim=card.claim,
        mark=_mark(card, anchor, expected, files),
        beside_defect=expected.answer == DEFECT and not _in_defect_hunk(anchor, expected, files),
    )


def _mark(card: ReviewEvidenceCard, anchor: Place, expected: Expected, files: Sequence[FileChange]) -> Mark:
    if expected.answer == CLEAN:
        return "false_alarm"
    if expected.answer != DEFECT:
        return "unjudged"
    if not any(meets(anchor, place, expected.slack, files) for place in expected.places):
        return "false_alarm"
    return "hit" if not expected.kinds or card.change_kind in expected.kinds else "other_kind"


def _in_defect_hunk(anchor: Place, expected: Expected, files: Sequence[FileChange]) -> bool:
    file = file_of(anchor, files)
    hunk = hunk_of(anchor, file)
    return hunk is not None and any(file_of(one, files) is file and touches(one, hunk) for one in expected.places)


def verdict(cards: Sequence[CardFound], expected: Expected) -> Verdict:
    """What a half comes to."""
    if expected.answer == CLEAN:
        return "alarmed" if cards else "silent"
    if expected.answer != DEFECT:
        return "unjudged"
    marks = {card.mark for card in cards}
    return "found" if "hit" in marks else "other_kind" if "other_kind" in marks else "missed"
