"""Whole reviews by a batch under a small budget: what was asked, how the rest ends, and that nothing changes it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from batching import NO_DRAFT, QUESTION, shop

from review_agent import cli
from review_agent.engines.messages import system
from review_agent.engines.spend import MARGIN
from review_agent.engines.tokens import counted_tokens
from review_agent.policy.load import load
from review_agent.publish.account import next_step
from review_agent.resources import shipped
from review_agent.vocabulary import ReviewDocument

pytestmark = pytest.mark.slow

SAYS = {"compile": {"questions": []}, "synthesize": NO_DRAFT}
PARTS = 6


@pytest.fixture
def policy(tmp_path):
    """A policy folder with so much room for prompts, counted in shortest prompts."""

    def made(prompts):
        room = int(prompts * MARGIN * counted_tokens(system(load())))
        (tmp_path / "policy").mkdir(exist_ok=True)
        whole = (shipped("policy") / "engine.yml").read_text()
        for name, value in (
            ("promptTokens: 400000", f"promptTokens: {room}"),
            ("groupBytes: 16000", "groupBytes: 1000"),
            ("questionsPerRun: 1 ", "questionsPerRun: 2 "),
        ):
            assert whole.count(name) == 1
            whole = whole.replace(name, value)
        (tmp_path / "policy" / "engine.yml").write_text(whole)
        return tmp_path / "policy"

    return made


@pytest.fixture
def parts(repo):
    """A change of several parts, each of which is a request of its own."""
    text = "".join(f"def part_{n}(value):\n    return value + {n}\n\n\n" for n in range(12))
    for n in range(PARTS):
        repo.write(f"mod{n}.py", text)
    repo.commit("first")
    for n in range(PARTS):
        repo.write(f"mod{n}.py", text.replace("value + ", f"value * {n + 2} + "))
    return repo, repo.commit("second")


class Reviewing:
    """Reviews of one commit, and the files of requests and answers between them."""

    def __init__(self, capsys, repo, commit, policy, tmp_path):
        self.capsys, self.repo, self.commit, self.policy, self.tmp = capsys, repo, commit, policy, tmp_path
        self.sent: dict[str, list[str]] = {}

    @property
    def state(self):
        return self.repo.root / ".review-agent"

    @property
    def log(self):
        (log,) = (self.state / "runs").glob("*.jsonl")
        return log

    def run(self, *args, engine="batch", form="json"):
        said = ["--repo", self.repo.root, "--commit", self.commit, "--policy", self.policy, "--format", form]
        with pytest.raises(SystemExit) as stop:
            cli.main(["review", *map(str, (*said, "--engine", engine, *args))])
        shown = self.capsys.readouterr()
        return int(stop.value.code or 0), shown.out, shown.err

    def answers(self, says, share=None):
        """Answers to all requests on file, by a server that told its usage; or to a share of those in each file."""
        lines = []
        for file in sorted((self.state / "batch").glob("*.jsonl")):
            role = file.name.split("-")[0]
            requests = [json.loads(line)["custom_id"] for line in file.read_text().splitlines()]
            self.sent.setdefault(role, requests)
            lines += [by_server(one, says[role]) for one in requests[: None if share is None else share]]
        path = self.tmp / "answers.jsonl"
        path.write_text("".join(json.dumps(one) + "\n" for one in lines))
        return path

    def to_the_end(self, says=SAYS, share=None):
        """From stop to stop; returns the exit code and the document."""
        last = self.run()
        while last[0] == 4:
            last = self.run("--answers", self.answers(says, share))
            share = None
        assert last[1], last[2]
        return last[0], json.loads(last[1])

    def outcomes(self, *args, engine):
        """The outcomes alone, of a review that begins anew."""
        shutil.rmtree(self.state)
        code, out, err = self.run(*args, engine=engine, form="outcomes")
        assert code == 3, err
        return out


def by_server(request, content):
    body = {
        "model": "m",
        "choices": [{"message": {"content": json.dumps(content)}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 30},
    }
    return {"custom_id": request, "response": {"status_code": 200, "body": body}, "error": None}


def test_of_a_change_of_many_parts_only_those_are_asked_about_that_there_is_room_for(capsys, parts, policy, tmp_path):
    review = Reviewing(capsys, *parts, policy(3.6), tmp_path)
    code, document = review.to_the_end()
    assert len(review.sent["compile"]) == 3
    assert (code, document["run"]["status"]) == (3, "incomplete")
    failures = document["coverage"]["failures"]
    assert len(failures) >= PARTS - 3
    assert {one["what"] for one in failures} == {"compile"}
    assert all(one["detail"].startswith("tokens_spent: ") and "promptTokens" in one["detail"] for one in failures)
    asked = sum(map(len, review.sent.values()))
    spend = document["spend"]
    assert (spend["promptTokens"], spend["completionTokens"]) == (1000 * asked, 30 * asked)


@pytest.mark.parametrize("share", [0, 1, 2])
def test_outcomes_are_the_same_bytes_in_portions_in_one_go_and_played_again(capsys, parts, policy, tmp_path, share):
    review = Reviewing(capsys, *parts, policy(3.6), tmp_path)
    code, document = review.to_the_end(share=share)
    assert code == 3
    kept = shutil.copy(review.log, tmp_path / "kept.jsonl")
    every = review.answers(SAYS)
    portions = review.outcomes("--recorded", kept, engine="recorded")
    assert json.loads(portions)["outcomes"] == document["outcomes"]
    assert review.outcomes("--answers", every, engine="batch") == portions


def test_a_question_without_room_is_unanswered_and_a_new_run_asks_for_it(capsys, repo, policy, tmp_path):
    _, head = shop(repo)
    review = Reviewing(capsys, repo, head, policy(1.7), tmp_path)
    two = {"questions": [QUESTION, {**QUESTION, "change": "another", "consequence": "another"}]}
    code, document = review.to_the_end({**SAYS, "compile": two})
    outcomes = document["outcomes"]
    assert (code, len(review.sent["synthesize"]), len(outcomes["noFindings"])) == (3, 1, 1)
    (one,) = outcomes["unanswered"]
    assert one["cause"] == "tokens_spent"
    assert "promptTokens" in one["detail"]
    assert next_step(ReviewDocument.model_validate(document)).startswith(
        "run the same command again: it asks for the rest"
    )
    code, _, err = review.run()
    assert code == 4, err
    assert "waiting for answers to 1 synthesize request" in err
    (newest,) = [
        Path(file)
        for file in (review.state / "batch").glob("synthesize-*")
        if _first(file) not in review.sent["synthesize"]
    ]
    assert len(newest.read_text().splitlines()) == 1


def _first(file):
    return json.loads(file.read_text().splitlines()[0])["custom_id"]
