"""A calibration as text: the figures, a table by kind, every mined case with what a person needs to check it."""

from __future__ import annotations

from collections.abc import Iterable

from review_agent.counting import counted
from review_agent.publish.safe import terminal
from review_agent.replay.calibrate import Calibration, CleanCase, KindCalibration, MinedCase
from review_agent.replay.calibrate_words import (
    CAUTION,
    LEGEND,
    LOST,
    SWITCH,
    ending,
    little,
    looked,
    nothing_moved,
    told,
)
from review_agent.replay.text import share

__all__ = ["calibration_text"]


def calibration_text(made: Calibration) -> str:
    """The whole report."""
    parts = [_head(made), _missed(made), _table(made), _proposal(made), _cases(made), _clean(made)]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _head(made: Calibration) -> list[str]:
    one = made.identity
    failed = (
        [f"{counted(made.failed, 'review')} failed, and {'stays' if made.failed == 1 else 'stay'} in the denominator"]
        if made.failed
        else []
    )
    return [
        f"calibration of {terminal(made.repository)} up to {made.until[:12]}",
        f"engine {one.engine} · policy {one.policy_hash[:12]} ({terminal(one.policy_source)}) · product {one.product}",
        *looked(made),
        "",
        f"faults met     {share(made.found)}   (95% interval, Wilson)",
        f"clean silent   {share(made.silent)}",
        f"cards          {'–' if made.cards_per_hundred is None else f'{made.cards_per_hundred:g}'} per 100 commits",
        *failed,
        CAUTION,
    ]


def _missed(made: Calibration) -> list[str]:
    if not made.missed_by:
        return []
    return ["where the others were lost:", *(f"{n:5}  {layer}: {LOST[layer]}" for layer, n in made.missed_by.items())]


def _table(made: Calibration) -> list[str]:
    head = f"{'kind':20}{'now':>5}{'faults met':>12}  {'interval':12}{'cards at faults':>17}{'clean alarmed':>15}"
    return [
        f"{head}  proposal",
        *(_row(one) for one in told(made)),
        *(f"  {line}" for line in (*LEGEND, *little(made))),
    ]


def _row(one: KindCalibration) -> str:
    met = f"{one.found.hits}/{one.found.of}" if one.found.of else "–"
    interval = f"{one.found.low:.2f}–{one.found.high:.2f}" if one.found.of else "–"
    alarmed = f"{one.alarmed.hits}/{one.alarmed.of}"
    proposal = one.proposal if one.enabled is not None else "–"
    return f"{one.kind:20}{SWITCH[one.enabled]:>5}{met:>12}  {interval:12}{one.here:>17}{alarmed:>15}  {proposal}"


def _proposal(made: Calibration) -> list[str]:
    moved = [one for one in made.kinds if one.proposal != "keep"]
    if not moved:
        return [f"proposal: {nothing_moved(made)}"]
    lines = ["proposal (nothing is changed): in .github/review-agent/change-kinds.yml, on the protected branch:"]
    for one in moved:
        lines += [f"  {one.kind}:", f"    enabled: {str(one.proposal == 'enable').lower()}   # {one.why}"]
    return lines


def _cases(made: Calibration) -> list[str]:
    return ["mined faults:", *(line for case in made.cases for line in _case(case))] if made.cases else []


def _case(case: MinedCase) -> Iterable[str]:
    fix = case.fix
    yield f"  {case.verdict:7} {fix.introduced_by[:12]} {terminal(fix.introduced_subject)[:90]}"
    yield f"          fixed by {fix.commit[:12]} {terminal(fix.subject)[:90]}"
    yield f"          kind {fix.kind} · score {fix.score}: {', '.join(fix.signs)} · {fix.share:.0%} of its lines"
    yield f"          at {'; '.join(terminal(place.text()) for place in fix.places[:4])}"
    yield from (f"          {terminal(line)}" for line in ending(case))


def _clean(made: Calibration) -> list[str]:
    return ["clean commits:", *(line for one in made.clean for line in _quiet(one))] if made.clean else []


def _quiet(case: CleanCase) -> Iterable[str]:
    yield f"  {case.verdict:7} {case.clean.commit[:12]} {terminal(case.clean.subject)[:90]}"
    yield from (f"          card {terminal(card)}" for card in case.cards)
