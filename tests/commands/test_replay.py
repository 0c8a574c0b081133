"""``review-agent replay`` end to end, with real workers, in a repository and out of one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from review_agent import cli
from review_agent.journal import Journal
from review_agent.vocabulary import Replay

sys.path.insert(0, str(Path(__file__).parents[1] / "replay"))
from replaycases import make_cases

pytestmark = pytest.mark.slow


@pytest.fixture
def run(monkeypatch, capsys):
    monkeypatch.setattr(cli, "COMMANDS", ("replay", "explain", "ledger"))

    def go(*args):
        with pytest.raises(SystemExit) as left:
            cli.main([str(arg) for arg in args])
        out, err = capsys.readouterr()
        return left.value.code, out, err

    return go


def test_cases_are_replayed_kept_compared_and_explained(run, tmp_path):
    cases, state = make_cases(tmp_path), tmp_path / "state"
    code, out, err = run("replay", cases, "--state", state, "--jobs", 1, "--write-baseline", tmp_path / "b.json")
    assert (code, err) == (0, "")
    assert "found                         1/1 1.00" in out
    assert "left silent                   1/1 1.00" in out
    code, out, _ = run("replay", cases, "--state", state, "--against", tmp_path / "b.json")
    assert code == 0
    assert "(2 kept from before)" in out
    assert "drift against the baseline: 0 changed outcomes in 2 halves" in out
    code, out, _ = run("explain", state / "runs/python.one.defect.jsonl")
    assert code == 0
    assert "required_parameter_added" in out
    records = [Replay.model_validate(record) for record in Journal(state / "journal.jsonl").read()]
    assert [(one.found, one.defects, one.silent, len(one.halves)) for one in records] == [(1, 1, 1, 2)] * 2


def test_the_gate_trips_on_what_it_is_asked_for(run, tmp_path):
    cases, state, file = make_cases(tmp_path), tmp_path / "state", tmp_path / "b.json"
    run("replay", cases, "--state", state, "--jobs", 1, "--write-baseline", file)
    changed = json.loads(file.read_text())
    for half in changed["halves"]:
        half["outcomes"] = []
    file.write_text(json.dumps(changed))
    assert run("replay", cases, "--state", state, "--against", file)[0] == 0
    code, _, err = run("replay", cases, "--state", state, "--against", file, "--fail-on", "any-change")
    assert code == 1
    assert "gate --fail-on any-change: " in err
    assert "python/one:defect (card new)" in err
    changed["halves"][1]["verdict"] = "found"
    file.write_text(json.dumps(changed))
    assert run("replay", cases, "--state", state, "--against", file)[0] == 1
    assert run("replay", cases, "--state", state, "--against", file, "--fail-on", "never")[0] == 0


@pytest.mark.parametrize("format", ["json", "junit", "html"])
def test_every_format_goes_to_a_file(run, tmp_path, format):
    state, file = tmp_path / "state", tmp_path / f"report.{format}"
    command = ("replay", make_cases(tmp_path), "--state", state, "--jobs", 1, "--format", format, "-o", file)
    assert run(*command)[0] == 0
    assert "python/one:defect" in file.read_text().replace("<wbr>", "")


def test_past_commits_are_reviewed_one_by_one_and_the_record_is_in_the_repository(run, repo):
    repo.write("a.py", "def f(x):\n    return x\n\n\nf(1)\n")
    repo.commit("one")
    for number in range(3):
        repo.write("b.md", f"{number}\n")
        repo.commit(f"change {number}")
    code, out, _ = run("replay", "--commits", "HEAD~2..HEAD", "--repo", repo.root, "--jobs", 1)
    assert code == 0
    assert out.count("complete, 0 questions, 0 cards") == 2
    assert "cards                         0 (0.0 a hundred)" in out
    assert (repo.root / ".review-agent/replay/replay.jsonl").is_file()
    code, out, _ = run("ledger", "doctor", "--repo", repo.root)
    assert (code, "problem" in out, "does not know" in out) == (0, False, False)
    assert "(2 kept" in run("replay", "--commits", "HEAD", "--repo", repo.root, "--limit", 3, "--jobs", 1)[1]
    assert repo.git("status", "--short") == ""


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ([], "nothing to replay is named"),
        (["{cases}", "--kind", "auth"], "no case of 2 halves is left"),
        (["{cases}", "--limit", "2"], "--limit counts commits"),
        (["{cases}", "--list", "x.tsv"], "go together"),
        (["{cases}", "--fail-on", "loss"], "--fail-on compares with a baseline"),
        (["{cases}", "--engine", "recorded"], "none is named"),
        (["{cases}", "--answers", "x.jsonl"], "--answers belongs to the batch engine"),
        (["--commits", "a...b"], "is no range of commits"),
        (["--commits", "nowhere..HEAD"], "names no commit"),
        (["--commits", "HEAD..HEAD"], "no commit that is not a merge"),
    ],
)
def test_what_cannot_be_replayed_is_said_with_the_next_step(run, repo, tmp_path, args, said):
    repo.commit("one")
    cases = make_cases(tmp_path)
    code, out, err = run("replay", *(arg.format(cases=cases) for arg in args), "--repo", repo.root)
    assert (code, out) == (2, "")
    assert said in err
    assert "next" in err or "where" in err


def test_an_engine_that_is_none_is_refused_with_those_there_are(run, tmp_path):
    code, _, err = run("replay", make_cases(tmp_path), "--engine", "crystal")
    assert (code, "is not one of 'rules', 'openai', 'batch', 'recorded'" in err) == (2, True)


def test_outside_a_repository_a_state_folder_is_asked_for(run, tmp_path):
    code, _, err = run("replay", make_cases(tmp_path), "--repo", tmp_path)
    assert code == 2
    assert "give --state DIR" in err


def test_ctrl_c_leaves_a_replay_that_goes_on(tmp_path):
    cases, state = make_cases(tmp_path, *"abcdefgh"), tmp_path / "state"
    command = [sys.executable, "-m", "review_agent.cli", "replay", str(cases), "--state", str(state), "--jobs", "1"]
    log = state / "replay.jsonl"
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not (log.exists() and log.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert "run the same command again" in err
    before = log.read_text().count("\n")
    again = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": "100"})
    assert f"({before} kept from before)" in again.stdout
    assert log.read_text().count("\n") == 16
