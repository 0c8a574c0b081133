"""``policy check`` lists every problem and its line; ``policy show`` says where each file came from."""

import json
import os

import pytest

from review_agent import cli
from review_agent.resources import shipped


@pytest.fixture
def run(monkeypatch, capsys):
    monkeypatch.setattr(cli, "COMMANDS", ("policy", "schema", "doctor"))

    def run(*arguments):
        with pytest.raises(SystemExit) as left:
            cli.main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return int(left.value.code or 0), out, err

    return run


def budgets(**changes):
    text = (shipped("policy") / "budgets.yml").read_text()
    for key, value in changes.items():
        text = text.replace(f"{key}: ", f"{key}: {value} #", 1)
    return text


def test_the_shipped_policy_is_in_order(run, tmp_path):
    code, out, err = run("policy", "check", "--repo", tmp_path)
    assert (code, err) == (0, "")
    assert out.startswith("in order: the shipped default\nhash ")


def test_check_lists_every_problem_of_every_file_and_exits_2(run, tmp_path):
    (tmp_path / "budgets.yml").write_text(budgets(queries="many", filesRead=-1))
    (tmp_path / "mask.yml").write_text("[]")
    code, out, _ = run("policy", "check", tmp_path)
    assert code == 2
    assert [line.split(" ")[0] for line in out.splitlines()] == ["mask.yml:", "budgets.yml:2:", "budgets.yml:4:", "3"]
    assert (
        out.splitlines()[-1] == f"3 problems in the folder {tmp_path}: budgets.yml; the rest from the shipped default"
    )


def test_one_problem_is_one(run, tmp_path):
    (tmp_path / "budgets.yml").write_text(budgets(queries=0))
    assert run("policy", "check", tmp_path)[1].splitlines()[-1].startswith("1 problem in ")


def test_check_reads_the_ref_it_is_given_and_not_the_checkout(run, repo):
    repo.write(".github/review-agent/budgets.yml", budgets(queries=5))
    repo.commit("Policy")
    repo.git("branch", "protected")
    repo.write(".github/review-agent/budgets.yml", "broken: yes")
    code, out, _ = run("policy", "check", "--ref", "protected", "--repo", repo.root)
    assert code == 0
    assert "at protected (" in out


@pytest.mark.parametrize("arguments", [["check"], ["show", "--policy"]])
def test_a_folder_that_is_not_there_is_answered_for_either_way_of_naming_it(run, tmp_path, arguments):
    code, out, err = run("policy", *arguments, tmp_path / "none")
    assert (code, out) == (2, "")
    assert "name a folder that exists" in err


def test_a_folder_and_a_ref_together_are_refused(run, tmp_path):
    code, _, err = run("policy", "check", tmp_path, "--ref", "main")
    assert code == 2
    assert "not from both" in err


def test_an_unknown_ref_is_an_error_with_a_next_step(run, repo):
    repo.commit("Nothing")
    code, out, err = run("policy", "check", "--ref", "gone", "--repo", repo.root)
    assert (code, out) == (2, "")
    assert "gone" in err
    assert "next" in err


def test_show_says_what_is_in_force_and_where_it_is_from(run, tmp_path):
    (tmp_path / "budgets.yml").write_text(budgets(queries=3))
    code, out, _ = run("policy", "show", "--policy", tmp_path)
    assert code == 0
    assert f"source        the folder {tmp_path}: budgets.yml; the rest from the shipped default" in out
    assert "asked         api_contract, error_handling, config_default" in out
    assert "  queries              3" in out
    assert f"  budgets.yml             the folder {tmp_path}" in out
    assert "  auditPercent         2\n" in out
    assert "  suppressed           none\n" in out
    assert "  vendored             vendor/, node_modules/, " in out
    assert "  **/auth/**           30: decides who may do what\n" in out
    assert "  masking.yml             the shipped default" in out


def test_show_as_json_is_the_whole_policy(run, tmp_path):
    code, out, _ = run("policy", "show", "--format", "json", "--repo", tmp_path)
    shown = json.loads(out)
    assert code == 0
    assert shown["budgets"]["queries"] == 8
    assert set(shown["files"].values()) == {"the shipped default"}
    assert len(shown["hash"]) == 64


def test_show_of_a_faulty_policy_is_an_error_that_names_check(run, tmp_path):
    (tmp_path / "budgets.yml").write_text(budgets(queries=0))
    code, out, err = run("policy", "show", "--policy", tmp_path)
    assert (code, out) == (2, "")
    assert "budgets.yml:2" in err
    assert "policy check" in err


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("web/uv.lock", ["web/uv.lock: set aside as lock_file by uv.lock"]),
        ("a/vendor/b/c.go", ["a/vendor/b/c.go: set aside as vendored by vendor/"]),
        ("src/app.py", ["src/app.py: examined: no pattern sets it aside"]),
    ],
)
def test_which_tells_the_pattern_that_sets_a_path_aside(run, tmp_path, path, said):
    code, out, _ = run("policy", "which", path, "--repo", tmp_path)
    assert (code, out.splitlines()) == (0, said)


def test_which_tells_what_raises_a_path_in_rank(run, tmp_path):
    _, out, _ = run("policy", "which", "src/auth/login.py", "--repo", tmp_path)
    assert out.splitlines()[1] == (
        "sensitive: **/auth/** adds 30 to the rank of its questions (decides who may do what)"
    )


@pytest.mark.parametrize("spelt", ["poetry.lock", "./poetry.lock", "a/../poetry.lock", "{root}/poetry.lock"])
def test_which_takes_a_path_however_it_is_spelt(run, repo, spelt):
    code, out, _ = run("policy", "which", spelt.format(root=repo.root), "--repo", repo.root)
    assert (code, out.splitlines()[0][:31]) == (0, "poetry.lock: set aside as lock_")


@pytest.mark.parametrize("odd", ["", " ", ".", "..", "../x", "a/../../x", "/etc/passwd"])
def test_which_says_nothing_of_what_is_no_path_of_the_repository(run, repo, odd):
    code, out, err = run("policy", "which", odd, "--repo", repo.root)
    assert (code, out) == (2, "")
    assert "is no path in the repository" in err
    assert "as git shows it" in err


def test_which_says_that_a_path_is_not_there(run, repo):
    repo.write("src/app.py", "x = 1\n")
    repo.commit("first")
    for path, missing in (("src/app.py", False), ("src/", False), ("src/ap.py", True), ("sr", True)):
        _, out, _ = run("policy", "which", path, "--repo", repo.root)
        assert out.splitlines()[0].endswith(" (no such path at HEAD)") is missing


@pytest.mark.parametrize(("name", "shown"), [(b"a\nb.py", r"a\x0ab.py"), (b"\xff\xfe.py", r"\xff\xfe.py")])
def test_which_knows_a_path_by_its_own_bytes_and_as_it_is_shown(run, repo, name, shown):
    repo.write(os.fsdecode(name), "x = 1\n")
    repo.commit("first")
    for spelt in (os.fsdecode(name), shown):
        _, out, _ = run("policy", "which", spelt, "--repo", repo.root)
        assert out.splitlines()[0] == f"{shown}: examined: no pattern sets it aside"
