"""A whole review whose questions a model answers over HTTP: interrupted, killed, without an endpoint, by a real one."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from local_model import local_model
from model_server import BEHAVIOURS, NO_FINDING, QUESTION, ModelServer, patience

from review_agent.ledger.store import Ledger
from review_agent.vocabulary import CallError

pytestmark = pytest.mark.slow

POLICY = Path(__file__).parents[2] / "policy"
FILES, KEY = 10, "sk-end-to-end-0123456789"
CLI = [sys.executable, "-c", "from review_agent.cli import main; main()"]
FUNCTION = '''def price{n}(table, sku):
    """What a piece of sku costs, in cents; the table is kept by the shop."""
    found = table{access}
    return found + {n}


def total{n}(table, skus):
    """What all of them cost."""
    return sum(price{n}(table, sku) for sku in skus)
'''


def engine_file(folder: Path, **changes: object) -> Path:
    """A policy folder whose engine.yml differs from the shipped one in these lines."""
    shipped = (POLICY / "engine.yml").read_text(encoding="utf-8")
    for name, value in changes.items():
        shipped, count = re.subn(rf"(?m)^(\s*{name}:).*$", rf"\g<1> {value}", shipped)
        assert count, name
    folder.mkdir(exist_ok=True)
    (folder / "engine.yml").write_text(shipped, encoding="utf-8")
    return folder


def changed(repo, files: int):
    """The repository with a commit that touches so many files, in many diff groups."""
    for access in ("[sku]", ".get(sku)"):
        for n in range(files):
            repo.write(f"shop/f{n}.py", FUNCTION.format(n=n, access=access))
        repo.commit(f"by {access}")
    return repo


@pytest.fixture
def change(repo):
    return changed(repo, FILES)


class Reviewed:
    """One run of the command line, and the one run log that it wrote to."""

    def __init__(self, repo, policy: Path, url: str, *more: str) -> None:
        self.repo = repo
        asked = ["--engine", "openai", "--model", "m", "--base-url", url, "--policy", str(policy)]
        self.argv = [*CLI, "review", "--commit", "HEAD", "--format", "json", *asked, *more]

    def start(self) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "REVIEW_AGENT_API_KEY": KEY}
        return subprocess.Popen(
            self.argv,
            cwd=self.repo.root,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def whole(self) -> tuple[int, dict]:
        process = self.start()
        out, err = process.communicate(timeout=1500)
        assert b"Traceback" not in err, err
        return process.returncode, json.loads(out) if out else {}

    @property
    def log(self) -> Path:
        (log,) = (self.repo.root / ".review-agent/runs").glob("*.jsonl")
        return log

    def events(self, kind: str) -> list[dict]:
        lines = [line for line in self.log.read_bytes().split(b"\n")[:-1] if line]
        return [one["data"] for one in map(json.loads, lines) if one["type"] == kind]


def _question(path: str, change: str) -> dict:
    plan = [{**QUESTION["plan"][0], "name": f"price{path[6:-3]}"}]
    return {**QUESTION, "path": path, "startLine": 3, "endLine": 3, "change": change, "plan": plan}


def numbered(server_of: list[ModelServer]):
    """Good replies: to compile, one question on each line that changed; to a question, that nothing is found, with the
    number by which the server saw the request."""

    def good(name: str, body: dict) -> dict:
        number = next(n for n, one in enumerate(server_of[0].seen) if one.body is body)
        if name == "questions":
            paths = sorted(set(re.findall(r"shop/f\d+\.py", body["messages"][1]["content"])))
            return {"questions": [_question(path, f"reply {number}") for path in paths]}
        return {"drafts": [], "noFinding": {**NO_FINDING, "detail": f"reply {number}"}}

    return good


def served(**changes) -> ModelServer:
    of: list[ModelServer] = []
    of.append(ModelServer(good=numbered(of), **changes))
    return of[0]


def wide(tmp_path: Path, **changes: object) -> Path:
    limits = {"groupBytes": 1000, "groupsPerRun": 1000, "questionsPerRun": FILES, "concurrency": 3}
    return engine_file(tmp_path / "policy", **{**limits, **changes})


def test_a_review_by_a_model_says_what_the_server_served(change, tmp_path) -> None:
    with served() as server:
        run = Reviewed(change, wide(tmp_path), server.base_url)
        code, document = run.whole()
    assert code == 0
    assert Counter(one.name for one in server.seen)["questions"] > 1
    assert sum(one["rule"].startswith("compiled:") for one in document["outcomes"]["noFindings"]) == FILES
    calls = run.events("call")
    assert len(calls) == len(server.seen) == server.told.replies
    assert document["spend"]["promptTokens"] == server.told.prompt
    assert document["spend"]["completionTokens"] == server.told.completion
    assert sum(call["usage"]["cachedTokens"] for call in calls) == server.told.cached
    assert document["spend"]["costUsd"] is None
    told = subprocess.run(
        [*CLI, "explain", run.log.stem, "--format", "json"], cwd=change.root, capture_output=True, text=True, check=True
    ).stdout
    assert all(KEY not in text for text in (run.log.read_text(), json.dumps(document), told))


def test_the_ledger_says_what_a_misbehaving_server_served_five_hundred_questions(repo, tmp_path) -> None:
    change, ample = changed(repo, 700), 10**9  # some groups of files lose their questions to the server's tempers
    chance, names = random.Random(11), list(BEHAVIOURS)

    def choose(n: int, body: dict) -> str:
        return "good" if n == 0 or chance.random() < 0.6 else chance.choice(names)

    limits = {"promptTokens": ample, "completionTokens": ample, "questionsPerRun": 700}
    policy = wide(tmp_path, secondsPerCall=3, concurrency=8, **limits)
    with served(choose=choose) as server:
        run = Reviewed(change, policy, server.base_url)
        code, document = run.whole()
    (spent,) = Ledger(change.root / ".review-agent").run(run.log.stem).calls
    assert code == 3
    assert document["run"]["status"] == "incomplete"
    asked = [one for one in server.seen if one.name == "synthesis"]
    assert len({one.body["messages"][1]["content"] for one in asked}) >= 500
    assert server.most_at_once <= 8
    assert spent.calls == len(server.seen)
    assert spent.prompt_tokens == server.told.prompt
    assert spent.completion_tokens == server.told.completion
    assert spent.cached_tokens == server.told.cached
    assert spent.unmetered == len(server.seen) - server.told.replies
    expected = Counter(BEHAVIOURS[one.behaviour][1] for one in server.seen)
    del expected[None]
    assert spent.errors == expected


def _asked_again(server: ModelServer, before: int, run: Reviewed, recorded: set[int]) -> list[int]:
    """Which requests that have a recorded answer were sent again after the first ``before``."""
    bodies = [one.body["messages"] for one in server.seen]
    return [n for n in recorded if bodies[n] in bodies[before:]]


def _recorded(run: Reviewed) -> set[int]:
    """The numbers of the replies whose answers are in the log."""
    answers = [json.dumps(one) for one in run.events("answer")]
    return {int(found[1]) for one in answers if (found := re.search(r"reply (\d+)", one))}


@pytest.mark.parametrize(
    ("how", "after"),
    [(signal.SIGKILL, 4), (signal.SIGKILL, 9), (signal.SIGINT, 4), (signal.SIGINT, 9)],
    ids=["killed early", "killed late", "interrupted early", "interrupted late"],
)
def test_a_run_that_was_stopped_goes_on_and_asks_no_recorded_answer_again(change, tmp_path, how, after: int) -> None:
    with served(slowest=0.4) as server:
        run = Reviewed(change, wide(tmp_path), server.base_url)
        process = run.start()
        assert patience(120, lambda: server.told.replies >= after)
        time.sleep(0.1)  # what came is on disk, most likely, and the next reply is waited for
        os.kill(process.pid, how)
        process.communicate(timeout=60)
        before, recorded = len(server.seen), _recorded(run)
        cut = [one for one in run.events("call") if one["error"] == CallError.INTERRUPTED]
        server.slowest = 0.0
        code, document = run.whole()
    assert len(recorded) >= after - 3, "an answer is on record as it comes"
    assert process.returncode == (130 if how == signal.SIGINT else -signal.SIGKILL)
    assert len(cut) <= (3 if how == signal.SIGINT else 0)
    assert code == 0
    assert _asked_again(server, before, run, recorded) == []
    assert len(document["outcomes"]["unanswered"]) == 0
    assert sum(one["rule"].startswith("compiled:") for one in document["outcomes"]["noFindings"]) == FILES
    numbers = Counter((call["requestId"], call["number"]) for call in run.events("call"))
    assert set(numbers.values()) == {1}, "tries of a request are counted over all attempts"


def steady(name: str, body: dict) -> dict:
    """As ``numbered``, the same whenever it is asked."""
    if name == "questions":
        paths = sorted(set(re.findall(r"shop/f\d+\.py", body["messages"][1]["content"])))
        return {"questions": [_question(path, "steady") for path in paths]}
    return {"drafts": [], "noFinding": {**NO_FINDING, "detail": "steady"}}


@pytest.mark.parametrize("good", [1, 4, 9], ids=["few parts", "more parts", "some questions"])
def test_an_incomplete_run_again_asks_what_has_no_answer_and_ends_as_if_nothing_had_failed(
    change, tmp_path, good: int
) -> None:
    policy = wide(tmp_path, retries=0, concurrency=1)
    with ModelServer(lambda n, body: "good" if n < good else "401", good=steady) as server:
        first = Reviewed(change, policy, server.base_url)
        code, document = first.whole()
        refused = first.log
        answered = [one.body["messages"] for one in server.seen[:good]]
    assert code == 3
    assert document["run"]["status"] == "incomplete"
    with ModelServer(good=steady) as server:
        code, again = Reviewed(change, policy, server.base_url).whole()
        assert not [one for one in server.seen if one.body["messages"] in answered]
        asked = len(server.seen)
        (log,) = [one for one in change.root.glob(".review-agent/runs/*.jsonl") if one != refused]
        refused.rename(tmp_path / refused.name)
        code_of_whole, whole = Reviewed(change, policy, server.base_url, "--format", "outcomes").whole()
    assert (code, code_of_whole) == (0, 0)
    assert again["outcomes"] == whole["outcomes"]
    assert again["run"]["reviewId"] == document["run"]["reviewId"]
    played = ["--engine", "recorded", "--recorded", str(log), "--policy", str(policy), "--format", "outcomes"]
    argv = [*CLI, "review", "--commit", "HEAD", *played]
    alone = subprocess.run(argv, cwd=change.root, capture_output=True, check=True)
    assert json.loads(alone.stdout)["outcomes"] == whole["outcomes"], "its log holds all that it followed from"
    calls = sum(one["type"] == "call" for log in change.root.glob(".review-agent/runs/*.jsonl") for one in events(log))
    assert calls - asked == asked + good, "a run that ended complete is asked anew as a whole"


def events(log: Path) -> list[dict]:
    return [json.loads(line) for line in log.read_bytes().splitlines()]


def test_a_killed_run_stays_within_the_budget_of_all_its_attempts(change, tmp_path) -> None:
    limit = 30_000
    policy = wide(tmp_path, completionTokens=limit)
    with served(slowest=0.4) as server:
        run = Reviewed(change, policy, server.base_url)
        process = run.start()
        assert patience(120, lambda: server.told.replies >= 4)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=60)
        code, document = run.whole()
    assert server.exposed.completion <= limit
    assert code in (0, 3)
    assert {one["cause"] for one in document["outcomes"]["unanswered"]} <= {"tokens_spent"}


def test_an_endpoint_that_fails_throughout_gives_an_incomplete_run_that_keeps_what_the_rules_found(
    change, tmp_path
) -> None:
    with ModelServer(lambda n, body: "503") as server:
        failing = Reviewed(change, wide(tmp_path, retries=0), server.base_url)
        code, document = failing.whole()
    failures = {one["failure"] for one in failing.events("answer")} - {None}
    by_rules = subprocess.run(
        [*CLI, "review", "--commit", "HEAD", "--format", "json"], cwd=change.root, capture_output=True, check=False
    )
    rules = json.loads(by_rules.stdout)
    assert code == 3
    assert document["run"]["status"] == "incomplete"
    assert len(server.seen) <= 3 * 8
    assert failures == {"endpoint_down"}
    assert {one["cause"] for one in document["outcomes"]["unanswered"]} <= {"endpoint_down"}
    assert [card["claim"] for card in document["outcomes"]["cards"]] == [
        card["claim"] for card in rules["outcomes"]["cards"]
    ]


def test_a_real_model_reviews_and_nothing_of_what_it_makes_up_can_be_posted(repo, tmp_path) -> None:
    """A model of its size cannot judge code: whatever it says ends in the record, and none of it on a pull request."""
    limits = dict.fromkeys(("compile", "synthesize", "refute"), 120)
    policy = engine_file(tmp_path / "policy", concurrency=1, retries=0, secondsPerCall=600, **limits)
    for prompt in POLICY.glob("prompt-*.md"):
        (policy / prompt.name).write_text("Judge the change in {language}.\n")
    (policy / "policy.md").write_text("Be brief.\n")
    caller = "from shop.f1 import price1\n\n\ndef f({parameters}):\n    return price1({{}}, a)\n"
    repo.write("shop/f3.py", "from shop.f2 import f\n\n\nclass A:\n    def g(self, x):\n        return x.f(1)\n")
    for access, parameters in (("[sku]", "a"), (".get(sku)", "a, b")):
        repo.write("shop/f1.py", FUNCTION.format(n=1, access=access))
        repo.write("shop/f2.py", caller.format(parameters=parameters))
        repo.commit(access)
    with local_model() as url:
        run = Reviewed(repo, policy, url)
        code, document = run.whole()
    calls, roles = run.events("call"), {one["role"] for one in run.events("request")}
    assert {"compile", "synthesize"} <= roles
    assert code in (0, 3)
    assert {call["error"] for call in calls} <= {None, "truncated", "not_json", "not_schema", "empty"}
    used = [call["usage"] for call in calls]
    assert all(one["promptTokens"] > 0 and one["completionTokens"] > 0 for one in used)
    (spent,) = Ledger(repo.root / ".review-agent").run(run.log.stem).calls
    assert spent.calls == len(calls) >= 3
    assert spent.prompt_tokens == document["spend"]["promptTokens"] == sum(one["promptTokens"] for one in used)
    assert spent.cached_tokens == sum(one["cachedTokens"] for one in used) > 0
    assert spent.cost_usd is None
    posted = {card["rule"] for card in document["outcomes"]["cards"] if card["modelMayPost"]}
    assert not [rule for rule in posted if rule.startswith("compiled:")]
    assert {one["requestId"] for one in run.events("answer")} == {one["requestId"] for one in run.events("request")}
