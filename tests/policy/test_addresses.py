"""Addresses that a model can be asked at: said to be none before anything is asked, by the same words everywhere."""

from __future__ import annotations

import pytest

from review_agent.commands._doctor_engine import checks
from review_agent.commands._engine import EngineOptions
from review_agent.commands.doctor import State
from review_agent.engines.building import Wanted, build
from review_agent.engines.endpoint import Endpoint
from review_agent.errors import UsageError
from review_agent.policy.addresses import address_fault, model_fault, plain_address
from review_agent.policy.check import check_file
from review_agent.policy.load import load
from review_agent.resources import shipped

BAD = {
    "http://[::1/v1": "names no host or port",
    "http://[zz]/": "names no host or port",
    "http://::1/v1": "names no host or port",
    "http://☃☃.com": "characters that no address has",
    "http://h\x00/v1": "characters that no address has",
    "http://h/v\x1b[31m1": "characters that no address has",
    "http://h/v1\nX: y": "characters that no address has",
    "http://h /v1": "characters that no address has",
    "http://h\udcff/v1": "characters that no address has",
    "http://" + "a" * 70_000: "70007 characters",
    "http://" + "a" * 64 + ".org/v1": "names no host or port",
    "http://a..org/v1": "names no host or port",
    "http://-/v1": "names no host or port",
    "http://h:0/v1": "names no host or port",
    "http://h:99999/v1": "names no host or port",
    "http://h:x/v1": "names no host or port",
    "http:///v1": "names no host or port",
    "http://h/v1?x=1": "goes on after its path",
    "http://h/v1#x": "goes on after its path",
    "http://user:word@h/v1": "holds a user or password",
    "127.0.0.1:9911/v1": "'127.0.0.1:9911/v1' is no http address: http:// or https:// is missing before it",
    "ftp://h/v1": "'ftp://h/v1' is no http address",
    "h": "is no http address",
}


@pytest.mark.parametrize("address", BAD, ids=lambda text: ascii(text)[:30])
def test_what_is_no_address_is_said_alike_by_review_doctor_and_policy(address: str, tmp_path) -> None:
    said = address_fault(address)
    assert BAD[address] in said
    with pytest.raises(UsageError) as by_review:
        build(Wanted(name="openai", model="m", base_url=address), load(), tmp_path, {})
    (by_doctor,) = checks(None, None, EngineOptions("openai", "m", address))
    with pytest.raises(UsageError) as by_itself:
        Endpoint(address)
    assert by_review.value.message == by_doctor.detail == by_itself.value.message == said
    assert (by_doctor.state, by_review.value.exit_code) == (State.BROKEN, 2)
    assert by_review.value.hint
    assert said.isprintable()
    assert len(said) < 250


@pytest.mark.parametrize(
    "address", [one for one in BAD if one.isascii() and one.isprintable()], ids=lambda text: text[:30]
)
def test_policy_says_the_same_of_its_own_address(address: str) -> None:
    whole = (shipped("policy") / "engine.yml").read_text()
    _, problems = check_file("engine.yml", whole.replace('baseUrl: ""', f'baseUrl: "{address}"').encode())
    assert [(one.key, one.message) for one in problems] == [("baseUrl", address_fault(address))]


@pytest.mark.parametrize(
    "secret", ["sk-proj-0123456789", "http://user:word@h/v1", "user:word@h", "http://h/v1?key=word"]
)
def test_what_may_be_a_secret_is_not_repeated(secret: str) -> None:
    assert not any(part in address_fault(secret) for part in ("0123", "word@", "=word"))


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("HTTP://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"),
        (" https://api.example.org/v1\r\n", "https://api.example.org/v1"),
        ("hTtPs://h", "https://h"),
        ("http://[::1]:8080/v1/", "http://[::1]:8080/v1/"),
        ("http://[fe80::1%eth0]/v1", "http://[fe80::1%eth0]/v1"),
        ("http://model_server.internal./v1", "http://model_server.internal./v1"),
        ("http://xn--n3h.net:65535/a%20b", "http://xn--n3h.net:65535/a%20b"),
    ],
)
def test_an_address_may_be_written_as_people_do(given: str, meant: str) -> None:
    assert plain_address(given) == meant
    assert address_fault(meant) == ""
    assert Endpoint(given).base_url == meant


def test_a_models_name_is_one_line_of_some_length() -> None:
    assert model_fault("qwen2.5-coder:32b (Grün)") == model_fault("") == ""
    for bad in ("a\nb", "m\x1b[31m", "m\udcff", "m" * 201):
        assert model_fault(bad).isprintable()
        with pytest.raises(UsageError, match="name of the model"):
            build(Wanted(name="openai", model=bad, base_url="http://h/v1"), load(), None, {})
        with pytest.raises(UsageError, match="name of the model"):
            build(Wanted(name="batch", model=bad), load(), None, {})


@pytest.mark.parametrize("key", ["model", "fallbackModel"])
def test_policy_says_it_of_its_own_models(key: str) -> None:
    whole = (shipped("policy") / "engine.yml").read_text()
    _, problems = check_file("engine.yml", whole.replace(f'{key}: ""', rf'{key}: "m\e[31m"').encode())
    assert [one.key for one in problems] == [key]
