"""A calibration as one HTML file: what is found here by kind, what is proposed, and each case to be checked."""

from __future__ import annotations

from collections.abc import Iterable

from review_agent.publish.safe import html as escape
from review_agent.rates import Rate
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
from review_agent.replay.page import page, section, table, tiles
from review_agent.replay.plots import bars, intervals

__all__ = ["calibration_html"]


def calibration_html(made: Calibration) -> str:
    """The whole page. All text of commits and cards is escaped."""
    body = [*_head(made), *_shares(made), _kinds(made), _proposal(made), *_lost(made), *_cases(made), *_clean(made)]
    return page(f"Calibration of {made.repository}", body)


def _head(made: Calibration) -> Iterable[str]:
    one = made.identity
    yield f"<h1>Calibration of {escape(made.repository)}</h1>"
    yield _soft(f"up to {made.until[:12]} · engine {one.engine} · policy {one.policy_hash[:12]} ({one.policy_source})")
    yield from (f"<p>{escape(line)}</p>" for line in looked(made))
    yield tiles(
        {
            "faults met": _of(made.found),
            "clean commits silent": _of(made.silent),
            "cards a hundred commits": "–" if made.cards_per_hundred is None else f"{made.cards_per_hundred:g}",
            "reviews failed": str(made.failed),
        }
    )
    yield _soft(CAUTION)


def _soft(text: str) -> str:
    return f'<p class="soft">{escape(text)}</p>'


def _of(rate: Rate) -> str:
    return f"{rate.hits}/{rate.of}" if rate.of else "–"


def _shares(made: Calibration) -> Iterable[str]:
    rates = {"faults met": made.found, "clean commits silent": made.silent}
    rates |= {f"met, {one.kind}": one.found for one in made.kinds if one.found.of}
    yield section("Shares", intervals("shares with intervals", rates), "Bars are Wilson's 95% intervals.")


def _kinds(made: Calibration) -> str:
    head = ("kind", "now", "faults met", "interval", "cards at faults", "clean alarmed", "proposal", "why")
    notes = "".join(_soft(line) for line in (*LEGEND, *little(made)))
    return section("By kind", table(head, map(_kind, told(made))) + notes)


def _kind(one: KindCalibration) -> tuple[str, ...]:
    proposal = one.proposal if one.enabled is not None else "–"
    interval = f"{one.found.low:.2f}\u2011{one.found.high:.2f}" if one.found.of else "–"
    alarmed = f"{one.alarmed.hits}/{one.alarmed.of}"
    return one.kind, SWITCH[one.enabled], _of(one.found), interval, str(one.here), alarmed, proposal, one.why


def _proposal(made: Calibration) -> str:
    moved = [one for one in made.kinds if one.proposal != "keep"]
    lines = [f"{one.kind}:\n  enabled: {str(one.proposal == 'enable').lower()}   # {one.why}" for one in moved]
    said = "Nothing is changed yet. In .github/review-agent/change-kinds.yml, on the protected branch:"
    inside = f"<p>{escape(said if moved else nothing_moved(made))}</p>"
    code = f"<pre><code>{escape(chr(10).join(lines))}</code></pre>" if moved else ""
    return section("Proposal", inside + code)


def _lost(made: Calibration) -> Iterable[str]:
    if made.missed_by:
        plot = bars("faults not met by layer", made.missed_by)
        told = table(("layer", "what it means"), [(layer, LOST[layer]) for layer in LOST if layer in made.missed_by])
        yield section("Where the faults that were not met were lost", plot + told)


def _cases(made: Calibration) -> Iterable[str]:
    head = ("verdict", "brought by, and fixed by", "kind", "score", "at", "what the review came to")
    if made.cases:
        yield section("Mined faults", table(head, map(_case, made.cases)), "Read them: a case is a guess.")


def _case(case: MinedCase) -> tuple[str, ...]:
    fix = case.fix
    commits = f"{fix.introduced_by[:12]} {fix.introduced_subject}\nfixed by {fix.commit[:12]} {fix.subject}"
    places = "\n".join(place.text() for place in fix.places[:4])
    return case.verdict, commits, fix.kind, f"{fix.score}: {', '.join(fix.signs)}", places, "\n".join(ending(case))


def _clean(made: Calibration) -> Iterable[str]:
    if made.clean:
        yield section("Clean commits", table(("verdict", "commit", "cards"), map(_quiet, made.clean)))


def _quiet(case: CleanCase) -> tuple[str, ...]:
    return case.verdict, f"{case.clean.commit[:12]} {case.clean.subject}", "; ".join(case.cards)
