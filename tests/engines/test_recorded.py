"""Recorded answers are played by request, under the identity of the engine that gave them."""

from __future__ import annotations

import json

import pytest
from asking import synthesize
from made_runs import started

from review_agent.engines.recorded import Recorded
from review_agent.errors import RecordError, UsageError
from review_agent.runlog import RunLog
from review_agent.vocabulary import Answer, EngineRole, Phase, UnansweredCause, Usage

USAGE = Usage(prompt_tokens=10, completion_tokens=1, cached_tokens=None, cost_usd=0.1)


def log(path, *answers, engine="rules/1+batch:m/1"):
    with RunLog.create(path, {**started("r1"), "engine": engine}, "a1") as run:
        for answer in answers:
            run.event("answer", answer.wire(), Phase.SYNTHESIZE)
        run.flush()
    return path


def said(request, claim, **more):
    return Answer(request_id=request.request_id, engine="m", drafts=({"claim": claim},), **more)


def test_the_first_answer_to_a_request_is_played_and_its_cost_is_not_spent_again(tmp_path):
    one = synthesize(1)
    path = log(tmp_path / "run.jsonl", said(one, "first", usage=USAGE), said(one, "second"))
    (answer,) = Recorded([path]).answer([one])
    assert answer == said(one, "first")


def test_a_missing_answer_is_loudly_unanswered(tmp_path):
    (answer,) = Recorded([log(tmp_path / "run.jsonl", said(synthesize(1), "x"))]).answer([synthesize(2)])
    assert answer.failure is UnansweredCause.NOT_RECORDED
    assert answer.request_id[:12] in synthesize(2).request_id
    assert "synthesize request" in answer.detail


def test_identity_and_roles_are_those_of_the_engine_that_answered(tmp_path):
    model = Recorded([log(tmp_path / "a.jsonl")])
    rules = Recorded([log(tmp_path / "b.jsonl", engine="rules/1")])
    assert (model.identity, model.roles) == ("rules/1+batch:m/1", frozenset(EngineRole))
    assert (rules.identity, rules.roles) == ("rules/1", {EngineRole.SYNTHESIZE})


def test_a_folder_gives_all_its_runs_and_those_of_two_engines_are_refused(tmp_path):
    one, two = synthesize(1), synthesize(2)
    log(tmp_path / "runs" / "a.jsonl", said(one, "x"))
    log(tmp_path / "runs" / "b.jsonl", said(two, "y"))
    assert list(Recorded([tmp_path / "runs"]).answer([one, two])) == [said(one, "x"), said(two, "y")]
    log(tmp_path / "runs" / "c.jsonl", engine="rules/1")
    with pytest.raises(UsageError, match=r"2 engines: .*batch:m/1, rules/1"):
        Recorded([tmp_path / "runs"])


def test_what_holds_no_run_is_named(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "none.jsonl").write_text("")
    for path, message in (("empty", "no run log"), ("none.jsonl", "no run log"), ("gone.jsonl", "no such file")):
        with pytest.raises(UsageError, match=message) as caught:
            Recorded([tmp_path / path])
        assert path in caught.value.where
    with pytest.raises(UsageError, match="no run log is named"):
        Recorded([])


def test_an_answer_of_another_shape_is_named_by_its_line(tmp_path):
    path = log(tmp_path / "run.jsonl", said(synthesize(1), "x"))
    lines = path.read_text().splitlines()
    event = json.loads(lines[2])
    del event["data"]["engine"]
    path.write_text("\n".join([*lines[:2], json.dumps(event)]) + "\n")
    with pytest.raises(RecordError, match="another shape") as caught:
        Recorded([path])
    assert caught.value.where == f"{path}:3"
