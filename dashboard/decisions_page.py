"""Decisions: everything people decided, newest first; what stands can be taken back; all of it can be exported."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import streamlit as st

from dashboard import deciding
from dashboard.context import Panel
from dashboard.frame import Page
from dashboard.shell import nothing, say, show
from dashboard.tables import pages, table
from dashboard.tree import Node, act, el, prose
from dashboard.words import count, label, short, span, when
from review_agent import adjudication
from review_agent.ledger.history import DecisionRow
from review_agent.ledger.store import Ledger
from review_agent.transitions import LEGAL
from review_agent.vocabulary import Act, CardState

__all__ = ["render"]

_SIZE = 50
_MOST_EXPORTED = 1_000_000
_COLUMNS = (
    "at",
    "act",
    "reasonCode",
    "layer",
    "reviewer",
    "comment",
    "cardId",
    "cardVersion",
    "fingerprint",
    "seconds",
    "until",
    "batch",
    "decisionId",
)
_KEYS = (("] [", "next page, page before"), ("J", "export as JSON lines"), ("V", "export as CSV"))


def render(panel: Panel) -> None:
    ledger = Ledger(panel.state_dir)
    number = st.session_state.get("decisions at", 0)
    # From the newest on: what a card's newest decision is, is told by all that came after it.
    found = ledger.decisions(limit=(number + 1) * _SIZE)
    notices = list(ledger.notices)
    if not found.total:
        body = nothing(
            "Nothing is decided yet",
            "Every accept, reject, needs-proof, undo and revoke will stand here, with who, when and why.",
            next_="`g` `q` opens the queue.",
            kind="first",
            button=act("Open the queue", {"do": "go", "page": "queue"}),
        )
        show(panel, Page("decisions", {"body": body}), lambda event: None, notices=notices, help_=_KEYS)
        return
    turn, keys = pages(number, _SIZE, found.total)
    states = _states(found.rows)
    shown = found.rows[number * _SIZE :]
    body = el(
        "div.page",
        el(
            "div.title",
            el("h1", count(found.total, "decision")),
            act("Export JSON lines", {"do": "export", "as": "jsonl"}, keys="J"),
            act("Export CSV", {"do": "export", "as": "csv"}, keys="V"),
            turn,
        ),
        table(
            ["when (UTC)", "decision", "card", "by", "took#", ""],
            [_row(one, states, panel.reviewer) for one in shown],
            none="",
        ),
    )
    page = Page("decisions", {"body": body})
    page.keys = {**keys, "J": {"do": "export", "as": "jsonl"}, "V": {"do": "export", "as": "csv"}}
    page.download = st.session_state.pop("download", None)
    show(panel, page, lambda event: _heard(panel, event), notices=notices, help_=_KEYS)


def _states(rows: Sequence[DecisionRow]) -> dict[str, tuple[CardState, str]]:
    """Of each card: its state now, and its newest decision's id. ``rows`` hold the newest of all first."""
    today = datetime.now(UTC).date()
    newest: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        newest.setdefault(row.decision["cardId"], row.decision)
    return {
        card: (adjudication.state_of([said], card, today), str(said["decisionId"])) for card, said in newest.items()
    }


def _row(one: DecisionRow, states: Mapping[str, tuple[CardState, str]], reviewer: str) -> Node:
    said, card = one.decision, one.card
    state, newest = states.get(said["cardId"], (CardState.HIDDEN, ""))
    word = "undo" if said["act"] == "reopen" else label(said["act"])
    reason = [el("span.reason", label(said["reasonCode"]))] if said.get("reasonCode") else []
    until = [el("small", f"until {said['until']}")] if said.get("until") else []
    return el(
        "tr",
        el("td.time", when(said["at"])),
        el(
            "td",
            el(f"b.{said['act']}", word),
            " ",
            reason,
            until,
            el("div.said", said["comment"]) if said.get("comment") else None,
        ),
        el("td", _card(said, card)),
        el("td.by", said["reviewer"], title=said["reviewer"]),
        el("td.n", "" if said.get("seconds") is None else span(said["seconds"])),
        el(
            "td.ways",
            _ways(said, state, reviewer) if said["decisionId"] == newest else el("small", "later decided again"),
        ),
    )


def _card(said: Mapping[str, Any], card: Mapping[str, Any] | None) -> Node:
    to = {"do": "open", "card": said["cardId"]}
    if card is None:
        return el(
            "div",
            el("code", short(said["cardId"])),
            el("div.none", "This card is not in the ledger: its run log is not here."),
        )
    return el(
        "div",
        el("a", f"{card['path']}:{card['line']}", href="/", do=to),
        " ",
        el("small", short(said["cardId"])),
        el("div.claimline", prose(card["claim"])),
    )


def _ways(said: Mapping[str, Any], state: CardState, reviewer: str) -> Node:
    legal = LEGAL[state]
    event = {"do": "decide", "card": said["cardId"], "version": said["cardVersion"], "seen": said["decisionId"]}
    return el(
        "div",
        act("Undo", {"do": "undo", "card": said["cardId"], "seen": said["decisionId"]})
        if Act.REOPEN in legal and said["reviewer"] == reviewer
        else None,
        act("Revoke", {**event, "act": Act.REVOKE.value}) if Act.REVOKE in legal else None,
        act("Downgrade", {**event, "act": Act.DOWNGRADE.value}) if Act.DOWNGRADE in legal else None,
    )


def _heard(panel: Panel, event: Mapping[str, Any]) -> None:
    if event["do"] == "page":
        st.session_state["decisions at"] = max(0, int(event["page"]))
    elif event["do"] == "open":
        st.session_state["go"] = "queue"
        st.session_state["filter"] = {"card": str(event["card"]), "state": "any"}
    elif event["do"] == "export":
        _export(panel, str(event["as"]))
    else:
        deciding.heard(panel, event)


def _export(panel: Panel, kind: str) -> None:
    ledger = Ledger(panel.state_dir)
    records = [row.decision for row in reversed(ledger.decisions(limit=_MOST_EXPORTED).rows)]
    text = _csv(records) if kind == "csv" else "".join(json.dumps(one, sort_keys=True) + "\n" for one in records)
    st.session_state["download"] = {"name": f"decisions.{'csv' if kind == 'csv' else 'jsonl'}", "text": text}
    say("done", f"{count(len(records), 'decision')} exported.")


def _csv(records: list[dict[str, Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(_COLUMNS)
    writer.writerows([_cell(one.get(name)) for name in _COLUMNS] for one in records)
    return out.getvalue()


def _cell(value: Any) -> Any:
    """A value that no spreadsheet takes for a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" else value
