"""A whole replay: worker processes, crashes, stopping and going on."""

from __future__ import annotations

import json
import sys
import threading
import time

import pytest
from replaycases import CHANGED, make_cases

from review_agent.engines.building import Wanted
from review_agent.errors import RecordError, UsageError
from review_agent.policy.load import load
from review_agent.replay import pool
from review_agent.replay.cases import jobs_of_folders
from review_agent.replay.log import FILE, opened
from review_agent.replay.pool import Pool
from review_agent.replay.run import Plan, replay

pytestmark = pytest.mark.slow

STUB = """
import json, os, sys, time
told = json.loads(sys.stdin.readline())
for line in sys.stdin:
    job = json.loads(line)
    if "boom" in job["unit"]: os.abort()
    if "slow" in job["unit"]: time.sleep(60)
    if "odd" in job["unit"]: print("this is no result", flush=True); continue
    print(json.dumps({"unit": job["unit"], "verdict": "silent", "status": "complete", "runLog": "runs/x.jsonl",
                      "reason": str(os.getpid())}), flush=True)
"""


@pytest.fixture
def stub(monkeypatch):
    monkeypatch.setattr(pool, "command", lambda: [sys.executable, "-c", STUB])


def plan(tmp_path, *names, **told):
    jobs = jobs_of_folders([make_cases(tmp_path, *names)])
    return Plan(jobs=jobs, policy=load(), engine=Wanted(), state=tmp_path / "state", **told)


def test_real_workers_review_all_halves_and_keep_their_trails(tmp_path):
    told = []
    report = replay(plan(tmp_path, "python/one", processes=2, progress=lambda *args: told.append(args)))
    assert {entry.result.unit: entry.result.verdict for entry in report.entries} == {
        "python/one:defect": "found",
        "python/one:twin": "silent",
    }
    assert sorted(done for done, total, _ in told) == [1, 2]
    assert all((tmp_path / "state" / entry.result.run_log).is_file() for entry in report.entries)
    memory = report.entries[0].result.memory
    assert memory is not None
    assert 10_000 < memory.held_kb <= memory.peak_kb < 1_000_000
    again = replay(plan(tmp_path, "python/one"))
    assert (again.kept, [entry.result for entry in again.entries]) == (2, [entry.result for entry in report.entries])


def test_a_crash_costs_one_half_and_the_rest_goes_on(tmp_path, stub):
    report = replay(plan(tmp_path, "a", "boom", "c", "odd", "e", processes=2))
    failed = {entry.case for entry in report.entries if entry.result.verdict == "failed"}
    assert failed == {"boom", "odd"}
    reasons = {entry.result.reason for entry in report.entries if entry.result.verdict == "failed"}
    assert all("the worker process failed" in reason for reason in reasons)
    assert report.figures.failed == 4


def test_a_half_that_takes_too_long_is_given_up(tmp_path, stub):
    report = replay(plan(tmp_path, "a", "slow", processes=2, seconds=2.0))
    reasons = [entry.result.reason for entry in report.entries if entry.result.verdict == "failed"]
    assert len(reasons) == 2
    assert all("did not answer within 2 seconds" in reason for reason in reasons)


def test_a_worker_is_renewed_after_so_many_halves(tmp_path, stub, monkeypatch):
    monkeypatch.setattr(pool, "_RENEW_AFTER", 3)
    report = replay(plan(tmp_path, "a", "b", "c", "d", processes=1))
    pids = [entry.result.reason for entry in report.entries]
    assert [len(set(pids[start : start + 3])) for start in (0, 3, 6)] == [1, 1, 1]
    assert len(set(pids)) == 3


def kept_log(state):
    (state / "runs").mkdir(parents=True, exist_ok=True)
    (state / "runs/x.jsonl").touch()


def test_what_was_done_before_an_interruption_is_not_done_again(tmp_path, stub):
    kept_log(tmp_path / "state")
    done = []

    def stop_after_three(count, total, unit):
        done.append(unit)
        if count == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        replay(plan(tmp_path, "a", "b", "c", "d", progress=stop_after_three))
    report = replay(plan(tmp_path, "a", "b", "c", "d", progress=lambda *args: done.append(args[2])))
    assert report.kept == 3
    assert len(done) == len(set(done)) == 8
    assert replay(plan(tmp_path, "a", "b", "c", "d", fresh=True)).kept == 0


