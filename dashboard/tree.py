"""What a page is made of: a tree of elements and texts, as data.

No markup is ever written or parsed. The browser makes each element from a short list of names and each text as a text
node, so that text from a reviewed change can be nothing but text. Characters that have no shape of their own (controls,
bidi marks, lone surrogates) stand as ``\\u{hex}``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from review_agent.publish.safe import terminal

__all__ = ["Node", "act", "el", "fold", "key", "prose", "text"]

Node = str | list[Any]
"""A text, or ``[name, attributes, child, …]``."""

_CODE = re.compile(r"`([^`]+)`")


def el(name: str, /, *children: Node | Iterable[Node] | None, **attributes: Any) -> Node:
    """An element. ``name`` is ``tag.class.class``; children that are None are left out, iterables are flattened.

    Attributes: an underscore stands for a hyphen, a trailing one is dropped; None and False leave the attribute out.
    ``do`` and ``change`` take the event that a click or a changed value sends, as data.
    """
    tag, *classes = name.split(".")
    given = {
        _name(key): _value(key, value) for key, value in attributes.items() if value is not None and value is not False
    }
    if classes:
        given["class"] = " ".join(classes)
    return [tag or "div", given, *_flat(children)]


def text(value: object) -> str:
    """Any value as text that shows as it is, on one line."""
    return terminal(str(value))


def prose(said: str) -> list[Node]:
    """A sentence of a card: what stands in backticks is code."""
    nodes: list[Node] = []
    end = 0
    for found in _CODE.finditer(said):
        nodes += [said[end : found.start()], el("code", found.group(1))]
        end = found.end()
    return [node for node in [*nodes, said[end:]] if node]


def key(name: str) -> Node:
    """A key of the keyboard."""
    return el("kbd", name)


def act(label: Node | list[Node], event: Mapping[str, Any], *, keys: str = "", of: str = "button", **more: Any) -> Node:
    """A button that sends an event; ``keys`` is the key that does the same, shown on it."""
    return el(
        of, key(keys) if keys else None, label if isinstance(label, str) else [label], do=event, type="button", **more
    )


def fold(summary: Node | list[Node], *children: Node | Iterable[Node] | None, open_: bool = False, **more: Any) -> Node:
    """Children behind a summary that opens them."""
    return el("details", el("summary", summary), *children, open=open_, **more)


def _flat(children: Iterable[Any]) -> Iterable[Node]:
    for child in children:
        if child is None:
            continue
        if isinstance(child, str):
            yield terminal(child)
        elif (
            isinstance(child, list)
            and child
            and isinstance(child[0], str)
            and len(child) > 1
            and isinstance(child[1], dict)
        ):
            yield child
        else:
            yield from _flat(child)


def _name(name: str) -> str:
    return {"do": "data-do", "change": "data-change", "copy": "data-copy"}.get(name, name.rstrip("_").replace("_", "-"))


def _value(name: str, value: Any) -> str:
    if name in ("do", "change"):
        return json.dumps(value, sort_keys=True)
    return "" if value is True else terminal(str(value))
