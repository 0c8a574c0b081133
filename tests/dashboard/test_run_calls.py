"""The panel's account of what models cost: known sums, and what is not in them said beside them."""

from __future__ import annotations

import json
from dataclasses import replace

from dashboard.run_calls import calls
from review_agent.ledger.spending import ModelSpend

ONE = ModelSpend(
    model="m",
    calls=12,
    requests=9,
    errors={"rate_limited": 2},
    prompt_tokens=12_345,
    completion_tokens=900,
    cached_tokens=6_000,
    prompt_metered=12_345,
    cost_usd=0.25,
    unmetered=2,
    unpriced=1,
    median_ms=465.0,
    longest_ms=30_000,
)


def test_sums_are_shown_with_what_is_missing_from_them():
    said = json.dumps(calls([ONE]), ensure_ascii=False)
    for text in ("12,345", "6,000", "$0.2500", "0.5 s median, 30 s longest", "rate limited 2"):
        assert text in said
    assert "m: 2 calls told no tokens; theirs are not in the sum." in said
    assert "m: 1 call of unknown cost; theirs is not in the sum." in said


def test_what_nobody_told_is_unknown_and_never_nothing():
    unknown = {"prompt_tokens": None, "completion_tokens": None, "cached_tokens": None, "cost_usd": None}
    said = json.dumps(calls([replace(ONE, errors={}, median_ms=None, longest_ms=None, **unknown)]))
    assert said.count('"unknown"') == 4
    assert "not in the sum" not in said
    assert "median" not in said


def test_a_run_without_a_model_says_nothing_of_calls():
    assert calls([]) is None
