"""Every pair of state and act, against the table written out by hand."""

from __future__ import annotations

from itertools import product

import pytest

from review_agent.errors import TransitionError
from review_agent.transitions import LEGAL, RESULT, next_state
from review_agent.vocabulary import Act, CardState

TABLE = {
    ("hidden", "accept"): "accepted",
    ("hidden", "reject"): "rejected",
    ("hidden", "needs_proof"): "needs_proof",
    ("hidden", "supersede"): "superseded",
    ("hidden", "mark_stale"): "stale",
    ("accepted", "revoke"): "revoked",
    ("accepted", "downgrade"): "downgraded",
    ("accepted", "reopen"): "hidden",
    ("accepted", "supersede"): "superseded",
    ("accepted", "mark_stale"): "stale",
    ("rejected", "reopen"): "hidden",
    ("rejected", "supersede"): "superseded",
    ("rejected", "mark_stale"): "stale",
    ("needs_proof", "attach"): "hidden",
    ("needs_proof", "reopen"): "hidden",
    ("needs_proof", "supersede"): "superseded",
    ("needs_proof", "mark_stale"): "stale",
    ("revoked", "reopen"): "hidden",
    ("revoked", "supersede"): "superseded",
    ("revoked", "mark_stale"): "stale",
    ("downgraded", "reopen"): "hidden",
    ("downgraded", "supersede"): "superseded",
    ("downgraded", "mark_stale"): "stale",
}


@pytest.mark.parametrize(("state", "act"), list(product(CardState, Act)), ids=str)
def test_every_state_and_act(state: CardState, act: Act) -> None:
    expected = TABLE.get((state.value, act.value))
    if expected is not None:
        assert next_state(state, act) is CardState(expected)
        return
    with pytest.raises(TransitionError) as caught:
        next_state(state, act)
    assert state.value in caught.value.message
    assert all(allowed.value in caught.value.hint for allowed in LEGAL[state])


def test_the_tables_cover_every_word() -> None:
    assert set(LEGAL) == set(CardState)
    assert set(RESULT) == set(Act)
