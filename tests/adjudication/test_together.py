"""Several cards decided on as one act, and lists of decisions: all or none where asked, each still checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from made_runs import card, sha, write_run

from review_agent.adjudication import Intent, decide_each, decide_many
from review_agent.errors import TransitionError, UsageError
from review_agent.journal import Journal
from review_agent.ledger.store import Ledger
from review_agent.policy.model import ReasonCode
from review_agent.vocabulary import Act, CardState

# Each test makes ledgers of its own, and DuckDB takes its time.
pytestmark = pytest.mark.slow

CODES = (ReasonCode(code="intended", layer="team", about="meant so"),)
IDS = [card(sha("review", 1), n).card_id for n in range(4)]


@pytest.fixture
def state(tmp_path: Path) -> Path:
    write_run(tmp_path / ".review-agent", cards=4)
    return tmp_path / ".review-agent"


def many(state: Path, ids: list[str], act: Act = Act.ACCEPT, **more: Any) -> Any:
    said = {"reason_code": None, "comment": None, "reviewer": "Ada", "policy_reason_codes": CODES}
    return decide_many(state, ids, act, **{**said, **more})


def journal(state: Path) -> list[dict[str, Any]]:
    return list(Journal(state / "journal.jsonl").read())


def test_cards_of_one_rule_are_decided_as_one_act(state: Path) -> None:
    made = many(state, [IDS[2], IDS[0][:12], IDS[2][:10]], Act.REJECT, reason_code="intended", comment="all the same")
    assert [one.card_id for one in made] == [IDS[2], IDS[0]]
    assert journal(state) == [one.wire() for one in made]
    assert len({one.batch for one in made}) == 1
    assert len({one.decision_id for one in made}) == 2
    taken = [one.card_id for one in Ledger(state).alike([CardState.REJECTED], batch=made[0].batch[:6])]
    assert sorted(taken) == sorted([IDS[0], IDS[2]])
    again = many(state, taken, Act.REOPEN)
    assert again[0].batch != made[0].batch
    assert [row.state for row in Ledger(state).cards()] == ["hidden"] * 4


def test_one_card_that_refuses_keeps_all_from_being_decided(state: Path) -> None:
    many(state, [IDS[1]], reviewer="Bob")
    before = journal(state)
    with pytest.raises(
        TransitionError, match=r"1 of 3 cards cannot take it, so none does: .* is accepted already"
    ) as caught:
        many(state, IDS[:3])
    assert caught.value.where == IDS[1]
    with pytest.raises(UsageError, match="1 of 2 cards cannot take it, so none does: there is no card 'zz'"):
        many(state, [IDS[0], "zz"])
    with pytest.raises(TransitionError, match="has changed since you saw it"):
        many(state, [IDS[0], IDS[2]], expected_versions={IDS[2]: "another"})
    with pytest.raises(TransitionError, match=f"2 of 2 cards .* has been decided on since .*; so do {IDS[3][:8]}"):
        many(state, [IDS[1], IDS[3]], Act.REVOKE, expected_decisions={IDS[1]: "none", IDS[3]: "none"})
    assert journal(state) == before


def test_cards_of_different_rules_and_findings_are_not(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Ledger.named

    def other(self: Ledger, prefixes: Any, **more: Any) -> Any:
        found = real(self, prefixes, **more)
        found[1].card["rule"] = "another_rule"
        return found

    monkeypatch.setattr(Ledger, "named", other)
    with pytest.raises(UsageError, match="these cards are of 2 rules: another_rule, key_component_removed"):
        many(state, IDS[:2])
    assert journal(state) == []


def test_no_card_is_a_usage_error(state: Path) -> None:
    with pytest.raises(UsageError, match="no card"):
        many(state, [])


def test_cards_alike_are_found_by_rule_and_finding_in_the_states_asked_for(state: Path) -> None:
    many(state, [IDS[3]])
    ledger = Ledger(state)
    assert [one.card_id for one in ledger.alike([CardState.HIDDEN], rule="key_component_removed")] == IDS[:3]
    assert [one.card_id for one in ledger.alike([CardState.ACCEPTED], rule="key_component_removed")] == [IDS[3]]
    mark = card(sha("review", 1), 1)
    (found,) = ledger.alike([CardState.HIDDEN], fingerprint=mark.fingerprint[:9])
    assert (found.card_id, found.card_version, found.decision) == (IDS[1], mark.card_version, None)
    assert ledger.alike([CardState.ACCEPTED])[0].decision == journal(state)[0]["decisionId"]
    assert ledger.alike([CardState.HIDDEN], rule="none") == []


LIST = [
    Intent(card_id=IDS[0], act=Act.ACCEPT),
    Intent(card_id=IDS[0], act=Act.ACCEPT),
    Intent(card_id="zz", act=Act.ACCEPT),
    Intent(card_id=IDS[1], act=Act.REJECT),
    Intent(card_id=IDS[1], act=Act.REJECT, reason_code="intended", reviewer="Bob"),
    Intent(card_id=IDS[0], act=Act.REVOKE, card_version=card(sha("review", 1), 0).card_version),
    Intent(card_id=IDS[2], act=Act.ACCEPT, card_version="another"),
]


def test_of_a_list_the_legal_ones_stand_each_on_the_state_before_it(state: Path) -> None:
    told = decide_each(state, LIST, reviewer="Ada", policy_reason_codes=CODES)
    assert [bool(one.decision) for one in told] == [True, False, False, False, True, True, False]
    assert [one.wire() for one in (t.decision for t in told) if one] == journal(state)
    assert [one["reviewer"] for one in journal(state)] == ["Ada", "Bob", "Ada"]
    said = [one.error.message for one in told if one.error]
    assert said == [
        f"{IDS[0][:8]} is accepted already",
        "there is no card 'zz'",
        "a rejection needs a reason code",
        "the card has changed since you saw it",
    ]


def test_an_atomic_list_is_taken_whole_or_not_at_all(state: Path) -> None:
    told = decide_each(state, LIST, reviewer="Ada", policy_reason_codes=CODES, atomic=True)
    assert journal(state) == []
    assert [bool(one.error) for one in told] == [False, True, True, True, False, False, True]
    assert not any(one.decision for one in told)
    acts = [Intent(card_id=IDS[0], act=Act.ACCEPT), Intent(card_id=IDS[0], act=Act.ACCEPT)]
    refused = decide_each(state, acts, reviewer="Ada", policy_reason_codes=CODES, atomic=True)
    assert [bool(one.error) for one in refused] == [False, True]
    assert journal(state) == []
    whole = [LIST[0], LIST[4], LIST[5]]
    made = decide_each(state, whole, reviewer="Ada", policy_reason_codes=CODES, atomic=True)
    assert all(one.decision for one in made)
    assert len(journal(state)) == len(whole)
