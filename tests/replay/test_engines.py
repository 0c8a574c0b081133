"""A replay asks whichever engine is wanted; what a model did not answer yet is asked again, what it did is kept."""

from __future__ import annotations

import json

import pytest
from batching import NO_DRAFT, STANDS, answered
from replaycases import make_cases

from review_agent.engines.building import Wanted
from review_agent.errors import UsageError
from review_agent.policy.load import load
from review_agent.replay.cases import jobs_of_folders
from review_agent.replay.run import Plan, replay

pytestmark = pytest.mark.slow

SAYS = {"compile": {"questions": []}, "synthesize": NO_DRAFT, "refute": STANDS}


@pytest.fixture
def plan(tmp_path):
    jobs = jobs_of_folders([make_cases(tmp_path, "python/one")])

    def made(engine, state="state"):
        return Plan(jobs=jobs, policy=load(), engine=engine, state=tmp_path / state)

    return made


def ends(report):
    return {entry.result.unit: (entry.result.verdict, entry.result.status) for entry in report.entries}


def test_halves_wait_for_answers_by_stops_and_are_played_again_from_their_logs(plan, tmp_path):
    files, stops, report = [], 0, replay(plan(Wanted(name="batch", model="m")))
    assert {status for _, status in ends(report).values()} == {"waiting"}
    while "waiting" in {status for _, status in ends(report).values()}:
        stops += 1
        assert stops <= 4
        for requests in (tmp_path / "state/batch").glob("*.jsonl"):
            file = tmp_path / f"{requests.stem}.answers.jsonl"
            if not file.exists():
                files.append(answered(requests, file, SAYS[requests.name.split("-")[0]]))
        report = replay(plan(Wanted(name="batch", model="m", answers=tuple(files))))
    assert ends(report)["python/one:defect"] == ("found", "complete")
    assert report.identity.engine.startswith("rules/")
    assert "+batch:m/" in report.identity.engine
    assert replay(plan(Wanted(name="batch", model="m", answers=tuple(files)))).kept == 2

    played = replay(plan(Wanted(name="recorded", recorded=(tmp_path / "state/runs",)), "again"))
    assert played.identity.engine == report.identity.engine
    assert [one.result.outcomes for one in played.entries] == [one.result.outcomes for one in report.entries]


def test_an_engine_that_cannot_be_had_is_said_before_anything_is_reviewed(plan, tmp_path):
    with pytest.raises(UsageError, match="no such file"):
        replay(plan(Wanted(name="recorded", recorded=(tmp_path / "none",))))
    assert not (tmp_path / "state/runs").exists()


def test_request_files_of_a_replay_hold_one_request_a_line(plan, tmp_path):
    replay(plan(Wanted(name="batch", model="m")))
    lines = [line for file in (tmp_path / "state/batch").glob("*.jsonl") for line in file.read_text().splitlines()]
    assert {json.loads(line)["url"] for line in lines} == {"/v1/chat/completions"}
