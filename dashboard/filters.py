"""The queue's filters: kept in the page's address, so that a refresh or a shared link shows the same cards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import streamlit as st

from dashboard.context import Panel
from dashboard.tree import Node, act, el, key
from dashboard.words import label, standing_word
from review_agent.ledger.store import QueueFilter
from review_agent.vocabulary import CardState, ChangeKind, Confidence, Severity

__all__ = ["KEYS", "bar", "heard", "is_narrowed", "wanted"]

KEYS: dict[str, Mapping[str, Any]] = {"/": {"ui": "focus", "field": "text"}, "f": {"do": "clear"}}

_AGES = {"1": "last day", "7": "last 7 days", "30": "last 30 days"}
_DECIDED = (CardState.ACCEPTED, CardState.REJECTED, CardState.REVOKED, CardState.DOWNGRADED)
_STATES: dict[str, tuple[str, tuple[str, ...]]] = {
    "": ("open", (CardState.HIDDEN,)),
    "needs_proof": ("needs proof", (CardState.NEEDS_PROOF,)),
    "decided": ("decided", _DECIDED),
    **{one.value: (standing_word(one), (one.value,)) for one in (*_DECIDED, CardState.SUPERSEDED, CardState.STALE)},
    "any": ("any state", ()),
}
_NAMES = ("state", "severity", "kind", "confidence", "age", "owner", "run", "text")
_MOST_CHARACTERS = 200


def wanted(panel: Panel, now: datetime | None = None) -> QueueFilter:
    """The filter that the address asks for; what it does not know there lets all through."""
    age = _given("age")
    since = (now or datetime.now(UTC)) - timedelta(days=int(age)) if age in _AGES else None
    owner = _given("owner")
    return QueueFilter(
        severity=_one_of("severity", Severity),
        kind=_one_of("kind", ChangeKind),
        confidence=_one_of("confidence", Confidence),
        owner=(owner,) if owner and panel.owner_of else (),
        since=since.isoformat(timespec="milliseconds") if since else None,
        run=_given("run"),
        state=_STATES.get(_given("state"), _STATES[""])[1],
        text=_given("text"),
    )


def is_narrowed() -> bool:
    """Whether any filter is set."""
    return any(_given(name) for name in _NAMES)


def heard(event: Mapping[str, Any]) -> None:
    """A changed filter, or all of them cleared; the list starts anew."""
    names = _NAMES if event["do"] == "clear" else [str(event["name"])]
    for name in names:
        value = "" if event["do"] == "clear" else str(event.get("value", event.get("text", "")))[:_MOST_CHARACTERS]
        if name in _NAMES and value:
            st.query_params[name] = value
        else:
            st.query_params.pop(name, None)
    for name in ("page", "card"):
        st.query_params.pop(name, None)


def bar(panel: Panel) -> Node:
    severities = [(one.value, one.value) for one in Severity]
    kinds = [(one.value, label(one)) for one in ChangeKind]
    confidences = [(one.value, f"{one} confidence") for one in Confidence]
    states = [(value, said) for value, (said, _) in _STATES.items()]
    selects = [
        _select("state", states),
        _select("severity", [("", "any severity"), *severities]),
        _select("kind", [("", "any kind"), *kinds]),
        _select("confidence", [("", "any confidence"), *confidences]),
        _select("owner", [("", "any owner"), *((one, one) for one in panel.owners), ("nobody", "nobody")])
        if panel.owner_of
        else None,
        _select("age", [("", "any age"), *_AGES.items()]),
        _select("run", [("", "any run"), *_runs()]),
    ]
    search = el(
        "form.search",
        key("/"),
        el(
            "input",
            type="search",
            name="text",
            value=_given("text"),
            placeholder="search claim, path, rule, id",
            data_field="text",
            aria_label="search",
        ),
        do={"do": "filter", "name": "text"},
    )
    clear = act("Clear", {"do": "clear"}, keys="f") if is_narrowed() else None
    return el("div", search, selects, clear)


def _runs() -> list[tuple[str, str]]:
    """The run of the address; the runs page leads here with one."""
    run = _given("run")
    return [(run, f"run {run[:20]}")] if run else []


def _select(name: str, choices: Sequence[tuple[str, str]]) -> Node:
    now = _given(name)
    options = [el("option", said, value=value, selected=value == now) for value, said in choices]
    return el(
        f"select{'.set' * bool(now)}",
        options,
        change={"do": "filter", "name": name},
        aria_label=name,
        name=name,
        data_field=name,
    )


def _given(name: str) -> str:
    return str(st.query_params.get(name, ""))[:_MOST_CHARACTERS]


def _one_of(name: str, known: Any) -> tuple[str, ...]:
    value = _given(name)
    return (value,) if value in {one.value for one in known} else ()
