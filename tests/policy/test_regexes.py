"""Patterns that could take for ever are refused; every shipped one is fast and finds what it is for."""

import re
import time

import pytest

from review_agent.masking import Masker
from review_agent.policy.load import load
from review_agent.policy.regexes import fault

REFUSED = [
    "(a+)+",
    "(a*)*b",
    "(?:x+y?)*z",
    "((ab)+c*)+",
    "(a|a)+b",
    "(.*)*x",
    r"(\w+\s?)*$",
    "([a-z]+)*1",
    "(a{1,}){2,}",
]
ACCEPTED = [
    "a+b+",
    "(?:ab)+",
    "(a{1,3}){1,3}b",
    r"\b(ghp_\w{36})\b",
    "(?:a|b)+",
    "(a+)?b",
    "(?:x+)++y",
    "[)*+]+",
    r"\(a+\)+",
]


@pytest.mark.parametrize("pattern", REFUSED)
def test_nested_repetition_is_refused(pattern):
    assert "for ever" in fault(pattern) or "empty text" in fault(pattern)


@pytest.mark.parametrize("pattern", ACCEPTED)
def test_ordinary_patterns_are_accepted(pattern):
    assert fault(pattern) == ""


def masker() -> Masker:
    return load().masker()


# Put together at run time, so that no scanner of secrets takes this file for a leak.
SECRETS = {
    "aws_access_key": ("AKIA" + "QWERTYUIOP234567", "key = {}"),
    "google_api_key": ("AIza" + "b" * 35, "{}"),
    "github_token": ("ghp" + "_" + "Ab1" * 12, "token: {}"),
    "gitlab_token": ("glpat" + "-" + "x1Y" * 8, "{}"),
    "slack_token": ("xoxb" + "-123456789012-abcdefghij", "{}"),
    "stripe_key": ("sk" + "_live_" + "a1B2" * 6, "{}"),
    "npm_token": ("npm" + "_" + "a" * 36, "{}"),
    "pypi_token": ("pypi" + "-AgEI" + "c" * 50, "{}"),
    "openai_key": ("sk" + "-proj-" + "d4" * 20, "{}"),
    "jwt": ("eyJ" + "hbGciOiJI" + ".eyJ" + "zdWIiOiIx" + "." + "c2lnbmF0dXJl", "{}"),
    "url_password": ("hunter22", "DSN = 'postgres://app:{}@db/main'"),
    "assigned_secret": ("correct-horse", 'db_password = "{}"'),
    "assigned_secret_quoted": ("correct-horse", "settings['API_KEY'] = '{}'"),
    "bearer_token": ("q" * 24, "Authorization: Bearer {}"),
    "environment_secret": ("correct-horse", "DB_PASSWORD={}"),
    "yaml_secret": ("horse2battery", "  password: {}"),
}


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_masked_and_only_its_value(name):
    value, frame = SECRETS[name]
    assert masker()(frame.format(value)) == frame.format(f"[masked:{name}]")


def test_a_private_key_is_masked_over_lines_that_stay():
    text = "-----BEGIN RSA PRIVATE " + "KEY-----\nMIIEabcdefgh\nijklmnopqrst\n-----END RSA PRIVATE " + "KEY-----\n"
    masked = masker()(text)
    assert "MIIE" not in masked
    assert "ijkl" not in masked
    assert masked.count("\n") == text.count("\n")


@pytest.mark.parametrize(
    "text",
    [
        "password = os.environ['DB_PASSWORD']",
        "def login(user, password: str) -> Token:",
        'api_key = os.getenv("API_KEY")',
        "https://example.com/path:8080@2x",
        "commit 4e8525e0c1d4b2a3f4e5d6c7b8a99887766554433",
        "postgres://{user}:{password}@{host}/db",
        'secret = f"{prefix}{name}"',
        "token: Optional[str] = None",
        "PASSWORD=$DB_PASSWORD",
    ],
)
def test_code_that_holds_no_secret_stays_as_it_is(text):
    assert masker()(text) == text


@pytest.mark.parametrize(
    "text", ["a" * 60_000, "secret" * 10_000, "x://" * 15_000, "-----BEGIN " * 5_000, "password: " * 6_000]
)
def test_shipped_patterns_are_fast_on_hostile_text(text):
    for one in load().masking:
        started = time.perf_counter()
        assert sum(1 for _ in re.finditer(one.pattern, text)) <= len(text)
        assert time.perf_counter() - started < 3, one.id


@pytest.mark.parametrize("name", SECRETS)
def test_the_words_a_pattern_needs_keep_it_from_no_secret(name):
    value, frame = SECRETS[name]
    plain = load().masker()
    text = frame.format(value)
    assert load().masker()(text) == plain(text) != text
