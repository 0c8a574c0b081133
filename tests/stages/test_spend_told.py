"""What a run cost is told from its log: what any call did not tell, or no record holds, is unknown as a whole."""

from __future__ import annotations

from typing import Any

import pytest

from review_agent.runlog import RunState
from review_agent.stages.account import spend
from review_agent.vocabulary import Call, CallError, Usage

USAGE = Usage(prompt_tokens=10, completion_tokens=5, cached_tokens=None, cost_usd=0.01)


def call(**changes: Any) -> Call:
    fields: dict[str, Any] = {
        "request_id": "r",
        "number": 1,
        "model": "m",
        "error": None,
        "status": 200,
        "usage": USAGE,
    }
    return Call(**{**fields, "form": "schema", **changes})


@pytest.mark.parametrize(
    ("calls", "torn", "told"),
    [
        ([call(), call()], [], (20, 10, 0.02)),
        ([call(), call(status=429, error=CallError.RATE_LIMITED, usage=None)], [], (10, 5, 0.01)),
        ([call(), call(usage=None)], [], (None, None, None)),
        ([call(), call(status=None, error=CallError.INTERRUPTED, usage=None)], [], (None, None, None)),
        ([call(), call()], [1], (None, None, None)),
        ([call(usage=USAGE.model_copy(update={"completion_tokens": None}))], [], (10, None, 0.01)),
        ([], [2], (None, None, None)),
        ([], [], (None, None, None)),
    ],
    ids=["all told", "turned away", "not told", "cut off", "killed in flight", "half told", "all lost", "none made"],
)
def test_a_sum_is_told_only_where_nothing_is_missing_from_it(calls: list[Call], torn: list[int], told: Any) -> None:
    spent = spend(RunState(started={}, calls=calls, torn=torn))
    assert (spent.prompt_tokens, spent.completion_tokens, spent.cost_usd) == told
