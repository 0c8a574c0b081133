"""Metrics: how good the reviews are, as far as it is known. docs/metrics.md defines every figure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import streamlit as st

from dashboard.context import Panel
from dashboard.frame import Page
from dashboard.shell import nothing, show
from dashboard.tables import figures, section, share, table
from dashboard.tree import Node, el
from dashboard.words import count, label, span, when
from review_agent.ledger.store import Ledger
from review_agent.metrics import Audited, Metrics, Recall, measured
from review_agent.rates import Rate

__all__ = ["render"]

_SINCE = {"": "since ever", "7": "last 7 days", "30": "last 30 days", "90": "last 90 days"}


def render(panel: Panel) -> None:
    ledger = Ledger(panel.state_dir)
    days = st.query_params.get("since", "")
    since = datetime.now(UTC) - timedelta(days=int(days)) if days and days in _SINCE else None
    found = measured(ledger, since.isoformat(timespec="seconds") if since else None)
    if not found.runs and since is None:
        body = nothing(
            "Nothing to measure yet",
            "Acceptance, evidence, recall and reasons are counted from recorded runs, decisions and replays.",
            next_="Run `review-agent review`, decide on its cards in the queue, then press `r`.",
            kind="first",
        )
    else:
        body = el("div.page", _title(days), _overview(found), _acceptance(found), _reasons(found), _known(found))
    show(panel, Page("metrics", {"body": body}), _heard, notices=list(ledger.notices))


def _heard(event: Mapping[str, Any]) -> None:
    if event["do"] == "since":
        st.query_params["since"] = str(event.get("value", ""))


def _title(days: str) -> Node:
    options = [el("option", said, value=value, selected=value == days) for value, said in _SINCE.items()]
    choice = el("select", options, change={"do": "since"}, aria_label="since", name="since", data_field="since")
    return el("div.title", el("h1", "How good the reviews are"), choice)


def _overview(found: Metrics) -> Node:
    seconds = None if found.seconds_to_decide is None else span(found.seconds_to_decide)
    cost = None if found.cost.usd is None else f"${found.cost.usd:.2f}"
    unknown = f"{count(found.cost.unknown_runs, 'run')} without a known cost" if found.cost.unknown_runs else ""
    return figures(
        [
            ("cards accepted", _percent(found.accepted), f"{found.accepted.hits} of {found.accepted.of} judged"),
            ("undecided", f"{found.undecided:,}", "in no rate"),
            ("evidence complete", _percent(found.evidence), f"{found.evidence.hits} of {found.evidence.of} questions"),
            ("scope inflation", _percent(found.scope_inflation), "rejected as not about the change"),
            ("to decide, median", seconds, f"of {found.timed_decisions} timed"),
            ("runs", f"{found.runs:,}", f"{found.incomplete_runs} incomplete"),
            ("cost", cost, unknown),
        ]
    )


def _acceptance(found: Metrics) -> Node:
    rows = [
        el(
            "tr",
            el("td", el(f"span.severity.{one.severity}", one.severity)),
            *_rate_cells(one.accepted),
            el("td.n", f"{one.undecided:,}"),
        )
        for one in found.acceptance
    ]
    heads = ["severity", "accepted#", "share#", "95 % interval", "undecided#"]
    return section("Acceptance by severity", table(heads, rows, none=""))


def _reasons(found: Metrics) -> Node:
    most = max((one.rejections for one in found.reasons), default=0)
    rows = [
        el(
            "tr",
            el("td", label(one.layer)),
            el("td.n", str(one.rejections)),
            el("td", share(one.rejections, most)),
            el("td", ", ".join(f"{label(code)} {number}" for code, number in one.codes.items())),
        )
        for one in found.reasons
    ]
    none = "No card is rejected."
    return section("Rejections by the layer at fault", table(["layer", "rejections#", "", "reasons"], rows, none=none))


def _known(found: Metrics) -> Node:
    return el("div", _recall(found.recall), _audit(found.audit))


def _recall(found: Recall | None) -> Node:
    if found is None:
        said = el(
            "p.none", "Unknown: no replay is recorded here. ", el("code", "review-agent replay CASES"), " makes one."
        )
        return section("Controlled recall", said)
    layers = ", ".join(f"{label(layer)} {number}" for layer, number in found.misses_by_layer.items()) or "none"
    rows = [
        el("tr", el("td", "defects found"), *_rate_cells(found.found)),
        el("tr", el("td", "clean halves silent"), *_rate_cells(found.silent)),
    ]
    return section(
        "Controlled recall",
        table(["", "of#", "share#", "95 % interval"], rows, none=""),
        el(
            "p.none",
            f"Replay of {when(found.at)} UTC, {found.engine}; misses by layer: {layers}; {found.failed} failed.",
        ),
    )


def _audit(found: tuple[Audited, ...]) -> Node:
    rows = [
        el(
            "tr",
            el("td", label(one.source)),
            el("td.n", f"{one.silenced:,}"),
            el("td.n", f"{one.drawn:,}"),
            *_rate_cells(one.wrongly),
            el("td.n", "unknown" if one.estimate is None else f"{one.estimate:g}"),
        )
        for one in found
    ]
    heads = ["kept silent as", "silenced#", "drawn#", "wrongly#", "share#", "95 % interval", "estimate#"]
    return section("Silenced wrongly, by the blind audit", table(heads, rows, none=""))


def _rate_cells(one: Rate) -> list[Node]:
    return [el("td.n", f"{one.hits} of {one.of}"), el("td.n", _percent(one) or "unknown"), el("td", _interval(one))]


def _percent(one: Rate) -> str | None:
    return None if one.rate is None else f"{100 * one.rate:.0f} %"


def _interval(one: Rate) -> Node:
    """The interval as a band, the share as a mark on it."""
    if one.rate is None or one.low is None or one.high is None:
        return el("span.none", "none yet")
    low, high = 100 * one.low, 100 * one.high
    return el(
        "span.interval",
        el("span.before", data_size=low),
        el("span.band", data_size=high - low),
        el("span.at", data_size=100 * one.rate),
        title=f"{low:.0f} % to {high:.0f} %",
    )
