"""check: recorded, counted, neutral; policy from the protected side; no card's words where everybody reads."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from review_agent import cli
from review_agent.engines.rules import Rules
from review_agent.runlog import fold, read_events
from review_agent.stages.account import document

pytestmark = pytest.mark.slow

API = "def price(sku):\n    return 1\n\n\ndef other():\n    return 2\n"
USER = "from shop.api import price\n\n\n\n\ndef total(skus):\n    return sum(price(sku) for sku in skus)\n"
QUIET = "budgets.yml"


@pytest.fixture
def shop(repo, tmp_path, monkeypatch):
    """A bare origin whose default branch is ``trunk``, a pull request on it, and a fresh clone to check it in."""
    for name in ("GITHUB_ACTIONS", "GITLAB_CI", "GITHUB_STEP_SUMMARY", "REVIEW_AGENT_BASE", "REVIEW_AGENT_HEAD"):
        monkeypatch.delenv(name, raising=False)
    repo.git("branch", "-m", "trunk")
    for path, text in (("shop/__init__.py", ""), ("shop/api.py", API), ("shop/user.py", USER)):
        repo.write(path, text)
    base = repo.commit("first")
    repo.git("switch", "-q", "-c", "change")
    repo.write("shop/api.py", API.replace("price", "cost"))
    head = repo.commit("second")
    return SimpleNamespace(repo=repo, base=base, head=head, clones=tmp_path)


def clone(shop, *options: str) -> Path:
    """What actions/checkout leaves: the remote's branches, no HEAD of the remote, the head checked out."""
    target = shop.clones / f"clone{len(list(shop.clones.iterdir()))}"
    command = ["git", "clone", "-q", "--no-tags", *options, f"file://{shop.repo.root}", str(target)]
    subprocess.run(command, check=True, env=shop.repo.environment())
    subprocess.run(["git", "remote", "set-head", "origin", "--delete"], cwd=target, check=True)
    return target


def job(monkeypatch, tmp_path, shop, **changes) -> None:
    event = {
        "repository": {"default_branch": "trunk"},
        "pull_request": {"number": 42, "title": "$(id)", "base": {"sha": shop.base}, "head": {"sha": shop.head}},
        **changes,
    }
    (tmp_path / "event.json").write_text(json.dumps(event))
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_EVENT_NAME", "pull_request")
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(tmp_path / "event.json"))


