"""A batch file is the model: three stops, whatever the answers hold, and the run played again without it."""

from __future__ import annotations

import json
import shlex
import shutil
import socket
from pathlib import Path

import pytest
from batching import DRAFT, NO_DRAFT, QUESTION, STANDS, answered, shop

from review_agent import cli
from review_agent.ledger.store import Ledger
from review_agent.resources import shipped

pytestmark = pytest.mark.slow

HONEST = {
    "compile": {"questions": [QUESTION]},
    "synthesize": {"drafts": [DRAFT], "noFinding": None},
    "refute": STANDS,
}


@pytest.fixture
def change(repo):
    return repo, *shop(repo)


@pytest.fixture
def run(capsys):
    def call(*args):
        with pytest.raises(SystemExit) as stop:
            cli.main([str(arg) for arg in args])
        shown = capsys.readouterr()
        return int(stop.value.code or 0), shown.out, shown.err

    return call


class Reviewing:
    """A batch review of the change, from stop to stop. ``stops`` names the roles that were asked."""

    def __init__(self, run, change, tmp_path, *options, policy=None):
        self.run, self.tmp = run, tmp_path
        self.policy = ("--policy", policy) if policy else ()
        self.repo, self.base, self.head = change
        self.stops = []
        self.last = self._call("--base", self.base, "--head", self.head, "--engine", "batch", *options)

    def _call(self, *args):
        return self.run("review", "--repo", self.repo.root, "--format", "json", *self.policy, *args)

    @property
    def log(self):
        (log,) = (self.repo.root / ".review-agent/runs").glob("*.jsonl")
        return log

    def requests(self):
        """The request file that the last stop names."""
        code, _, err = self.last
        assert code == 4, err
        (name,) = [word for line in err.splitlines() if "waiting" in line for word in line.split() if ".jsonl" in word]
        return Path.cwd() / name

    def answer(self, says):
        """Goes on with an answer to each open request, by role."""
        file = self.requests()
        role = file.name.split("-")[0]
        self.stops.append(role)
        said = answered(file, self.tmp / f"{role}-answers.jsonl", says[role])
        self.last = self._call("--continue", self.log.stem, "--answers", said)
        return self.last

    def whole(self, says=HONEST):
        while self.last[0] == 4:
            self.answer(says)
            assert len(self.stops) <= 4, self.stops
        return json.loads(self.last[1])


def test_three_stops_lead_to_a_card_and_each_says_what_to_do_next(run, change, tmp_path):
    review = Reviewing(run, change, tmp_path)
    code, out, err = review.last
    assert (code, json.loads(out)["run"]["status"]) == (4, "waiting")
    assert f"review-agent review --continue {review.log.stem} --answers FILE" in err
    document = review.whole()
    assert review.stops == ["compile", "synthesize", "refute"]
    assert review.last[0] == 0, document["outcomes"]
    (card,) = document["outcomes"]["cards"]
    assert card["claim"] == DRAFT["claim"]
    assert card["supportingRefs"][0]["path"] == "shop/user.py"
    assert card["rule"] == "compiled:error_handling"
    calls = Ledger(review.repo.root / ".review-agent").run(review.log.name).calls
    assert [(one.model, one.calls, one.unmetered) for one in calls] == [("unnamed", 3, 3)]
    assert document["spend"]["promptTokens"] is None


def typed(err, said):
    """The command that a waiting run says goes on with it."""
    told = err.splitlines()[err.splitlines().index(next(line for line in err.splitlines() if "then run:" in line)) + 1]
    program, *words = shlex.split(told)
    assert program == "review-agent"
    assert words[words.index("FILE") - 1] == "--answers"
    return [said if word == "FILE" else word for word in words]


@pytest.mark.parametrize("how", ["--worktree", "--staged", "--diff", "--continue"])
def test_the_command_that_a_waiting_run_prints_goes_on_with_it(run, repo, tmp_path, how):
    """Answers lie in the work tree, as a person would put them: they are no part of what is reviewed."""
    base, _ = shop(repo)
    diff = tmp_path / "change.diff"
    diff.write_text(repo.git("diff", base, "HEAD") + "\n")
    named = ["--base", base]
    if how != "--continue":
        repo.git("reset", "-q", "--soft", base)
        named = [how, diff] if how == "--diff" else [how]
        if how == "--diff":
            repo.git("reset", "-q", "--hard")
    code, _, err = run("review", "--repo", repo.root, "--engine", "batch", *named)
    for n in range(3):
        assert code == 4, err
        line = next(line for line in err.splitlines() if "waiting for answers to 1 " in line)
        requests = Path.cwd() / line.split(", in ")[1]
        role = requests.name.split("-")[0]
        assert f"to 1 {role} request, in" in line
        said = answered(requests, repo.root / f"answers-{n}.jsonl", HONEST[role])
        code, out, err = run(*typed(err, said))
    assert code == 0, err
    assert "1 card" in out
    assert len(list((repo.root / ".review-agent/runs").glob("*.jsonl"))) == 1


