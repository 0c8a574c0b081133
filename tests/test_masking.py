"""Secrets leave any text; lines stay; masking twice is masking once; time is bounded."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from review_agent.errors import PolicyError
from review_agent.masking import Masker

PATTERNS = [
    ("pem", r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----"),
    ("github", r"gh[pousr]_[A-Za-z0-9]{20,}"),
    ("assigned", r"(?i)\b(?:password|secret|token)\b\s*[:=]\s*[\"']?([^\"'\s,;]{6,})"),
    ("bearer", r"(?i)authorization: bearer (\S+)$"),
    ("guarded", r"(?<!x)key-([0-9a-f]{8,})(?!\s*=)"),
]
MASK = Masker(PATTERNS)
TOKEN = "ghp_" + "a1B2" * 9


def test_only_the_value_is_replaced() -> None:
    assert MASK('password = "hunter22"  # note') == 'password = "[masked:assigned]"  # note'


def test_the_whole_match_is_replaced_where_there_is_no_group() -> None:
    assert MASK(f"clone https://{TOKEN}@host/x") == "clone https://[masked:github]@host/x"


def test_every_line_of_a_value_over_lines_is_masked_and_kept() -> None:
    text = "a\n-----BEGIN RSA PRIVATE KEY-----\r\nMIIE\n\nabcd\n-----END RSA PRIVATE KEY-----\nz\n"
    assert MASK(text) == "a\n[masked:pem]\r\n[masked:pem]\n\n[masked:pem]\n[masked:pem]\nz\n"


def test_a_pattern_of_one_line_does_not_reach_into_the_next() -> None:
    text = "password =\n  settings.from_environment()\n"
    assert MASK(text) == text


def test_line_anchors_mean_a_line_wherever_it_stands() -> None:
    text = f"x\nAuthorization: Bearer {'q' * 12}\ny\n"
    assert MASK(text) == "x\nAuthorization: Bearer [masked:bearer]\ny\n"


def test_a_lookahead_sees_its_own_line_only() -> None:
    assert MASK("a key-0123456789\n= b") == "a key-[masked:guarded]\n= b"


def test_overlapping_values_are_one_mask() -> None:
    assert MASK(f"token={TOKEN}") == "token=[masked:github]"


def test_a_value_inside_a_very_long_line_is_found_wherever_it_lies() -> None:
    for before in (10, 8100, 8192, 16384, 16390, 24570, 40000):
        line = "x " * (before // 2) + TOKEN + " y" * 20000
        assert TOKEN not in MASK(line), before


def test_a_value_longer_than_the_overlap_is_masked_whole() -> None:
    line = "x " * 4000 + "password=" + "s" * 20000 + " end"
    assert MASK(line).endswith("password=[masked:assigned] end")


def test_data_is_walked_to_every_string() -> None:
    data = {"a": [TOKEN, 1, None, True, 2.5], f"k {TOKEN}": {"b": f"token: {TOKEN}"}}
    assert MASK.mask_data(data) == {
        "a": ["[masked:github]", 1, None, True, 2.5],
        "k [masked:github]": {"b": "token: [masked:github]"},
    }


def test_without_patterns_text_is_as_it_was() -> None:
    assert Masker([])(f"token={TOKEN}\n[masked:x]") == f"token={TOKEN}\n[masked:x]"


def test_a_pattern_that_does_not_compile_is_named() -> None:
    with pytest.raises(PolicyError, match="broken"):
        Masker([("broken", "(")])("text")


SPOTS = st.sampled_from(
    [
        TOKEN,
        "password=",
        "secret: 'abcdefgh'",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "\n",
        "\r\n",
        "\u2028",
        "\x0c",
        "[masked:github]",
        "[masked:",
        "key-deadbeef01",
        "Authorization: Bearer abc",
        " ",
    ]
)
TEXTS = st.lists(SPOTS | st.text(max_size=12)).map("".join)


@given(TEXTS)
def test_lines_are_kept_and_masking_twice_is_masking_once(text: str) -> None:
    masked = MASK(text)
    assert len(masked.splitlines()) == len(text.splitlines())
    assert masked.count("\n") == text.count("\n")
    assert MASK(masked) == masked
    assert TOKEN not in masked


@given(TEXTS)
def test_masking_is_settled_even_for_a_pattern_that_matches_next_to_its_own_mask(text: str) -> None:
    mask = Masker([("odd", r"=\s*(.{2,9})"), ("after", r"\](\w)")])
    assert mask(mask(text)) == mask(text)


@pytest.mark.slow
def test_openings_without_an_end_cost_a_bounded_time_for_each_character() -> None:
    quarter, half = ("-----BEGIN PRIVATE KEY-----\n" * lines for lines in (1500, 3000))
    assert _seconds(half) < 4 * _seconds(quarter) + 0.2


def _seconds(text: str) -> float:
    start = time.process_time()
    MASK(text)
    return time.process_time() - start
