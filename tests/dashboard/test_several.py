"""Several cards decided on by the keyboard as one act: those that were listed, or none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from panels import Served, Tab

from review_agent.journal import Journal
from review_agent.ledger.store import Ledger
from review_agent.vocabulary import CardState

pytestmark = pytest.mark.slow

Open = Callable[..., Tab]


def records(panel: Served) -> list[dict[str, Any]]:
    return list(Journal(panel.repo / ".review-agent/journal.jsonl").read())


def alike(panel: Served) -> list[str]:
    """The ids of the open cards of the rule that has most of them."""
    ledger = Ledger(panel.repo / ".review-agent")
    rules = Counter(row.card["rule"] for row in ledger.queue(limit=500).rows)
    rule, number = rules.most_common(1)[0]
    assert number > 1, "the demo has a rule with several cards"
    return [one.card_id for one in ledger.alike([CardState.HIDDEN], rule=rule)]


def test_all_cards_of_a_rule_are_decided_and_taken_back_by_two_keys(panel: Served, tab: Open) -> None:
    ids = alike(panel)
    one = tab(f"{panel.url}/?card={ids[0]}")
    one.press("s")
    menu = one.page.locator("[data-menu=several-rule][data-open]")
    said = menu.inner_text().casefold()
    assert f"{len(ids)} open cards of this rule, as one act" in said
    assert all(card[:8] in said for card in ids[:8])
    one.tap("m")
    one.page.keyboard.type("all the same")
    one.tap("Escape")
    one.press("s")
    one.press("1")
    made = records(panel)
    assert sorted(record["cardId"] for record in made) == sorted(ids)
    assert {(record["act"], record["comment"], record["reviewer"]) for record in made} == {
        ("reject", "all the same", "Rita Reviewer")
    }
    assert len({record["batch"] for record in made}) == 1
    assert f"{len(ids)} cards" in one.text(".message")
    assert one.card() not in {card[:8] for card in ids}
    one.press("u")
    taken = records(panel)[len(ids) :]
    assert sorted(record["cardId"] for record in taken) == sorted(ids)
    assert {record["act"] for record in taken} == {"reopen"}
    assert len({record["batch"] for record in taken}) == 1


def test_a_card_that_moved_meanwhile_keeps_all_from_being_decided(panel: Served, other: Served, tab: Open) -> None:
    ids = alike(panel)
    rita, otto = tab(f"{panel.url}/?card={ids[0]}"), tab(f"{other.url}/?card={ids[1]}")
    rita.press("s")
    otto.press("a")
    before = records(panel)
    rita.press("0")
    assert records(panel) == before
    said = rita.text(".message.refused")
    assert "so none does" in said
    assert ids[1][:8] in said
    rita.press("s")
    if len(ids) > 2:
        rita.press("0")
        assert {record["cardId"] for record in records(panel)[1:]} == {ids[0], *ids[2:]}
    else:
        assert "No other open card" in rita.text(".message")


def test_a_card_without_another_like_it_says_so(panel: Served, tab: Open) -> None:
    ledger = Ledger(panel.repo / ".review-agent")
    rows = ledger.queue(limit=500).rows
    rules = Counter(row.card["rule"] for row in rows)
    alone = next(row.card["cardId"] for row in rows if rules[row.card["rule"]] == 1)
    one = tab(f"{panel.url}/?card={alone}")
    one.press("s")
    assert "No other open card is of this rule" in one.text(".message")
    assert records(panel) == []
