"""Policy: what is in force, where each file of it comes from, and what it does with a path."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import Any

import streamlit as st

from dashboard.context import Panel
from dashboard.frame import Page
from dashboard.shell import show
from dashboard.tables import section, table
from dashboard.tree import Node, el, key
from dashboard.words import count, label
from review_agent.policy.folder import Folder
from review_agent.policy.model import Policy
from review_agent.policy.which import which

__all__ = ["render"]

_MOST_CHARACTERS = 400
_KEYS = (("/", "ask about a path"),)


def render(panel: Panel) -> None:
    policy, folder = panel.policy()
    body = el(
        "div.page",
        _head(policy),
        _asked(policy),
        _files(folder),
        _kinds(policy),
        _budgets(policy),
        _codes(policy),
        _words(policy),
    )
    page = Page("policy", {"body": body}, keys={"/": {"ui": "focus", "field": "path"}})
    show(panel, page, _heard, help_=_KEYS)


def _heard(event: Mapping[str, Any]) -> None:
    if event["do"] == "which":
        path = posixpath.normpath(str(event.get("path", "")).strip()[:_MOST_CHARACTERS] or ".")
        st.query_params["path"] = path


def _head(policy: Policy) -> Node:
    pairs = [("in force", policy.source), ("hash", policy.hash)]
    return el(
        "div",
        el("div.title", el("h1", "The policy in force")),
        el(
            "table.pairs",
            el("tbody", [el("tr", el("th", name, scope="row"), el("td", value)) for name, value in pairs]),
        ),
        el("p.none", "It is read from the protected side, never from a change under review."),
    )


def _asked(policy: Policy) -> Node:
    path = st.query_params.get("path", "")[:_MOST_CHARACTERS]
    form = el(
        "form.search",
        key("/"),
        el(
            "input",
            name="path",
            value=path,
            placeholder="a path as git shows it, src/shop/pricing.py",
            data_field="path",
            aria_label="path",
        ),
        el("button", "Ask", type="submit"),
        do={"do": "which"},
    )
    return section("Who wins for a path", form, _answer(policy, path) if path else None)


def _answer(policy: Policy, path: str) -> Node:
    if path in (".", "..") or path.startswith(("/", "../")):
        return el("p.warn", f"{path} is no path in the repository: give it as git shows it, from the root.")
    rules = which(policy, path)
    aside = next((rule for rule in rules if rule.what == "set aside"), None)
    said = f"set aside as {label(aside.says)}: no question is asked" if aside else "examined: no pattern sets it aside"
    rows = [
        el(
            "tr",
            el("td", rule.what),
            el("td", el("code", rule.glob)),
            el("td", label(rule.says) if rule.what == "set aside" else rule.says),
            el(
                "td",
                "wins"
                if rule.wins and rule.what == "set aside"
                else "adds"
                if rule.what != "set aside"
                else "comes after",
            ),
        )
        for rule in rules
    ]
    return el(
        "div.answer",
        el("p", el("code", path), " is ", el("b", said), "."),
        table(["what", "pattern", "says", ""], rows, none="No pattern of the policy names it.") if rows else None,
    )


def _files(folder: Folder) -> Node:
    rows = [el("tr", el("td", el("code", name)), el("td", source)) for name, source in folder.origin.items()]
    return section("Files", table(["file", "comes from"], rows, none="The policy has no file."))


def _kinds(policy: Policy) -> Node:
    rows = [
        el(
            "tr",
            el("td", label(kind)),
            el("td", "asked" if one.enabled else "not asked"),
            el("td.n", str(one.risk)),
            el("td", ", ".join(one.severities)),
            el("td", one.about),
        )
        for kind, one in policy.change_kinds.kinds.items()
    ]
    return section("Change kinds", table(["kind", "", "risk#", "severities", "about"], rows, none="No kind is asked."))


def _budgets(policy: Policy) -> Node:
    rows = [
        el("tr", el("td", label(name)), el("td.n", f"{value:,}")) for name, value in policy.budgets.model_dump().items()
    ]
    return section(
        "Budgets, a question unless they say otherwise", el("div.narrow", table(["budget", "at most#"], rows, none=""))
    )


def _codes(policy: Policy) -> Node:
    rows = [
        el(
            "tr",
            el("td", el("code", one.code)),
            el("td", one.layer),
            el("td", one.about + (" (needs a comment)" if one.needs_comment else "")),
            el("td.n", f"{one.expires_after_days} days" if one.expires_after_days else ""),
        )
        for one in policy.reason_codes
    ]
    return section("Reasons to reject", table(["code", "layer at fault", "about", "holds#"], rows, none=""))


def _words(policy: Policy) -> Node:
    lines = policy.text.rstrip().split("\n")
    facts = ", ".join(
        (
            f"{count(len(policy.catalog), 'check')} in the catalogue",
            f"{count(len(policy.masking), 'shape')} of secrets",
            f"{count(len(policy.sensitive_paths), 'pattern')} of sensitive paths",
        )
    )
    return section("policy.md", el("p.none", facts), el("div.words", [el("div", line or " ") for line in lines]))
