"""Every pair of state and act, against the table written out by hand."""

from __future__ import annotations

from datetime import date
from itertools import product

import pytest

from review_agent.errors import TransitionError
from review_agent.transitions import LEGAL, RESULT, folded, lapsed, next_state
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


DAY = date(2026, 3, 1)


@pytest.mark.parametrize(
    ("until", "gone"), [(None, False), ("2026-03-02", False), ("2026-03-01", True), ("2025-12-31", True)]
)
def test_a_rejection_lapses_on_the_day_it_names(until: str | None, gone: bool) -> None:
    record = {"act": "reject", "until": until}
    assert lapsed(record, DAY) is gone
    assert folded([{"act": "accept"}, {"act": "reopen"}, record], DAY) is (
        CardState.HIDDEN if gone else CardState.REJECTED
    )


def test_an_act_after_one_that_lapsed_counts() -> None:
    assert folded([{"act": "reject", "until": "2026-01-01"}, {"act": "accept"}], DAY) is CardState.ACCEPTED


def test_nothing_decided_is_hidden() -> None:
    assert folded([], DAY) is CardState.HIDDEN
