"""The ledger says what run logs and journal say, however and how often it came to it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest
from made_runs import bundle, card, hunk, question, sha, write_phases, write_run
from made_states import varied

from review_agent.appendlog import state_folder
from review_agent.errors import RecordError, UsageError
from review_agent.journal import Journal
from review_agent.ledger.store import Ledger
from review_agent.ledger.tables import TABLES
from review_agent.runlog import RunLog, fold, read_events
from review_agent.vocabulary import Act, CardState, Decision, Phase

REVIEW = sha("review", 1)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / ".review-agent"


def decide(state: Path, n: int, act: Act, position: int = 0) -> None:
    seen = card(REVIEW, n)
    record = Decision(
        kind="decision",
        decision_id=sha(n, act, position),
        at="2026-01-02T00:00:00.000+00:00",
        card_id=seen.card_id,
        card_version=seen.card_version,
        fingerprint=seen.fingerprint,
        act=act,
        reason_code=None,
        comment="it's so",
        reviewer="Ada <ada@example.com>",
    )
    Journal(state / "journal.jsonl").append(record.wire())


def dump(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table, in an order of its own."""
    with duckdb.connect(str(path), read_only=True) as connection:
        return {
            name: sorted(connection.execute(f"select * from {name}").fetchall(), key=repr)
            for name in (*TABLES, "card_state")
        }


@contextmanager
def held(path: Path) -> Iterator[None]:
    """A program that knows nothing of our lock has the DuckDB file open."""
    script = f"import duckdb; c = duckdb.connect({str(path)!r}); print('open', flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        program.stdout.readline()
        yield
        program.communicate(b"\n")


def test_every_kind_of_record_becomes_rows(state: Path) -> None:
    write_run(state, cards=2)
    decide(state, 0, Act.ACCEPT)
    Ledger(state).sync()
    counts = {name: len(rows) for name, rows in dump(state / "ledger.duckdb").items()}
    assert counts == {
        "runs": 1,
        "attempts": 1,
        "phases": 8,
        "files": 3,
        "hunks": 3,
        "edits": 3,
        "questions": 3,
        "bundles": 3,
        "queries": 3,
        "evidence": 6,
        "answers": 3,
        "calls": 3,
        "cards": 2,
        "no_findings": 1,
        "rejections": 1,
        "unanswered": 1,
        "skipped": 1,
        "suppressed": 1,
        "failed_files": 1,
        "failures": 1,
        "decisions": 1,
        "samples": 0,
        "displaced": 0,
        "replays": 0,
        "journal_faults": 0,
        "shown": 2,
        "watermarks": 2,
        "card_state": 1,
    }


@pytest.mark.slow
def test_a_file_is_written_that_duckdb_1_4_reads(state: Path) -> None:
    write_run(state)
    Ledger(state).sync()
    with duckdb.connect(str(state / "ledger.duckdb"), read_only=True) as connection:
        tags = connection.execute("select tags from duckdb_databases() where database_name = 'ledger'").fetchone()
    assert tags is not None
    assert tags[0]["storage_version"].startswith("v1.4.0")


def test_a_card_comes_with_all_that_it_came_from(state: Path) -> None:
    write_run(state)
    decide(state, 1, Act.REJECT)
    found = Ledger(state).card(card(REVIEW, 1).card_id[:9])
    assert found.row.card == card(REVIEW, 1).wire()
    assert (found.row.state, found.row.decisions) == (CardState.REJECTED, 1)
    assert (found.question, found.bundle, found.hunk) == (question(1).wire(), bundle(1).wire(), hunk(1).wire())
    assert [decision["comment"] for decision in found.decisions] == ["it's so"]
    assert (found.row.run.review_id, found.row.run.status) == (REVIEW, "complete")


