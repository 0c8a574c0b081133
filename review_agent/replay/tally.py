"""The figures of a replay: recall, silence, precision, layers of misses, scope inflation, each with its counts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

from review_agent.rates import Rate, rate
from review_agent.replay.records import CLEAN, DEFECT, LAYERS, HalfResult, Job, Layer
from review_agent.vocabulary import Record

__all__ = ["Figures", "Row", "figures"]

Pair = tuple[Job, HalfResult]


class Row(Record):
    """One cell of a table: a kind, a language, both, or where the evidence lies."""

    name: str
    found: Rate
    other_kind: int
    silent: Rate
    false_alarms: int
    cards: int
    beside_defect: Rate


class Figures(Record):
    """``precision`` is of the cards on halves with a defect, as is ``whole.besideDefect``: scope inflation."""

    whole: Row
    precision: Rate
    failed: int
    incomplete: int
    halves: int
    questions: int
    misses_by_layer: dict[str, int]
    alarms_by_layer: dict[str, int]
    by_evidence: tuple[Row, ...]
    by_kind: tuple[Row, ...]
    by_language: tuple[Row, ...]
    by_kind_and_language: tuple[Row, ...]
    cards_per_hundred: float | None
    seconds: float
    peak_kb: int | None
    held_kb_first: int | None
    held_kb_last: int | None


def figures(pairs: Sequence[Pair]) -> Figures:
    """All figures of a replay. A half that failed is neither found nor silent, and stands in the denominator."""
    whole = _row("all", pairs)
    results = [result for _, result in pairs]
    defects = [result for job, result in pairs if job.expected.answer == DEFECT]
    on_defects = [card for result in defects for card in result.cards]
    memories = [result.memory for result in results if result.memory is not None]
    last = max((memory.nth for memory in memories), default=0)
    return Figures(
        whole=whole,
        precision=rate(sum(card.mark == "hit" for card in on_defects), len(on_defects)),
        failed=sum(result.verdict == "failed" for result in results),
        incomplete=sum(result.status not in ("", "complete") for result in results),
        halves=len(pairs),
        questions=sum(result.questions for result in results),
        misses_by_layer=_counts(result.miss.layer for result in results if result.miss is not None),
        alarms_by_layer=_counts(card.layer for result in results for card in result.cards if card.layer is not None),
        by_evidence=_rows(pairs, lambda job: job.evidence),
        by_kind=_rows(pairs, lambda job: job.kind),
        by_language=_rows(pairs, lambda job: job.language),
        by_kind_and_language=_rows(pairs, lambda job: f"{job.kind} {job.language}"),
        cards_per_hundred=round(100 * whole.cards / len(pairs), 2) if pairs else None,
        seconds=round(sum(result.seconds for result in results), 1),
        peak_kb=max((memory.peak_kb for memory in memories), default=None),
        held_kb_first=max((memory.held_kb for memory in memories if memory.nth == 1), default=None),
        held_kb_last=max((memory.held_kb for memory in memories if memory.nth == last), default=None),
    )


def _counts(layers: Iterable[Layer]) -> dict[str, int]:
    """In the order in which a review passes them."""
    return dict(sorted(Counter(layers).items(), key=lambda of: LAYERS.index(of[0])))


def _rows(pairs: Sequence[Pair], name: Callable[[Job], str]) -> tuple[Row, ...]:
    groups: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        if name(pair[0]).strip():
            groups[name(pair[0])].append(pair)
    return tuple(_row(key, group) for key, group in sorted(groups.items()))


def _row(name: str, pairs: Sequence[Pair]) -> Row:
    defects = [result for job, result in pairs if job.expected.answer == DEFECT]
    clean = [result for job, result in pairs if job.expected.answer == CLEAN]
    cards = [card for _, result in pairs for card in result.cards]
    on_defects = [card for result in defects for card in result.cards]
    return Row(
        name=name,
        found=rate(sum(result.verdict == "found" for result in defects), len(defects)),
        other_kind=sum(result.verdict == "other_kind" for result in defects),
        silent=rate(sum(result.verdict == "silent" for result in clean), len(clean)),
        false_alarms=sum(card.mark in ("false_alarm", "undone") for card in cards),
        cards=len(cards),
        beside_defect=rate(sum(card.beside_defect for card in on_defects), len(on_defects)),
    )
