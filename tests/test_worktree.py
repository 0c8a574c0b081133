import errno
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from review_agent.errors import SnapshotError
from review_agent.git import Git
from review_agent.worktree import staged, uncommitted, unstaged


def test_only_content_that_no_commit_holds_counts(repo):
    repo.write("a.py", "x = 1\n")
    repo.write("b.py", "y = 1\n")
    repo.commit("first")
    git = Git(repo.root)
    assert uncommitted(git) == ""
    (repo.root / "a.py").touch()
    assert uncommitted(git) == ""
    repo.write("a.py", "x = 2\n")
    repo.write("c.py", "z = 1\n")
    assert uncommitted(git) == "1 changed file"
    repo.git("add", "c.py")
    (repo.root / "b.py").unlink()
    assert uncommitted(git) == "3 changed files"


def test_no_clean_filter_of_the_repository_runs(repo, tmp_path):
    repo.write("a.txt", "x\n")
    repo.commit("first")
    ran = tmp_path / "ran"
    repo.git("config", "filter.trap.clean", f"touch {ran}; cat")
    (repo.root / ".git/info").mkdir(exist_ok=True)
    (repo.root / ".git/info/attributes").write_text("* filter=trap\n")
    repo.write("a.txt", "y\n")
    assert uncommitted(Git(repo.root)) == "1 changed file"
    assert not ran.exists()


def test_a_bare_repository_has_no_work_tree(repo, tmp_path):
    repo.write("a.py", "x = 1\n")
    repo.commit("first")
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    assert uncommitted(Git(tmp_path / "bare.git")) == ""


# A tree made of them


def state(root: Path) -> dict[str, bytes]:
    """Every byte of a git directory."""
    return {str(path): path.read_bytes() for path in sorted((root / ".git").rglob("*")) if path.is_file()}


def at(git: Git, tree: str) -> dict[str, tuple[str, bytes]]:
    entries = git.tree(tree)
    return {path: (one.mode, next(git.blobs([one.blob]))[1] or b"") for path, one in entries.items()}


@pytest.fixture
def busy(repo):
    """A work tree in which everything that can happen to a file has happened."""
    for name in ("kept", "edited", "staged", "both", "gone", "dropped", "typed", "swapped", "mode"):
        repo.write(f"{name}.py", f"{name} = 1\n")
    repo.write(".gitignore", "*.log\n")
    repo.commit("first")
    repo.write("edited.py", "edited = 2\n")
    repo.write("staged.py", "staged = 2\n")
    repo.write("both.py", "both = 2\n")
    repo.git("add", "staged.py", "both.py")
    repo.write("both.py", "both = 3\n")
    (repo.root / "gone.py").unlink()
    repo.git("rm", "-q", "--cached", "dropped.py")
    (repo.root / "typed.py").unlink()
    (repo.root / "typed.py").symlink_to("/etc/passwd")
    (repo.root / "swapped.py").unlink()
    repo.write("swapped.py/inside.py", "inside = 1\n")
    (repo.root / "mode.py").chmod(0o755)
    repo.write("new dir/é\tnew.py", "new = 1\n")
    repo.write("announced.py", "announced = 1\n")
    repo.git("add", "-N", "announced.py")
    repo.write("noise.log", "noise\n")
    return repo


def test_the_work_tree_is_read_with_its_untracked_files_and_stays_as_it_is(busy):
    before = state(busy.root)
    git = Git(busy.root)
    made = unstaged(git)
    found = at(git, made.tree)
    assert state(busy.root) == before
    assert {path: mode for path, (mode, _) in found.items() if mode != "100644"} == {
        "typed.py": "120000",
        "mode.py": "100755",
    }
    assert {path: data for path, (_, data) in found.items()} == {
        ".gitignore": b"*.log\n",
        "announced.py": b"announced = 1\n",
        "both.py": b"both = 3\n",
        "dropped.py": b"dropped = 1\n",
        "edited.py": b"edited = 2\n",
        "kept.py": b"kept = 1\n",
        "mode.py": b"mode = 1\n",
        "new dir/é\\x09new.py": b"new = 1\n",
        "staged.py": b"staged = 2\n",
        "swapped.py/inside.py": b"inside = 1\n",
        "typed.py": b"/etc/passwd",
    }
    assert made.told == "the work tree (3 untracked files in it)"


def test_the_index_is_read_as_a_commit_would_have_it(busy):
    before = state(busy.root)
    git = Git(busy.root)
    made = git.tree(staged(git).tree)
    assert state(busy.root) == before
    assert made == git.tree(busy.git("write-tree"))


def test_the_work_tree_is_what_git_would_commit(busy):
    git = Git(busy.root)
    made = git.tree(unstaged(git).tree)
    busy.git("add", "-A")
    assert made == git.tree(busy.git("write-tree").strip())


