"""Thirty cards that a careful reviewer would write pass the contract: it refuses what is wrong, not what is true."""

import pytest
from truecards import cases, world

from review_agent.policy.model import Policy
from review_agent.stages.contract import judge
from review_agent.stages.verification import attach, plan
from review_agent.vocabulary import ReviewEvidenceCard

NAMES = [case.name for case in cases()]


def test_there_are_thirty_of_both_sides_and_all_effects():
    drafts = [draft for _, _, draft in world().cases.values()]
    assert len(drafts) >= 30
    assert {draft["diffAnchor"]["side"] for draft in drafts} == {"old", "new"}
    ops = {draft["effect"]["op"] for draft in drafts}
    assert ops >= {"removed", "added", "renamed", "changed", "reordered", "weakened", "broadened"}


@pytest.mark.parametrize("name", NAMES)
def test_a_true_card_passes(name):
    built = world()
    question, bundle, draft = built.cases[name]
    (verdict,) = judge(question, bundle, [draft], seen=set(), **built.keywords())
    assert isinstance(verdict, ReviewEvidenceCard), verdict.reasons
    assert verdict.claim == draft["claim"]
    assert not verdict.model_may_post


@pytest.mark.parametrize("name", NAMES)
def test_a_true_card_passes_again_with_its_verification(name):
    built = world()
    policy: Policy = built.policy
    question, bundle, draft = built.cases[name]
    (card,) = judge(question, bundle, [draft], seen=set(), **built.keywords())
    whole = attach(card, plan(card, question, policy), policy)
    (again,) = judge(question, bundle, [whole.wire()], seen=set(), verification_due=True, **built.keywords())
    assert again == whole
    assert again.model_may_post is (draft["confidence"] != "low")
    assert again.card_version != card.card_version
