"""What a calibration says of itself, the same in text and HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from review_agent.publish.account import counted
from review_agent.replay.calibrate import FEW, Calibration

__all__ = ["CAUTION", "LEGEND", "LOST", "SWITCH", "few", "looked", "nothing_moved"]

CAUTION: Final = "mined cases are guesses by diff and tests: read them below before you trust a share of few"
LOST: Final[Mapping[str, str]] = {
    "edits": "no change that has a name was seen at the lines that were mended later",
    "questions": "a change was seen there, and no question asked of it",
    "retrieval": "a question was asked, and the evidence that settles it was not read",
    "synthesis": "the evidence was read, and nothing concluded from it",
    "contract": "a card was drafted, and refused",
}
"""Why a fault is not met, by the earliest layer at fault, in the order of a review."""

LEGEND: Final = (
    "faults: met of those mined, by the kind that the fix, turned round, is of; any card at their lines meets them",
    "unknown: faults whose fix, turned round, raises no question; no switch bears on them",
    "cards at faults: of this kind, whatever kind the fault is; clean alarmed: clean commits with a card of this kind",
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
    if not met.hits and not alarmed:
        said = f"no fault was met, and none of {counted(made.silent.of, 'clean commit', 'clean commits')} alarmed"
    else:
        said = f"{met.hits} of {met.of} faults met, {alarmed} of {made.silent.of} clean commits alarmed"
    return f"leave the kinds as they are: {said}"


def few(kinds: Sequence[str]) -> str:
    """What a table with kinds of few cases does not tell."""
    return f"fewer than {FEW} faults of a kind prove little either way: {', '.join(kinds)}"
