"""Explain says what models cost, by model, and what nobody told."""

from __future__ import annotations

from made_runs import calls

from review_agent.publish.trail_calls import call_lines


def test_each_model_has_a_line_with_what_is_known_and_what_is_not():
    assert call_lines(calls()) == [
        "  model      by hand · 1 call of 1 request · tokens unknown · cost unknown",
        "  model      m · 2 calls of 1 request · failed: rate_limited 1 · 1,000 tokens in (400 cached), 50 out"
        " · 1 call told no tokens · $0.2500",
    ]


def test_a_run_without_calls_has_no_line_of_them():
    assert call_lines([]) == []