@pytest.mark.parametrize(
    ("attributes", "autocrlf", "committed"),
    [("* text=auto\n", "false", "a\n"), ("", "true", "a\n"), ("", "false", "a\n"), ("* text=auto\n", "true", "a\r\n")],
)
def test_line_ends_are_those_git_would_commit(repo, attributes, autocrlf, committed):
    repo.git("config", "core.autocrlf", "false")
    repo.write("a.txt", committed)
    repo.commit("first")
    repo.write(".gitattributes", attributes)
    repo.commit("attributes")
    repo.git("config", "core.autocrlf", autocrlf)
    repo.write("a.txt", "a\r\nb\r\n")
    repo.write("new.txt", "n\r\n")
    git = Git(repo.root)
    made = git.tree(unstaged(git).tree)
    repo.git("add", "-A")
    assert made == git.tree(repo.git("write-tree").strip())


def test_no_filter_and_no_hook_runs_for_the_work_tree(repo, tmp_path):
    repo.write("a.txt", "x\n")
    repo.commit("first")
    ran = tmp_path / "ran"
    repo.git("config", "filter.trap.clean", f"touch {ran}; cat")
    repo.git("config", "core.fsmonitor", f"touch {ran}")
    repo.write(".gitattributes", "* filter=trap\n")
    repo.write("a.txt", "y\n")
    git = Git(repo.root)
    assert at(git, unstaged(git).tree)["a.txt"] == ("100644", b"y\n")
    staged(git)
    assert not ran.exists()


def test_a_folder_that_became_a_link_is_not_followed(repo, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.py").write_text("secret = 1\n")
    repo.write("pkg/a.py", "x = 1\n")
    repo.commit("first")
    shutil.rmtree(repo.root / "pkg")
    (repo.root / "pkg").symlink_to(outside)
    git = Git(repo.root)
    assert at(git, unstaged(git).tree) == {"pkg": ("120000", str(outside).encode())}


def test_a_pipe_in_place_of_a_file_is_a_file_that_is_gone(repo):
    repo.write("a.py", "x = 1\n")
    repo.write("b.py", "y = 1\n")
    repo.commit("first")
    (repo.root / "a.py").unlink()
    os.mkfifo(repo.root / "a.py")
    git = Git(repo.root)
    assert list(git.tree(unstaged(git).tree)) == ["b.py"]


def test_a_conflict_is_read_from_the_work_tree_and_not_from_the_index(repo):
    repo.write("a.py", "x = 1\n")
    base = repo.commit("first")
    repo.write("a.py", "x = 2\n")
    repo.commit("ours")
    repo.git("checkout", "-q", "-b", "other", base)
    repo.write("a.py", "x = 3\n")
    repo.commit("theirs")
    subprocess.run(["git", "merge", "-q", "-"], cwd=repo.root, env=repo.environment(), capture_output=True)
    git = Git(repo.root)
    assert b"<<<<<<<" in at(git, unstaged(git).tree)["a.py"][1]
    with pytest.raises(SnapshotError, match=r"conflict: a\.py"):
        staged(git)


def test_a_repository_of_its_own_inside_is_left_out(repo):
    repo.write("a.py", "x = 1\n")
    repo.commit("first")
    inner = type(repo)(repo.root / "inner")
    inner.write("b.py", "y = 1\n")
    inner.commit("inner")
    git = Git(repo.root)
    assert list(git.tree(unstaged(git).tree)) == ["a.py"]


def test_the_users_own_ignore_file_counts(repo, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "config/git").mkdir(parents=True)
    (tmp_path / "config/git/ignore").write_text(".idea/\n")
    repo.write("a.py", "x = 1\n")
    repo.commit("first")
    repo.write(".idea/workspace.xml", "<x/>\n")
    git = Git(repo.root)
    assert list(git.tree(unstaged(git).tree)) == ["a.py"]


def test_a_file_that_cannot_be_read_is_named(repo, monkeypatch):
    repo.write("a.py", "x = 1\n")
    repo.commit("first")
    repo.write("a.py", "x = 2\n")
    opened = os.open

    def refused(path, *args, **keywords):
        # Root reads a file of mode 0 too: the refusal is made where the system would make it for others.
        if path == b"a.py":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return opened(path, *args, **keywords)

    monkeypatch.setattr(os, "open", refused)
    with pytest.raises(SnapshotError, match="cannot be read") as caught:
        unstaged(Git(repo.root))
    assert caught.value.where == "a.py"


def test_the_same_content_is_the_same_commit(busy):
    first, second = Git(busy.root), Git(busy.root)
    made = [git.writer.commit(unstaged(git).tree, git.head(), "x") for git in (first, second)]
    assert made[0] == made[1]
    assert first.parents(made[0]) == (busy.git("rev-parse", "HEAD"),)
