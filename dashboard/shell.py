"""What every page has around it: the header with its links, the messages, and the states in which there is nothing to
show, each with what to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from dashboard.context import Panel
from dashboard.frame import Page, mount
from dashboard.tree import Node, act, el, key, prose
from review_agent.errors import ReviewAgentError

__all__ = ["PAGES", "Message", "error_pane", "nothing", "say", "show", "turn_to"]

PAGES = {
    "queue": ("Queue", "q"),
    "runs": ("Runs", "r"),
    "decisions": ("Decisions", "d"),
    "policy": ("Policy", "p"),
    "replay": ("Replay", "y"),
    "metrics": ("Metrics", "m"),
}
"""Each page's title, and the key that leads there after ``g``."""


@dataclass(frozen=True)
class Message:
    """What has just happened. ``kind`` is done, note or refused."""

    kind: str
    text: str
    hint: str = ""


def say(kind: str, text: str, hint: str = "") -> None:
    """Shows a message on the next rendering of this session."""
    st.session_state["message"] = Message(kind, text, hint)


def turn_to(name: str) -> None:
    """The page to go to before anything is shown again."""
    if name in PAGES:
        st.session_state["go"] = name


def show(
    panel: Panel,
    page: Page,
    heard: Callable[[Mapping[str, Any]], None],
    *,
    notices: Sequence[str] = (),
    help_: Sequence[tuple[str, str]] = (),
) -> None:
    """The page with header, messages and help around it. ``help_`` tells the page's own keys."""

    def hear(event: Mapping[str, Any]) -> None:
        st.session_state.pop("message", None)
        st.session_state.pop("recorded", None)
        if event["do"] == "go":
            turn_to(str(event.get("page")))
        elif event["do"] != "refresh":
            _hear(heard, event)

    page.panes = {"header": _header(panel, page.name), **_messages(notices), **page.panes, "help": _help(help_)}
    page.keys = {
        "?": {"ui": "menu", "menu": "help"},
        "g": {"ui": "menu", "menu": "go"},
        "r": {"do": "refresh"},
        **page.keys,
    }
    page.menus = {
        **page.menus,
        "help": {"?": {"ui": "close"}},
        "go": {letter: {"do": "go", "page": name} for name, (_, letter) in PAGES.items()},
    }
    page.recorded = st.session_state.get("recorded")
    mount(page, hear)


def _hear(heard: Callable[[Mapping[str, Any]], None], event: Mapping[str, Any]) -> None:
    """An act that cannot be had is a message, never a page that fails."""
    try:
        heard(event)
    except ReviewAgentError as error:
        say("refused", f"Not recorded: {error.message}. {error.where}".rstrip(" ."), error.hint)
    except (KeyError, TypeError, ValueError):
        say("refused", "Not recorded: the page sent what this panel does not know.", "Reload the page.")


def error_pane(error: ReviewAgentError) -> Node:
    """What happened, where, and what to do next."""
    return nothing(error.message, error.where, next_=error.hint, kind="error")


def nothing(title: str, *lines: str, next_: str = "", kind: str = "empty", button: Node | None = None) -> Node:
    """A state without anything to show. ``next_`` is what to do now; what stands in backticks can be copied by hand."""
    return el(
        f"section.nothing.{kind}",
        el("h2", title),
        [el("p", prose(line)) for line in lines if line],
        el("p.next", prose(next_)) if next_ else None,
        button,
    )


def _header(panel: Panel, current: str) -> Node:
    links = [
        el(
            "a",
            title,
            href="/" if name == "queue" else f"/{name}",
            do={"do": "go", "page": name},
            aria_current="page" if name == current else None,
        )
        for name, (title, _) in PAGES.items()
    ]
    who = el("span.who", panel.reviewer, title="who your decisions are recorded as")
    return el(
        "header.top",
        el("b.brand", "review-agent"),
        el("nav", links),
        el("span.place", panel.place, title=str(panel.state_dir)),
        who,
        el("button.keys", key("?"), "Keys", do={"ui": "menu", "menu": "help"}, type="button"),
    )


def _messages(notices: Sequence[str]) -> dict[str, Node]:
    message = st.session_state.get("message")
    found: dict[str, Node] = {}
    if notices:
        found["notices"] = el("div", [el("p", prose(text)) for text in notices], role="status")
    if message is not None:
        found["message"] = el(
            f"div.message.{message.kind}",
            el("span", prose(message.text)),
            el("span.hint", prose(message.hint)) if message.hint else None,
            role="alert" if message.kind == "refused" else "status",
        )
    return found


def _help(own: Sequence[tuple[str, str]]) -> Node:
    everywhere = [
        ("g, then a letter", ", ".join(f"{letter} {title}" for title, letter in PAGES.values())),
        ("r", "look again: what others decided meanwhile"),
        ("?", "these keys"),
        ("Esc", "close, or leave a field"),
    ]
    rows = [
        el("tr", el("td", [key(one) for one in keys.split(" ")] if len(keys) < 8 else keys), el("td", what))
        for keys, what in [*own, *everywhere]
    ]
    pages = el(
        "div.menu.go",
        el("h2", "Go to"),
        [act(title, {"do": "go", "page": name}, keys=letter) for name, (title, letter) in PAGES.items()],
        data_menu="go",
        role="dialog",
        aria_label="Go to",
    )
    return el(
        "div",
        el(
            "div.menu.help",
            el("h2", "Keys"),
            el("table", el("tbody", rows)),
            data_menu="help",
            role="dialog",
            aria_label="Keys",
        ),
        pages,
    )
