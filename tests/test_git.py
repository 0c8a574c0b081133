from __future__ import annotations

import gc
import os
import re
import shutil
from pathlib import Path

import pytest
from drawn import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from review_agent import gitcall
from review_agent.diff import display_path, parse
from review_agent.errors import GitError, SnapshotError
from review_agent.git import Git, TreeEntry


@pytest.fixture(autouse=True)
def no_user_config(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """The user that these tests run as has an empty home."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)
    return home


def two_commits(repo) -> tuple[str, str]:
    repo.write("src/a.py", "import os\n\n\ndef one():\n    return 1\n")
    first = repo.commit("first")
    repo.write("src/a.py", "import os\n\n\ndef one():\n    return 2\n")
    return first, repo.commit("second")


# Where a repository is


def test_found_from_a_subfolder_whatever_the_environment_says(repo, tmp_path, monkeypatch):
    _, head = two_commits(repo)
    other = type(repo)(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    git = Git(repo.root / "src")
    assert (git.root, git.git_dir) == (repo.root, repo.root / ".git")
    assert git.resolve("HEAD") == head


def test_bare_repositories_and_linked_work_trees(repo, tmp_path):
    first, head = two_commits(repo)
    repo.git("clone", "-q", "--bare", str(repo.root), str(tmp_path / "bare.git"))
    bare = Git(tmp_path / "bare.git")
    assert bare.root == bare.git_dir == tmp_path / "bare.git"
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"), first)
    linked = Git(tmp_path / "linked")
    assert linked.root == tmp_path / "linked"
    assert linked.resolve("HEAD") == first
    for git in (bare, linked):
        assert git.patch(first, head) == Git(repo.root).patch(first, head)
        assert [hit.path for hit in git.grep(head, ["one"])] == ["src/a.py"]
        assert git.blame(head, "src/a.py", 5, 5)[0].commit == head


def test_a_submodules_own_repository(repo, tmp_path):
    two_commits(repo)
    outer = type(repo)(tmp_path / "outer")
    outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repo.root), "lib")
    git = Git(outer.root / "lib")
    assert git.root == outer.root / "lib"
    assert list(git.tree(git.resolve("HEAD"))) == ["src/a.py"]


@pytest.mark.parametrize(("name", "message"), [("plain", "not a git repository"), ("absent", "no such folder")])
def test_no_repository_says_what_to_do(tmp_path, name, message):
    (tmp_path / "plain").mkdir()
    with pytest.raises(SnapshotError, match=message) as caught:
        Git(tmp_path / name)
    assert caught.value.where == str(tmp_path / name)
    assert caught.value.hint


@pytest.mark.parametrize("broken", ["HEAD", "file"])
def test_a_git_folder_that_git_passes_over_is_named(repo, broken):
    if broken == "HEAD":
        (repo.root / ".git/HEAD").write_text("garbage\n")
    else:
        shutil.rmtree(repo.root / ".git")
        (repo.root / ".git").write_text("gitdir: /nowhere\n")
    (repo.root / "src").mkdir(exist_ok=True)
    with pytest.raises(SnapshotError, match=r"git takes the .git here for no repository") as caught:
        Git(repo.root / "src")
    assert caught.value.where == str(repo.root / ".git")
    assert "HEAD names a branch" in caught.value.hint


def test_a_configuration_that_git_cannot_read_is_told_with_what_to_do(repo):
    (repo.root / ".git/config").write_text("garbage [\n")
    with pytest.raises(SnapshotError, match="cannot open the repository: bad config line 1") as caught:
        Git(repo.root)
    assert "mend what it names" in caught.value.hint


@pytest.mark.parametrize("damage", ["gone", "junk"])
def test_a_damaged_object_of_a_whole_clone_is_no_matter_of_a_partial_one(repo, damage):
    base, head = two_commits(repo)
    blob = repo.git("rev-parse", f"{head}:src/a.py").strip()
    place = repo.root / ".git/objects" / blob[:2] / blob[2:]
    place.unlink()
    if damage == "junk":
        place.write_text("junk")
    with pytest.raises(GitError, match="unable to read") as caught:
        Git(repo.root).patch(base, head)
    assert caught.value.hint.startswith("`git fsck` tells whether the repository is damaged")


def test_another_owners_repository_needs_the_users_own_trust(repo, no_user_config, monkeypatch):
    two_commits(repo)
    foreign = {**gitcall._ENVIRONMENT, "GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}
    monkeypatch.setattr(gitcall, "_ENVIRONMENT", foreign)
    with pytest.raises(SnapshotError, match="another user") as caught:
        Git(repo.root)
    assert f"safe.directory {repo.root}" in caught.value.hint
    (no_user_config / ".gitconfig").write_text(f"[safe]\n\tdirectory = {repo.root}\n")
    assert Git(repo.root).root == repo.root


def test_a_sha256_repository(repo, tmp_path):
    other = type(repo)(tmp_path / "long", "--object-format=sha256")
    first, head = two_commits(other)
    git = Git(other.root)
    assert len(git.resolve("HEAD")) == 64
    assert git.parents(head) == (first,)
    assert git.tree(git.empty_tree()) == {}
    (change,) = parse(git.raw_diff(first, head), git.patch(first, head), str)
    assert change.hunks[0].changed("new") == (5,)
    assert git.show_file(head, "src/a.py", max_bytes=100) is not None
    assert git.grep(head, ["one"])[0].line == 4
    assert git.blame(head, "src/a.py", 5, 5)[0].commit == head


# Refs


def test_every_way_to_name_a_commit(repo):
    first, head = two_commits(repo)
    repo.git("tag", "-a", "v1", "-m", "annotated", first)
    git = Git(repo.root)
    assert [git.resolve(ref) for ref in ("main", "HEAD", head[:10], "v1", "HEAD~1")] == [head, head, head, first, first]


@pytest.mark.parametrize("ref", ["nope", "", "--all", "-h", "^HEAD", "HEAD:src/a.py", "a\0b", "HEAD\nmain", "0" * 40])
def test_what_names_no_commit_is_refused(repo, ref):
    two_commits(repo)
    with pytest.raises(SnapshotError, match="names no commit") as caught:
        Git(repo.root).resolve(ref)
    assert "git fetch" in caught.value.hint


def test_head_before_the_first_commit(repo):
    with pytest.raises(SnapshotError) as caught:
        Git(repo.root).resolve("HEAD")
    assert "no commit yet" in caught.value.hint


@pytest.mark.parametrize("name", ["HEAD", "main", "--output=x", "abc123", "A" * 40])
def test_only_full_ids_after_that(repo, name):
    _, head = two_commits(repo)
    git = Git(repo.root)
    for call in (
        lambda: git.patch(name, head),
        lambda: git.raw_diff(head, name),
        lambda: git.tree(name),
        lambda: git.grep(name, ["x"]),
        lambda: git.sizes([name]),
        lambda: git.parents(name),
    ):
        with pytest.raises(GitError, match="no full object id"):
            call()


def test_merge_base_and_unrelated_histories(repo):
    first, head = two_commits(repo)
    repo.git("checkout", "-q", "-b", "side", first)
    side = repo.commit("side")
    repo.git("checkout", "-q", "--orphan", "alone")
    alone = repo.commit("alone")
    git = Git(repo.root)
    assert git.merge_base(head, side) == first
    assert git.merge_base(head, alone) is None


def test_default_branch_prefers_what_the_remote_says(repo, tmp_path):
    two_commits(repo)
    repo.git("branch", "trunk")
    assert Git(repo.root).default_branch() == "main"
    clone = type(repo)(tmp_path / "clone")
    assert Git(clone.root).default_branch() is None
    clone.git("remote", "add", "origin", str(repo.root))
    clone.git("fetch", "-q", "origin")
    assert Git(clone.root).default_branch() == "origin/main"
    clone.git("remote", "set-head", "origin", "trunk")
    assert Git(clone.root).default_branch() == "origin/trunk"
    clone.git("update-ref", "-d", "refs/remotes/origin/trunk")
    assert Git(clone.root).default_branch() == "origin/main"


def test_a_tag_cannot_pose_as_the_default_branch(repo):
    first, head = two_commits(repo)
    repo.git("update-ref", "refs/remotes/origin/main", first)
    repo.git("tag", "origin/main", head)
    repo.git("config", "core.warnAmbiguousRefs", "false")
    git = Git(repo.root)
    assert git.resolve(git.default_branch()) == first


@pytest.mark.parametrize("suffix", ["", "~0", "^{commit}"])
def test_a_name_of_several_refs_is_refused(repo, suffix):
    first, head = two_commits(repo)
    repo.git("branch", "release")
    repo.git("tag", "-a", "release", "-m", "same commit")
    git = Git(repo.root)
    assert git.resolve(f"release{suffix}") == head
    repo.git("tag", "-f", "release", first)
    with pytest.raises(SnapshotError, match="several refs: refs/tags/release, refs/heads/release") as caught:
        git.resolve(f"release{suffix}")
    assert "refs/heads/release" in caught.value.hint
    assert git.resolve("refs/heads/release") == head


def test_a_branch_named_like_a_commit_is_refused(repo):
    first, head = two_commits(repo)
    repo.git("branch", first[:7], head)
    with pytest.raises(SnapshotError, match="several refs"):
        Git(repo.root).resolve(first[:7])
    assert Git(repo.root).resolve(first) == first


def test_branch_is_what_a_ref_names_here_or_at_a_remote(repo):
    commit = repo.commit("one")
    repo.git("branch", "a/feature")
    repo.git("update-ref", "refs/remotes/origin/a/feature", commit)
    repo.git("tag", "v1")
    git = Git(repo.root)
    assert [git.branch(ref) for ref in ("HEAD", "a/feature", "origin/a/feature")] == ["main", "a/feature", "a/feature"]
    assert [git.branch(ref) for ref in (commit, "HEAD~1", "v1", "no/such", "-x")] == [None] * 5


def test_current_branch(repo):
    first, _ = two_commits(repo)
    git = Git(repo.root)
    assert git.current_branch() == "main"
    repo.git("checkout", "-q", first)
    assert git.current_branch() is None


def test_replace_refs_and_grafts_change_nothing(repo):
    first, head = two_commits(repo)
    blob = repo.git("rev-parse", f"{head}:src/a.py")
    repo.git("replace", blob, repo.git("hash-object", "-w", "--stdin"))
    (repo.root / ".git/info/grafts").write_text(f"{head}\n")
    git = Git(repo.root)
    assert b"return 2" in git.show_file(head, "src/a.py")
    assert git.merge_base(first, head) == first


# Hostile configuration

SABOTAGE = {
    "blame.ignoreRevsFile": "/nonexistent",
    "color.ui": "always",
    "color.diff": "always",
    "core.bigFileThreshold": "1",
    "core.quotePath": "false",
    "diff.algorithm": "patience",
    "diff.colorMoved": "zebra",
    "diff.context": "0",
    "diff.dstPrefix": "y/",
    "diff.ignoreSubmodules": "all",
    "diff.indentHeuristic": "false",
    "diff.interHunkContext": "50",
    "diff.mnemonicPrefix": "true",
    "diff.noprefix": "true",
    "diff.orderFile": "order",
    "diff.relative": "true",
    "diff.renameLimit": "1",
    "diff.renames": "false",
    "diff.submodule": "log",
    "diff.suppressBlankEmpty": "true",
    "diff.wsErrorHighlight": "all",
    "grep.column": "true",
    "grep.fullName": "false",
    "grep.lineNumber": "false",
    "grep.patternType": "perl",
    "submodule.recurse": "true",
}
PROGRAMS = ("core.fsmonitor", "core.pager", "core.sshCommand", "diff.external", "diff.spy.command", "diff.spy.textconv")


def everything(git: Git, base: str, head: str) -> list[object]:
    return [
        git.raw_diff(base, head),
        git.patch(base, head),
        list(git.grep(head, ["moved", "one"])),
        git.blame(head, "src/moved.py", 1, 3),
        dict(git.tree(head)),
        git.merge_base(base, head),
    ]


def test_no_configuration_changes_what_is_read_or_runs_anything(repo, tmp_path, no_user_config):
    repo.write("src/a.py", "".join(f"one = {number}\n\n" for number in range(40)))
    repo.write("other.py", "x\n" * 30)
    base = repo.commit("base")
    repo.git("mv", "src/a.py", "src/moved.py")
    repo.write("src/moved.py", "".join(f"one = {number}\n\n" for number in range(3, 40)) + "moved\n")
    repo.write("other.py", "x\n" * 10 + "y\n" + "x\n" * 20)
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{base},lib")
    repo.write("order", "src/*\n")
    head = repo.commit("head")
    clean = everything(Git(repo.root), base, head)

    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\ncat\n")
    program.chmod(0o755)
    for key, value in {**SABOTAGE, **dict.fromkeys(PROGRAMS, str(program))}.items():
        repo.git("config", key, value)
    shutil.copy(repo.root / ".git/config", no_user_config / ".gitconfig")
    for hook in ("post-checkout", "post-index-change", "reference-transaction"):
        shutil.copy(program, repo.root / ".git/hooks" / hook)
    (repo.root / ".gitattributes").write_text("*.py -diff diff=spy\n")
    (repo.root / "src/.gitattributes").write_text("*.py binary\n")
    (repo.root / ".git/info/attributes").write_text("*.py -diff diff=spy\n")

    git = Git(repo.root)
    assert everything(git, base, head) == clean
    assert git.resolve("main") == head
    assert not (tmp_path / "ran").exists()


def test_a_change_cannot_declare_itself_binary(repo):
    repo.write("a.py", "one\n")
    base = repo.commit("base")
    repo.write(".gitattributes", "*.py -diff\n")
    repo.write("a.py", "two\n")
    head = repo.commit("head")
    git = Git(repo.root)
    assert [change.binary for change in parse(git.raw_diff(base, head), git.patch(base, head), str)] == [False, False]
    assert [hit.path for hit in git.grep(head, ["two"])] == ["a.py"]


def test_nothing_is_fetched_for_a_partial_clone(repo, tmp_path):
    base, head = two_commits(repo)
    repo.git("config", "uploadpack.allowFilter", "true")
    partial = type(repo)(tmp_path / "partial")
    partial.git("remote", "add", "origin", f"file://{repo.root}")
    partial.git("-c", "protocol.file.allow=always", "fetch", "-q", "--filter=blob:none", "origin", "main")
    partial.git("config", "protocol.file.allow", "always")
    git = Git(partial.root)
    blob = git.tree(head)["src/a.py"].blob
    assert git.sizes([blob]) == {blob: None}
    assert list(git.blobs([blob])) == [(blob, None)]
    hits = git.grep(head, ["one"])
    assert (list(hits), hits.unread) == ([], ("src/a.py",))
    assert git.missing(blob)
    with pytest.raises(GitError, match="unable to read") as caught:
        git.patch(base, head)
    assert "git diff BASE HEAD" in caught.value.hint


def test_a_shallow_clone_knows_the_parents_it_lacks(repo, tmp_path):
    first, head = two_commits(repo)
    repo.git("clone", "-q", "--depth=1", f"file://{repo.root}", str(tmp_path / "shallow"))
    git = Git(tmp_path / "shallow")
    assert git.is_shallow()
    assert not Git(repo.root).is_shallow()
    assert git.parents(head) == (first,)
    assert git.missing(first)
    with pytest.raises(SnapshotError) as caught:
        git.resolve(first)
    assert "--unshallow" in caught.value.hint


# Objects


def test_tree_lists_links_submodules_and_odd_names(repo):
    repo.write("a b/c:d.txt", "x\n")
    Path(os.fsdecode(bytes(repo.root) + b"/latin-\xe9")).write_bytes(b"y\n")
    (repo.root / "link").symlink_to("a b")
    first = repo.commit("first")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{first},lib")
    repo.git("commit", "-q", "-m", "second")
    git = Git(repo.root)
    tree = git.tree(git.resolve("HEAD"))
    assert {path: entry.mode for path, entry in tree.items()} == {
        "a b/c:d.txt": "100644",
        "latin-\\xe9": "100644",
        "lib": "160000",
        "link": "120000",
    }
    assert tree["lib"] == TreeEntry("160000", first, b"lib")
    assert tree["latin-\\xe9"].name == b"latin-\xe9"


def test_blobs_come_in_order_within_the_limit(repo):
    texts = {f"{number}.txt": f"text {number}\n" * (1 + number % 7) for number in range(450)}
    for path, text in texts.items():
        repo.write(path, text)
    repo.write("big.bin", b"\0" * 10_000)
    head = repo.commit("many")
    git = Git(repo.root)
    tree = git.tree(head)
    ids = [tree[path].blob for path in texts]
    assert list(git.blobs(ids)) == [(blob, text.encode()) for blob, text in zip(ids, texts.values(), strict=True)]
    big, absent, no_blob = tree["big.bin"].blob, "e" * 40, head
    asked = [big, ids[0], absent, no_blob, ids[0]]
    assert [data for _, data in git.blobs(asked, max_bytes=9_999)] == [None, b"text 0\n", None, None, b"text 0\n"]
    assert git.sizes([big, absent, no_blob]) == {big: 10_000, absent: None, no_blob: None}
    assert list(git.blobs([])) == []
    git.close()
    assert git.sizes([big]) == {big: 10_000}


def test_large_contents_are_read_in_portions(repo, monkeypatch):
    monkeypatch.setattr(gitcall, "_CHUNK_BYTES", 100_000)
    for number in range(5):
        repo.write(f"{number}.bin", bytes([number]) * 90_000)
    head = repo.commit("large")
    git = Git(repo.root)
    assert [data[:1] for _, data in git.blobs([entry.blob for entry in git.tree(head).values()])] == [
        bytes([number]) for number in range(5)
    ]


def test_a_reader_that_died_is_started_again(repo):
    _, head = two_commits(repo)
    git = Git(repo.root)
    blob = git.tree(head)["src/a.py"].blob
    assert git.sizes([blob]) == {blob: 36}
    git._objects._children["--batch-check"].kill()
    with pytest.raises(GitError, match="cat-file"):
        git.sizes([blob])
    assert git.sizes([blob]) == {blob: 36}


def test_show_file_gives_regular_files_only(repo):
    repo.write("a.txt", b"x\r\n\xff")
    (repo.root / "link").symlink_to("a.txt")
    head = repo.commit("first")
    git = Git(repo.root)
    assert git.show_file(head, "a.txt") == b"x\r\n\xff"
    assert git.show_file(head, "a.txt", max_bytes=2) is None
    assert git.show_file(head, "link") is None
    assert git.show_file(head, "absent") is None


# Hits


def test_grep_reads_any_path_and_text(repo):
    repo.write("a:1:b.txt", "call(one)\n\nother one: two\n")
    repo.write("new\nline:3.txt", "one\n")
    repo.write("plain.txt", b"caf\xe9 one\r\n")
    repo.write("logo.bin", b"\0 one\n")
    head = repo.commit("first")
    assert [tuple(hit) for hit in Git(repo.root).grep(head, ["one"])] == [
        ("a:1:b.txt", 1, "call(one)"),
        ("a:1:b.txt", 3, "other one: two"),
        ("new\\x0aline:3.txt", 1, "one"),
        ("plain.txt", 1, "caf\ufffd one\r"),
    ]


def test_grep_takes_words_for_words_and_nothing_else(repo):
    repo.write("a.txt", "os.environ\nosXenviron\nos.environment\nopens\nopen\na|b\n[x]\n$HOME {2}\n-e\n\\\\d\n")
    head = repo.commit("first")
    git = Git(repo.root)

    def lines(*words: str, **options) -> list[int]:
        return [hit.line for hit in git.grep(head, words, **options)]

    assert lines("os.environ") == [1]
    assert lines("os", "os.environ") == [1, 3]
    assert lines("open", "opens", "ope") == [4, 5]
    assert lines("open", fixed_word=False) == [4, 5]
    assert lines("os.env", fixed_word=False) == [1, 3]
    assert lines("a|b", "[x]", "$HOME", "{2}", "-e", "\\\\d", fixed_word=False) == [6, 7, 8, 9, 10]
    assert lines("", "\n", "a\nb", "\0") == []
    assert lines() == []
    assert lines("absent") == []


def test_grep_keeps_to_pathspecs_and_says_what_it_left_out(repo):
    repo.write("a.py", "one\n" * 5)
    repo.write("lib/b.py", "one\n")
    repo.write("lib/c.go", "one\n")
    head = repo.commit("first")
    git = Git(repo.root)
    assert {hit.path for hit in git.grep(head, ["one"], pathspecs=["*.py"])} == {"a.py", "lib/b.py"}
    assert {hit.path for hit in git.grep(head, ["one"], pathspecs=["*.py", ":(exclude)lib/"])} == {"a.py"}
    few = git.grep(head, ["one"], max_per_file=2)
    assert [hit.line for hit in few] == [1, 2, 1, 1]
    assert few.truncated
    assert not git.grep(head, ["one"]).truncated
    with pytest.raises(GitError, match="pathspec"):
        git.grep(head, ["one"], pathspecs=[":(nonsense)x"])


def test_grep_is_cut_at_its_bound(repo, monkeypatch):
    monkeypatch.setattr("review_agent.git._MAX_GREP_OUTPUT", 1_000)
    repo.write("a.txt", "one\n" * 1_000)
    hits = Git(repo.root).grep(repo.commit("first"), ["one"], max_per_file=10_000)
    assert 0 < len(hits) < 30
    assert hits.truncated


WORD = st.sampled_from(["a", "ab", "a.b", "b", "a b", "ab_", "(a", "b)", "é", "a-b"])


@pytest.mark.slow
@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(st.lists(WORD, max_size=4).map("".join), min_size=1, max_size=8), words=st.sets(WORD, min_size=1))
def test_grep_finds_what_a_reader_would(repo, lines, words):
    repo.write("a.txt", "\n".join(lines) + "\n")
    git = Git(repo.root)
    head = repo.commit("example")
    plain = [number for number, line in enumerate(lines, 1) if any(word in line for word in words)]
    assert [hit.line for hit in git.grep(head, sorted(words), fixed_word=False)] == plain
    alone = re.compile("|".join(rf"(?<![A-Za-z0-9_]){re.escape(word)}(?![A-Za-z0-9_])" for word in sorted(words)))
    whole = [number for number, line in enumerate(lines, 1) if alone.search(line)]
    assert [hit.line for hit in git.grep(head, sorted(words))] == whole
    git.close()


# Blame and identity


def test_blame_names_commit_path_and_line_of_origin(repo):
    repo.write('odd "name".py', "one\ntwo\nthree\n")
    first = repo.commit("Add numbers")
    repo.git("mv", 'odd "name".py', "plain.py")
    repo.write("plain.py", "zero\none\ntwo!\nthree\n")
    second = repo.commit("Fix two")
    lines = Git(repo.root).blame(second, "plain.py", 2, 4)
    assert [tuple(line) for line in lines] == [
        (2, first, 'odd "name".py', 1, "Add numbers", True),
        (3, second, "plain.py", 3, "Fix two", False),
        (4, first, 'odd "name".py', 3, "Add numbers", True),
    ]


@pytest.mark.parametrize(("path", "start", "end"), [("absent", 1, 1), ("src/a.py", 6, 6), ("src/a.py", 6, 9)])
def test_blame_of_lines_that_are_not_there(repo, path, start, end):
    _, head = two_commits(repo)
    with pytest.raises(GitError):
        Git(repo.root).blame(head, path, start, end)


def test_identity_is_the_users_own(repo, no_user_config):
    git = Git(repo.root)
    assert git.identity() == "unknown"
    (no_user_config / ".gitconfig").write_text("[user]\n\temail = ada@example.com\n")
    assert git.identity() == "<ada@example.com>"
    repo.git("config", "user.name", "Ada Lovelace")
    assert git.identity() == "Ada Lovelace <ada@example.com>"


def test_a_failing_git_is_an_error_with_its_own_words(repo):
    _, head = two_commits(repo)
    with pytest.raises(GitError, match="git ls-tree failed: "):
        Git(repo.root).tree("d" * len(head))


@pytest.mark.parametrize("pathspec", ["../outside.py", "/etc/passwd", ":(bogus)x"])
def test_what_git_refuses_is_told_the_same_each_time(repo, pathspec):
    """Without advice, and without the folder that is another one in every run: what is told becomes a record."""
    repo.write("a.py", "word\n")
    commit, told = repo.commit("One"), []
    for _ in range(2):
        with pytest.raises(GitError) as caught:
            Git(repo.root).grep(commit, ["word"], pathspecs=[pathspec])
        told.append(caught.value.message)
    assert told[0] == told[1]
    assert told[0].startswith(f"git grep failed: {pathspec if pathspec[0] != ':' else 'Invalid'}")
    assert "hint:" not in told[0]
    assert "review-agent-git" not in told[0]


def test_too_much_output_is_refused(repo):
    base, head = two_commits(repo)
    caller = gitcall.Caller(repo.root / ".git", repo.root)
    with pytest.raises(GitError, match="diff-tree printed more than 0 KiB"):
        caller.read("diff-tree", "--patch", base, head, max_output=10)


def test_the_clean_room_goes_with_its_owner(repo):
    two_commits(repo)
    git = Git(repo.root)
    room = git._git.room
    assert room.is_dir()
    del git
    gc.collect()
    assert not room.exists()


def test_commits_are_listed_newest_first_without_merges(repo):
    first = repo.commit("first")
    repo.git("checkout", "-q", "-b", "side")
    side = repo.commit("side")
    repo.git("checkout", "-q", "main")
    second = repo.commit("second")
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    git = Git(repo.root)
    head = git.resolve("HEAD")
    assert git.commits(head) == [second, side, first]
    assert git.commits(head, since=first) == [second, side]
    assert git.commits(head, limit=1) == [second]
    assert git.commits(first, since=first) == []
    with pytest.raises(GitError, match="no full object id"):
        git.commits("HEAD")


def test_binary_files_that_may_hold_a_word_are_named(repo):
    odd = "n matches\nBinary file x.js"
    repo.write("a.py", "price(1)\n")
    repo.write(odd, "price(1)\n".encode("utf-16"))
    repo.write("be.py", b"\xfe\xff" + "x = 1\n".encode("utf-16-be"))
    repo.write("nul.js", b"\0price")
    repo.write("other.bin", b"\0cost")
    repo.write("z.py", "price(2)\n")
    head = repo.commit("head")
    for whole in (True, False):
        hits = Git(repo.root).grep(head, ["price"], fixed_word=whole)
        assert [hit.path for hit in hits] == ["a.py", "z.py"]
        assert hits.binary == ("be.py", display_path(odd.encode()), "nul.js")
