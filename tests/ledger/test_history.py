"""What has been: a run's account and timeline, decisions, replays."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_runs import card, sha, write_phases, write_run
from test_queue import decide

from review_agent.errors import UsageError
from review_agent.journal import Journal
from review_agent.ledger.store import Ledger
from review_agent.runlog import RunLog
from review_agent.vocabulary import Act, Phase, Replay

REVIEW = sha("review", 1)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / ".review-agent"


def test_a_run_is_told_whole(state: Path) -> None:
    path = write_run(state, cards=2)
    text = path.read_text().replace('"status":"answered"', '"status":"refused"', 1)
    path.write_text(text.replace('"note":""', '"note":"the budget is spent"', 1))
    found = Ledger(state).run(REVIEW[:8])
    assert found.run.run_file == path.name
    assert found.coverage is not None
    assert found.coverage["hunksExamined"] == 1
    assert found.spend is not None
    assert found.spend["costUsd"] is None
    assert found.outcomes == {
        "cards": 2,
        "noFindings": 1,
        "rejections": 1,
        "unanswered": 1,
        "suppressed": 1,
        "skipped": 1,
    }
    assert [(one["questionId"], one["status"], one["note"]) for one in found.refusals] == [
        ("q0", "refused", "the budget is spent")
    ]
    assert found.spent[2]["spent"] == {"queries": 1, "candidateFiles": 2, "filesRead": 0, "linesRead": 0}
    assert [one["cause"] for one in found.unanswered] == ["endpoint_down"]
    assert found.failed_files == [{"path": "bad.py", "detail": "parser hung"}]
    assert [one["name"] for one in found.failures] == ["broken"]


def test_the_timeline_has_every_attempt_with_its_phases(state: Path) -> None:
    path = write_run(state, stop_before=Phase.COLLECT)
    ledger = Ledger(state)
    cut = ledger.run(path.name)
    assert (cut.coverage, cut.spend, cut.run.status) == (None, None, None)
    with RunLog.open(path, "second") as log:
        write_phases(log, REVIEW, 2, "Removing it", list(Phase)[2:])
    first, second = ledger.run(path.name).timeline
    assert [(phase.phase, phase.ended_at is None, phase.events) for phase in first.phases] == [
        ("snapshot", False, 3),
        ("compile", False, 9),
        ("collect", True, 3),
    ]
    assert [phase.phase for phase in second.phases] == list(Phase)[2:]
    assert all(phase.ended_at is not None and phase.started_at <= phase.ended_at for phase in second.phases)
    assert first.started_at <= first.last_at <= second.started_at


@pytest.mark.parametrize("name", ["none", ""])
def test_a_run_that_is_not_there(state: Path, name: str) -> None:
    write_run(state)
    with pytest.raises(UsageError, match="no run"):
        Ledger(state).run(name)


def test_decisions_come_newest_first_with_their_cards(state: Path) -> None:
    write_run(state, cards=2)
    decide(state, 0, Act.ACCEPT)
    decide(state, 1, Act.REJECT)
    decide(state, 7, Act.REJECT)
    ledger = Ledger(state)
    page = ledger.decisions(limit=2)
    assert (page.total, [row.decision["act"] for row in page.rows]) == (3, ["reject", "reject"])
    assert page.rows[0].card is None
    assert page.rows[1].card is not None
    assert page.rows[1].card["claim"] == card(REVIEW, 1).claim
    assert [row.decision["act"] for row in ledger.decisions(offset=2).rows] == ["accept"]


def test_replays_come_newest_first(state: Path) -> None:
    record = Replay(
        kind="replay",
        replay_id="r1",
        at="2026-01-02T00:00:00.000+00:00",
        engine="rules/1",
        policy_hash="p",
        product="0.1.0",
        source="s",
        found=3,
        defects=4,
        silent=5,
        clean=5,
        failed=0,
        halves=(),
    )
    for number in (1, 2):
        Journal(state / "journal.jsonl").append({**record.wire(), "replayId": f"r{number}"})
    assert [one["replayId"] for one in Ledger(state).replays()] == ["r2", "r1"]
