"""A decision is legal, about the version that was seen, in the policy's words, and recorded exactly once."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_runs import card, sha, write_run

from review_agent import adjudication
from review_agent.errors import TransitionError, UsageError
from review_agent.journal import Journal
from review_agent.ledger.store import Ledger
from review_agent.policy.model import ReasonCode
from review_agent.transitions import OVERTAKEN
from review_agent.vocabulary import Act, CardState, Decision, Proof

# Each test makes ledgers of its own, and DuckDB takes its time.
pytestmark = pytest.mark.slow

CODES = (
    ReasonCode(code="intended", layer="team", about="meant so"),
    ReasonCode(code="other", layer="team", about="none of these", needs_comment=True),
)
TODAY = date(2026, 3, 1)
CARD = card(sha("review", 1), 0)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    write_run(tmp_path / ".review-agent")
    return tmp_path / ".review-agent"


def decide(state: Path, act: Act, **changes: Any) -> Decision:
    arguments = {"reason_code": "intended" if act is Act.REJECT else None, "comment": None, "reviewer": "Ada"}
    arguments["proof"] = Proof(job="j", result="pass") if act is Act.ATTACH else None
    return adjudication.decide(
        state, changes.pop("card_id", CARD.card_id[:10]), act, policy_reason_codes=CODES, **{**arguments, **changes}
    )


def journal(state: Path) -> list[dict[str, Any]]:
    return list(Journal(state / "journal.jsonl").read())


def test_a_decision_carries_what_was_seen_and_is_on_disk(state: Path) -> None:
    decision = decide(state, Act.REJECT, reason_code="other", comment="moved on")
    assert journal(state) == [decision.wire()]
    assert (decision.card_id, decision.card_version, decision.fingerprint) == (
        CARD.card_id,
        CARD.card_version,
        CARD.fingerprint,
    )
    assert (decision.act, decision.reason_code, decision.comment, decision.reviewer) == (
        Act.REJECT,
        "other",
        "moved on",
        "Ada",
    )
    assert datetime.fromisoformat(decision.at).utcoffset() is not None
    assert Ledger(state).card(CARD.card_id).row.state is CardState.REJECTED


def test_no_two_decisions_share_an_id(state: Path) -> None:
    acts = [Act.ACCEPT, Act.REOPEN, Act.ACCEPT, Act.REOPEN]
    assert len({decide(state, act).decision_id for act in acts}) == 4


@pytest.mark.parametrize(
    ("act", "changes", "message", "hint"),
    [
        (Act.REJECT, {"reason_code": None}, "needs a reason code", "intended, other"),
        (Act.REJECT, {"reason_code": "nonsense"}, "no reason code 'nonsense'", "intended, other"),
        (Act.ACCEPT, {"reason_code": "intended"}, "only with reject, not with accept", "--comment"),
        (Act.REJECT, {"reason_code": "other"}, "needs a comment", "--comment"),
        (Act.REJECT, {"reason_code": "other", "comment": "  "}, "needs a comment", "--comment"),
        (Act.ACCEPT, {"comment": "x" * 4_001}, "4001 characters", "say it shorter"),
        (Act.ACCEPT, {"reviewer": " "}, "needs a reviewer", "--reviewer"),
        (Act.ACCEPT, {"reviewer": " Review-Agent"}, "what the product records by itself", "--reviewer"),
        (Act.SUPERSEDE, {}, "nobody decides supersede", "accept"),
        (Act.MARK_STALE, {}, "nobody decides mark-stale", "accept"),
        (Act.ACCEPT, {"card_id": "zz"}, "no card", "cards list"),
    ],
)
def test_what_does_not_fit_together_is_refused_with_the_way_out(
    state: Path, act: Act, changes: dict[str, Any], message: str, hint: str
) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        decide(state, act, **changes)
    assert hint in caught.value.hint
    assert journal(state) == []


UNDO = f"undo first: `review-agent decide {CARD.card_id[:8]} undo`"


@pytest.mark.parametrize(
    ("before", "act", "message", "hint"),
    [
        ([], Act.REOPEN, "nothing to undo on {}: no decision stands", "accept`, `reject --reason CODE` or `needs-"),
        ([], Act.DOWNGRADE, "nothing to downgrade on {}: it is open, not accepted", "accept`, `reject"),
        ([Act.ACCEPT], Act.ACCEPT, "{} is accepted already", f"{UNDO}, or `revoke` or `downgrade`"),
        ([Act.ACCEPT], Act.REJECT, "{} is accepted: it does not take `reject`", f"{UNDO}, or `revoke`"),
        ([Act.NEEDS_PROOF], Act.ACCEPT, "{} needs proof: it does not take `accept`", UNDO),
        ([Act.REJECT], Act.NEEDS_PROOF, "{} is rejected: it does not take `needs-proof`", UNDO),
    ],
)
def test_an_act_that_the_state_does_not_allow_is_refused_in_the_words_of_the_command_line(
    state: Path, before: list[Act], act: Act, message: str, hint: str
) -> None:
    for one in before:
        decide(state, one)
    with pytest.raises(TransitionError) as caught:
        decide(state, act)
    assert caught.value.message == message.format(CARD.card_id[:8])
    assert hint in caught.value.hint
    assert caught.value.where == CARD.card_id
    assert len(journal(state)) == len(before)


def test_who_has_to_undo_first_is_named(state: Path) -> None:
    decide(state, Act.REJECT, reviewer="Bob")
    with pytest.raises(TransitionError) as caught:
        decide(state, Act.ACCEPT, reviewer="Ada")
    assert caught.value.hint.startswith("ask Bob to undo first")


def test_a_card_that_changed_since_it_was_seen_is_not_decided_on(state: Path) -> None:
    decide(state, Act.NEEDS_PROOF, expected_version=CARD.card_version)
    write_run(state, minute=1, claim="Now it says something else")
    with pytest.raises(TransitionError, match="has changed since you saw it"):
        decide(state, Act.REOPEN, expected_version=CARD.card_version)
    assert decide(state, Act.REOPEN).card_version != CARD.card_version


def test_only_its_author_undoes_the_latest_act(state: Path) -> None:
    decide(state, Act.ACCEPT, reviewer="Ada")
    with pytest.raises(TransitionError, match="by Ada"):
        decide(state, Act.REOPEN, reviewer="Bob")
    decide(state, Act.REVOKE, reviewer="Bob")
    with pytest.raises(TransitionError, match="by Bob"):
        decide(state, Act.REOPEN, reviewer="Ada")
    decide(state, Act.REOPEN, reviewer="Bob")
    with pytest.raises(TransitionError, match="no decision stands"):
        decide(state, Act.REOPEN, reviewer="Bob")
    assert adjudication.state_of(journal(state), CARD.card_id, TODAY) is CardState.HIDDEN


def test_other_cards_and_other_records_do_not_count(state: Path) -> None:
    Journal(state / "journal.jsonl").append({"kind": "rollout", "cardId": CARD.card_id, "act": "reject"})
    decide(state, Act.ACCEPT, card_id=card(sha("review", 1), 1).card_id)
    assert adjudication.state_of(journal(state), CARD.card_id, TODAY) is CardState.HIDDEN
    decide(state, Act.ACCEPT)
    assert [row.state for row in Ledger(state).cards()] == ["accepted", "accepted"]


def test_a_decision_is_taken_while_another_program_holds_the_ledger(state: Path) -> None:
    path = Ledger(state).path
    Ledger(state).sync()
    script = f"import duckdb; c = duckdb.connect({str(path)!r}); print('open', flush=True); input()"
    told: list[str] = []
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        program.stdout.readline()
        decide(state, Act.ACCEPT, notice=told.append)
        program.communicate(b"\n")
    assert "another program holds the ledger" in told[0]
    assert Ledger(state).card(CARD.card_id).row.state is CardState.ACCEPTED


@pytest.mark.slow
@settings(max_examples=6, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(Act), st.sampled_from(["Ada", "Bob"])), max_size=6))
def test_whatever_is_tried_only_legal_acts_are_recorded(
    tmp_path_factory: pytest.TempPathFactory, tries: list[tuple[Act, str]]
) -> None:
    state = tmp_path_factory.mktemp("state") / ".review-agent"
    write_run(state, cards=1)
    taken = []
    for act, reviewer in tries:
        try:
            taken.append(decide(state, act, reviewer=reviewer).wire())
        except TransitionError:
            assert act not in OVERTAKEN
        except UsageError:
            assert act in OVERTAKEN
    assert journal(state) == taken
    row = Ledger(state).card(CARD.card_id).row
    assert row.state is adjudication.state_of(taken, CARD.card_id, TODAY)
    assert row.decisions == len(taken)


CROWD = """
import json, os, random, sys
from pathlib import Path
from review_agent.adjudication import decide
from review_agent.errors import TransitionError
from review_agent.vocabulary import Act
state, cards = Path(sys.argv[1]), json.loads(sys.argv[2])
children = []
for n in range(int(sys.argv[3])):
    receive, send = os.pipe()
    if not os.fork():
        chance, told = random.Random(n), {"acknowledged": [], "refused": 0}
        for card in chance.sample(cards, len(cards)):
            try:
                done = decide(state, card, chance.choice([Act.ACCEPT, Act.NEEDS_PROOF]), reason_code=None, comment=None,
                              reviewer=f"r{n}", policy_reason_codes=())
                told["acknowledged"].append(done.decision_id)
            except TransitionError:
                told["refused"] += 1
        os.write(send, json.dumps(told).encode())
        os._exit(0)
    os.close(send)
    children.append(receive)
