"""``doctor`` says whether a review can run here, and what to do where it cannot."""

import json
import os

import pytest

from review_agent import cli
from review_agent.commands import doctor
from review_agent.syntax.languages import PARSED

pytestmark = pytest.mark.slow


@pytest.fixture
def run(monkeypatch, capsys):
    monkeypatch.setattr(cli, "COMMANDS", ("policy", "doctor"))

    def run(*arguments):
        with pytest.raises(SystemExit) as left:
            cli.main(["doctor", *(str(argument) for argument in arguments)])
        out, _ = capsys.readouterr()
        return int(left.value.code or 0), out

    return run


@pytest.fixture
def root(repo):
    repo.write("a.py", "x = 1\n")
    repo.commit("Start")
    return repo.root


def states(out):
    return {one["check"]: one["state"] for one in json.loads(out)}


def test_a_sound_place_is_all_ok_and_nothing_is_changed(run, root):
    before = sorted(os.listdir(root))
    code, out = run("--repo", root, "--format", "json")
    assert code == 0
    grammars = (f"{one} grammar" for one in PARSED)
    assert states(out) == dict.fromkeys(
        ("python", "git", "repository", "state folder", "policy", *grammars, "ledger"), "ok"
    )
    assert sorted(os.listdir(root)) == before


def test_text_has_one_line_a_check(run, root):
    code, out = run("--repo", root)
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == ["ok"] * (6 + len(PARSED))


def test_outside_a_repository_it_is_broken_and_says_what_to_do(run, tmp_path):
    code, out = run("--repo", tmp_path, "--format", "json")
    assert code == 2
    assert states(out)["repository"] == "broken"
    assert states(out)["policy"] == "ok"
    assert "ledger" not in states(out)
    assert next(one["next"] for one in json.loads(out) if one["check"] == "repository")


def test_a_faulty_policy_is_broken_with_its_place(run, root, tmp_path):
    folder = tmp_path / "policy"
    folder.mkdir()
    (folder / "budgets.yml").write_text("queries: x\nquerys: 1\n")
    code, out = run("--repo", root, "--policy", folder)
    assert code == 2
    assert any(line.split()[:3] == ["broken", "policy", "budgets.yml:1:"] for line in out.splitlines())
    assert f"next: `review-agent policy check {folder}` lists every problem" in out


def test_a_repository_without_a_branch_to_compare_with_is_a_note(run, repo):
    repo.git("switch", "-q", "-c", "work")
    repo.commit("Start")
    code, out = run("--repo", repo.root, "--format", "json")
    assert code == 0
    assert states(out)["repository"] == "note"


def test_a_state_folder_that_cannot_be_written_is_broken(run, root, monkeypatch):
    monkeypatch.setattr(os, "access", lambda place, mode: not mode & os.W_OK)
    code, out = run("--repo", root, "--format", "json")
    assert code == 2
    assert states(out)["state folder"] == "broken"


def test_a_ledger_in_disorder_is_broken_or_a_note(run, root):
    state = root / ".review-agent"
    (state / "runs").mkdir(parents=True)
    (state / "runs" / "20240101T000000Z-aaaaaaaaaaaa.jsonl").write_text("not a run log\n")
    code, out = run("--repo", root, "--format", "json")
    assert code == 2
    assert states(out)["ledger"] == "broken"


def test_an_old_python_or_git_is_told(monkeypatch):
    monkeypatch.setattr(doctor, "_MIN_PYTHON", (99, 0))
    monkeypatch.setattr(doctor, "_TRIED_GIT", (99, 0))
    assert doctor._python().state == "broken"
    assert doctor._git().state == "note"


def test_columns_stand_below_each_other(run, root):
    _, out = run("--repo", root)
    assert len({line.index("grammar loads") for line in out.splitlines() if "grammar loads" in line}) == 1
