"""What a review says beside its result: what it did not read, which policy it did not take, why it was of nothing."""

from __future__ import annotations

import pytest

from review_agent import cli
from review_agent.resources import shipped

pytestmark = pytest.mark.slow

WORKTREE = "`review-agent review --worktree` reviews"


@pytest.fixture
def run(repo, monkeypatch, capsys):
    monkeypatch.setattr(cli, "COMMANDS", ("review", "preview", "doctor"))

    def run(*arguments):
        with pytest.raises(SystemExit) as left:
            cli.main([*map(str, arguments), "--repo", str(repo.root)])
        out, err = capsys.readouterr()
        return int(left.value.code or 0), out, err

    return run


@pytest.fixture
def home(repo):
    """``main`` with two commits, and no remote."""
    for text in ("a", "b"):
        repo.write("a.txt", text)
        repo.commit(text)
    return repo


@pytest.mark.parametrize("command", ["review", "preview"])
def test_on_the_default_branch_the_work_tree_is_named_where_it_holds_a_change(home, run, command):
    assert "--worktree" not in run(command)[2]
    home.write("a.txt", "c")
    code, _, err = run(command)
    assert code == 2
    assert f"next   {WORKTREE} the 1 changed file that is not committed; --base HEAD~1" in err
    home.git("checkout", "-q", "--", ".")
    home.write("new.txt", "x")
    assert f"{WORKTREE} the 1 untracked file that is not committed" in run(command)[2]
    assert "--worktree" not in run(command, "--base", "nosuch")[2]


def test_a_preview_of_commits_names_it_too_and_the_policy_that_is_not_taken(home, run):
    home.write("a.txt", "c")
    home.write(".github/review-agent/budgets.yml", BUDGETS)
    _, _, err = run("preview", "--commit", "HEAD")
    assert f"1 changed file in the work tree not committed, and so not reviewed: {WORKTREE} it" in err
    assert UNUSED in err
    assert WORKTREE not in run("preview", "--worktree")[2]


def test_a_review_of_commits_names_the_way_to_what_is_not_committed(home, run):
    home.write("a.txt", "c")
    home.write("new.txt", "x")
    said = f"1 changed file in the work tree not committed, and so not reviewed: {WORKTREE} it"
    for asked in (["--base", "HEAD"], ["--base", "HEAD", "--head", "HEAD~1"], ["--commit", "HEAD"]):
        assert said in run("review", *asked)[2]
    home.git("checkout", "-q", "-b", "feature")
    code, _, err = run("review")
    assert code == 0
    assert said in err
    assert err.index(said) < err.index("are one commit")
    assert WORKTREE not in run("review", "--worktree")[2]
    home.git("checkout", "-q", "--", ".")
    assert f"1 untracked file in the work tree not committed, and so not reviewed: {WORKTREE} it" in run("review")[2]
    assert WORKTREE not in run("review", "--commit", "HEAD")[2]


def test_where_every_file_is_left_out_by_name_it_is_said(home, run):
    said = "--exclude leaves out every file of the change, so nothing was reviewed"
    assert said in run("review", "--commit", "HEAD", "--exclude", "*")[2]
    assert said not in run("review", "--commit", "HEAD", "--exclude", "*.md")[2]


def test_a_file_that_failed_or_that_policy_leaves_out_is_not_laid_on_the_option(home, run, tmp_path):
    said = "--exclude leaves out every file of the change"
    home.write("deep.py", "x = " + "(" * 5_000 + ")" * 5_000 + "\n")
    home.write("b.py", "b = 1\n")
    home.commit("deep")
    assert said not in run("review", "--commit", "HEAD", "--exclude", "/b.py")[2]
    policy = tmp_path / "policy"
    policy.mkdir()
    skips = (shipped("policy") / "skips.yml").read_text()
    (policy / "skips.yml").write_text(skips.replace("excluded: []", "excluded: ['*.py']"))
    assert said not in run("review", "--commit", "HEAD", "--policy", policy, "--exclude", "docs/")[2]


def test_a_run_of_nothing_that_has_ended_is_not_told_of_branches(home, run, tmp_path):
    empty = tmp_path / "empty.diff"
    empty.write_text("")
    home.git("checkout", "-q", "-b", "feature")
    assert "the diff changes no file" in run("review", "--diff", empty)[2]
    err = run("review", "--continue", "latest")[2]
    assert "the run compared no file that differs: an empty patch on HEAD" in err
    assert "are one commit" not in err


def test_a_diff_alone_says_what_cannot_be_asked_of_it(home, run, tmp_path):
    patch = tmp_path / "x.diff"
    patch.write_text(home.git("diff", "HEAD~1") + "\n")
    said = "without a repository nothing but the diff's own lines is read: most rules ask nothing of them"
    assert said in run("review", "--no-repo", "--diff", patch)[2]
    assert said not in run("review", "--base", "HEAD~1", "--diff", patch)[2]


BUDGETS = "queries: 1\n"
UNUSED = "the policy in .github/review-agent/ is not used: no remote has a default branch"


@pytest.mark.parametrize("where", ["head", "work tree"])
def test_a_policy_that_nothing_protects_is_not_taken_and_that_is_said(home, run, where):
    home.git("checkout", "-q", "-b", "feature")
    assert UNUSED not in run("review", "--commit", "HEAD")[2]
    home.write(".github/review-agent/budgets.yml", BUDGETS)
    if where == "head":
        home.commit("policy")
        home.git("rm", "-q", "-r", "--cached", ".github")
    code, _, err = run("review", "--commit", "HEAD")
    assert code == 0
    assert f"{UNUSED}, so nothing tells it from the change under review" in err
    assert "--policy DIR" in err
    code, out, _ = run("doctor")
    assert code == 0
    assert UNUSED in out
    assert "note   policy" in out
    assert UNUSED not in run("review", "--commit", "HEAD", "--policy", home.root / "../policy")[2]


def test_a_policy_on_its_way_to_the_protected_branch_is_no_news(home, run, tmp_path):
    home.git("clone", "-q", "--bare", str(home.root), str(tmp_path / "hub.git"))
    home.git("remote", "add", "origin", str(tmp_path / "hub.git"))
    home.git("fetch", "-q", "origin")
    home.git("checkout", "-q", "-b", "feature")
    home.write(".github/review-agent/budgets.yml", BUDGETS)
    home.commit("policy")
    assert UNUSED not in run("review")[2]


def test_an_option_of_a_model_engine_without_one_is_said_to_be_unused(home, run):
    err = run("review", "--commit", "HEAD", "--model", "big", "--base-url", "http://127.0.0.1:9/v1")[2]
    assert (
        "--model and --base-url are not used: the engine is rules, which asks no model; --engine openai asks one" in err
    )
    assert "is not used: the engine" in run("review", "--commit", "HEAD", "--model", "big")[2]
    assert "not used: the engine" not in run("review", "--commit", "HEAD", "--engine", "rules")[2]


def test_an_error_that_the_work_tree_does_not_help_with_does_not_name_it(home, run):
    home.git("checkout", "-q", "-b", "topic")
    home.write("a.txt", "c")
    home.commit("c")
    home.write("new.txt", "x")
    blob = home.git("rev-parse", "HEAD:a.txt")
    (home.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    code, _, err = run("review")
    assert code == 2
    assert WORKTREE not in err
