from review_agent.git import Git
from review_agent.worktree import uncommitted


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
