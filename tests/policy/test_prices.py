"""prices.yml: what is written there is read, and what stands twice is named."""

from __future__ import annotations

import pytest

from review_agent.policy.check import check_file
from review_agent.policy.model_engine import Price

ENTRY = '- {model: m, from: "2026-01-01", prompt: 1.5, cached: 0.5, completion: 6}\n'


def test_a_price_is_read_and_may_change_from_a_day_on():
    value, problems = check_file("prices.yml", (ENTRY + ENTRY.replace("01-01", "02-01")).encode())
    assert problems == []
    assert value[0] == Price(model="m", **{"from": "2026-01-01"}, prompt=1.5, cached=0.5, completion=6)
    assert [one.from_ for one in value] == ["2026-01-01", "2026-02-01"]


def test_two_prices_of_one_model_and_day_are_a_problem_with_its_line():
    _, problems = check_file("prices.yml", (ENTRY + ENTRY).encode())
    assert ["the price of m from 2026-01-01 stands twice" in str(one) and ":2" in str(one) for one in problems] == [
        True
    ]


@pytest.mark.parametrize("day", ["2026-13-45", "2026-02-30", "2025-02-29", "0000-01-01", "٢٠٢٦-01-01"])
def test_a_day_that_no_calendar_has_is_a_problem_with_its_line(day: str) -> None:
    _, problems = check_file("prices.yml", (ENTRY + ENTRY.replace("2026-01-01", day)).encode())
    assert [(one.line, one.key) for one in problems] == [(2, "[1].from")]
    assert day in problems[0].message


def test_a_price_is_of_a_model_that_can_be_named():
    _, problems = check_file("prices.yml", ENTRY.replace("model: m", r'model: "m\e[31m"').encode())
    assert [one.key for one in problems] == ["[0].model"]
