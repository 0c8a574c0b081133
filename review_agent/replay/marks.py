"""Marks: a reading's word on cards. A hit that names another problem than the known one is undone.

A marks file is JSONL, one object a line: ``{"id": CASE, "cards": [{"path", "line_start", "line_end", "match"}]}``, as
``--predictions`` writes it. ``match: false`` undoes a hit; null and true leave it. ``rule`` narrows it where given.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Set
from pathlib import Path
from typing import Any

from review_agent.errors import UsageError
from review_agent.replay.judging import verdict
from review_agent.replay.records import CardFound, HalfResult, Job

__all__ = ["marked", "prediction_lines", "read_marks"]

_HINT = 'one object a line: {"id": …, "cards": [{"path", "line_start", "line_end", "match": false}]}'
Undone = Set[tuple[str, str, int, int, str | None]]


def read_marks(file: Path) -> Undone:
    """The cards that a reading has undone. Raises UsageError that names the line."""
    undone: set[tuple[str, str, int, int, str | None]] = set()
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        said = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise UsageError(f"the marks cannot be read: {said}", where=str(file), hint=_HINT) from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            undone |= {_key(row["id"], one) for one in row["cards"] if one.get("match") is False}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            said = f"{error.args[0]} is missing" if isinstance(error, KeyError) else f"{error}"
            raise UsageError(f"this is no mark: {said}", where=f"{file}:{number}", hint=_HINT) from error
    return undone


def _key(case: str, card: dict[str, Any]) -> tuple[str, str, int, int, str | None]:
    return str(case), str(card["path"]), int(card["line_start"]), int(card["line_end"]), card.get("rule")


def marked(job: Job, result: HalfResult, undone: Undone) -> HalfResult:
    """The result with the hits undone that a reading found to name another problem."""
    cards = tuple(_marked(job.unit, card, undone) for card in result.cards)
    if cards == result.cards:
        return result
    return result.model_copy(update={"cards": cards, "verdict": verdict(cards, job.expected)})


def _marked(unit: str, card: CardFound, undone: Undone) -> CardFound:
    places = {(unit, card.head_path, card.head_start, card.head_end, rule) for rule in (card.rule, None)}
    if card.mark in ("hit", "other_kind") and places & undone:
        return card.model_copy(update={"mark": "undone"})
    return card


def prediction_lines(results: Iterable[HalfResult]) -> str:
    """Every half's cards by head-side lines, one JSON object a line: what a scorer of locations reads."""
    return "".join(json.dumps(_row(result), ensure_ascii=False) + "\n" for result in results)


def _row(result: HalfResult) -> dict[str, Any]:
    cards = [
        {
            "path": card.head_path,
            "line_start": card.head_start,
            "line_end": card.head_end,
            "rule": card.rule,
            "claim": card.claim,
            "match": False if card.mark == "undone" else None,
        }
        for card in result.cards
    ]
    return {"id": result.unit, "cards": cards}
