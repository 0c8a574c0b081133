"""What a call keeps to itself, and how long it is asked to wait."""

import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest
from model_requests import heard, policy, synthesize

from review_agent.commands._doctor_engine import checks
from review_agent.commands._engine import EngineOptions
from review_agent.commands.doctor import State
from review_agent.engines.endpoint import Endpoint
from review_agent.engines.openai import OpenAI
from review_agent.engines.wire import _wait, ready
from review_agent.errors import UsageError
from review_agent.vocabulary import CallError, UnansweredCause


def test_a_record_of_an_endpoint_shows_no_secret() -> None:
    endpoint = Endpoint("http://h/v1", "sk-0123456789", {"X-Team": "team-secret"})
    assert "sk-0123456789" not in repr(endpoint)
    assert "team-secret" not in repr(endpoint)


def test_secrets_are_taken_out_of_what_comes_back() -> None:
    endpoint = Endpoint("http://h/v1", "sk-01", {"X-Long": "sk-01-and-more", "X-Short": "no"})
    assert endpoint.hidden("sk-01-and-more, sk-01, no") == "[masked:key], [masked:key], no"


@pytest.mark.parametrize(
    "text", ["sk\\/01", "\\u0073k/01", "\\\\u0073k\\\\/01", "%73k%2F01", "\\u0073\\u006B\\u002f01", "sk/01"]
)
def test_a_secret_that_stands_escaped_in_a_text_is_taken_out_of_it(text: str) -> None:
    assert Endpoint("http://h/v1", "sk/01").hidden(f"a {text} b") == "a [masked:key] b"


def test_a_long_run_of_escapes_takes_time_by_its_length() -> None:
    began = time.thread_time()
    Endpoint("http://h/v1", "\\\\sk-0123456789").hidden("\\" * 1_000_000 + "u00")
    assert time.thread_time() - began < 3


@pytest.mark.parametrize("headers", [{"key": "x"}, {"key": "", "X": "y"}, {}])
@pytest.mark.parametrize("key", ["sk-\n01", "sk-é", "a\x7fb", "sk-\udcff"])
def test_a_key_is_checked_whatever_the_headers_are_called(key: str, headers: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="key for the model") as raised:
        Endpoint("http://h/v1", key, headers)
    assert "sk-" not in str(raised.value)


@pytest.mark.parametrize("name", ["Content-Length", "transfer-encoding", "Connection", "Expect", "Content-Type"])
def test_a_header_that_frames_the_request_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=name):
        Endpoint("http://h/v1", headers={name: "5"})


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("http://localhost:8080/v1", True),
        ("http://127.0.0.1/v1", True),
        ("http://[::1]:8080/v1", True),
        ("https://127.example.com/v1", False),
        ("https://api.example.com/v1", False),
    ],
)
def test_this_machine_is_known_by_its_name(url: str, here: bool) -> None:
    assert Endpoint(url).is_here is here


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-1"}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "Mon, 30 Feb 2026 99:00:00 GMT"}, None),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0.0),
    ],
)
def test_a_wait_is_understood_or_unknown(headers: dict[str, str], seconds: float | None) -> None:
    assert _wait(headers) == seconds


def test_a_wait_until_a_date_is_counted_from_now() -> None:
    then = datetime.now(UTC) + timedelta(seconds=60)
    assert _wait({"retry-after": format_datetime(then, usegmt=True)}) == pytest.approx(60, abs=5)


SET_UPS = {
    "ALL_PROXY": ["socks5://user:word@h:1", "ftp://user:word@h", "http://[::1", "http://☃☃.com"],
    "HTTPS_PROXY": ["socks5h://h", "://"],
    "HTTP_PROXY": ["http://[zz]", "gopher://user:word@h:1"],
    "SSL_CERT_FILE": ["/no/such/file", "/proc/self/environ"],
    "SSLKEYLOGFILE": ["/no/such/folder/file", "/proc/version"],
}
SET_UP = [(name, value) for name, values in SET_UPS.items() for value in values]


@pytest.fixture
def plainly(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in (*SET_UPS, "NO_PROXY", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    return monkeypatch


@pytest.mark.parametrize(("name", "value"), SET_UP)
def test_an_environment_that_lets_no_call_be_made_is_said_before_any_is(
    name: str, value: str, plainly, tmp_path: Path
) -> None:
    plainly.setenv(name, value)
    if name == "SSLKEYLOGFILE":  # read where certificates are named, too
        plainly.setenv("SSL_CERT_DIR", str(tmp_path))
    with pytest.raises(UsageError) as by_review:
        OpenAI(policy(), model="m", base_url="https://api.example.org/v1")
    assert name in by_review.value.where
    assert by_review.value.hint
    assert "word" not in str(by_review.value.message) + by_review.value.where
    (by_doctor,) = checks(None, None, EngineOptions("openai", "m", "https://api.example.org/v1"))
    assert by_review.value.message in by_doctor.detail
    assert by_doctor.state is State.BROKEN


def test_a_plain_environment_is_ready(plainly) -> None:
    ready(Endpoint("https://api.example.org/v1"))
    plainly.setenv("ALL_PROXY", "socks5://h")
    ready(Endpoint("http://127.0.0.1:1/v1"))


@pytest.mark.parametrize("proxy", ["http://h:99999", "http://a..b", "http://127.0.0.1:1", "garbage"])
def test_a_proxy_that_is_met_only_at_a_call_fails_the_call(proxy: str, plainly) -> None:
    plainly.setenv("HTTP_PROXY", proxy)
    (call,), answers = heard(OpenAI(policy(retries=0), model="m", base_url="http://model.example.org/v1"), synthesize())
    assert call.error in (CallError.UNREACHABLE, CallError.RESET)
    assert [one.failure for one in answers.values()] == [UnansweredCause.ENDPOINT_DOWN]