def run(capsys, root: Path, *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        cli.main(["check", "--repo", str(root), *arguments])
    shown = capsys.readouterr()
    return int(stop.value.code or 0), shown.out, shown.err


def reviewed(log: Path):
    state = fold(read_events(log))
    return state, document(state, state.attempts[-1])


def test_a_fresh_clone_keeps_the_run_log_and_tells_counts_alone(shop, monkeypatch, tmp_path, capsys):
    job(monkeypatch, tmp_path, shop)
    page = tmp_path / "summary.md"
    page.write_text("from another step\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(page))
    root = clone(shop)
    code, out, err = run(capsys, root)
    assert (code, err) == (0, "")
    (log,), (kept,) = ((root / ".review-agent" / name).glob("*.jsonl") for name in ("runs", "artifact"))
    state, whole = reviewed(kept)
    assert kept.read_bytes() == log.read_bytes()
    assert kept.name == f"{whole.run.review_id[:12]}-{hashlib.sha256(log.read_bytes()).hexdigest()[:16]}.jsonl"
    assert state.started["pr"] == "42"
    (card,) = whole.outcomes.cards
    assert card.pr is None, "a card is the same wherever the commits are reviewed"
    written = page.read_text()
    assert written.startswith("from another step\n## review-agent: complete, 1 card, pull request 42\n")
    for shown in (out, written):
        assert "1 (1 " in shown
        assert "reviewed 1 of 1 file, 1 of 1 hunk" in shown
        assert "not shown at the stage hidden" in shown
        for words in (card.claim, card.impact_condition, card.verification[0].command_or_procedure, "`price`", "$(id)"):
            assert words not in shown


def test_a_fork_is_checked_in_the_clone_that_actions_checkout_leaves(shop, monkeypatch, tmp_path, capsys):
    """Its head is on no branch of the repository: it comes as a parent of GitHub's own merge, which is checked out."""
    git = shop.repo.git
    git("switch", "-q", "--detach", "trunk")
    shop.repo.write("elsewhere.py", "x = 1\n")
    shop.repo.commit("trunk goes on")
    git("branch", "-f", "trunk", "HEAD")
    git("merge", "-q", "--no-ff", "-m", "merge of the forge", shop.head)
    git("update-ref", "refs/pull/42/merge", "HEAD")
    git("branch", "-q", "-D", "change")
    git("switch", "-q", "trunk")
    job(monkeypatch, tmp_path, shop)
    root = clone(shop)
    for command in (["fetch", "-q", "origin", "refs/pull/42/merge"], ["checkout", "-q", "--detach", "FETCH_HEAD"]):
        subprocess.run(["git", *command], cwd=root, check=True, env=shop.repo.environment())
    code, out, err = run(capsys, root, "--format", "json")
    assert (code, err) == (0, "")
    made = json.loads(out)
    assert (made["run"]["base"], made["run"]["head"]) == (shop.base, shop.head)
    assert made["coverage"]["files"] == 1, "what trunk did meanwhile is not the change's"
    assert sum(made["cards"].values()) == 1


def test_json_counts_what_the_record_holds(shop, monkeypatch, tmp_path, capsys):
    job(monkeypatch, tmp_path, shop)
    code, out, _ = run(capsys, clone(shop), "--format", "json", "--artifact", str(tmp_path / "kept"))
    made = json.loads(out)
    _, whole = reviewed(next((tmp_path / "kept").iterdir()))
    assert code == 0
    assert made["pr"] == "42"
    assert sum(made["cards"].values()) == len(whole.outcomes.cards)
    assert sum(made["noFindings"].values()) == len(whole.outcomes.no_findings)
    assert made["spend"] == whole.spend.wire()
    assert made["coverage"] == whole.coverage.wire()
    assert made["source"] == "GitHub pull_request"


def test_a_gate_is_asked_for_or_there_is_none(shop, monkeypatch, tmp_path, capsys):
    job(monkeypatch, tmp_path, shop)
    root = clone(shop)
    assert run(capsys, root, "--fail-on", "incomplete")[0] == 0
    code, out, err = run(capsys, root, "--fail-on", "suggestion")
    assert code == 1
    assert "1 card of that severity or above" in err
    assert "gate " in out


def test_an_incomplete_run_is_neutral_and_said_to_be_no_clean_one(shop, monkeypatch, tmp_path, capsys):
    def broken(self, requests):
        raise RuntimeError("down")
        yield

    job(monkeypatch, tmp_path, shop)
    monkeypatch.setattr(Rules, "answer", broken)
    root = clone(shop)
    code, out, _ = run(capsys, root)
    assert code == 0
    assert "it is not a clean review" in out
    assert run(capsys, root, "--fail-on", "incomplete")[0] == 1


@pytest.mark.parametrize("depth", ["1", "2"])
def test_a_clone_that_lacks_the_base_says_how_to_get_it(shop, monkeypatch, tmp_path, capsys, depth):
    for n in range(3):
        shop.repo.write(f"more{n}.py", "x = 1\n")
        shop.head = shop.repo.commit("more")
    job(monkeypatch, tmp_path, shop)
    code, out, err = run(capsys, clone(shop, "--depth", depth))
    assert (code, out) == (2, "")
    assert f"the base {shop.base[:12]} is not in this clone: the clone is shallow" in err
    assert "fetch-depth: 0" in err


def test_a_repository_without_a_commit_is_told_to_have_one_first(tmp_path, capsys):
    subprocess.run(["git", "init", "-q", str(tmp_path / "new")], check=True)
    code, _, err = run(capsys, tmp_path / "new")
    assert code == 2
    assert "next   the repository has no commit yet: commit something first" in err
    assert "unshallow" not in err


def test_a_change_cannot_bring_its_own_policy(shop, monkeypatch, tmp_path, capsys):
    lax = "queries: 1\n"
    shop.repo.write(".github/review-agent/budgets.yml", lax)
    shop.head = shop.repo.commit("loosen")
    job(monkeypatch, tmp_path, shop)
    code, out, err = run(capsys, clone(shop))
    assert (code, err) == (0, ""), "a broken policy at head is nobody's policy"
    assert "the shipped default: refs/remotes/origin/trunk has no .github/review-agent/" in out
    shop.repo.git("switch", "-q", "trunk")
    shop.repo.write(".github/review-agent/policy.md", "# Ours\n")
    shop.repo.commit("our policy")
    shop.repo.git("switch", "-q", "change")
    code, out, _ = run(capsys, clone(shop))
    assert code == 0
    assert ".github/review-agent/ at refs/remotes/origin/trunk" in out


def test_a_protected_branch_that_is_not_in_the_clone_is_an_error_and_not_the_default(
    shop, monkeypatch, tmp_path, capsys
):
    job(monkeypatch, tmp_path, shop, repository={"default_branch": "elsewhere"})
    root = clone(shop)
    code, _, err = run(capsys, root)
    assert code == 2
    assert "refs/remotes/origin/elsewhere does not resolve" in err
    assert run(capsys, root, "--protected", "refs/remotes/origin/trunk")[0] == 0


def test_the_summary_goes_where_it_is_asked_for_and_a_page_that_is_closed_costs_no_review(
    shop, monkeypatch, tmp_path, capsys
):
    job(monkeypatch, tmp_path, shop)
    root = clone(shop)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "none" / "summary.md"))
    code, _, err = run(capsys, root)
    assert code == 0
    assert "summary page" in err
    assert run(capsys, root, "--summary", str(tmp_path / "own.md"))[1:] != ("", "")
    assert (tmp_path / "own.md").read_text().startswith("## review-agent")
    assert run(capsys, root, "--summary", str(tmp_path / "none" / "own.md"))[0] == 2
    (tmp_path / "file").write_text("")
    assert run(capsys, root, "--artifact", str(tmp_path / "file"))[0] == 2


