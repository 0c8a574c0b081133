"""What a call keeps to itself, and how long it is asked to wait."""

import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from review_agent.engines.endpoint import Endpoint
from review_agent.engines.wire import _wait
from review_agent.errors import UsageError


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