def test_ctrl_c_in_the_main_thread_kills_the_workers(tmp_path, stub, monkeypatch):
    real = threading.Thread.join
    monkeypatch.setattr(threading.Thread, "join", lambda self, wait=None: interrupted(real, self, wait))
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        replay(plan(tmp_path, "slow", processes=2))
    assert time.monotonic() - started < 20


def interrupted(real, thread, wait):
    if wait is None:
        return real(thread)
    time.sleep(1)
    raise KeyboardInterrupt


def test_a_changed_case_policy_or_product_is_reviewed_again(tmp_path, stub, monkeypatch):
    kept_log(tmp_path / "state")
    assert [replay(plan(tmp_path, "a", "b")).kept for _ in range(2)] == [0, 4]
    (tmp_path / "cases/a/twin/head/shop/orders.py").write_text(CHANGED)
    jobs = jobs_of_folders([tmp_path / "cases"])
    of_jobs = Plan(jobs=jobs, policy=load(), engine=Wanted(), state=tmp_path / "state")
    assert [replay(of_jobs).kept for _ in range(2)] == [3, 4]
    other = load().model_copy(update={"hash": "0" * 64})
    assert replay(Plan(jobs=jobs, policy=other, engine=Wanted(), state=tmp_path / "state")).kept == 0
    monkeypatch.setattr("review_agent.replay.product.source_digest", lambda: "1" * 64)
    monkeypatch.setattr("review_agent.replay.run.source_digest", lambda: "1" * 64)
    assert replay(of_jobs).kept == 0


def test_of_a_product_edited_meanwhile_nothing_is_kept(tmp_path, stub, monkeypatch):
    kept_log(tmp_path / "state")
    monkeypatch.setattr("review_agent.replay.run.source_digest", lambda: "2" * 64)
    assert replay(plan(tmp_path, "a")).figures.failed == 0
    monkeypatch.undo()
    monkeypatch.setattr(pool, "command", lambda: [sys.executable, "-c", STUB])
    assert replay(plan(tmp_path, "a")).kept == 0


def test_a_failure_is_on_record_and_never_taken_for_an_answer(tmp_path, stub):
    kept_log(tmp_path / "state")
    for _ in range(2):
        report = replay(plan(tmp_path, "boom", "b"))
    assert (report.kept, report.figures.failed) == (2, 2)
    lines = [json.loads(line) for line in (tmp_path / "state" / FILE).read_text().splitlines()]
    assert sum(line["result"]["verdict"] == "failed" for line in lines) == 4


def test_a_result_without_its_trail_is_made_again(tmp_path, stub):
    replay(plan(tmp_path, "a"))
    assert replay(plan(tmp_path, "a")).kept == 0


def test_one_replay_at_a_time_works_in_a_state_folder(tmp_path, stub):
    with opened(tmp_path / "state", fresh=False), pytest.raises(RecordError, match="in use"):
        replay(plan(tmp_path, "a"))


def test_a_torn_tail_of_the_log_costs_the_torn_result_only(tmp_path, stub):
    kept_log(tmp_path / "state")
    replay(plan(tmp_path, "a", "b"))
    log = tmp_path / "state" / FILE
    log.write_bytes(log.read_bytes()[:-20])
    assert replay(plan(tmp_path, "a", "b")).kept == 3


def test_an_error_of_the_record_ends_the_replay(tmp_path, stub):
    def broken(job, result):
        raise RecordError("the disk is gone")

    jobs = jobs_of_folders([make_cases(tmp_path, "a", "b")])
    with pytest.raises(RecordError, match="the disk is gone"):
        Pool(2, policy=load(), engine=Wanted(), state=tmp_path).run(jobs, broken)


def test_an_unknown_engine_is_refused(tmp_path):
    jobs = jobs_of_folders([make_cases(tmp_path)])
    with pytest.raises(UsageError, match="no engine called 'crystal'"):
        replay(Plan(jobs=jobs, policy=load(), engine=Wanted(name="crystal"), state=tmp_path / "state"))
