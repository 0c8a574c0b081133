"""The index, the work tree and a patch give the snapshot that a commit of the same content gives."""

from __future__ import annotations

import pytest

from review_agent.errors import SnapshotError, UsageError
from review_agent.git import Git, empty_repository
from review_agent.stages.snapshot import Asked, choose, read

OLD = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n"
NEW = OLD.replace("two", "TWO").replace("nine\n", "")


@pytest.fixture
def changed(repo):
    """A repository whose work tree and index hold one change; and the bytes of that change as a commit's snapshot."""
    repo.write("src/a.txt", OLD)
    repo.write("src/b.txt", "b\n")
    repo.commit("first")
    repo.write("src/a.txt", NEW)
    (repo.root / "src/b.txt").rename(repo.root / "src/c.txt")
    repo.git("add", "-A")
    return repo


def taken(git: Git, asked: Asked):
    return read(git, choose(git, asked), str)


def shown(snapshot):
    return [(one.status, one.old_path, one.path, [hunk.lines for hunk in one.hunks]) for one in snapshot.files]


def test_every_entrance_shows_the_same_change(changed, tmp_path):
    patch = changed.git("diff", "--cached", "-M").encode() + b"\n"
    plain = changed.git("diff", "--cached", "-M", "--no-prefix").encode() + b"\n"
    asked = [
        Asked(staged=True),
        Asked(worktree=True),
        Asked(patch=patch),
        Asked(patch=plain),
    ]
    found = [shown(taken(Git(changed.root), one)) for one in asked]
    (tmp_path / "empty").mkdir()
    alone = taken(Git(empty_repository(tmp_path / "empty")), Asked(patch=patch, alone=True))
    changed.commit("second")
    expected = shown(taken(Git(changed.root), Asked(commit="HEAD")))
    assert found == [expected] * len(asked)
    assert shown(alone)[0] == expected[0]


def test_the_words_say_what_was_compared(changed):
    head = changed.git("rev-parse", "HEAD")
    words = [choose(Git(changed.root), one).chosen for one in (Asked(staged=True), Asked(worktree=True))]
    assert words == [f"the index, compared with HEAD ({head[:12]})", f"the work tree, compared with HEAD ({head[:12]})"]


def test_nothing_changed_is_said(repo):
    repo.write("a", "a\n")
    repo.commit("first")
    for asked in (Asked(staged=True), Asked(worktree=True)):
        assert choose(Git(repo.root), asked).chosen.endswith("; nothing differs")
    empty = choose(Git(repo.root), Asked(patch=b"\n"))
    assert empty.base == empty.head
    assert empty.chosen.endswith("nothing differs")


def test_a_repository_without_a_commit_has_a_work_tree_to_review(repo):
    repo.write("a", "a\n")
    git = Git(repo.root)
    snapshot = taken(git, Asked(worktree=True))
    assert [one.path for one in snapshot.files] == ["a"]
    assert "no commit yet" in snapshot.chosen


def test_a_base_before_head_takes_in_the_commits_between(changed):
    base = changed.git("rev-parse", "HEAD")
    changed.commit("second")
    changed.write("src/new.txt", "new\n")
    snapshot = taken(Git(changed.root), Asked(base=base, worktree=True))
    assert [one.path for one in snapshot.files] == ["src/a.txt", "src/c.txt", "src/new.txt"]
    assert snapshot.base == snapshot.merge_base == base


def test_the_head_of_the_same_content_is_the_same(changed):
    heads = {choose(Git(changed.root), Asked(worktree=True)).head for _ in range(2)}
    assert len(heads) == 1


@pytest.mark.parametrize(
    "asked",
    [
        Asked(staged=True, worktree=True),
        Asked(commit="HEAD", staged=True),
        Asked(head="HEAD", worktree=True),
        Asked(head="HEAD", patch=b"x"),
        Asked(base="HEAD", commit="HEAD"),
    ],
)
def test_what_excludes_each_other_is_refused(repo, asked):
    with pytest.raises(UsageError):
        choose(Git(repo.root), asked)


def test_a_patch_that_does_not_apply_is_refused_in_gits_words(changed):
    patch = changed.git("diff", "--cached").encode() + b"\n"
    changed.commit("second")
    with pytest.raises(SnapshotError, match=r"does not apply to HEAD .*src/a\.txt") as caught:
        choose(Git(changed.root), Asked(patch=patch))
    assert "--base" in caught.value.hint


@pytest.mark.parametrize("more", ["diff --cc a\n@@@ -1 -1 +1 @@@\n", "* Unmerged path a\n"])
def test_a_part_that_git_passes_over_is_refused_with_its_line(changed, more):
    patch = changed.git("diff", "--cached")
    with pytest.raises(UsageError, match="cannot be read") as caught:
        choose(Git(changed.root), Asked(patch=f"{patch}\n{more}".encode()))
    assert caught.value.where == f"line {len(patch.splitlines()) + 1} of it"
    with pytest.raises(UsageError, match="cannot be read"):
        choose(Git(changed.root), Asked(patch=more.encode()))


def test_a_binary_file_that_is_only_named_needs_its_contents(repo):
    repo.write("a.png", b"\0one")
    repo.commit("first")
    repo.write("a.png", b"\0two")
    with pytest.raises(SnapshotError, match="binary") as caught:
        choose(Git(repo.root), Asked(patch=repo.git("diff").encode() + b"\n"))
    assert "git diff --binary" in caught.value.hint


def test_a_bare_repository_has_neither(changed, tmp_path):
    changed.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    for asked in (Asked(staged=True), Asked(worktree=True)):
        with pytest.raises(SnapshotError, match="bare"):
            choose(Git(tmp_path / "bare.git"), asked)


def test_an_unborn_patch_has_no_head_to_apply_to(repo):
    with pytest.raises(SnapshotError, match="names no commit"):
        choose(Git(repo.root), Asked(patch=b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"))
