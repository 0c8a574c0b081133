"""init: policy files that were asked for, nothing else, and nothing written over."""

import re

import pytest
from ruamel.yaml import YAML

from review_agent.cli import _run
from review_agent.commands._workflow import install_of, workflow
from review_agent.errors import UsageError
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


@pytest.mark.parametrize("option", ["--policy", "--all"])
def test_the_whole_policy_is_copied_under_either_name(home, option):
    assert _init(home, option) == 0
    assert _there(home) == sorted(NAMES)


JOB = ".github/workflows/review-agent.yml"


def _job(home):
    return YAML(typ="safe", pure=True).load((home / JOB).read_text(encoding="utf-8"))


def test_the_workflow_may_read_and_no_more_and_runs_nothing_of_the_change(home, capsys):
    assert _init(home, "--github", "--install", "review-agent==0.1.0") == 0
    assert not _there(home), "a job needs no policy of the team's own"
    made = _job(home)
    assert made["permissions"] == {"contents": "read"}
    assert list(made["on"]) == ["pull_request"], "never pull_request_target: that one would hand out secrets"
    (job,) = made["jobs"].values()
    assert "permissions" not in job
    uses = [step["uses"] for step in job["steps"] if "uses" in step]
    assert all(re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", one) for one in uses)
    runs = [step.get("run", step.get("uses", "")).strip() for step in job["steps"]]
    assert runs[1] == "pip install --disable-pip-version-check 'review-agent==0.1.0'"
    assert [one.split("@")[0] for one in uses] == [
        "actions/setup-python",
        "actions/checkout",
        "actions/upload-artifact",
    ], "what is installed is there before the change is"
    assert runs[-2] == "review-agent check"
    assert job["steps"][2]["with"] == {"fetch-depth": 0, "persist-credentials": False}
    assert job["steps"][-1]["with"]["path"] == ".review-agent/artifact/"
    assert "secrets" not in (home / JOB).read_text(encoding="utf-8")
    assert "github.event" not in (home / JOB).read_text(encoding="utf-8")
    assert "docs/ci.md" in capsys.readouterr().out


def test_a_workflow_is_not_written_over_and_then_no_policy_is_written_either(home):
    target = home / JOB
    target.parent.mkdir(parents=True)
    target.write_text("ours\n", encoding="utf-8")
    more = ("--github", "--install", "x==1")
    assert _init(home, "skips.yml", *more) == 2
    assert not _there(home)
    assert target.read_text(encoding="utf-8") == "ours\n"
    assert _init(home, "skips.yml", *more, "--force") == 0
    assert _there(home) == ["skips.yml"]
    assert target.read_text(encoding="utf-8") != "ours\n"


@pytest.mark.parametrize("spec", ["x'; id; '", "x$(id)", "${{ secrets.A }}", "x\nid", "-r evil", "", " x", "x`id`"])
def test_what_pip_is_given_is_one_requirement(home, spec):
    with pytest.raises(UsageError, match="nothing that pip installs"):
        workflow(spec)


def test_the_job_installs_what_runs_here_or_asks(home, capsys):
    vcs = {"url": "https://example.com/x.git", "vcs_info": {"vcs": "git", "commit_id": "a" * 40}}
    wheel = {"url": "https://example.com/x.whl", "archive_info": {"hashes": {"sha256": "b" * 64}}}
    assert install_of(None, "0.1.0") == "review-agent==0.1.0"
    assert install_of(vcs) == f"review-agent @ git+https://example.com/x.git@{'a' * 40}"
    assert install_of(wheel) == f"review-agent @ https://example.com/x.whl#sha256={'b' * 64}"
    assert all(f"'{one}'" in workflow(one) for one in (install_of(vcs), install_of(wheel)))
    with pytest.raises(UsageError) as refused:
        install_of({"url": "file:///src", "dir_info": {}})
    assert "--install" in refused.value.hint
    assert _init(home, "skips.yml", "--install", "x==1") == 2
    assert "--github" in capsys.readouterr().err


def test_nothing_is_written_over_and_then_nothing_is_written_at_all(home, capsys):
    target = home / ".github/review-agent/skips.yml"
    target.parent.mkdir(parents=True)
    target.write_text("ours\n", encoding="utf-8")
    assert _init(home, "change-kinds.yml", "skips.yml") == 2
    assert _there(home) == ["skips.yml"]
    assert target.read_text(encoding="utf-8") == "ours\n"
    assert "nothing was written; name only files that are not there, or give --force" in capsys.readouterr().err


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
    assert "none of 1 commit is" in said
    assert "these are all there are" in said, "there is nothing that --limit could bring"
    assert not _there(home)


def test_a_file_where_the_folder_should_be_is_left_alone_and_named(home, capsys):
    (home / ".github").mkdir()
    (home / ".github/review-agent").write_text("mine")
    assert _init(home, "skips.yml") == 2
    assert "nothing else of that name" in capsys.readouterr().err
    assert (home / ".github/review-agent").read_text() == "mine"


def test_a_second_time_the_files_that_are_there_are_counted(home, capsys):
    assert _init(home, "--policy") == 0
    capsys.readouterr()
    assert _init(home, "--policy") == 2
    said = capsys.readouterr().err.splitlines()[0]
    assert re.fullmatch(r"review-agent: \.github/review-agent/[\w.-]+ and \d+ more files are there already", said)
    assert _init(home, "skips.yml") == 2
    assert "skips.yml is there already" in capsys.readouterr().err
