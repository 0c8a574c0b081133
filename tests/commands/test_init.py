"""init: policy files that were asked for, nothing else, and nothing written over."""

import pytest

from review_agent.cli import _run
from review_agent.policy.check import check
from review_agent.policy.folder import NAMES, read


@pytest.fixture
def home(repo):
    repo.write("README.md", "# Shop\n")
    repo.commit("Begin")
    return repo.root


def _init(home, *more):
    return _run(["init", "--repo", str(home), *more], False)


def _there(home):
    folder = home / ".github/review-agent"
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def test_only_what_is_asked_for_is_written_and_it_is_a_valid_policy(home, capsys):
    assert _init(home, "change-kinds.yml", "skips.yml") == 0
    assert _there(home) == ["change-kinds.yml", "skips.yml"]
    policy, problems = check(read(home / ".github/review-agent"))
    assert policy is not None
    assert not problems
    assert "takes effect once it is committed" in capsys.readouterr().out
    assert _init(home, "--all", "--force") == 0
    assert _there(home) == sorted(NAMES)


def test_nothing_is_written_over_and_then_nothing_is_written_at_all(home, capsys):
    target = home / ".github/review-agent/skips.yml"
    target.parent.mkdir(parents=True)
    target.write_text("ours\n", encoding="utf-8")
    assert _init(home, "change-kinds.yml", "skips.yml") == 2
    assert _there(home) == ["skips.yml"]
    assert target.read_text(encoding="utf-8") == "ours\n"
    assert "--force" in capsys.readouterr().err


@pytest.mark.parametrize("names", [(), ("kinds.yml",), ("../escape.yml",)])
def test_names_that_are_none_are_refused_with_those_there_are(home, capsys, names):
    assert _init(home, *names) == 2
    assert "change-kinds.yml" in capsys.readouterr().err
    assert not _there(home)


def test_no_link_is_followed_out_of_the_repository(home, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (home / ".github").symlink_to(outside)
    assert _init(home, "skips.yml") == 2
    assert not list(outside.iterdir())


def test_a_bare_repository_has_no_place_for_it(home, tmp_path, capsys):
    from subprocess import run

    run(["git", "clone", "-q", "--bare", str(home), str(tmp_path / "bare.git")], check=True)
    assert _init(tmp_path / "bare.git", "skips.yml") == 2
    assert "work tree" in capsys.readouterr().err


def test_calibrate_says_so_where_history_holds_nothing_to_learn_from(home, capsys):
    assert _init(home, "--calibrate") == 2
    said = capsys.readouterr().err
    assert "none of 1 commits" in said
    assert "these are all there are" in said, "there is nothing that --limit could bring"
    assert not _there(home)


def test_a_file_where_the_folder_should_be_is_left_alone_and_named(home, capsys):
    (home / ".github").mkdir()
    (home / ".github/review-agent").write_text("mine")
    assert _init(home, "skips.yml") == 2
    assert "nothing else of that name" in capsys.readouterr().err
    assert (home / ".github/review-agent").read_text() == "mine"
