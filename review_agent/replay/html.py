"""A replay as one HTML file without any other: plots as inline SVG, light and dark, every miss with its cause."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape

from review_agent.replay.plots import Cell, bars, intervals, matrix, parts
from review_agent.replay.report import Entry, ReplayReport
from review_agent.replay.tally import Figures, Rate, Row

__all__ = ["html_text"]

_STYLE = """
:root{color-scheme:light dark;--back:#fff;--text:#1c2024;--soft:#5b6470;--line:#d9dee4;--none:#f1f3f5;--good:#1b7f5c;
--bad:#c2410c;--mark:#2f5fd0;--on:#fff}
@media(prefers-color-scheme:dark){:root{--back:#14171a;--text:#e6e9ec;--soft:#9aa4af;--line:#343b43;--none:#21262b;
--good:#3fb98a;--bad:#f0803c;--mark:#7fa4ff;--on:#0d1013}}
body{margin:0 auto;max-width:1100px;padding:24px;background:var(--back);color:var(--text);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
h1{font-size:24px;margin:0 0 4px}h2{font-size:18px;margin:36px 0 8px}p.soft,td.soft{color:var(--soft)}
section{overflow-x:auto}svg{max-width:none;font:13px system-ui,sans-serif}svg text{fill:var(--text)}
svg text.small{fill:var(--soft);font-size:12px}svg text.on{fill:var(--on);font-weight:600}
.grid{stroke:var(--line)}.interval{stroke:var(--mark);stroke-width:3;stroke-opacity:.45;stroke-linecap:round}
.dot{fill:var(--mark)}.good{fill:var(--good)}.bad{fill:var(--bad)}.none{fill:var(--none)}
table{border-collapse:collapse;width:100%;font-size:14px}
td,th{border-bottom:1px solid var(--line);padding:5px 10px 5px 0;
text-align:left;vertical-align:top;overflow-wrap:break-word}th{color:var(--soft);font-weight:600}code{font-size:13px}
dl{display:flex;flex-wrap:wrap;gap:10px 34px;margin:16px 0}dt{color:var(--soft);font-size:13px}
dd{margin:0;font-size:20px;font-weight:600}
"""


def html_text(report: ReplayReport) -> str:
    """The whole page. All text of cases and cards is escaped."""
    figures = report.figures
    body = [*_head(report), _tiles(figures), *_plots(figures), *_drift(report), *_failed(report)]
    body += [*_misses(report), *_alarms(report), *_every(report)]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Replay: {figures.halves} halves</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


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
    return "<dl>" + "".join(f"<div><dt>{name}</dt><dd>{said}</dd></div>" for name, said in told.items()) + "</dl>"


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
    yield _section(
        "Shares", intervals("shares with intervals", rates), "Bars are Wilson's 95% intervals (Wilson 1927)."
    )
    kinds, languages = figures.by_kind, [row.name for row in figures.by_language]
    if kinds and languages:
        yield _matrix("Found by kind and language", figures, languages, _recall)
        yield _matrix("False alarms by kind and language", figures, languages, _false)
    if figures.misses_by_layer:
        yield _section("Misses by the earliest layer at fault", bars("misses by layer", figures.misses_by_layer))
    if figures.alarms_by_layer:
        yield _section("False alarms by layer", bars("false alarms by layer", figures.alarms_by_layer))
    scope = {row.name: row.beside_defect for row in kinds if row.beside_defect.of}
    if scope:
        note = "Cards on halves with a defect; marked: those in hunks that hold no line of it."
        yield _section(
            "Scope inflation by kind", parts("scope inflation", {**scope, "all": figures.whole.beside_defect}), note
        )


def _section(title: str, inside: str, note: str = "") -> str:
    said = f'<p class="soft">{escape(note)}</p>' if note else ""
    return f"<section><h2>{escape(title)}</h2>{inside}{said}</section>"


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
    return _section(title, matrix(title, rows, [*languages, "all"], {k: v for k, v in cells.items() if v is not None}))


def _recall(row: Row) -> Cell | None:
    return (f"{row.found.hits}/{row.found.of}", row.found.rate or 0.0, "good") if row.found.of else None


def _false(row: Row) -> Cell:
    return str(row.false_alarms), min(1.0, row.false_alarms / 4), "bad"


def _drift(report: ReplayReport) -> Iterable[str]:
    if report.drift is None:
        return
    rows = [(change.unit, change.what, change.key, change.before, change.after) for change in report.drift.changes]
    note = "" if rows else "No outcome changed."
    yield _section("Changed against the baseline", _table(("half", "what", "about", "before", "after"), rows), note)


def _failed(report: ReplayReport) -> Iterable[str]:
    rows = [
        (entry.result.unit, entry.result.reason or f"the review is {entry.result.status}")
        for entry in report.entries
        if entry.result.status != "complete"
    ]
    if rows:
        yield _section("Failed or incomplete", _table(("half", "why"), rows))


def _misses(report: ReplayReport) -> Iterable[str]:
    rows = []
    for entry in report.entries:
        miss = entry.result.miss
        if miss is not None:
            rows.append((entry.result.unit, miss.layer, miss.why, miss.question_id or "", entry.result.run_log))
    if rows:
        yield _section("Not found", _table(("half", "layer", "why", "question", "trail"), rows))


def _alarms(report: ReplayReport) -> Iterable[str]:
    rows = [
        (entry.result.unit, card.layer or card.mark, f"{card.rule} at {card.anchor.text()}", card.claim, card.why)
        for entry in report.entries
        for card in entry.result.cards
        if card.mark in ("false_alarm", "undone", "other_kind")
    ]
    if rows:
        yield _section("Cards that are no hit", _table(("half", "layer", "card", "claim", "why"), rows))


def _every(report: ReplayReport) -> Iterable[str]:
    rows = [_row(entry) for entry in report.entries]
    table = _table(("half", "kind", "language", "verdict", "cards", "questions", "seconds"), rows)
    yield f"<section><h2>Every half</h2><details><summary>{len(rows)} halves</summary>{table}</details></section>"


def _row(entry: Entry) -> tuple[str, ...]:
    one = entry.result
    cards = str(len(one.cards))
    return one.unit, entry.kind, entry.language, one.verdict, cards, str(one.questions), f"{one.seconds:.1f}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    names = "".join(f"<th>{escape(name)}</th>" for name in head)
    return f"<table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>" if body else ""
