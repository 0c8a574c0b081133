"""The queue lets through what its filter says, ranked, page by page; samples of the audit stand in it unmarked."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import pytest
from made_runs import START, card, sha, write_run

from review_agent.errors import UsageError
from review_agent.journal import Journal
from review_agent.ledger.queue import NOBODY, QueueFilter
from review_agent.ledger.store import CardDetail, Ledger
from review_agent.vocabulary import Act, Decision, Displaced, Sample

# Each test makes ledgers of its own, and DuckDB takes its time.
pytestmark = pytest.mark.slow

REVIEW = sha("review", 1)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / ".review-agent"


def decide(state: Path, n: int, act: Act, review: str = REVIEW, **more: Any) -> None:
    seen = card(review, n)
    record = Decision(
        kind="decision",
        decision_id=sha(review, n, act),
        at="2026-01-02T00:00:00.000+00:00",
        card_id=seen.card_id,
        card_version=seen.card_version,
        fingerprint=seen.fingerprint,
        act=act,
        reason_code=None,
        comment=None,
        reviewer="Ada <ada@example.com>",
        **more,
    )
    Journal(state / "journal.jsonl").append(record.wire())


def questions(ledger: Ledger, **wanted: Any) -> list[str]:
    return [row.card["questionId"] for row in ledger.queue(QueueFilter(**wanted)).rows]


def test_only_what_nobody_decided_on_stands_in_the_queue(state: Path) -> None:
    write_run(state, cards=3)
    decide(state, 1, Act.ACCEPT)
    ledger = Ledger(state)
    assert questions(ledger) == ["q0", "q2"]
    assert questions(ledger, state=("accepted",)) == ["q1"]
    assert len(questions(ledger, state=())) == 3


def test_a_page_comes_with_the_total(state: Path) -> None:
    write_run(state, cards=5)
    ledger = Ledger(state)
    pages = [ledger.queue(limit=2, offset=offset) for offset in (0, 2, 4, 6)]
    assert [page.total for page in pages] == [5] * 4
    assert [row.card["questionId"] for page in pages for row in page.rows] == ["q0", "q1", "q2", "q3", "q4"]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"severity": ("important",)}, 2),
        ({"severity": ("blocking",)}, 0),
        ({"kind": ("cache_key", "auth")}, 2),
        ({"confidence": ("low",)}, 0),
        ({"text": "SRC/F1.py"}, 1),
        ({"text": "%"}, 0),
        ({"text": "tenant.id"}, 2),
        ({"since": START.isoformat(), "before": "2100"}, 2),
        ({"before": START.isoformat()}, 0),
        ({"run": REVIEW[:9]}, 2),
        ({"run": "none"}, 0),
        ({"displaced": True}, 0),
        ({"displaced": False}, 2),
    ],
)
def test_each_filter(state: Path, wanted: dict[str, Any], found: int) -> None:
    write_run(state, cards=2)
    page = Ledger(state).queue(QueueFilter(**wanted))
    assert (len(page.rows), page.total) == (found, found)


@pytest.mark.parametrize("order", ["queue", "newest"])
def test_pages_from_either_end_make_one_row_of_cards(state: Path, order: Literal["queue", "newest"]) -> None:
    for n in range(3):
        write_run(state, review=n, cards=3, minute=n)
    ledger = Ledger(state)
    wanted = QueueFilter(state=(), order=order)
    whole = [row.card["cardId"] for row in ledger.queue(wanted, limit=100).rows]
    assert len(whole) == 9
    for size in (1, 4, 8):
        pages = [ledger.queue(wanted, limit=size, offset=at) for at in range(0, 10, size)]
        assert [row.card["cardId"] for page in pages for row in page.rows] == whole


def test_owners_are_filtered_by_and_told(state: Path) -> None:
    write_run(state, cards=3)
    ledger = Ledger(state)
    owners = {"src/f0.py": ("@a/b",), "src/f1.py": ("@C", "x@y.z")}

    def owner_of(path: str) -> tuple[str, ...]:
        return owners.get(path, ())

    def found(owner: str) -> list[tuple[str, ...] | None]:
        return [row.owners for row in ledger.queue(QueueFilter(owner=(owner,)), owner_of=owner_of).rows]

    assert (found("@A/B"), found("@c"), found(NOBODY), found("@d")) == ([("@a/b",)], [("@C", "x@y.z")], [()], [])
    assert [row.owners for row in ledger.queue().rows] == [None] * 3
    with pytest.raises(UsageError, match="owners are unknown"):
        ledger.queue(QueueFilter(owner=("@c",)))


def test_a_card_of_two_runs_is_there_once_and_an_older_run_has_its_own(state: Path) -> None:
    older = write_run(state, claim="Old")
    newer = write_run(state, minute=1, claim="New")
    ledger = Ledger(state)
    assert [row.run.run_file for row in ledger.queue().rows] == [newer.name] * 2
    assert [row.card["claim"][:3] for row in ledger.queue(QueueFilter(run=older.stem)).rows] == ["Old"] * 2


def sample(run: Path, n: int, **changes: Any) -> Sample:
    shown = {**card(sha("sampled"), n).wire(), **changes}
    return Sample(
        kind="sample",
        sample_id=sha("sample", n),
        at="2026-01-02T00:00:00.000+00:00",
        run_file=run.name,
        question_id=f"q{n}",
        source="no_finding",
        share=0.05,
        card=shown,
    )


def test_a_sample_stands_among_the_cards_unmarked_until_it_is_decided_on(state: Path) -> None:
    run = write_run(state, cards=2)
    Journal(state / "journal.jsonl").append(sample(run, 2, severity="blocking").wire())
    ledger = Ledger(state)
    rows = ledger.queue().rows
    assert [row.card["questionId"] for row in rows] == ["q2", "q0", "q1"]
    assert {row.audit for row in rows} == {None}
    assert ledger.card(rows[0].card["cardId"]).question["questionId"] == "q2"
    decide(state, 2, Act.REJECT, sha("sampled"))
    (decided,) = ledger.queue(QueueFilter(state=("rejected",))).rows
    assert decided.audit == "no_finding"
    assert ledger.queue(QueueFilter(severity=("blocking",))).total == 0


def test_what_the_minutes_did_not_reach_is_told(state: Path) -> None:
    write_run(state, cards=2)
    far = card(REVIEW, 1).card_id
    today = datetime.now(UTC).date().isoformat()
    record = Displaced(kind="displaced", at="x", day=today, minutes=1.5, shown=(), displaced=(far,))
    Journal(state / "journal.jsonl").append(record.wire())
    ledger = Ledger(state)
    assert [row.displaced for row in ledger.queue().rows] == [False, True]
    assert questions(ledger, displaced=True) == ["q1"]
    assert questions(ledger, displaced=False) == ["q0"]


def test_a_run_whose_card_has_no_id_is_left_out_and_told(state: Path) -> None:
    write_run(state, cards=2)
    odd = write_run(state, minute=1, cards=1, claim="Odd")
    odd.write_text(odd.read_text().replace('"cardId":', '"id":'))
    ledger = Ledger(state)
    assert questions(ledger) == ["q0", "q1"]
    assert ledger.left_out == [odd.name]
    assert "cardId" in ledger.notices[0]


def test_a_rejection_that_has_expired_is_open_again(state: Path) -> None:
    write_run(state, cards=2)
    decide(state, 0, Act.REJECT, until="2026-01-03")
    decide(state, 1, Act.REJECT, until="9999-01-01")
    assert questions(Ledger(state)) == ["q0"]


def test_decisions_on_other_cards_of_the_fingerprint_come_with_a_card(state: Path) -> None:
    write_run(state, cards=1)
    write_run(state, review=2, minute=1, cards=1)
    decide(state, 0, Act.ACCEPT)
    ledger = Ledger(state)
    other = ledger.card(card(sha("review", 2), 0).card_id)
    assert [decision["act"] for decision in other.earlier] == ["accept"]
    assert other.decisions == ledger.card(card(REVIEW, 0).card_id).earlier == []


def test_a_click_gets_the_page_and_one_card_of_it_or_any_other(state: Path) -> None:
    write_run(state, cards=3)
    ledger = Ledger(state)
    page, first = ledger.triage(QueueFilter())
    assert page == ledger.queue()
    assert isinstance(first, CardDetail)
    assert first == ledger.card(page.rows[0].card["cardId"])
    last = page.rows[-1].card["cardId"]
    assert ledger.triage(QueueFilter(), last)[1] == ledger.card(last)
    nothing, other = ledger.triage(QueueFilter(text="no such words"), last[:12])
    assert (nothing.total, other) == (0, ledger.card(last))
    assert ledger.triage(QueueFilter(), "no such card")[1] == first
    assert ledger.triage(QueueFilter(text="no such words"))[1] is None


def changed(path: Path, question: str, **changes: Any) -> None:
    """Edits what a run log says of one question and its card."""
    lines = []
    for line in path.read_text().splitlines():
        event = json.loads(line)
        if event["type"] in ("question", "card") and event["data"]["questionId"] == question:
            event["data"] |= {name: value for name, value in changes.items() if name in event["data"]}
        lines.append(json.dumps(event))
    path.write_text("\n".join(lines) + "\n")


def test_the_queue_is_ranked_by_severity_then_by_risk_and_what_people_accept(state: Path) -> None:
    run = write_run(state, cards=8)
    changed(run, "q5", severity="blocking", risk=1)
    changed(run, "q4", severity="suggestion", risk=100)
    for question, rule, risk in (
        ("q2", "liked", 60),
        ("q3", "disliked", 70),
        ("q6", "liked", 60),
        ("q7", "disliked", 70),
    ):
        changed(run, question, rule=rule, risk=risk)
    ledger = Ledger(state)
    assert questions(ledger) == ["q5", "q0", "q1", "q3", "q7", "q2", "q6", "q4"]
    decide(state, 6, Act.ACCEPT)
    decide(state, 7, Act.REJECT)
    # 60 by two of three comes before 70 by half, and that before 70 by one of three.
    assert questions(ledger) == ["q5", "q2", "q0", "q1", "q3", "q4"]
    assert questions(ledger, order="newest") == ["q5", "q0", "q1", "q2", "q3", "q4"]


def test_a_card_that_was_accepted_and_then_fixed_still_ranks_its_rule(state: Path) -> None:
    run = write_run(state, cards=4)
    for question, rule, risk in (("q0", "liked", 60), ("q1", "other", 70), ("q2", "liked", 60), ("q3", "liked", 60)):
        changed(run, question, rule=rule, risk=risk)
    decide(state, 2, Act.ACCEPT)
    decide(state, 3, Act.ACCEPT)
    decide(state, 3, Act.DOWNGRADE)
    ledger = Ledger(state)
    assert questions(ledger) == ["q0", "q1"]
    for n in (2, 3):
        decide(state, n, Act.MARK_STALE)
    assert questions(Ledger(state)) == ["q0", "q1"], "what people said stands"
