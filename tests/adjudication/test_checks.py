"""Every state and act through the whole way of a decision; what does not fit together is refused with the way out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from made_runs import card, sha, write_run

from review_agent.adjudication import Intent, decide_each, lapse, state_of
from review_agent.adjudication.checks import said
from review_agent.errors import TransitionError, UsageError
from review_agent.journal import Journal
from review_agent.ledger.store import Ledger
from review_agent.policy.model import ReasonCode
from review_agent.transitions import AGENT, LEGAL, RESULT
from review_agent.vocabulary import Act, CardState, Decision, Proof

NOW = datetime(2026, 3, 1, 23, 59, tzinfo=UTC)
TODAY = NOW.date()
CODES = (
    ReasonCode(code="intended", layer="team", about="meant so"),
    ReasonCode(code="wrong_anchor", layer="edits", about="elsewhere"),
    ReasonCode(code="deferred", layer="team", about="later", expires_after_days=30),
)
WAY: dict[CardState, tuple[Act, ...]] = {
    CardState.HIDDEN: (),
    CardState.ACCEPTED: (Act.ACCEPT,),
    CardState.REJECTED: (Act.REJECT,),
    CardState.NEEDS_PROOF: (Act.NEEDS_PROOF,),
    CardState.REVOKED: (Act.ACCEPT, Act.REVOKE),
    CardState.DOWNGRADED: (Act.ACCEPT, Act.DOWNGRADE),
    CardState.SUPERSEDED: (),
    CardState.STALE: (Act.ACCEPT,),
}
OVERTAKES = {CardState.SUPERSEDED: Act.SUPERSEDE, CardState.STALE: Act.MARK_STALE}
"""What the product itself records after the acts of the way."""
PAIRS = list(product(CardState, sorted(set(Act) - set(OVERTAKES.values()))))


def intent(card_id: str, act: Act, **more: Any) -> Intent:
    fields = {
        "reason_code": "intended" if act is Act.REJECT else None,
        "proof": Proof(job="j", result="pass") if act is Act.ATTACH else None,
    }
    return Intent(card_id=card_id, act=act, **{**fields, **more})


def overtaken(state: Path, n: int, act: Act) -> dict[str, Any]:
    """What the product records when a newer push overtakes the card."""
    made = card(sha("review", 1), n)
    decision = Decision(
        kind="decision",
        decision_id=sha("overtaken", n)[:32],
        at=NOW.isoformat(timespec="milliseconds"),
        card_id=made.card_id,
        card_version=made.card_version,
        fingerprint=made.fingerprint,
        act=act,
        reason_code=None,
        comment=None,
        reviewer=AGENT,
    )
    Journal(state / "journal.jsonl").append(decision.wire())
    return decision.wire()


def each(state: Path, intents: Sequence[Intent], **more: Any) -> list[Any]:
    told = decide_each(state, intents, **{"reviewer": "Ada", "policy_reason_codes": CODES, "now": NOW, **more})
    return [one.decision or one.error for one in told]


def test_every_pair_of_state_and_act_is_recorded_or_refused_as_the_table_has_it(tmp_path: Path) -> None:
    state = tmp_path / ".review-agent"
    write_run(state, cards=len(PAIRS))
    ids = [card(sha("review", 1), n).card_id for n in range(len(PAIRS))]
    way = [intent(card_id, act) for card_id, (stands, _) in zip(ids, PAIRS, strict=True) for act in WAY[stands]]
    made = [one.wire() for one in each(state, way)]
    made += [overtaken(state, n, OVERTAKES[stands]) for n, (stands, _) in enumerate(PAIRS) if stands in OVERTAKES]
    results = each(state, [intent(card_id, act) for card_id, (_, act) in zip(ids, PAIRS, strict=True)])
    records = list(Journal(state / "journal.jsonl").read())
    assert [*made, *(one.wire() for one in results if not isinstance(one, Exception))] == records
    shown = {row.card["cardId"]: row.state for row in Ledger(state).cards()}
    for card_id, (stands, act), result in zip(ids, PAIRS, results, strict=True):
        legal = act in LEGAL[stands]
        assert isinstance(result, TransitionError) is not legal, (stands, act)
        assert state_of(records, card_id, TODAY) is shown[card_id] is (RESULT[act] if legal else stands)
        if not legal:
            assert result.where == card_id
            assert result.hint
        if stands in OVERTAKES:
            assert result.message == f"{card_id[:8]} is {stands}: a newer push has overtaken it"


def test_a_decision_says_the_layer_at_fault_its_evidence_its_time_and_its_finding(tmp_path: Path) -> None:
    write_run(tmp_path)
    made = card(sha("review", 1), 0)
    (decision,) = each(tmp_path, [intent(made.card_id[:9], Act.REJECT, reason_code="wrong_anchor", seconds=2.5)])
    assert (decision.layer, decision.seconds, decision.until, decision.batch) == ("edits", 2.5, None, None)
    assert (decision.rule, decision.path) == (made.rule, "src/f0.py")
    assert decision.at == "2026-03-01T23:59:00.000+00:00"
    assert len(decision.evidence) == 32
    (accepted,) = each(tmp_path, [intent(card(sha("review", 1), 1).card_id, Act.ACCEPT)])
    assert accepted.layer is None


@pytest.mark.parametrize(
    ("given", "until"), [(None, "2026-03-31"), ("2026-03-02", "2026-03-02"), ("2027-01-01", "2027-01-01")]
)
def test_a_reason_that_expires_holds_as_long_as_the_policy_or_the_reviewer_says(given: str | None, until: str) -> None:
    asked = intent("c", Act.REJECT, reason_code="deferred", until=given)
    assert said(asked, "Ada", CODES, TODAY).data["until"] == until


def test_a_rejection_that_has_lapsed_leaves_the_card_open(tmp_path: Path) -> None:
    write_run(tmp_path)
    card_id = card(sha("review", 1), 0).card_id
    (rejected,) = each(tmp_path, [intent(card_id, Act.REJECT, reason_code="deferred", until="2026-03-05")])
    day = datetime(2026, 3, 4, 23, 59, tzinfo=UTC)
    (refused,) = each(tmp_path, [intent(card_id, Act.ACCEPT)], now=day, reviewer="Bob")
    assert isinstance(refused, TransitionError)
    assert lapse(rejected.wire(), day.date()) == "deferred until 2026-03-05"
    day = datetime(2026, 3, 5, tzinfo=UTC)
    assert lapse(rejected.wire(), day.date()) == "deferred until 2026-03-05 has passed"
    (undone,) = each(tmp_path, [intent(card_id, Act.REOPEN)], now=day)
    assert undone.message.endswith("no decision stands, deferred until 2026-03-05 has passed")
    (accepted,) = each(tmp_path, [intent(card_id, Act.ACCEPT)], now=day, reviewer="Bob")
    assert accepted.reviewer == "Bob"
    assert state_of([rejected.wire(), accepted.wire()], card_id, date(2030, 1, 1)) is CardState.ACCEPTED


@pytest.mark.parametrize(
    ("act", "more", "message", "hint"),
    [
        (Act.REJECT, {"until": "2026-04-01"}, "intended does not expire", "--until"),
        (Act.ACCEPT, {"until": "2026-04-01"}, "only a rejection", "--until"),
        (Act.REJECT, {"reason_code": "deferred", "until": "1.4.2026"}, "is no date", "2026-12-31"),
        (Act.REJECT, {"reason_code": "deferred", "until": "2026-03-01"}, "has passed already", "2026-03-01"),
        (Act.ACCEPT, {"seconds": -1.0}, "no number of seconds", "leave it out"),
        (Act.ACCEPT, {"seconds": float("nan")}, "no number of seconds", "leave it out"),
        (Act.ATTACH, {"proof": None}, "its job and the result", "--result"),
        (Act.ATTACH, {"proof": Proof(job="j")}, "its job and the result", "--result"),
        (Act.NEEDS_PROOF, {"proof": Proof(job="j", result="pass")}, "no result yet", "ask first"),
        (Act.ACCEPT, {"proof": Proof(job="j")}, "not with accept", ""),
    ],
)
def test_what_does_not_fit_together_is_refused(act: Act, more: dict[str, Any], message: str, hint: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        said(intent("c", act, **more), "Ada", CODES, TODAY)
    assert hint in caught.value.hint


def test_the_result_attached_is_of_the_job_that_was_asked_for(tmp_path: Path) -> None:
    write_run(tmp_path)
    card_id = card(sha("review", 1), 0).card_id
    asked = intent(card_id, Act.NEEDS_PROOF, proof=Proof(job="k"))
    _, refused, attached = each(
        tmp_path, [asked, intent(card_id, Act.ATTACH), intent(card_id, Act.ATTACH, proof=Proof(job="k", result="fail"))]
    )
    assert "is 'k', not 'j'" in refused.message
    assert attached.proof.result == "fail"
    assert Ledger(tmp_path).card(card_id).row.state is CardState.HIDDEN


def test_a_secret_in_what_a_reviewer_writes_is_masked_whoever_calls(tmp_path: Path) -> None:
    key = "AKIA" + "QWERTYUIOP234567"
    write_run(tmp_path)
    card_id = card(sha("review", 1), 0).card_id
    each(tmp_path, [intent(card_id, Act.ACCEPT, comment=f"see {key}", reviewer=f"Bob {key}")])
    (undone,) = each(tmp_path, [intent(card_id, Act.REOPEN)], reviewer=f"Bob {key}")
    assert undone.act is Act.REOPEN
    assert key not in (tmp_path / "journal.jsonl").read_text()
