"""Whether a recorded card, and what it came from, has the shape of this version's records.

A run log that was edited by hand, or written by another version, keeps no other card from being read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import duckdb
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from review_agent.errors import RecordError
from review_agent.ledger.reading import CardDetail, CardRow, card_detail
from review_agent.vocabulary import Bundle, Hunk, Question, Record, ReviewEvidenceCard

__all__ = ["fault_of", "whole_card"]

_TOLD = 3
_HINT = "was the run log edited, or written by another version? `review-agent review` makes its cards anew"


def fault_of(card: Mapping[str, Any]) -> str:
    """What is wrong with a card as wire data, in words; empty where it is whole."""
    return _fault(ReviewEvidenceCard, card)


def whole_card(connection: duckdb.DuckDBPyConnection, row: CardRow) -> CardDetail:
    """The card with what it came from. Raises RecordError where one of them is missing or of another shape."""
    _check(row, "card", ReviewEvidenceCard, row.card)
    detail = card_detail(connection, row)
    _check(row, "question", Question, detail.question)
    _check(row, "bundle", Bundle, detail.bundle)
    _check(row, "hunk", Hunk, detail.hunk)
    return detail


def _check(row: CardRow, name: str, kind: type[Record], data: Mapping[str, Any]) -> None:
    if said := _fault(kind, data):
        whose = f"the {name} of {str(row.card.get('cardId'))[:8]}"
        raise RecordError(f"{whose} is a record of another shape: {said}", where=row.run.run_file, hint=_HINT)


def _fault(kind: type[Record], data: Mapping[str, Any]) -> str:
    try:
        kind.model_validate(data)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        return "; ".join(_said(one) for one in found[:_TOLD])
    return ""


def _said(error: ErrorDetails) -> str:
    field = ".".join(map(str, error["loc"]))
    known = {"extra_forbidden": "this version has no such field", "missing": "it is missing"}
    return f"{field}: {known.get(error['type'], error['msg'])}"
