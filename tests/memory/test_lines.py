"""Which runs belong to one line of development: by request or branch, never by a commit that two branches share."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from review_agent.git import Git
from review_agent.memory.lines import carries, joins, line_of, speaks_for
from review_agent.stages.snapshot import Asked, choose


@pytest.fixture
def two_branches(repo: Any) -> Any:
    repo.write("a.py", "a = 1\n")
    repo.commit("base")
    for branch in ("one", "two"):
        repo.git("switch", "-q", "-c", branch, "main")
        repo.write("a.py", f"a = {branch!r}\n")
        repo.commit(branch)
    return repo


def line(repo: Any, asked: Asked, pr: str | None = None) -> dict[str, Any]:
    git = Git(repo.root)
    choice = choose(git, asked)
    return {"line": line_of(git, asked, choice, pr), "head": choice.head}


def never(older: str, newer: str) -> bool:
    return False


def test_a_branch_is_one_line_through_rebase_and_force_push(two_branches: Any) -> None:
    before = line(two_branches, Asked("main", "two"))
    two_branches.git("commit", "-q", "--amend", "-m", "other")
    two_branches.git("update-ref", "refs/remotes/origin/two", "HEAD")
    for head in ("two", "HEAD", None, "origin/two"):
        after = line(two_branches, Asked("main", head))
        assert after["head"] != before["head"]
        assert carries(after, before, never)
        assert speaks_for(after, before, never)


def test_another_branch_has_nothing_to_say(two_branches: Any) -> None:
    one, two = line(two_branches, Asked("main", "one")), line(two_branches, Asked("main", "two"))
    assert not carries(two, one, lambda older, newer: True)


def test_a_narrower_range_of_a_branch_carries_and_calls_nothing_gone(two_branches: Any) -> None:
    whole = line(two_branches, Asked("main", "two"))
    for narrow in (Asked("HEAD~1", "two"), Asked(staged=True), Asked(worktree=True)):
        part = line(two_branches, narrow)
        assert carries(part, whole, never)
        assert not speaks_for(part, whole, never)


def test_a_request_is_a_line_whatever_its_commits(two_branches: Any) -> None:
    one, two = line(two_branches, Asked("main", "one"), "7"), line(two_branches, Asked("main~0", "two"), "7")
    assert speaks_for(two, one, never)
    assert not carries(line(two_branches, Asked("main", "two"), "8"), one, never)


def test_commits_without_a_name_are_one_line_where_one_leads_to_the_other(two_branches: Any) -> None:
    git = two_branches.git
    old = line(two_branches, Asked("main", git("rev-parse", "two")))
    two_branches.commit("more")
    new = line(two_branches, Asked("main", git("rev-parse", "two")))
    assert old["line"]["of"] is None
    assert not carries(new, old, never)
    assert speaks_for(new, old, lambda older, newer: (older, newer) == (old["head"], new["head"]))


def test_commits_join_what_has_no_name_and_never_two_names(two_branches: Any) -> None:
    head = two_branches.git("rev-parse", "two")
    bare, named = line(two_branches, Asked("main", head)), line(two_branches, Asked("main", "two"))
    for newer, older in ((bare, named), (named, bare), (bare, bare)):
        assert joins(newer, older, never), "the same head"
    on_top = named | {"head": two_branches.commit("more")}
    leads = {(bare["head"], on_top["head"])}
    for newer, older in ((bare, on_top), (on_top, bare)):
        assert not joins(newer, older, never)
        assert joins(newer, older, lambda older, newer: (older, newer) in leads)
    one = line(two_branches, Asked("main", "one"))
    assert not joins(named, one, lambda older, newer: True)
    assert not joins(named, {"head": named["head"]}, never), "an older product said nothing of its line"


def test_a_single_commit_is_a_line_of_its_own(two_branches: Any) -> None:
    one, two = line(two_branches, Asked(commit="one")), line(two_branches, Asked(commit="two"))
    assert not carries(two, one, lambda older, newer: True)
    assert speaks_for(two, two, never)


def test_an_edit_is_of_its_branch_before_and_after_it_is_committed(two_branches: Any) -> None:
    patch = b"--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a = 'two'\n+a = 3\n"
    asked = (Asked(worktree=True), Asked(staged=True), Asked(patch=patch), Asked(commit="HEAD"), Asked("HEAD~1"))
    lines = [line(two_branches, one) for one in asked]
    assert {one["line"]["of"] for one in lines} == {"branch two"}
    for older, newer in itertools.pairwise(lines):
        assert carries(newer, older, never)
        assert not speaks_for(newer, older, never)
    assert line(two_branches, Asked(commit="one"))["line"]["of"] == "branch one"
    two_branches.git("switch", "-q", "--detach")
    assert line(two_branches, Asked(commit="HEAD"))["line"]["of"] is None
    assert line(two_branches, Asked(patch=patch))["line"]["of"] is None
    assert line(two_branches, Asked(patch=patch, alone=True))["line"]["of"] is None


def test_a_run_log_of_an_older_product_has_no_line(two_branches: Any) -> None:
    new = line(two_branches, Asked("main", "two"))
    assert not carries(new, {"head": new["head"]}, never)
    assert not carries({"head": new["head"]}, {"head": new["head"]}, never)
