"""Real cards made wrong in one way each are rejected by the right code; none of them becomes a card."""

from collections import Counter
from functools import cache

import pytest
from democards import demo_cards
from mutants import MUTATORS, Card, mutants, of_kind, verdict
from truecards import world

from review_agent.vocabulary import ContractCode, Rejection

pytestmark = pytest.mark.slow

# Raised by judging two regions at once or a card without its verification: shown in tests/stages/test_contract.py.
# The last is a refuter's to say: tests/test_endings.py.
ELSEWHERE = {ContractCode.ANCHOR_AMBIGUOUS, ContractCode.VERIFICATION_MISSING, ContractCode.REFUTED}


@cache
def cards() -> tuple[Card, ...]:
    """Cards written by hand, and those that the rules write for the demo repository."""
    built = world()
    by_hand = (
        Card(question, bundle, draft, built.snapshot, built.policy, built.sources)
        for question, bundle, draft in built.cases.values()
    )
    return (*by_hand, *demo_cards())


def test_the_demo_gives_cards_to_make_mutants_of():
    assert len(demo_cards()) >= 5
    assert len({card.question.rule for card in demo_cards()}) >= 5


def test_there_are_hundreds_of_mutants_for_every_code():
    made = [mutant for card in cards() for mutant in mutants(card)]
    assert len(made) >= 1000
    assert {mutant.code for mutant in made} == set(ContractCode) - ELSEWHERE
    by_kind = Counter(mutant.kind for mutant in made)
    assert set(by_kind) == set(MUTATORS)
    assert min(by_kind.values()) >= 5, by_kind.most_common()[-3:]


@pytest.mark.parametrize("kind", MUTATORS)
def test_a_mutant_is_rejected_by_the_right_code(kind):
    for card in cards():
        for mutant in of_kind(kind, card):
            found = verdict(mutant)
            assert isinstance(found, Rejection), f"{kind} of {card.question.question_id} became a card"
            codes = [reason.code for reason in found.reasons]
            assert mutant.code in codes, f"{kind} of {card.question.question_id}: {found.reasons}"
