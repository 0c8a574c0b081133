"""The panel's account of what a run spent: what a model did not tell is unknown; only without one it is nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from made_runs import sha, write_run

from dashboard.run_account import account
from review_agent.ledger.history import RunDetail
from review_agent.ledger.store import Ledger


@pytest.fixture
def detail(tmp_path: Path) -> RunDetail:
    write_run(tmp_path / ".review-agent")
    return Ledger(tmp_path / ".review-agent").run(sha("review", 1))


def said(detail: RunDetail, engine: str, **spend: Any) -> list[str]:
    """The values of the figures of tokens and cost."""
    of_engine = replace(detail, run=replace(detail.run, engine=engine), spend={**(detail.spend or {}), **spend})
    found = dict(_figures(account(of_engine)))
    return [found["tokens in + out"], found["cost"]]


def _figures(node: Any) -> Iterator[tuple[str, str]]:
    """Label and value of every figure on a page."""
    if isinstance(node, list) and node[1:2] == [{"class": "figure"}]:
        yield node[3][2], node[2][2]
    elif isinstance(node, list):
        for one in node:
            yield from _figures(one)


@pytest.mark.parametrize("engine", ["rules/0.1.0+openai:m/abc", "openai:m/abc", "rules/0.1.0+batch:m/abc"])
def test_what_a_model_did_not_tell_is_unknown(detail: RunDetail, engine: str) -> None:
    assert said(detail, engine) == ["unknown", "unknown"]


@pytest.mark.parametrize(
    ("tokens", "figure"),
    [((1200, 0), "1,200 + 0"), ((1200, None), "1,200 + unknown"), ((None, 7), "unknown + 7")],
)
def test_tokens_that_are_told_by_half_are_no_whole(detail: RunDetail, tokens: tuple[Any, Any], figure: str) -> None:
    told = said(detail, "openai:m/abc", promptTokens=tokens[0], completionTokens=tokens[1], costUsd=0.5)
    assert told == [figure, "$0.5000"]


def test_without_a_model_nothing_is_used(detail: RunDetail) -> None:
    assert said(detail, "rules/0.1.0") == ["none used", "no model"]