def test_half_a_file_of_answers_says_how_many_are_there(run, change, tmp_path):
    repo, policy = change[0], tmp_path / "policy"
    policy.mkdir()
    engine = (shipped("policy") / "engine.yml").read_text()
    (policy / "engine.yml").write_text(engine.replace("questionsPerRun: 1 ", "questionsPerRun: 2 "))
    review = Reviewing(run, change, tmp_path, policy=policy)
    double = {"questions": [QUESTION, {**QUESTION, "change": "another", "consequence": "another"}]}
    review.answer({"compile": double})
    lines = answered(review.requests(), tmp_path / "a.jsonl", NO_DRAFT).read_text().splitlines(keepends=True)
    assert len(lines) == 2
    (tmp_path / "half.jsonl").write_text(lines[0])
    goes_on = ("--policy", policy, "--continue", "latest", "--answers", tmp_path / "half.jsonl")
    _, _, err = run("review", "--repo", repo.root, *goes_on)
    assert "waiting for answers to 1 synthesize request (1 of 2 answered already), in " in err


def test_latest_is_the_newest_run_that_waits_and_the_others_are_told(run, change, tmp_path):
    repo, _, head = change
    review = Reviewing(run, change, tmp_path)
    waits = review.log.stem
    assert run("review", "--repo", repo.root, "--commit", head)[0] == 0
    code, _, err = run("review", "--repo", repo.root, "--continue", "latest")
    assert code == 4
    assert f"goes on with {waits}\n" in err
    assert run("review", "--repo", repo.root, "--commit", head, "--engine", "batch", "--model", "m")[0] == 4
    code, _, err = run("review", "--repo", repo.root, "--continue", "latest")
    assert f"; not ended either: {waits}" in err


def test_where_nothing_waits_latest_says_what_has_ended_and_prints_its_result(run, change):
    repo, _, head = change
    assert run("review", "--repo", repo.root, "--commit", head)[0] == 0
    code, out, err = run("review", "--repo", repo.root, "--continue", "latest")
    assert code == 0
    assert "reviewed 1 of 1 file" in out
    assert "has ended: complete; this is its result" in err


@pytest.mark.parametrize("named", ["commits", "--worktree"])
def test_ledger_doctor_says_that_a_run_waits_for_what_and_how_it_goes_on(run, change, named):
    repo, base, _ = change
    if named == "--worktree":
        repo.git("reset", "-q", "--soft", base)
    assert run(
        "review", "--repo", repo.root, "--engine", "batch", *(["--base", base] if named == "commits" else [named])
    )
    _, out, _ = run("ledger", "doctor", "--repo", repo.root)
    (requests,) = (repo.root / ".review-agent/batch").glob("*.jsonl")
    assert f"note: this run waits for answers to 1 request, in {requests}" in out
    (log,) = (repo.root / ".review-agent/runs").glob("*.jsonl")
    by_name = f"then review-agent review --continue {log.stem} --answers FILE"
    assert (by_name if named == "commits" else "then the command that began it --answers FILE") in out
    requests.unlink()
    _, out, _ = run("ledger", "doctor", "--repo", repo.root)
    assert "in a file that is gone from" in out


def test_no_answer_is_asked_for_twice_and_files_may_be_given_again(run, change, tmp_path):
    review = Reviewing(run, change, tmp_path)
    review.answer(HONEST)
    first = tmp_path / "compile-answers.jsonl"
    again = run("review", "--repo", review.repo.root, "--continue", "latest", "--answers", first)
    assert again[0] == 4
    assert "1 answer not asked for now" in again[2]
    review.whole()
    events = [json.loads(line) for line in review.log.read_text().splitlines()]
    answers = [event["data"]["requestId"] for event in events if event["type"] == "answer"]
    assert len(answers) == len(set(answers)) == 3


@pytest.mark.parametrize(
    ("role", "says", "ends"),
    [
        ("compile", {"questions": []}, {}),
        ("compile", {"questions": [{**QUESTION, "startLine": 900, "endLine": 900}]}, {}),
        ("compile", {"questions": [{**QUESTION, "changeKind": "feelings"}]}, {}),
        ("compile", {"questions": "none"}, None),
        ("compile", "I would rather not", None),
        ("synthesize", NO_DRAFT, {"noFindings": 1}),
        ("synthesize", "no", {"unanswered": 1}),
        ("synthesize", {"drafts": [], "noFinding": None}, {"unanswered": 1}),
        ("synthesize", {"drafts": [{**DRAFT, "claim": ""}], "noFinding": None}, {"rejections": 1}),
        ("synthesize", {"drafts": [{**DRAFT, "supporting": ["E99"]}], "noFinding": None}, {"rejections": 1}),
        ("synthesize", {"drafts": [{**DRAFT, "severity": "dire"}], "noFinding": None}, {"rejections": 1}),
        ("synthesize", {"drafts": [DRAFT] * 40, "noFinding": None}, {"cards": 1, "rejections": 39}),
        ("refute", "whatever", {"unanswered": 1}),
        ("refute", {**STANDS, "verdict": "refuted", "cited": "E4", "quote": "amount += price(sku)"}, {"noFindings": 1}),
        ("refute", {**STANDS, "verdict": "refuted", "cited": "E4", "quote": "no such line"}, {"cards": 1}),
    ],
)
def test_nonsense_ends_as_what_it_is_and_nothing_is_lost(run, change, tmp_path, role, says, ends):
    review = Reviewing(run, change, tmp_path)
    document = review.whole({**HONEST, role: says})
    outcomes = {name: len(found) for name, found in document["outcomes"].items() if found and name != "skipped"}
    if ends is not None:
        assert outcomes == ends
    lost = (role == "compile" and ends is None) or "unanswered" in (ends or {})
    assert (review.last[0], document["run"]["status"]) == ((3, "incomplete") if lost else (0, "complete"))
    log = review.log.read_text()
    assert log.count('"type":"answer"') == len(review.stops)


