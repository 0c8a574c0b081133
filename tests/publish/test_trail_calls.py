"""Explain says what models cost, by model, and what nobody told."""

from __future__ import annotations

import pytest
from made_runs import calls

from review_agent.publish.trail_calls import call_lines
from review_agent.vocabulary import Usage


def test_each_model_has_a_line_with_what_is_known_and_what_is_not():
    assert call_lines(calls()) == [
        "  model      by hand · 1 call of 1 request · tokens unknown · cost unknown",
        "  model      m · 2 calls of 1 request · failed: rate_limited 1 · 1,000 tokens in (400 cached), 50 out"
        " · 1 call told no tokens · $0.2500",
    ]


def test_a_run_without_calls_has_no_line_of_them():
    assert call_lines([]) == []


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ([(100, None, None)], "100 tokens in, unknown out · cost unknown"),
        ([(None, 7, None)], "unknown tokens in, 7 out · cost unknown"),
        ([(None, None, None)], "tokens unknown · cost unknown"),
        ([(100, 0, 0.0)], "100 tokens in, 0 out · $0.0000"),
        ([(100, 7, 0.25), (100, None, None)], "200 tokens in, at least 7 out · at least $0.2500"),
    ],
)
def test_what_a_reply_leaves_open_is_no_zero(told, said):
    made = [
        calls()[1].model_copy(
            update={"usage": Usage(prompt_tokens=inward, completion_tokens=outward, cached_tokens=None, cost_usd=cost)}
        )
        for inward, outward, cost in told
    ]
    (line,) = call_lines(made)
    assert line.endswith(f" of 1 request · {said}")


def test_calls_that_a_kill_took_with_it_are_told_beside_the_sums():
    *models, lost = call_lines(calls(), 2)
    assert models == call_lines(calls())
    assert lost == "  model      2 requests were open when an attempt was killed: calls in flight then are in no record"
