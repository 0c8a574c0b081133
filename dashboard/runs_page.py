"""Runs: what each review looked at, what it spent, what it was refused, and how the time went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from dashboard.context import Panel
from dashboard.frame import Page
from dashboard.run_account import account, status
from dashboard.shell import nothing, show
from dashboard.tree import Node, el
from dashboard.words import ago, count, when
from review_agent.errors import UsageError
from review_agent.ledger.store import Ledger, RunDetail, RunRow

__all__ = ["render"]

_MOST = 200
_KEYS = (("j k", "next run, run before"), ("c", "the cards of this run, in the queue"))


def render(panel: Panel) -> None:
    ledger = Ledger(panel.state_dir)
    runs = ledger.runs()
    notices = list(ledger.notices)
    if not runs:
        body = nothing(
            "No run is recorded here yet",
            "A run is one review: what it read, asked, spent and found.",
            next_=f"Run `review-agent review` in {panel.place}, then press `r`.",
            kind="first",
        )
        show(panel, Page("runs", {"body": body}), lambda event: None, notices=notices)
        return
    chosen = _chosen(runs)
    try:
        detail = ledger.run(chosen.run_file)
    except UsageError:
        detail = None
    page = Page(
        "runs",
        {
            "list": _list(runs[:_MOST], chosen, len(runs)),
            "body": _body(detail, ledger.doubt(chosen.run_file)),
        },
    )
    page.view, page.focus = chosen.run_file, chosen.run_file
    page.keys = {**_moves(runs, chosen), "c": {"do": "cards", "run": chosen.run_file}}
    show(panel, page, _heard, notices=notices, help_=_KEYS)


def _body(detail: RunDetail | None, doubt: str) -> Node:
    if detail is None:
        return nothing("This run cannot be shown")
    return el("div", el("p.warn", doubt), account(detail)) if doubt else account(detail)


def _chosen(runs: Sequence[RunRow]) -> RunRow:
    named = st.query_params.get("run", "")
    return next((run for run in runs if run.run_file == named), runs[0])


def _heard(event: Mapping[str, Any]) -> None:
    if event["do"] == "select":
        st.query_params["run"] = str(event["run"])
    elif event["do"] == "cards":
        st.session_state["go"] = "queue"
        st.session_state["filter"] = {"run": str(event["run"]), "state": "any"}


def _moves(runs: Sequence[RunRow], chosen: RunRow) -> dict[str, Mapping[str, Any]]:
    index = runs.index(chosen)
    moves: dict[str, Mapping[str, Any]] = {}
    for names, to in ((("j", "ArrowDown"), index + 1), (("k", "ArrowUp"), index - 1)):
        if 0 <= to < min(len(runs), _MOST):
            moves |= {name: {"do": "select", "run": runs[to].run_file, "again": True} for name in names}
    return moves


def _list(runs: Sequence[RunRow], chosen: RunRow, total: int) -> Node:
    rows = [
        el(
            f"div.row.run.{status(run).replace(' ', '-')}",
            el("div.line", el("span.dot"), el("span.name", when(run.started_at)), el("span.age", ago(run.started_at))),
            el(
                "div.meta",
                el("span", status(run)),
                el("span", run.engine),
                el("span", f"{run.base[:8]}..{run.head[:8]}"),
            ),
            do={"do": "select", "run": run.run_file},
            data_row=run.run_file,
            selected=run is chosen,
            role="option",
            aria_selected="true" if run is chosen else "false",
        )
        for run in runs
    ]
    said = count(total, "run") + (f", the newest {_MOST} shown" if total > _MOST else "")
    return el("div", el("div.listhead", el("span", said)), el("div.rows", rows, role="listbox", aria_label="runs"))