def test_the_state_is_that_of_the_last_act(state: Path) -> None:
    write_run(state)
    for position, act in enumerate([Act.ACCEPT, Act.REOPEN, Act.NEEDS_PROOF]):
        decide(state, 0, act, position)
    ledger = Ledger(state)
    assert [(row.state, row.decisions) for row in ledger.cards()] == [("needs_proof", 3), ("hidden", 0)]
    assert [row.card["questionId"] for row in ledger.cards(state=CardState.HIDDEN)] == ["q1"]


def test_only_phases_that_ended_count(state: Path) -> None:
    path = write_run(state, stop_before=Phase.VERIFY)
    ledger = Ledger(state)
    assert ledger.cards() == []
    assert len(dump(ledger.path)["no_findings"]) == 1
    with RunLog.open(path, "second") as log:
        write_phases(log, REVIEW, 2, "Removing it", [Phase.VERIFY, Phase.RECORD])
    assert len(ledger.cards()) == 2
    assert [(run.status, run.attempts) for run in ledger.runs()] == [("complete", 2)]


def test_answers_of_a_phase_that_was_cut_count_at_once(state: Path) -> None:
    write_run(state, stop_before=Phase.SYNTHESIZE)
    ledger = Ledger(state)
    ledger.sync()
    answers = dump(ledger.path)["answers"]
    assert sorted(row[2:5] for row in answers) == [(f"r{n}", f"q{n}", "synthesize") for n in range(3)]


def test_taking_a_run_in_again_changes_nothing(state: Path) -> None:
    path = write_run(state)
    ledger = Ledger(state)
    assert ledger.ingest_run(path) == []
    before = dump(ledger.path)
    assert ledger.ingest_run(path) == ledger.ingest_journal() == ledger.sync() == []
    assert dump(ledger.path) == before


