"""Tables and figures, as every page but the queue shows them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dashboard.tree import Node, act, el

__all__ = ["figures", "pages", "section", "share", "table"]


def section(title: str, *parts: Node | Iterable[Node] | None) -> Node:
    return el("section.block", el("h2", title), *parts)


def table(heads: Sequence[str], rows: Sequence[Node], *, none: str) -> Node:
    """``rows`` are table rows; a head that ends in ``#`` is of a column of numbers. ``none`` says why there is none."""
    if not rows:
        return el("p.none", none)
    cells = [el(f"th{'.n' * head.endswith('#')}", head.rstrip("#"), scope="col") for head in heads]
    return el("table", el("thead", el("tr", cells)), el("tbody", rows))


def figures(pairs: Iterable[tuple[str, object, str]]) -> Node:
    """Label, value and a word beside each; a value that is null is unknown, never zero."""
    return el(
        "div.figures",
        [
            el(
                "div.figure",
                el("span.value", "unknown" if value is None else str(value)),
                el("span.label", name),
                el("small", beside) if beside else None,
            )
            for name, value, beside in pairs
        ],
    )


def share(part: float, whole: float) -> Node:
    """A bar of ``part`` in ``whole``."""
    return el(
        "span.share", el("span.filled", data_size=100 * part / whole if whole else 0), title=f"{part:g} of {whole:g}"
    )


def pages(number: int, size: int, total: int) -> tuple[Node | None, dict[str, Mapping[str, Any]]]:
    """What turns the pages of a long table, and the keys that do; nothing where one page holds all."""
    if total <= size:
        return None, {}
    first = number * size
    keys: dict[str, Mapping[str, Any]] = {}
    if number:
        keys["["] = {"do": "page", "page": number - 1}
    if first + size < total:
        keys["]"] = {"do": "page", "page": number + 1}
    before = act("Before", {"do": "page", "page": number - 1}, keys="[", disabled=not number)
    after = act("Next", {"do": "page", "page": number + 1}, keys="]", disabled=first + size >= total)
    said = f"{first + 1:,}–{min(first + size, total):,} of {total:,}"
    return el("div.turn", el("span", said), before, after), keys
