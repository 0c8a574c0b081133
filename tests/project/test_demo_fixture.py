"""The demo repository is what the demo promises: two honest commits, the same everywhere."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

from review_agent.demo import build
from review_agent.errors import UsageError
from review_agent.resources import shipped

DEMO = shipped("fixtures") / "demo"


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(folder).parts
    }


def git(folder: Path, *args: str) -> str:
    return subprocess.run(["git", *args], cwd=folder, capture_output=True, check=True, text=True).stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    target = tmp_path_factory.mktemp("demo") / "shop"
    return target, *build(target)


def test_two_builds_have_the_same_commits_whatever_the_user_has_configured(built, tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Somebody")
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".gitconfig").write_text("[core]\n\tautocrlf = true\n[init]\n\tdefaultBranch = other\n")
    _, base, head = built
    assert build(tmp_path / "again") == (base, head)


def test_the_pull_request_is_one_commit_on_its_own_branch(built):
    target, base, head = built
    assert git(target, "rev-parse", "HEAD^", "main").split() == [base, base]
    assert git(target, "rev-parse", "own-currency").strip() == head
    assert git(target, "status", "--porcelain") == ""


def test_each_commit_holds_the_fixture_files_and_nothing_else(built):
    target, base, _ = built
    before = files(DEMO / "base")
    after = {**before, **files(DEMO / "head")}
    for path in (DEMO / "removed.txt").read_text().split():
        assert path in before
        del after[path]
    assert files(target) == after
    assert set(git(target, "ls-tree", "-r", "--name-only", base).split()) == set(before)


def test_every_overlay_file_changes_something():
    before = files(DEMO / "base")
    assert [path for path, content in files(DEMO / "head").items() if before.get(path) == content] == []


@pytest.mark.parametrize("path", sorted(DEMO.rglob("*.py")), ids=lambda path: str(path.relative_to(DEMO)))
def test_python_files_are_valid(path):
    assert ast.parse(path.read_text(), str(path))


def test_it_holds_a_pure_rename_a_reformatted_file_a_lock_file_and_a_generated_file(built):
    target, base, head = built
    changed = git(target, "diff", "--name-status", "-M", base, head)
    assert "R100\tscripts/seed.py\tscripts/seed_orders.py" in changed
    assert {"M\tuv.lock", "M\tgateway/api/types.gen.go"} <= set(changed.splitlines())
    before, after = ((DEMO / side / "billing/formatting.py").read_text() for side in ("base", "head"))
    assert before != after
    assert ast.dump(ast.parse(before)) == ast.dump(ast.parse(after))


def test_nothing_in_it_says_where_to_look():
    hint = re.compile(rb"\b(bug|fixme|todo|fault|mistake|wrong|broken|should)\b", re.IGNORECASE)
    texts = {**files(DEMO / "base"), **files(DEMO / "head"), "demo.yml": (DEMO / "demo.yml").read_bytes()}
    assert {path: found[0] for path, text in texts.items() if (found := hint.search(text))} == {}


def test_a_folder_with_something_in_it_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("keep")
    with pytest.raises(UsageError):
        build(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