@pytest.mark.slow
def test_a_ledger_of_everything_made_again_equals_the_live_one_row_for_row(state: Path, tmp_path: Path) -> None:
    """The live one takes in what comes bit by bit: log after log in the wrong order, and the journal line by line."""
    whole = varied(tmp_path / "whole")
    (state_folder(state) / "runs").mkdir()
    ledger = Ledger(state)
    for path in sorted((whole / "runs").glob("*.jsonl"), reverse=True):
        data = path.read_bytes()
        for end in (len(data) // 3, len(data)):
            (state / "runs" / path.name).write_bytes(data[:end])
            ledger.ingest_run(state / "runs" / path.name)
        if path.name.endswith(("0Z-" + REVIEW[:12] + ".jsonl",)):
            ledger.sync()
    for line in (whole / "journal.jsonl").read_bytes().splitlines(keepends=True):
        with (state / "journal.jsonl").open("ab") as file:
            file.write(line[:9])
            file.flush()
            ledger.ingest_journal()
            file.write(line[9:])
    ledger.sync()
    live = dump(ledger.path)
    assert all(live.values())
    ledger.rebuild()
    assert dump(ledger.path) == live


@pytest.mark.slow
def test_a_ledger_grown_step_by_step_equals_one_made_at_once(state: Path) -> None:
    ledger = Ledger(state)
    first = write_run(state, stop_before=Phase.COLLECT)
    ledger.sync()
    write_run(state, review=2, minute=1, cards=5)
    ledger.ingest_run(state / "runs" / "none.jsonl")
    ledger.sync()
    with RunLog.open(first, "second") as log:
        write_phases(log, REVIEW, 2, "Removing it", list(Phase)[2:])
    decide(state, 0, Act.ACCEPT)
    ledger.cards()
    decide(state, 0, Act.DOWNGRADE, 1)
    decide(state, 1, Act.REJECT, 2)
    ledger.ingest_journal()
    ledger.sync()
    live = dump(ledger.path)
    assert ledger.rebuild() == []
    assert dump(ledger.path) == live
    assert sorted(path.name for path in state.iterdir()) == [
        ".gitignore",
        "journal.jsonl",
        "ledger.duckdb",
        "lock",
        "runs",
    ]


def test_a_card_of_two_runs_is_shown_once_as_the_newer_run_has_it(state: Path) -> None:
    write_run(state, minute=0, claim="Old")
    newer = write_run(state, minute=1, claim="New")
    older_only = write_run(state, review=2, minute=0, cards=1)
    ledger = Ledger(state)
    rows = ledger.cards()
    assert [row.card["claim"][:3] for row in rows] == ["New", "New", "Rem"]
    assert {row.run.run_file for row in rows} == {newer.name, older_only.name}
    assert [row.card["claim"][:3] for row in ledger.cards(run="20260102T030405.000000Z-" + REVIEW[:12])] == ["Old"] * 2
    assert len(ledger.cards(run=REVIEW[:7])) == 2
    assert ledger.runs()[0].run_file == newer.name


@pytest.mark.slow
def test_a_card_that_is_not_there_or_not_meant_alone_says_what_to_do(state: Path) -> None:
    write_run(state, cards=20)
    ledger = Ledger(state)
    ids = [row.card["cardId"] for row in ledger.cards()]
    shared = next(one[:1] for one in ids if sum(other.startswith(one[:1]) for other in ids) > 1)
    with pytest.raises(UsageError, match="means") as several:
        ledger.card(shared)
    assert all(one[:12] in several.value.message for one in [one for one in ids if one.startswith(shared)][:2])
    for prefix in ("zz", "", "%", "'"):
        with pytest.raises(UsageError, match="no card") as none:
            ledger.card(prefix)
        assert "cards list" in none.value.hint


def test_without_a_state_folder_nothing_is_made(state: Path) -> None:
    ledger = Ledger(state)
    assert ledger.cards() == ledger.runs() == []
    assert not state.exists()


def test_lone_surrogates_and_nul_do_not_stop_the_ledger(state: Path) -> None:
    path = write_run(state, cards=1, claim="Removing \ud800 and \x00 here")
    ledger = Ledger(state)
    assert ledger.cards()[0].card["claim"] == "Removing ? and \x00 here, in place 0."
    verified = fold(read_events(path)).records[Phase.VERIFY]
    assert verified[0].data["claim"] == "Removing \ud800 and \x00 here, in place 0."


def test_a_run_log_that_cannot_be_read_is_named_and_the_others_are_taken(state: Path) -> None:
    write_run(state)
    bad = write_run(state, review=2, minute=1)
    odd = write_run(state, review=3, minute=2)
    bad.write_bytes(bad.read_bytes() + b"garbage\n")
    text = odd.read_text().replace('"diffAnchor"', '"someAnchor"')
    odd.write_text(text)
    ledger = Ledger(state)
    assert len(ledger.cards()) == 2
    assert sorted(notice.split()[0] for notice in ledger.notices) == [bad.name, odd.name]


def test_junk_newer_than_every_run_is_named_at_every_read(state: Path) -> None:
    write_run(state)
    junk = state / "runs" / "20990101T000000.000000Z-aaaaaaaaaaaa.jsonl"
    junk.write_bytes(b"junk\n")
    ledger = Ledger(state)
    for _ in range(2):
        assert len(ledger.cards()) == 2
        assert ledger.left_out == [junk.name]
        assert f"{junk.name} is left out: line 1" in ledger.notices[0]


def test_a_run_log_without_a_whole_line_has_no_rows(state: Path) -> None:
    path = write_run(state)
    path.write_bytes(b'{"seq":0')
    ledger = Ledger(state)
    assert ledger.runs() == []
    assert ledger.notices == []


@pytest.mark.slow
def test_cards_are_shown_from_the_logs_while_another_program_holds_the_file(state: Path) -> None:
    path = write_run(state)
    ledger = Ledger(state)
    ledger.sync()
    decide(state, 0, Act.ACCEPT)
    before = dump(ledger.path)
    with held(ledger.path):
        assert [row.state for row in ledger.cards()] == ["accepted", "hidden"]
        assert "another program holds the ledger" in ledger.notices[0]
        assert "run logs and journal" in ledger.notices[0]
        assert "another program" in ledger.ingest_run(path)[0]
        for refused in (ledger.sync, ledger.rebuild):
            with pytest.raises(RecordError, match="another program holds"):
                refused()
    assert dump(ledger.path) == before
    assert [row.state for row in ledger.cards()] == ["accepted", "hidden"]
    assert ledger.notices == []


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["garbage", "empty", "cut", "overwritten"])
def test_a_damaged_file_says_rebuild_and_rebuild_mends_it(state: Path, damage: str) -> None:
    path = write_run(state)
    ledger = Ledger(state)
    ledger.sync()
    good, data = dump(ledger.path), ledger.path.read_bytes()
    ledger.path.write_bytes(
        {
            "garbage": b"garbage" * 1000,
            "empty": b"",
            "cut": data[:5000],
            "overwritten": data[:4096] + b"\xff" * 8192 + data[12288:],
        }[damage]
    )
    for call in (ledger.cards, ledger.sync):
        with pytest.raises(RecordError, match="damaged") as caught:
            call()
        assert "review-agent ledger rebuild" in caught.value.hint
    assert "damaged" in ledger.ingest_run(path)[0]
    ledger.rebuild()
    assert dump(ledger.path) == good


