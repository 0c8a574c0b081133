"""Who answers is chosen by flag, then environment, then policy; a key is asked for and never shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from review_agent.commands._engine import EngineOptions, wanted
from review_agent.engines.building import Wanted, api_key, build
from review_agent.engines.endpoint import header
from review_agent.errors import UsageError
from review_agent.policy.load import load

NAMES = {"REVIEW_AGENT_ENGINE": "batch", "REVIEW_AGENT_MODEL": "env", "REVIEW_AGENT_BASE_URL": "http://env/v1"}


@pytest.fixture(scope="module")
def policy():
    return load()


def by_policy(policy, **changes):
    return policy.model_copy(update={"engine": policy.engine.model_copy(update=changes)})


def test_a_flag_goes_before_the_environment_and_that_before_policy(policy):
    told = by_policy(policy, engine="recorded", model="policy", base_url="http://policy/v1")
    by_flag = EngineOptions("openai", "flag", "http://flag/v1")
    found = [
        (one.name, one.model, one.base_url)
        for one in (
            wanted(by_flag, told, NAMES),
            wanted(EngineOptions(), told, NAMES),
            wanted(EngineOptions(), told, {}),
        )
    ]
    assert found == [
        ("openai", "flag", "http://flag/v1"),
        ("batch", "env", "http://env/v1"),
        ("recorded", "policy", "http://policy/v1"),
    ]


def test_an_environment_that_names_no_engine_is_said_by_its_variable(policy):
    with pytest.raises(UsageError, match="'crystal'") as caught:
        wanted(EngineOptions(), policy, {"REVIEW_AGENT_ENGINE": "crystal"})
    assert caught.value.where == "REVIEW_AGENT_ENGINE"
    assert wanted(EngineOptions("rules"), policy, {"REVIEW_AGENT_ENGINE": "crystal"}).name == "rules"


def test_a_key_that_is_set_chooses_no_engine(policy, tmp_path):
    keys = {"OPENAI_API_KEY": "sk-x", "REVIEW_AGENT_API_KEY": "sk-y"}
    assert wanted(EngineOptions(), policy, keys).name == "rules"
    assert build(Wanted(), policy, tmp_path, keys).engine.identity.startswith("rules/")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (Wanted(name="crystal"), "no engine called 'crystal'"),
        (Wanted(name="rules", answers=(Path("a"),)), "--answers belongs to the batch engine"),
        (Wanted(name="batch", recorded=(Path("a"),)), "--recorded belongs to the recorded engine"),
        (Wanted(name="batch", headers=("a:b",)), "--header belongs to the openai engine"),
        (Wanted(name="rules", key_command="x"), "--key-command belongs to the openai engine"),
        (Wanted(name="recorded"), "none is named"),
        (Wanted(name="openai"), "name of a model"),
        (Wanted(name="openai", model="m"), "address of an endpoint"),
        (Wanted(name="openai", model="m", base_url="ftp://x"), "no http address"),
    ],
)
def test_what_does_not_fit_together_is_said_with_the_next_step(policy, tmp_path, asked, message):
    with pytest.raises(UsageError, match=message) as caught:
        build(asked, policy, tmp_path, {})
    assert caught.value.hint


def test_a_batch_is_asked_after_the_rules_and_keeps_its_requests_in_the_state_folder(policy, tmp_path):
    made = build(Wanted(name="batch", model="m"), policy, tmp_path)
    assert made.batch is not None
    assert made.engine.identity == f"{build(Wanted(), policy, tmp_path).engine.identity}+{made.batch.identity}"


def test_the_key_is_what_the_command_prints_first_else_the_environments(tmp_path):
    script = tmp_path / "key.sh"
    script.write_text('#!/bin/sh\necho "sk-$HOME_OF"\necho more\n')
    script.chmod(0o755)
    command = Wanted(name="openai", key_command=f"{script} --quiet")
    keys = {"OPENAI_API_KEY": "second", "HOME_OF": "mine"}
    assert api_key(command, keys) == "sk-mine"
    assert api_key(Wanted(), keys) == "second"
    assert api_key(Wanted(), {**keys, "REVIEW_AGENT_API_KEY": "first"}) == "first"
    assert api_key(Wanted(), {}) == ""
    assert api_key(Wanted(), {**keys, "REVIEW_AGENT_API_KEY": " first\r\n"}) == "first"
    assert api_key(Wanted(), {**keys, "REVIEW_AGENT_API_KEY": " \n"}) == "second"


@pytest.mark.parametrize(
    ("script", "message"),
    [("echo sk-secret; exit 3", "exit code 3"), ("echo", "no key"), ("printf 'sk-secret\\033[0m'", "no key")],
)
def test_a_command_that_gives_no_key_is_said_without_what_it_printed(tmp_path, script, message):
    path = tmp_path / "key.sh"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    with pytest.raises(UsageError, match=message) as caught:
        api_key(Wanted(name="openai", key_command=str(path)), {})
    assert "sk-secret" not in f"{caught.value.message} {caught.value.hint} {caught.value.where}"


@pytest.mark.parametrize("command", ["/no/such/program", "'unclosed", " "])
def test_a_command_that_cannot_be_run_is_said(command):
    with pytest.raises(UsageError, match="cannot be run") as caught:
        api_key(Wanted(name="openai", key_command=command), {})
    assert "index" not in caught.value.message


def test_a_header_is_name_and_value_and_a_bad_one_is_not_repeated():
    assert header("X-Team: a:b ") == ("X-Team", "a:b")
    for bad in ("sk-secret", "X-Key: sk-secret\r\nX: y", "a b: sk-secret", ": sk-secret"):
        with pytest.raises(UsageError) as caught:
            header(bad)
        assert "sk-secret" not in f"{caught.value.message} {caught.value.hint}"
