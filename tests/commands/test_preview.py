"""Preview tells the questions of the rules, and what an engine that asks more may add to them."""

from __future__ import annotations

import json

import pytest

from review_agent import cli
from review_agent.resources import shipped
from review_agent.vocabulary import COMPILED

ADDS = "the compiler of engine {} may add up to {}; preview asks no model"


@pytest.fixture
def shop(repo, monkeypatch):
    monkeypatch.setattr(cli, "COMMANDS", ("preview", "doctor"))
    repo.write("shop.py", "def price(sku):\n    return 1\n")
    repo.commit("first")
    repo.write("shop.py", "def price(sku, day):\n    return 1\n")
    repo.commit("second")
    return repo


def preview(capsys, repo, *args: str) -> tuple[int, str]:
    with pytest.raises(SystemExit) as stop:
        cli.main(["preview", "--repo", str(repo.root), "--base", "HEAD~1", *args])
    shown = capsys.readouterr()
    return int(stop.value.code or 0), shown.out or shown.err


def test_the_questions_of_the_rules_and_what_would_be_reviewed(shop, capsys):
    code, said = preview(capsys, shop)
    assert code == 0
    assert "? api_contract · shop.py:1 · required_parameter_added" in said
    assert said.endswith("2 questions · would review 1 of 1 file, 1 of 1 hunk\n")
    assert "may add" not in said


@pytest.mark.parametrize("name", ["openai", "batch"])
def test_an_engine_with_a_compiler_is_said_to_ask_more_by_flag_or_by_environment(shop, capsys, monkeypatch, name):
    code, said = preview(capsys, shop, "--engine", name)
    assert (code, said.splitlines()[-2]) == (0, f"+ {ADDS.format(name, '1 question')}")
    monkeypatch.setenv("REVIEW_AGENT_ENGINE", name)
    assert preview(capsys, shop) == (code, said)
    data = json.loads(preview(capsys, shop, "--format", "json")[1])
    assert data["compiler"] == {"engine": name, "mostQuestions": 1}
    assert not [one for one in data["questions"] if one["rule"].startswith(COMPILED)]


def test_the_policy_bounds_what_may_be_added_and_a_change_without_an_examined_hunk_adds_nothing(shop, capsys, tmp_path):
    policy = tmp_path / "policy"
    policy.mkdir()
    whole = (shipped("policy") / "engine.yml").read_text()
    (policy / "engine.yml").write_text(whole.replace("questionsPerRun: 1 ", "questionsPerRun: 3 "))
    assert ADDS.format("batch", "3 questions") in preview(capsys, shop, "--engine", "batch", "--policy", str(policy))[1]
    assert "may add" not in preview(capsys, shop, "--engine", "batch", "--exclude", "*.py")[1]
    data = json.loads(preview(capsys, shop, "--format", "json")[1])
    assert data["compiler"] == {"engine": "rules", "mostQuestions": 0}


def test_an_engine_that_the_environment_names_and_nobody_knows_is_an_error(shop, capsys, monkeypatch):
    monkeypatch.setenv("REVIEW_AGENT_ENGINE", "oracle")
    code, said = preview(capsys, shop)
    assert code == 2
    assert "there is no engine called 'oracle'" in said