@pytest.mark.slow
def test_what_an_old_file_left_unwritten_is_not_replayed_into_a_new_one(state: Path) -> None:
    write_run(state)
    ledger = Ledger(state)
    ledger.sync()
    good = dump(ledger.path)
    (state / "ledger.duckdb.wal").write_bytes(b"left by a crash")
    (state / "ledger.duckdb.new").write_bytes(b"left by another")
    ledger.rebuild()
    assert dump(ledger.path) == good
    assert not list(state.glob("ledger.duckdb.*"))


def test_a_journal_that_is_damaged_inside_is_not_passed_over(state: Path) -> None:
    write_run(state)
    decide(state, 0, Act.ACCEPT)
    journal = state / "journal.jsonl"
    journal.write_bytes(b"garbage\n" + journal.read_bytes())
    with pytest.raises(RecordError) as caught:
        Ledger(state).cards()
    assert caught.value.where == f"{journal}:1"


def test_a_journal_that_is_gone_does_not_take_its_decisions_along(state: Path) -> None:
    write_run(state)
    decide(state, 0, Act.ACCEPT)
    ledger = Ledger(state)
    ledger.sync()
    (state / "journal.jsonl").unlink()
    assert ledger.cards()[0].state is CardState.ACCEPTED


def test_a_full_disk_leaves_the_run_log_and_cards_are_still_shown(state: Path, small_disk: Path) -> None:
    write_run(state)
    here = state_folder(small_disk / ".review-agent")
    (here / "runs").mkdir()
    for path in (state / "runs").iterdir():
        (here / "runs" / path.name).write_bytes(path.read_bytes())
    with pytest.raises(OSError, match="No space"):
        (small_disk / "filler").write_bytes(b"x" * 200_000)
    ledger = Ledger(here)
    assert len(ledger.cards()) == 2
    assert "run logs and journal" in ledger.notices[0]
    assert not list(here.glob("ledger.duckdb*"))


@pytest.mark.slow
@pytest.mark.parametrize("lock", [True, False])
def test_a_read_only_state_folder_is_read_with_a_notice(state: Path, disk: Path, lock: bool) -> None:
    path = write_run(state)
    Ledger(state).sync()
    here = disk / ".review-agent"
    shutil.copytree(state, here)
    if not lock:
        (here / "lock").unlink()
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    ledger = Ledger(here)
    assert len(ledger.cards()) == 2
    assert "Read-only file system" in ledger.notices[0]
    assert "run logs and journal" in ledger.notices[0]
    assert [(finding.level, finding.where) for finding in ledger.doctor()] == [("note", str(here))]
    with pytest.raises(RecordError, match="Read-only file system"):
        RunLog.open(here / "runs" / path.name, "two")
    with pytest.raises(RecordError, match="Read-only file system"):
        ledger.rebuild()