print(json.dumps([json.loads(b"".join(iter(lambda: os.read(child, 65536), b""))) for child in children]))
"""


@pytest.mark.slow
@pytest.mark.parametrize(("people", "count"), [(4, 5), (6, 20)])
def test_a_crowd_deciding_at_once_decides_every_card_exactly_once(tmp_path: Path, people: int, count: int) -> None:
    state = tmp_path / ".review-agent"
    write_run(state, cards=count)
    cards = [row.card["cardId"] for row in Ledger(state).cards()]
    home = Path(adjudication.__file__).parents[2]
    command = [sys.executable, "-c", CROWD, str(state), json.dumps(cards), str(people)]
    done = subprocess.run(command, cwd=home, capture_output=True, text=True, check=True, timeout=120)
    told = json.loads(done.stdout)
    records = journal(state)
    assert sorted(one for child in told for one in child["acknowledged"]) == sorted(r["decisionId"] for r in records)
    assert Counter(record["cardId"] for record in records) == Counter(cards)
    assert sum(child["refused"] for child in told) == (people - 1) * count
    assert {row.decisions for row in Ledger(state).cards()} == {1}


def test_a_card_that_another_decided_on_since_it_was_seen_is_not_decided_on(state: Path) -> None:
    asked = decide(state, Act.NEEDS_PROOF, expected_decision="none")
    with pytest.raises(TransitionError, match=r"has been decided on since you saw it: `needs-proof` by Ada at 20"):
        decide(state, Act.ATTACH, expected_decision="none", reviewer="Bob")
    decide(
        state, Act.ATTACH, expected_decision=asked.decision_id[:8], reviewer="Bob", proof=Proof(job="j", result="fail")
    )
    for act in (Act.ACCEPT, Act.NEEDS_PROOF):
        with pytest.raises(TransitionError, match=r"since you saw it: `attach` \(j, fail\) by Bob") as caught:
            decide(state, act, expected_decision=asked.decision_id)
        assert caught.value.where == CARD.card_id
    with pytest.raises(TransitionError, match="since you saw it"):
        decide(state, Act.REOPEN, reviewer="Bob", expected_decision=asked.decision_id)
    assert len(journal(state)) == 2
    assert decide(state, Act.ACCEPT, expected_decision=journal(state)[-1]["decisionId"]).act is Act.ACCEPT


@pytest.mark.parametrize("seen", ["", "0123456789abcdef"])
def test_a_decision_that_was_never_made_is_not_taken_for_the_latest(state: Path, seen: str) -> None:
    with pytest.raises(TransitionError, match=r"the decision you saw on .* is not in this journal"):
        decide(state, Act.ACCEPT, expected_decision=seen)
    decide(state, Act.ACCEPT)
    with pytest.raises(TransitionError, match="since you saw it"):
        decide(state, Act.REVOKE, expected_decision=seen)