def test_without_ci_it_compares_with_the_default_branch(shop, capsys):
    code, out, _ = run(capsys, clone(shop), "--base", "origin/trunk")
    assert code == 0
    assert "(from --base)" in out


def test_a_batch_leaves_requests_and_a_neutral_job_that_says_it_waits(shop, monkeypatch, tmp_path, capsys):
    job(monkeypatch, tmp_path, shop)
    root = clone(shop)
    code, out, err = run(capsys, root, "--engine", "batch", "--format", "json")
    assert (code, json.loads(out)["run"]["status"]) == (0, "waiting")
    assert "waiting for answers to 1 compile request, in " in err
    assert list((root / ".review-agent/batch").glob("compile-*.jsonl"))
    assert run(capsys, root, "--engine", "batch", "--fail-on", "incomplete")[0] == 1


def test_a_secret_in_the_name_of_a_branch_is_not_told(shop, tmp_path, capsys):
    secret = "ghp_" + "a1B2" * 9
    shop.repo.git("branch", secret, shop.head)
    page = tmp_path / "summary.md"
    code, out, err = run(
        capsys, shop.repo.root, "--base", "trunk", "--head", secret, "--format", "json", "--summary", str(page)
    )
    assert code == 0
    assert secret not in out + err + page.read_text()
    assert "[masked:github_token]" in json.loads(out)["chosen"]