def test_lines_that_are_no_journal_records_are_named_at_every_read(state: Path) -> None:
    write_run(state)
    for record in ({"kind": "later"}, {"kind": "decision"}, {}):
        Journal(state / "journal.jsonl").append(record)
    decide(state, 0, Act.ACCEPT)
    for _ in range(2):
        ledger = Ledger(state)
        assert [row.state for row in ledger.cards()] == ["accepted", "hidden"]
        assert [notice.split()[0] for notice in ledger.notices] == ["journal.jsonl:2", "journal.jsonl:3"]
    assert len(dump(ledger.path)["decisions"]) == 1


@pytest.mark.slow
def test_a_rebuild_that_loses_runs_keeps_the_old_ledger(state: Path) -> None:
    write_run(state)
    bad = write_run(state, review=2, minute=1)
    ledger = Ledger(state)
    ledger.sync()
    good = dump(ledger.path)
    bad.write_bytes(b"garbage\n" + bad.read_bytes())
    before = state / "ledger.duckdb.before"
    before.write_bytes(b"older")
    notices = ledger.rebuild()
    assert ledger.left_out == [bad.name]
    assert bad.name in notices[0]
    assert before.name in notices[1]
    assert dump(before) == good
    assert len(dump(ledger.path)["runs"]) == 1
    ledger.rebuild()
    assert dump(before) == good


@pytest.mark.parametrize("use", ["rebuild", "cards", "sync"])
def test_a_folder_in_the_place_of_the_ledger_says_what_to_do(state: Path, use: str) -> None:
    write_run(state)
    (state / "ledger.duckdb").mkdir()
    with pytest.raises(RecordError, match="not a file") as caught:
        getattr(Ledger(state), use)()
    assert caught.value.where == str(state / "ledger.duckdb")
    assert "move it away" in caught.value.hint


@pytest.mark.parametrize("target", ["outside", "nowhere", None])
def test_what_is_not_a_folder_is_not_read_as_an_empty_ledger(state: Path, target: str | None) -> None:
    write_run(state.parent / "outside")
    if target is None:
        state.write_text("")
    else:
        state.symlink_to(state.parent / target)
    for use in (Ledger(state).cards, Ledger(state).runs, Ledger(state).sync, Ledger(state).rebuild):
        with pytest.raises(RecordError) as caught:
            use()
        assert caught.value.where == str(state)
    assert not list((state.parent / "outside").glob("ledger*"))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    yield from mounted(tmp_path, "128k")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    yield from mounted(tmp_path, "16m")


def mounted(tmp_path: Path, size: str) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], capture_output=True).returncode:
        pytest.skip("mounting a disk is not permitted here")
    yield folder
    subprocess.run(["umount", folder], check=True)


KILLED = """
import os, random, signal, sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from review_agent.journal import Journal
from review_agent.ledger.store import Ledger
chance = random.Random(3)
for _ in range(int(sys.argv[3])):
    child = os.fork()
    if not child:
        state = Path(sys.argv[1])
        while True:
            Ledger(state).rebuild()
            (state / "ledger.duckdb").unlink()
            Ledger(state).sync()
            for _ in range(3):
                next((state / "runs").glob("*.jsonl")).open("ab").write(b"torn")
                Journal(state / "journal.jsonl").append({"kind": "later"})
                Ledger(state).sync()
    time.sleep(chance.uniform(0.02, 0.4))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
"""


@pytest.mark.slow
def test_a_ledger_killed_while_it_is_made_is_whole_or_absent(state: Path) -> None:
    write_run(state, cards=10)
    decide(state, 0, Act.ACCEPT)
    command = [sys.executable, "-c", KILLED, str(state), os.getcwd(), "8"]
    subprocess.run(command, check=True, timeout=60)
    ledger = Ledger(state)
    assert [row.state for row in ledger.cards()] == ["accepted", *["hidden"] * 9]
    live = dump(ledger.path)
    ledger.rebuild()
    assert dump(ledger.path) == live
