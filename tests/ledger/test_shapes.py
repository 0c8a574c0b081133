"""A card of another shape is told by itself; the others of its run are read as before."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made_runs import write_run

from review_agent.errors import RecordError
from review_agent.ledger.queue import QueueFilter
from review_agent.ledger.reading import CardDetail
from review_agent.ledger.store import Ledger

# Each test makes ledgers of its own, and DuckDB takes its time.
pytestmark = pytest.mark.slow


def _edited(state: Path, type_: str, edit: Callable[[dict[str, Any]], object]) -> tuple[str, str]:
    """Edits the first record of a type in a run log of two cards; the first card's id and the second's."""
    log = write_run(state, cards=2)
    events = [json.loads(line) for line in log.read_text().splitlines()]
    first, second = (event["data"]["cardId"] for event in events if event["type"] == "card")
    question = next(event["data"]["questionId"] for event in events if event["type"] == "card")
    of_card = (event["data"] for event in events if event["type"] == type_)
    edit(next(data for data in of_card if data.get("questionId", question) == question))
    log.write_text("".join(json.dumps(event) + "\n" for event in events))
    return first, second


@pytest.mark.parametrize(
    ("type_", "edit", "said"),
    [
        ("card", lambda card: card.update(extra=1), "extra: this version has no such field"),
        ("card", lambda card: card.pop("rule"), "rule: it is missing"),
        ("card", lambda card: card.update(claim=5), "claim: "),
        ("question", lambda question: question.update(extra=1), "the question of"),
        ("bundle", lambda bundle: bundle["evidence"][0].update(extra=1), "the bundle of"),
    ],
)
def test_a_card_of_another_shape_is_an_error_of_that_card_alone(
    tmp_path: Path, type_: str, edit: Callable[[dict[str, Any]], object], said: str
) -> None:
    state = tmp_path / ".review-agent"
    first, second = _edited(state, type_, edit)
    ledger = Ledger(state)
    with pytest.raises(RecordError, match="of another shape") as caught:
        ledger.card(first)
    assert said in caught.value.message
    assert caught.value.where.endswith(".jsonl")
    page, found = ledger.triage(QueueFilter(), first)
    assert page.total == 2
    assert isinstance(found, RecordError)
    page, found = ledger.triage(QueueFilter(), second)
    assert isinstance(found, CardDetail)
    assert ledger.card(second).row.card["cardId"] == second