def test_a_recorded_run_plays_again_byte_for_byte_in_a_fresh_clone_without_network(run, change, tmp_path, monkeypatch):
    review = Reviewing(run, change, tmp_path, "--title", "Prices may be missing")
    review.whole()
    kept = shutil.copy(review.log, tmp_path / "recorded.jsonl")

    def outcomes(repo, *args):
        common = ("--base", review.base, "--head", review.head, "--format", "outcomes")
        code, out, err = run("review", "--repo", repo, *common, *args)
        assert code == 0, err
        return out

    shutil.rmtree(review.repo.root / ".review-agent")
    clone = tmp_path / "clone"
    review.repo.git("clone", "-q", str(review.repo.root), str(clone))

    def offline(*args, **kwargs):
        raise AssertionError("a recorded run reached for the network")

    monkeypatch.setattr(socket, "create_connection", offline)
    monkeypatch.setattr(socket.socket, "connect", offline)
    here, there = (outcomes(at, "--engine", "recorded", "--recorded", kept) for at in (review.repo.root, clone))
    assert here == there
    (card,) = json.loads(here)["outcomes"]["cards"]
    first = [json.loads(line) for line in Path(kept).read_text().splitlines()]
    assert [event["data"]["cardId"] for event in first if event["type"] == "card"] == [card["cardId"]]


def test_where_something_else_is_said_of_the_change_nothing_recorded_fits_and_that_is_loud(run, change, tmp_path):
    review = Reviewing(run, change, tmp_path, "--title", "Prices may be missing")
    review.whole()
    kept = shutil.copy(review.log, tmp_path / "recorded.jsonl")
    args = (
        "--base",
        review.base,
        "--head",
        review.head,
        "--engine",
        "recorded",
        "--recorded",
        kept,
        "--title",
        "Other",
    )
    code, out, _ = run("review", "--repo", review.repo.root, *args, "--format", "json")
    document = json.loads(out)
    assert (code, document["run"]["status"]) == (3, "incomplete")
    assert document["outcomes"]["cards"] == []
    assert "not_recorded" in out


def test_a_run_is_gone_on_with_only_as_what_it_was(run, change, tmp_path):
    review = Reviewing(run, change, tmp_path)
    root, name = review.repo.root, review.log.stem

    def refused(*args):
        code, out, err = run("review", "--repo", root, "--continue", *args)
        assert (code, out) == (2, ""), err
        return err

    assert "another head" in refused(name, "--base", review.base, "--head", review.base)
    assert "another engine" in refused(name, "--model", "other")
    assert "another engine" in refused(name, "--engine", "rules")
    assert "another set of options" in refused(name, "--exclude", "docs/")
    assert "another set of options" in refused(name, "--title", "now with a title")
    assert "no run is called" in refused("nosuch")
    policy = tmp_path / "policy"
    shutil.copytree("policy", policy)
    (policy / "policy.md").write_text("Ours.\n")
    assert "another policy" in refused(name, "--policy", policy)
    assert "another head" in refused(name, "--base", review.base, "--head", review.base)
    whole = review.whole()
    (root / ".review-agent/ledger.duckdb").unlink()  # as where the command was killed when the run had just ended
    code, out, err = run("review", "--repo", root, "--continue", name, "--format", "json")
    assert (code, json.loads(out)) == (0, whole)
    assert Ledger(root / ".review-agent").doctor() == []
    assert "has ended: complete; this is its result" in err
    assert "another head" in refused(name, "--base", review.base, "--head", review.base)
    assert len(list((root / ".review-agent/runs").glob("*.jsonl"))) == 1


def test_what_is_not_committed_goes_on_by_the_command_that_began_it(run, change, tmp_path):
    repo = change[0]
    repo.write("shop/api.py", "def price(sku):\n    return None\n")
    args = ("review", "--repo", repo.root, "--worktree", "--engine", "batch", "--format", "json")
    assert run(*args)[0] == 4
    code, _, err = run("review", "--repo", repo.root, "--continue", "latest")
    assert code == 2
    assert "never committed" in err
    (file,) = (repo.root / ".review-agent/batch").glob("compile-*.jsonl")
    said = answered(file, tmp_path / "a.jsonl", {"questions": []})
    code, out, _ = run(*args, "--answers", said)
    assert json.loads(out)["run"]["status"] in ("complete", "waiting")
    assert len(list((repo.root / ".review-agent/runs").glob("*.jsonl"))) == 1
