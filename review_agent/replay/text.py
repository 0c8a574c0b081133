"""A replay as text: the figures, a table by kind and language, and what was missed or carded wrongly, each with why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from review_agent.counting import counted
from review_agent.publish.safe import terminal
from review_agent.rates import Rate
from review_agent.replay.drift_text import drift_text
from review_agent.replay.report import Entry, ReplayReport
from review_agent.replay.tally import Row

__all__ = ["report_text", "share"]

_EVIDENCE = {"same_file": "evidence in the same file", "elsewhere": "evidence elsewhere"}


def report_text(report: ReplayReport, state: str) -> str:
    """The whole report; ``state`` is the folder that the trails lie in."""
    parts = [
        _head(report),
        _drift(report),
        _figures(report),
        _table(report),
        _failures(report),
        _misses(report),
        _alarms(report),
        _unjudged(report),
    ]
    trail = f"trail of a half: review-agent explain {state}/runs/NAME.jsonl"
    return "\n\n".join(["\n".join(part) for part in parts if part] + [trail]) + "\n"


def share(rate: Rate) -> str:
    """A share in words: ``12/24 0.50 (0.31–0.69)``."""
    if rate.rate is None:
        return "–"
    return f"{rate.hits}/{rate.of} {rate.rate:.2f} ({rate.low:.2f}–{rate.high:.2f})"


def _head(report: ReplayReport) -> list[str]:
    one = report.identity
    halves = counted(report.figures.halves, "half", "halves")
    return [
        f"replay of {halves} ({report.kept} kept from before) · engine {one.engine} · policy {one.policy_hash[:12]} "
        f"({terminal(one.policy_source)}) · product {one.product} source {one.source[:12]}"
    ]


def _drift(report: ReplayReport) -> list[str]:
    return drift_text(report.drift).splitlines() if report.drift is not None else []


def _figures(report: ReplayReport) -> list[str]:
    figures = report.figures
    lines = [("found", share(figures.whole.found))] if figures.whole.found.of else []
    lines += [
        (f"  {_EVIDENCE.get(row.name, row.name)}", share(row.found)) for row in figures.by_evidence if row.found.of
    ]
    lines += [("right place, other kind", str(figures.whole.other_kind))] if figures.whole.found.of else []
    lines += [("left silent", share(figures.whole.silent))] if figures.whole.silent.of else []
    if figures.whole.found.of:
        lines += [
            ("precision of cards", share(figures.precision)),
            ("scope inflation", share(figures.whole.beside_defect)),
        ]
    lines += [("misses by layer", _layers(figures.misses_by_layer))] if figures.misses_by_layer else []
    lines += [("false alarms by layer", _layers(figures.alarms_by_layer))] if figures.alarms_by_layer else []
    lines += [("cards", f"{figures.whole.cards} ({figures.cards_per_hundred} a hundred)")]
    lines += [("failed, incomplete", f"{figures.failed}, {figures.incomplete}")]
    lines += [("took", _took(report))]
    return [f"{name:30}{said}" for name, said in lines] + ["shares with Wilson's 95% interval (Wilson 1927)"]


def _layers(counts: dict[str, int]) -> str:
    return ", ".join(f"{layer} {number}" for layer, number in counts.items())


def _took(report: ReplayReport) -> str:
    figures = report.figures
    memory = f", a worker at most {figures.peak_kb // 1024} MiB" if figures.peak_kb else ""
    if figures.held_kb_first and figures.held_kb_last:
        memory += (
            f" (held {figures.held_kb_first // 1024} after its first, {figures.held_kb_last // 1024} after its last)"
        )
    return f"{counted(round(figures.seconds), 'second')} of workers{memory}"


def _table(report: ReplayReport) -> list[str]:
    """Kinds down, languages across: found of cases, and twins silent."""
    cells = {row.name: row for row in report.figures.by_kind_and_language}
    languages = [row.name for row in report.figures.by_language]
    kinds = report.figures.by_kind
    if not kinds or not languages:
        return []
    width = max(len(row.name) for row in kinds) + 2
    head = f"{'found · silent':{width}}" + "".join(f"{name:>16}" for name in [*languages, "all"])
    lines = [head]
    for row in kinds:
        across = [cells.get(f"{row.name} {language}") for language in languages]
        lines.append(f"{row.name:{width}}" + "".join(f"{_cell(one):>16}" for one in [*across, row]))
    totals = [*report.figures.by_language, report.figures.whole]
    lines.append(f"{'all':{width}}" + "".join(f"{_cell(one):>16}" for one in totals))
    return [line.rstrip() for line in lines]


def _cell(row: Row | None) -> str:
    if row is None:
        return "–"
    return f"{row.found.hits}/{row.found.of} · {row.silent.hits}/{row.silent.of}"


def _failures(report: ReplayReport) -> list[str]:
    bad = [entry for entry in report.entries if entry.result.verdict == "failed"]
    lines = [f"  {terminal(entry.result.unit)}: {terminal(entry.result.reason)}" for entry in bad]
    for entry in report.entries:
        if entry.result.status not in ("", "complete"):
            lines.append(f"  {terminal(entry.result.unit)}: the review is {entry.result.status}")
    return ["failed or incomplete:", *lines] if lines else []


def _misses(report: ReplayReport) -> list[str]:
    missed = [entry for entry in report.entries if entry.result.verdict in ("missed", "other_kind")]
    return ["not found:", *_each(missed, _miss)] if missed else []


def _miss(entry: Entry) -> Iterable[str]:
    miss = entry.result.miss
    said = f"{miss.layer}: {miss.why}" if miss is not None else entry.result.verdict
    question = f" [{miss.question_id}]" if miss is not None and miss.question_id else ""
    yield f"  {terminal(entry.result.unit)}  {terminal(said)}{question}"
    for card in entry.result.cards:
        if card.mark == "other_kind":
            yield f"    right place, other kind: {terminal(card.rule)} at {terminal(card.anchor.text())}"


def _alarms(report: ReplayReport) -> list[str]:
    alarmed = [entry for entry in report.entries if any(_is_false(card.mark) for card in entry.result.cards)]
    return ["false alarms:", *_each(alarmed, _alarm)] if alarmed else []


def _is_false(mark: str) -> bool:
    return mark in ("false_alarm", "undone")


def _alarm(entry: Entry) -> Iterable[str]:
    for card in entry.result.cards:
        if _is_false(card.mark):
            layer = f"{card.layer}: {card.why}" if card.layer else ""
            place = card.anchor.text()
            yield f"  {terminal(entry.result.unit)}  {card.rule} at {terminal(place)}  {terminal(layer)}".rstrip()
            yield f"    {terminal(card.claim)}"


def _unjudged(report: ReplayReport) -> list[str]:
    """Halves of which nothing was expected: how each ended, and its cards."""
    halves = [entry for entry in report.entries if entry.result.verdict == "unjudged"]
    return ["outcomes:", *_each(halves, _plain)] if halves else []


def _plain(entry: Entry) -> Iterable[str]:
    result = entry.result
    cards, questions = counted(len(result.cards), "card"), counted(result.questions, "question")
    yield f"  {terminal(result.unit)}  {result.status}, {questions}, {cards}, {result.seconds:.1f} s"
    for card in result.cards:
        yield f"    {card.rule} at {terminal(card.anchor.text())}: {terminal(card.claim)}"


def _each(entries: Sequence[Entry], lines: Callable[[Entry], Iterable[str]]) -> list[str]:
    return [line for entry in entries for line in lines(entry)]
