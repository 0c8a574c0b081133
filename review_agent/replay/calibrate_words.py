"""What a calibration says of itself, the same in text and HTML."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from review_agent.counting import counted
from review_agent.replay.calibrate import FEW, Calibration, KindCalibration, MinedCase

__all__ = ["CAUTION", "LEGEND", "LOST", "SWITCH", "ending", "little", "looked", "nothing_moved", "told"]

CAUTION: Final = "mined cases are guesses by diff and tests: read them below before you trust a share of few"
LOST: Final[Mapping[str, str]] = {
    "edits": "at the lines that were mended later no change was seen that the reviewer has a word for",
    "questions": "a change was seen there, and no question asked of it",
    "retrieval": "a question was asked there, and what settles it was not read",
    "synthesis": "a question asked there, maybe about something else, was answered without a card",
    "contract": "a card was drafted, and refused",
}
"""Why a fault is not met, by the earliest layer at fault, in the order of a review."""

LEGEND: Final = (
    "a fault's kind is what would be asked of its fix turned round; a card of any kind at its lines meets it",
    "unknown: nothing would be asked of the fix turned round, so no switch bears on these faults",
    "cards at faults: cards of this kind, whatever kind the fault is; clean alarmed: clean commits with such a card",
)
SWITCH: Final[Mapping[bool | None, str]] = {True: "on", False: "off", None: "–"}
_ENOUGH = 20


def looked(made: Calibration) -> list[str]:
    """How much of history was looked through, what came of it, and what to do where that is little."""
    lines = [
        f"looked through {counted(made.scanned, 'commit', 'commits')}: {made.weighed} small ones with a test, "
        f"{made.mined} of them fixes that lead to the commit that brought the fault",
        f"reviewed {len(made.cases)} of those commits, and {len(made.clean)} clean ones beside them",
    ]
    if made.more and len(made.cases) < _ENOUGH:
        lines.append(f"that is few: older commits are there, --limit {3 * made.scanned} looks through more of them")
    return lines


def nothing_moved(made: Calibration) -> str:
    """Why no switch is proposed."""
    met, alarmed = made.found, made.silent.of - made.silent.hits
    if not met.of:
        said = f"no fault was mined, {alarmed} of {counted(made.silent.of, 'clean commit', 'clean commits')} alarmed"
    elif not met.hits and not alarmed:
        said = f"no fault was met, and none of {counted(made.silent.of, 'clean commit', 'clean commits')} alarmed"
    else:
        clean = counted(made.silent.of, "clean commit")
        said = f"{met.hits} of {counted(met.of, 'fault')} met, {alarmed} of {clean} alarmed"
    return f"leave the kinds as they are: {said}"


def told(made: Calibration) -> list[KindCalibration]:
    """The kinds that the run tells something of."""
    return [one for one in made.kinds if one.found.of or one.here or one.alarmed.hits]


def little(made: Calibration) -> list[str]:
    """What the table does not tell: of kinds without a fault nothing, of kinds with few not much."""
    none = [one.kind for one in made.kinds if one.enabled is not None and not one.found.of]
    few = [one.kind for one in made.kinds if one.enabled is not None and 0 < one.found.of < FEW]
    lines = (
        [f"no fault of these kinds was mined, so what they find here is not known: {', '.join(none)}"] if none else []
    )
    return [*lines, *([f"fewer than {FEW} faults, which proves little either way: {', '.join(few)}"] if few else [])]


def ending(case: MinedCase) -> list[str]:
    """What the review of a fault's commit came to: its cards, or where the fault was lost, and cards elsewhere."""
    lost = [f"missed by {case.layer}: {case.why}"] if case.layer else [case.why] if case.why else []
    beside = [f"{counted(case.beside, 'card', 'cards')} elsewhere in the commit"] if case.beside else []
    return [*(f"card {card}" for card in case.cards), *lost, *beside]
