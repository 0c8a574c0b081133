"""A calibration as text: the figures, a table by kind, every mined case with what a person needs to check it."""

from __future__ import annotations

from collections.abc import Iterable

from review_agent.publish.safe import terminal
from review_agent.replay.calibrate import FEW, Calibration, CleanCase, KindCalibration, MinedCase
from review_agent.replay.calibrate_words import CAUTION, LEGEND, LOST, SWITCH, few, looked, nothing_moved
from review_agent.replay.text import share

__all__ = ["calibration_text"]


def calibration_text(made: Calibration) -> str:
    """The whole report."""
    parts = [_head(made), _missed(made), _table(made), _proposal(made), _cases(made), _clean(made)]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _head(made: Calibration) -> list[str]:
    one = made.identity
    failed = [f"{made.failed} reviews failed and stay in the denominator"] if made.failed else []
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
    head = f"{'kind':20}{'now':>5}{'faults':>8}  {'met':22}{'cards at faults':>16}{'clean alarmed':>15}  proposal"
    return [head, *(_row(one) for one in made.kinds), *(f"  {line}" for line in LEGEND)]


def _row(one: KindCalibration) -> str:
    met = share(one.found).partition(" ")[2] if one.found.of else "–"
    return (
        f"{one.kind:20}{SWITCH[one.enabled]:>5}{f'{one.found.hits}/{one.found.of}':>8}  {met:22}{one.here:>16}"
        f"{f'{one.alarmed.hits}/{one.alarmed.of}':>15}  {one.proposal if one.enabled is not None else '–'}"
    )


def _proposal(made: Calibration) -> list[str]:
    moved = [one for one in made.kinds if one.proposal != "keep"]
    thin = [one.kind for one in made.kinds if one.enabled is not None and one.found.of < FEW]
    if moved:
        lines = ["proposal (nothing is changed): in .github/review-agent/change-kinds.yml, on the protected branch:"]
    else:
        lines = [f"proposal: {nothing_moved(made)}"]
    for one in moved:
        lines += [f"  {one.kind}:", f"    enabled: {str(one.proposal == 'enable').lower()}   # {one.why}"]
    return [*lines, *([f"  {few(thin)}"] if thin else [])]


def _cases(made: Calibration) -> list[str]:
    return ["mined faults:", *(line for case in made.cases for line in _case(case))] if made.cases else []


def _case(case: MinedCase) -> Iterable[str]:
    fix = case.fix
    yield f"  {case.verdict:7} {fix.introduced_by[:12]} {terminal(fix.introduced_subject)[:90]}"
    yield f"          fixed by {fix.commit[:12]} {terminal(fix.subject)[:90]}"
    yield f"          kind {fix.kind} · score {fix.score}: {', '.join(fix.signs)} · {fix.share:.0%} of its lines"
    yield f"          at {'; '.join(terminal(place.text()) for place in fix.places[:4])}"
    yield from (f"          card {terminal(card)}" for card in case.cards)
    if case.layer:
        yield f"          missed by {case.layer}: {terminal(case.why)}"


def _clean(made: Calibration) -> list[str]:
    return ["clean commits:", *(line for one in made.clean for line in _quiet(one))] if made.clean else []


def _quiet(case: CleanCase) -> Iterable[str]:
    yield f"  {case.verdict:7} {case.clean.commit[:12]} {terminal(case.clean.subject)[:90]}"
    yield from (f"          card {terminal(card)}" for card in case.cards)
