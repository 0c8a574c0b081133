"""Replay: how the product did on cases with a known answer, and which layer was at fault for each miss."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from dashboard.context import Panel
from dashboard.frame import Page
from dashboard.shell import nothing, show
from dashboard.tables import figures, section, share, table
from dashboard.tree import Node, el, fold
from dashboard.words import count, label, when
from review_agent.ledger.store import Ledger

__all__ = ["render"]

_MOST = 30


def render(panel: Panel) -> None:
    ledger = Ledger(panel.state_dir)
    replays = ledger.replays()
    if not replays:
        body = nothing(
            "No replay is recorded here yet",
            "A replay reviews changes whose right answer is known: what was found, and which layer missed the rest.",
            next_="Run `review-agent replay CASES`, or `--commits A..B` over past commits, then press `r`.",
            kind="first",
        )
    else:
        body = el("div.page", _newest(replays[0]), _history(replays[:_MOST]))
    show(panel, Page("replay", {"body": body}), lambda event: None, notices=list(ledger.notices))


def _newest(one: Mapping[str, Any]) -> Node:
    missed = [half for half in one["halves"] if half.get("layer")]
    layers = Counter(half["layer"] for half in missed)
    most = max(layers.values(), default=0)
    by_layer = [
        el("tr", el("td", label(layer)), el("td.n", str(number)), el("td", share(number, most)))
        for layer, number in layers.most_common()
    ]
    rows = [
        el(
            "tr",
            el("td", half["unit"]),
            el("td", label(half["verdict"])),
            el("td.n", str(half["cards"])),
            el("td", label(half.get("layer") or "")),
        )
        for half in one["halves"]
    ]
    return el(
        "div",
        el("div.title", el("h1", f"Newest replay, {when(one['at'])} UTC")),
        el("p.none", f"{one['engine']} · review-agent {one['product']} · policy {one['policyHash'][:12]}"),
        figures(
            [
                ("defects found", f"{one['found']} of {one['defects']}", _percent(one["found"], one["defects"])),
                ("twins silent", f"{one['silent']} of {one['clean']}", _percent(one["silent"], one["clean"])),
                ("failed", str(one["failed"]), ""),
            ]
        ),
        section(
            "Misses by the layer at fault",
            el("div.narrow", table(["layer", "misses#", ""], by_layer, none="Nothing was missed.")),
        ),
        section(
            "Every half",
            fold(
                count(len(rows), "half", "halves"),
                table(["case", "verdict", "cards#", "layer at fault"], rows, none="The replay holds no half."),
            ),
        ),
    )


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "none to judge"


def _history(replays: list[dict[str, Any]]) -> Node:
    rows = [
        el(
            "tr",
            el("td.time", when(one["at"])),
            el("td", one["engine"]),
            el("td", el("code", one["policyHash"][:12])),
            el("td.n", f"{one['found']}/{one['defects']}"),
            el("td", share(one["found"], one["defects"])),
            el("td.n", f"{one['silent']}/{one['clean']}"),
            el("td.n", str(one["failed"])),
        )
        for one in replays
    ]
    return section(
        "All replays, newest first",
        table(["when (UTC)", "engine", "policy", "found#", "", "silent#", "failed#"], rows, none=""),
    )
