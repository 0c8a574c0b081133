"""Doctor names what is wrong, where, and what to do; it changes nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from made_runs import sha, started, write_run

from review_agent.appendlog import Lock
from review_agent.journal import Journal
from review_agent.ledger import doctor
from review_agent.ledger.database import opened
from review_agent.ledger.store import Ledger
from review_agent.runlog import RunLog
from review_agent.vocabulary import Phase


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / ".review-agent"


def found(state: Path) -> list[tuple[str, str, str]]:
    """Level, the start of what was found, and the name of where; every finding must say what to do next."""
    findings = Ledger(state).doctor()
    assert all(finding.next for finding in findings)
    return [(finding.level, finding.what, Path(finding.where).name) for finding in findings]


def test_a_repository_without_records_is_in_order(state: Path) -> None:
    assert found(state) == [("note", "nothing has been recorded yet", ".review-agent")]
    assert not state.exists()


def test_what_is_in_order_has_no_findings(state: Path) -> None:
    write_run(state)
    Ledger(state).sync()
    assert found(state) == []


def test_what_mends_itself_is_a_note(state: Path) -> None:
    whole = write_run(state)
    assert found(state) == [("note", "there is no ledger file", ".review-agent")]
    Ledger(state).sync()
    cut = write_run(state, review=2, minute=1, stop_before=Phase.COLLECT)
    Journal(state / "journal.jsonl").append({"kind": "later"})
    with whole.open("ab") as file:
        file.write(b'{"seq":')
    before = {path: path.read_bytes() for path in state.rglob("*") if path.is_file() and path.name != "lock"}
    assert found(state) == [
        ("note", "records of kinds that this version does not know are passed over: 1 'later'", "journal.jsonl"),
        ("note", "the last line is torn: it was never acknowledged", whole.name),
        ("note", "this run has not ended", cut.name),
        ("note", "the ledger has not taken all of this in yet", whole.name),
        ("note", "the ledger has not taken all of this in yet", cut.name),
        ("note", "the ledger has not taken all of this in yet", "journal.jsonl"),
    ]
    assert {path: path.read_bytes() for path in before} == before


def test_a_live_run_and_tails_set_aside_are_notes(state: Path) -> None:
    review = sha("live")
    with RunLog.create(state / "runs" / "live.jsonl", started(review), "one") as log:
        assert ("note", "a review is writing this run log", "live.jsonl") in found(state)
    with log.path.open("ab") as file:
        file.write(b"torn")
    with RunLog.open(log.path, "two"):
        pass
    aside = next(log.path.parent.glob("*.torn-*"))
    assert ("note", "a torn tail was moved aside here", aside.name) in found(state)


def test_damage_is_a_problem(state: Path) -> None:
    path = write_run(state)
    Journal(state / "journal.jsonl").append({"kind": "later"})
    Ledger(state).sync()
    path.write_bytes(path.read_bytes() + b"garbage\n")
    (state / "journal.jsonl").write_bytes(b"garbage\n")
    (state / "ledger.duckdb").write_bytes(b"garbage" * 100)
    levels = [(level, name) for level, _, name in found(state)]
    lines = len(path.read_bytes().splitlines())
    assert levels == [("problem", "journal.jsonl:1"), ("problem", f"{path.name}:{lines}"), ("problem", "ledger.duckdb")]


def test_sources_that_are_gone_are_problems(state: Path) -> None:
    path = write_run(state)
    Journal(state / "journal.jsonl").append({"kind": "later"})
    Ledger(state).sync()
    path.unlink()
    (state / "journal.jsonl").unlink()
    assert [(level, name) for level, _, name in found(state)] == [("problem", path.name), ("problem", "journal.jsonl")]


def test_another_schema_version_is_found(state: Path) -> None:
    write_run(state)
    ledger = Ledger(state)
    ledger.sync()
    with opened(ledger.path) as connection:
        connection.execute("update schema_version set version = 99")
    assert [level for level, what, _ in found(state) if "newer product" in what] == ["problem"]
    with opened(ledger.path) as connection:
        connection.execute("update schema_version set version = 0")
    assert [level for level, what, _ in found(state) if what.startswith("schema version 0")] == ["note"]


def test_a_lock_that_is_not_given_back_is_a_problem(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "LOCK_SECONDS", 0.05)
    write_run(state)
    Ledger(state).sync()
    lock = Lock(state / "lock")
    assert lock.acquire(wait=0)
    what = [what for level, what, name in found(state) if level == "problem" and name == "lock"]
    lock.release()
    assert f"process {os.getpid()} holds the lock" in what[0]


def test_lines_that_are_no_journal_records_are_problems(state: Path) -> None:
    write_run(state)
    journal = Journal(state / "journal.jsonl")
    for record in ({"kind": "later"}, {"kind": "decision"}, {}, {"kind": "later"}):
        journal.append(record)
    Ledger(state).sync()
    assert [(level, name) for level, _, name in found(state)] == [
        ("problem", "journal.jsonl:2"),
        ("problem", "journal.jsonl:3"),
        ("note", "journal.jsonl"),
    ]
    assert "2 'later'" in found(state)[2][1]


def test_folders_in_the_place_of_files_are_problems(state: Path) -> None:
    write_run(state)
    for name in ("journal.jsonl", "ledger.duckdb", "runs/x.jsonl"):
        (state / name).mkdir()
    problems = [name for level, _, name in found(state) if level == "problem"]
    assert problems == ["journal.jsonl", "x.jsonl", "ledger.duckdb"]


def test_a_state_folder_that_is_a_link_is_a_problem(state: Path) -> None:
    state.symlink_to(state.parent)
    assert [(level, name) for level, _, name in found(state)] == [("problem", ".review-agent")]


def test_a_folder_that_cannot_be_written_is_a_note(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_run(state)
    Ledger(state).sync()
    monkeypatch.setattr(os, "access", lambda place, mode: False)
    assert found(state) == [("note", "this folder cannot be written", ".review-agent")]


@pytest.mark.parametrize("left", [0.0, 0.5])
def test_a_run_log_that_lost_records_is_a_problem_and_keeps_its_rows(state: Path, left: float) -> None:
    path = write_run(state)
    Ledger(state).sync()
    cards = Ledger(state).cards()
    assert cards
    data = path.read_bytes()
    path.write_bytes(data[: data.rfind(b"\n", 0, max(1, int(len(data) * left))) + 1])
    ledger = Ledger(state)
    assert ledger.cards() == cards
    assert any(f"{path.name} is left out: the run log has lost records" in one for one in ledger.notices)
    assert [what for level, what, _ in found(state) if level == "problem" and "lost records" in what]
    path.write_bytes(data)
    assert found(state) == []


def test_a_torn_line_that_was_moved_aside_loses_no_records(state: Path) -> None:
    path = write_run(state)
    data = path.read_bytes()
    path.write_bytes(data + b'{"seq":')
    Ledger(state).sync()
    path.write_bytes(data)
    ledger = Ledger(state)
    ledger.sync()
    assert ledger.notices == []
    assert found(state) == []


def test_a_rebuild_of_what_is_left_of_a_run_log_keeps_the_ledger_that_held_more(state: Path) -> None:
    path = write_run(state)
    Ledger(state).sync()
    data = path.read_bytes()
    path.write_bytes(data[: data.rfind(b"\n", 0, len(data) - 1) + 1])
    notices = Ledger(state).rebuild()
    assert any("the ledger held more records before" in one for one in notices)
    assert (state / "ledger.duckdb.before").exists()
    assert not [what for level, what, _ in found(state) if level == "problem"]
