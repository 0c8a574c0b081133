"""A replay as one HTML file without any other: plots as inline SVG, light and dark, every miss with its cause."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from review_agent.counting import counted
from review_agent.publish.safe import html as escape
from review_agent.rates import Rate
from review_agent.replay.page import page, section, table, tiles
from review_agent.replay.plots import Cell, bars, intervals, matrix, parts
from review_agent.replay.report import Entry, ReplayReport
from review_agent.replay.tally import Figures, Row

__all__ = ["html_text"]


def html_text(report: ReplayReport) -> str:
    """The whole page. All text of cases and cards is escaped."""
    figures = report.figures
    body = [*_head(report), _tiles(figures), *_plots(figures), *_drift(report), *_failed(report)]
    body += [*_misses(report), *_alarms(report), *_every(report)]
    return page(f"Replay: {counted(figures.halves, 'half', 'halves')}", body)


def _head(report: ReplayReport) -> list[str]:
    one = report.identity
    said = (
        f"engine {one.engine} · policy {one.policy_hash[:12]} ({one.policy_source}) · product {one.product}, "
        f"source {one.source[:12]}"
    )
    return ["<h1>Replay</h1>", f'<p class="soft">{escape(said)}</p>']


def _tiles(figures: Figures) -> str:
    told = {
        "found": _of(figures.whole.found),
        "left silent": _of(figures.whole.silent),
        "right place, other kind": str(figures.whole.other_kind),
        "cards": str(figures.whole.cards),
        "cards a hundred halves": f"{figures.cards_per_hundred:g}" if figures.cards_per_hundred is not None else "–",
        "failed": str(figures.failed),
        "incomplete": str(figures.incomplete),
        "questions": str(figures.questions),
    }
    return tiles(told)


def _of(rate: Rate) -> str:
    return f"{rate.hits}/{rate.of}" if rate.of else "–"


def _plots(figures: Figures) -> Iterable[str]:
    names = {"same_file": "found, evidence in same file", "elsewhere": "found, evidence elsewhere"}
    rates = {names.get(row.name, row.name): row.found for row in figures.by_evidence if row.found.of}
    rates = {
        "found": figures.whole.found,
        **rates,
        "left silent": figures.whole.silent,
        "precision of cards": figures.precision,
    }
    yield section("Shares", intervals("shares with intervals", rates), "Bars are Wilson's 95% intervals (Wilson 1927).")
    kinds, languages = figures.by_kind, [row.name for row in figures.by_language]
    if kinds and languages:
        yield _matrix("Found by kind and language", figures, languages, _recall)
        yield _matrix("False alarms by kind and language", figures, languages, _false)
    if figures.misses_by_layer:
        yield section("Misses by the earliest layer at fault", bars("misses by layer", figures.misses_by_layer))
    if figures.alarms_by_layer:
        yield section("False alarms by layer", bars("false alarms by layer", figures.alarms_by_layer))
    scope = {row.name: row.beside_defect for row in kinds if row.beside_defect.of}
    if scope:
        note = "Cards on halves with a defect; marked: those in hunks that hold no line of it."
        yield section(
            "Scope inflation by kind", parts("scope inflation", {**scope, "all": figures.whole.beside_defect}), note
        )


def _matrix(title: str, figures: Figures, languages: Sequence[str], cell: Callable[[Row], Cell | None]) -> str:
    cells: dict[tuple[str, str], Cell | None] = {}
    for row in figures.by_kind_and_language:
        kind, _, language = row.name.rpartition(" ")
        cells[kind, language] = cell(row)
    for row in figures.by_kind:
        cells[row.name, "all"] = cell(row)
    for row in figures.by_language:
        cells["all", row.name] = cell(row)
    cells["all", "all"] = cell(figures.whole)
    rows = [*(row.name for row in figures.by_kind), "all"]
    return section(title, matrix(title, rows, [*languages, "all"], {k: v for k, v in cells.items() if v is not None}))


def _recall(row: Row) -> Cell | None:
    return (f"{row.found.hits}/{row.found.of}", row.found.rate or 0.0, "good") if row.found.of else None


def _false(row: Row) -> Cell:
    return str(row.false_alarms), min(1.0, row.false_alarms / 4), "bad"


def _drift(report: ReplayReport) -> Iterable[str]:
    if report.drift is None:
        return
    rows = [(change.unit, change.what, change.key, change.before, change.after) for change in report.drift.changes]
    note = "" if rows else "No outcome changed."
    yield section("Changed against the baseline", table(("half", "what", "about", "before", "after"), rows), note)


def _failed(report: ReplayReport) -> Iterable[str]:
    rows = [
        (entry.result.unit, entry.result.reason or f"the review is {entry.result.status}")
        for entry in report.entries
        if entry.result.status != "complete"
    ]
    if rows:
        yield section("Failed or incomplete", table(("half", "why"), rows))


def _misses(report: ReplayReport) -> Iterable[str]:
    rows = []
    for entry in report.entries:
        miss = entry.result.miss
        if miss is not None:
            rows.append((entry.result.unit, miss.layer, miss.why, miss.question_id or "", entry.result.run_log))
    if rows:
        yield section("Not found", table(("half", "layer", "why", "question", "trail"), rows))


def _alarms(report: ReplayReport) -> Iterable[str]:
    rows = [
        (entry.result.unit, card.layer or card.mark, f"{card.rule} at {card.anchor.text()}", card.claim, card.why)
        for entry in report.entries
        for card in entry.result.cards
        if card.mark in ("false_alarm", "undone", "other_kind")
    ]
    if rows:
        yield section("Cards that are no hit", table(("half", "layer", "card", "claim", "why"), rows))


def _every(report: ReplayReport) -> Iterable[str]:
    rows = [_row(entry) for entry in report.entries]
    inside = table(("half", "kind", "language", "verdict", "cards", "questions", "seconds"), rows)
    yield section("Every half", f"<details><summary>{counted(len(rows), 'half', 'halves')}</summary>{inside}</details>")


def _row(entry: Entry) -> tuple[str, ...]:
    one = entry.result
    cards = str(len(one.cards))
    return one.unit, entry.kind, entry.language, one.verdict, cards, str(one.questions), f"{one.seconds:.1f}"
