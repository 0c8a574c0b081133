"""Calls in flight share a budget: whoever waits for room is woken whatever became of the call before."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest

from review_agent.engines import asking
from review_agent.engines.spend import Budget
from review_agent.policy.load import load


class Breaking:
    """A wire on which the first call ends in an error of ours."""

    def __init__(self, _endpoint: Any) -> None: ...

    async def __aenter__(self) -> Breaking:
        return self

    async def __aexit__(self, *_: object) -> None: ...

    async def chat(self, _body: Any, _seconds: float) -> Any:
        await asyncio.sleep(0)
        raise RuntimeError("can't start new thread")


def test_an_error_of_ours_in_a_call_leaves_nobody_waiting_for_its_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = load()
    limits = policy.engine.budget.model_copy(update={"completion_tokens": 3500})
    policy = policy.model_copy(update={"engine": policy.engine.model_copy(update={"concurrency": 2, "budget": limits})})
    asked_of = SimpleNamespace(size=10, max_tokens=3000, schema_name="x", messages=list, schema={})
    monkeypatch.setattr(asking, "Wire", Breaking)
    monkeypatch.setattr(asking, "prompt", lambda _request, _policy: asked_of)
    monkeypatch.setattr(asking, "body", lambda *_, **__: {})
    asked = asking.Asked(Budget(limits))
    asked.forms["m", "x"] = "schema"
    endpoint: Any = SimpleNamespace(hidden_data=lambda data: data)
    talk = asking.Talk(asking.Settings(policy, endpoint, "openai:m", ("m",)), asked, lambda _call: None)
    requests: Any = [SimpleNamespace(request_id=f"r{n}") for n in range(2)]

    async def talked() -> None:
        await asyncio.wait_for(talk.all(requests), 20)

    # In a thread: a browser's test may have left an event loop in this one.
    with ThreadPoolExecutor(1) as pool, pytest.raises(RuntimeError, match="new thread"):
        pool.submit(lambda: asyncio.run(talked())).result()
