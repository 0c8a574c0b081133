"""A model's question has room for two drafts: each ends by itself, and two findings on its lines are two cards."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import Repo
from test_endings import CLAIM, Scripted, asks, defeats, draft, drafts, question, run, site, stands

from review_agent.vocabulary import ReviewDocument

__all__ = ["site"]

pytestmark = pytest.mark.slow

DEFEATED = draft(
    claim="Changing `total` to `unit * qty + 1` makes `quote` fail: `src/shop/api.py:5`, which passes `body.qty`, gets "
    "nothing back."
)
APART = draft(effect={"op": "changed", "subject": "unit * qty + 1", "to": None}) | {
    "claim": CLAIM.replace("Changing `total` to `unit * qty + 1`", "Changing `unit * qty + 1`")
}


def refute(request: Any) -> dict[str, Any]:
    if request.payload.claim == DEFEATED["claim"]:
        return defeats("D:new:src/shop/pricing.py:17", "unit * qty + 1")
    return stands()


def reviewed(site: Repo, *made: dict[str, Any], **more: Any) -> ReviewDocument:
    return run(site, Scripted(compile=asks(question()), synthesize=drafts(*made), **more)).document


@pytest.mark.parametrize("first", [0, 1])
def test_a_draft_that_stands_is_a_card_beside_one_that_was_defeated(site: Repo, first: int) -> None:
    both = (DEFEATED, draft()) if first == 0 else (draft(), DEFEATED)
    outcomes = reviewed(site, *both, refute=refute).outcomes
    assert [card.claim for card in outcomes.cards] == [CLAIM]
    assert [(one.ordinal, [why.code for why in one.reasons]) for one in outcomes.rejections] == [(first, ["refuted"])]


def test_two_effects_on_the_same_lines_are_two_cards_with_identities_of_their_own(site: Repo) -> None:
    outcomes = reviewed(site, draft(), APART).outcomes
    assert outcomes.rejections == ()
    assert sorted(card.claim for card in outcomes.cards) == sorted([CLAIM, APART["claim"]])
    assert len({card.fingerprint for card in outcomes.cards}) == 2


def test_the_same_effect_on_the_same_lines_is_told_once(site: Repo) -> None:
    outcomes = reviewed(
        site, draft(), draft(impactCondition="Every visitor who asks for any sku that is sold.")
    ).outcomes
    assert len(outcomes.cards) == 1
    assert [[why.code for why in one.reasons] for one in outcomes.rejections] == [["duplicate"]]


def test_a_findings_identity_hangs_on_no_other_draft(site: Repo) -> None:
    """What a person said of one is never taken for the other, whichever came first or alone."""
    other = {**APART, "supporting": draft()["supporting"]}
    told = {
        order: {card.claim: card.fingerprint for card in reviewed(site, *made).outcomes.cards}
        for order, made in enumerate(((draft(), other), (other, draft()), (other,)))
    }
    assert told[0] == told[1]
    assert told[2][APART["claim"]] == told[0][APART["claim"]]


def test_a_shorter_citation_makes_no_second_finding(site: Repo) -> None:
    longer, shorter = draft(supporting=["E4", "E2"]), draft()
    outcomes = reviewed(site, longer, shorter).outcomes
    assert len(outcomes.cards) <= 1
