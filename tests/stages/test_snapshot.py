from __future__ import annotations

import pytest

from review_agent.errors import SnapshotError, UsageError
from review_agent.git import Git
from review_agent.sources import Sources
from review_agent.stages.snapshot import take
from review_agent.vocabulary import Side, Snapshot


def snapshot(repo, **asked) -> Snapshot:
    return take(Git(repo.root), mask=str, **asked)


def refused(repo, **asked) -> SnapshotError:
    with pytest.raises(SnapshotError) as caught:
        snapshot(repo, **asked)
    assert caught.value.where == str(repo.root)
    return caught.value


def branched(repo) -> dict[str, str]:
    """main: root, later; feature: root, work. Each changes a file of its own."""
    repo.write("shared.txt", "one\n")
    root = repo.commit("root")
    repo.git("checkout", "-q", "-b", "feature")
    repo.write("feature.txt", "work\n")
    work = repo.commit("work")
    repo.git("checkout", "-q", "main")
    repo.write("main.txt", "later\n")
    later = repo.commit("later")
    repo.git("checkout", "-q", "feature")
    return {"root": root, "work": work, "later": later}


def test_base_and_head_are_compared_from_their_merge_base(repo):
    ids = branched(repo)
    taken = snapshot(repo, base="main", head="feature")
    assert (taken.base, taken.head, taken.merge_base) == (ids["later"], ids["work"], ids["root"])
    assert [change.path for change in taken.files] == ["feature.txt"]
    assert taken.chosen == (
        f"from the merge base {ids['root'][:12]} of main and feature to feature ({ids['work'][:12]})"
    )


def test_nothing_asked_for_compares_head_with_the_default_branch(repo):
    ids = branched(repo)
    repo.git("update-ref", "refs/remotes/origin/main", ids["later"])
    taken = snapshot(repo)
    assert (taken.base, taken.head, taken.merge_base) == (ids["later"], ids["work"], ids["root"])
    assert "origin/main, the default branch" in taken.chosen


def test_a_missing_half_is_filled_in(repo):
    ids = branched(repo)
    repo.git("checkout", "-q", "main")
    assert snapshot(repo, head="feature").base == ids["later"]
    assert snapshot(repo, base="feature").head == ids["later"]


def test_a_commit_is_compared_with_its_first_parent(repo):
    ids = branched(repo)
    taken = snapshot(repo, commit="feature")
    assert (taken.base, taken.head, taken.merge_base) == (ids["root"], ids["work"], ids["root"])
    repo.git("merge", "-q", "--no-edit", "main")
    merge = snapshot(repo, commit="HEAD")
    assert merge.base == ids["work"]
    assert [change.path for change in merge.files] == ["main.txt"]
    assert "the first of its 2 parents" in merge.chosen


def test_a_root_commit_is_compared_with_the_empty_tree(repo):
    ids = branched(repo)
    taken = snapshot(repo, commit=ids["root"])
    assert taken.base == taken.merge_base == repo.git("hash-object", "-t", "tree", "/dev/null")
    assert [change.path for change in taken.files] == ["shared.txt"]
    assert "empty tree" in taken.chosen
    old = Sources(Git(repo.root), taken.merge_base, str, side=Side.OLD, max_bytes=100)
    assert old.problem("shared.txt") == "missing"


def test_equal_commits_give_an_empty_snapshot(repo):
    ids = branched(repo)
    taken = snapshot(repo, base="feature", head=ids["work"])
    assert taken.files == ()
    assert taken.base == taken.head == taken.merge_base
    assert "nothing lies between them" in taken.chosen


def test_text_is_masked(repo):
    repo.write("a.txt", "one\n")
    repo.commit("first")
    repo.write("a.txt", "one\nhunter2\n")
    repo.commit("second")
    taken = take(Git(repo.root), commit="HEAD", mask=lambda text: text.replace("hunter2", "[masked:x]"))
    assert [line.text for line in taken.files[0].hunks[0].lines] == ["one", "[masked:x]"]


def test_the_same_commits_give_the_same_snapshot(repo):
    branched(repo)
    assert snapshot(repo, base="main", head="feature") == snapshot(repo, base="main", head="feature")


def test_an_unknown_ref_is_named(repo):
    branched(repo)
    for asked in ({"base": "nope"}, {"head": "nope"}, {"commit": "nope"}):
        assert "'nope' names no commit" in refused(repo, **asked).message


def test_a_commit_excludes_base_and_head(repo):
    branched(repo)
    with pytest.raises(UsageError):
        snapshot(repo, commit="HEAD", base="main")


def test_an_empty_repository_says_so(repo):
    assert "no commit yet" in refused(repo).hint


def test_without_any_default_branch_the_hint_says_what_to_pass(repo):
    branched(repo)
    repo.git("branch", "-m", "main", "trunk")
    error = refused(repo)
    assert "no base" in error.message
    assert "--base REF" in error.hint
    assert "--base HEAD~1" in error.hint


def test_on_the_default_branch_itself_the_hint_says_what_to_pass(repo):
    ids = branched(repo)
    repo.git("checkout", "-q", "main")
    error = refused(repo)
    assert "HEAD is on main" in error.message
    assert "--base HEAD~1" in error.hint
    repo.git("update-ref", "refs/remotes/origin/main", ids["root"])
    assert [change.path for change in snapshot(repo).files] == ["main.txt"]
    repo.git("update-ref", "refs/remotes/origin/main", ids["later"])
    assert "origin/main already holds all of it" in refused(repo).message


def test_a_branch_without_work_is_an_empty_snapshot(repo):
    ids = branched(repo)
    repo.git("checkout", "-q", "-b", "fresh", ids["later"])
    assert snapshot(repo).files == ()


def test_histories_that_do_not_meet_are_an_error(repo):
    branched(repo)
    repo.git("checkout", "-q", "--orphan", "alone")
    repo.commit("alone")
    error = refused(repo, base="main")
    assert "no merge base" in error.message
    assert "--commit" in error.hint


def test_a_shallow_clone_is_told_how_to_get_deeper(repo, tmp_path):
    branched(repo)
    clone = type(repo)(tmp_path / "clone")
    clone.git("remote", "add", "origin", f"file://{repo.root}")
    clone.git("fetch", "-q", "--depth=1", "origin", "main", "feature")
    clone.git("fetch", "-q", "--depth=1", "origin", "+refs/heads/*:refs/remotes/origin/*")
    error = refused(clone, base="origin/main", head="origin/feature")
    assert "no merge base" in error.message
    assert "--unshallow" in error.hint
    assert "--deepen" in error.hint
    parent = refused(clone, commit="origin/feature")
    assert "not in this clone" in parent.message
    assert "--unshallow" in parent.hint
