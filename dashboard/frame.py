"""How a page reaches the browser, and how what a person does there comes back.

A page is a few panes, each a tree. The browser side (``frame.js``) makes a pane's elements anew only where its tree has
changed. It sends one event at a time: a small mapping with ``do``, taken from the tree or the key table it was given,
and with an ``id``. A rendering names the event that it answers, as another one may come in between; what is sent again
is heard once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from dashboard.tree import Node

__all__ = ["Page", "mount"]

_HERE = Path(__file__).parent
_KEY = "frame"

Event = Mapping[str, Any]


@dataclass
class Page:
    """What one rendering shows. ``keys`` is what each key sends; ``menus`` the same while that menu is open;
    ``menu`` is one to open.

    ``view`` names what the person looks at (a card and its version): the clock of the first view runs by it. ``focus``
    is the row to keep in sight. ``download`` is a file, {name, text}, that the browser is to keep. ``recorded`` says
    that what was written in these fields of a card, {card, fields}, is on disk: until then the browser keeps it.
    """

    name: str
    panes: dict[str, Node]
    keys: dict[str, Event] = field(default_factory=dict)
    menus: dict[str, dict[str, Event]] = field(default_factory=dict)
    menu: str = ""
    view: str = ""
    focus: str = ""
    download: Mapping[str, str] | None = None
    recorded: Mapping[str, Any] | None = None


def mount(page: Page, heard: Callable[[Event], None]) -> None:
    """Shows the page; ``heard`` gets each event, before the next rendering."""

    def on_event() -> None:
        event = (st.session_state.get(_KEY) or {}).get("event")
        if isinstance(event, Mapping) and isinstance(event.get("do"), str):
            # Ids only grow: what comes late, or once more, has been heard.
            asked, answered = str(event.get("id", "")), str(st.session_state.get("answered", ""))
            if not (asked.isdecimal() and answered.isdecimal()) or int(asked) > int(answered):
                st.session_state["answered"] = asked
                heard(event)

    number = st.session_state.get("renderings", 0) + 1
    st.session_state["renderings"] = number
    _component()(
        key=_KEY,
        data={
            "page": page.name,
            "number": number,
            "answered": st.session_state.get("answered", ""),
            "panes": page.panes,
            "keys": page.keys,
            "menus": page.menus,
            "menu": page.menu,
            "view": page.view,
            "focus": page.focus,
            "download": page.download,
            "recorded": page.recorded,
        },
        on_event_change=on_event,
    )


@cache
def _asset(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


@cache
def _component() -> Callable[..., Any]:
    return st.components.v2.component(
        "review_agent_frame", html='<div id="frame"></div>', css=_asset("frame.css"), js=_asset("frame.js")
    )
