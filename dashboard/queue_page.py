"""The queue: the cards that wait for a person, and the one being weighed. Every act has a key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from dashboard import deciding, filters, offers, several
from dashboard.card import card_view, copied
from dashboard.context import Panel
from dashboard.frame import Page
from dashboard.shell import error_pane, nothing, show
from dashboard.tree import Node, act, el, prose
from dashboard.words import ago, count, label, short, standing_word
from review_agent.errors import RecordError
from review_agent.ledger.shapes import fault_of
from review_agent.ledger.store import CardDetail, CardRow, Ledger, QueuePage

__all__ = ["PAGE_SIZE", "render"]

PAGE_SIZE = 50

_KEYS = (
    ("j k", "next card, card before (↓ ↑ do the same)"),
    ("a", "accept"),
    ("x", "reject: then the key of the reason"),
    ("n", "needs proof: then the key of the job"),
    ("t", "attach a job's result to a card that needs proof"),
    ("s", "several: decide on all open cards of this rule or finding as one act"),
    ("u", "undo: your decision on this card, or your last one"),
    ("m", "a comment, which goes with your next decision on the card"),
    ("v", "copy the check"),
    ("o", "open everything that is folded, or fold it"),
    ("] [", "next page of the queue, page before"),
    ("/", "search"),
    ("f", "clear the filters"),
    ("Space", "scroll the card (b scrolls back)"),
)


def render(panel: Panel) -> None:
    st.query_params.update(st.session_state.pop("filter", {}))
    ledger = Ledger(panel.state_dir)
    found, detail, number = _found(panel, ledger)
    notices = list(ledger.notices)
    ids = [str(row.card["cardId"]) for row in found.rows]
    st.session_state["rows"] = ids
    page = Page("queue", {"filters": filters.bar(panel)})
    if isinstance(detail, CardDetail):
        _with_card(panel, page, detail)
        at = str(detail.row.card["cardId"])
    else:
        # One run log that lacks a record must not keep the others from being decided.
        _without_card(panel, page, error_pane(detail) if detail else _empty(panel, ledger))
        at = st.query_params.get("card") or next(iter(ids), "")
    page.focus = at
    runs = {row.run.run_file for row in found.rows}
    page.panes["list"] = _list(found, at, number, frozenset(run for run in runs if ledger.doubt(run)))
    page.keys |= {**_paging(number, found.total), **_moves(ids, at, number, found.total), **filters.KEYS}
    show(panel, page, lambda event: _heard(panel, event), notices=notices, help_=_KEYS)


def _found(panel: Panel, ledger: Ledger) -> tuple[QueuePage, CardDetail | RecordError | None, int]:
    """The page of the address (the first where it is past the end), the card to show, and the page's number."""
    number, wanted, named = _page_number(), filters.wanted(panel), st.query_params.get("card", "")
    offset = number * PAGE_SIZE
    found, detail = ledger.triage(wanted, named, limit=PAGE_SIZE, offset=offset, owner_of=panel.owner_of)
    if not found.rows and number:
        st.query_params.pop("page", None)
        number = 0
        found, detail = ledger.triage(wanted, named, limit=PAGE_SIZE, owner_of=panel.owner_of)
    return found, detail, number


def _with_card(panel: Panel, page: Page, detail: CardDetail) -> None:
    card = detail.row.card
    page.view = f"{card['cardId']} {card['cardVersion']}"
    listing = several.key_of(detail)
    also = act("Several …", listing["s"], keys="s", title="decide on all that are alike") if listing else None
    bar = offers.bar(panel, detail, several.nodes(panel, detail), also)
    page.panes |= {"card": _card(panel, detail), "acts": bar}
    page.keys = {**_reading(card), **offers.keys(panel, detail), **listing, **several.undo()}
    page.menus = {**offers.menus(panel, detail), **several.choices(panel, detail)}
    page.menu = several.open_menu(detail)


def _without_card(panel: Panel, page: Page, body: Node) -> None:
    page.panes["card"] = body
    page.keys = {**offers.undo_key(panel, None), **several.undo()}


def _page_number() -> int:
    given = st.query_params.get("page", "0")
    return int(given) if given.isdecimal() and len(given) < 9 else 0


def _heard(panel: Panel, event: Mapping[str, Any]) -> None:
    if event["do"] == "select":
        st.query_params["card"] = str(event["card"])
    elif event["do"] == "page":
        st.query_params["page"] = str(max(0, int(event["page"])))
        st.query_params.pop("card", None)
    elif event["do"] in ("filter", "clear"):
        filters.heard(event)
    elif not several.heard(panel, event):
        st.session_state.pop("together", None)
        deciding.heard(panel, event)


def _moves(ids: Sequence[str], at: str, number: int, total: int) -> dict[str, Mapping[str, Any]]:
    """Where the keys for next and before lead, the pages beside included."""
    index = ids.index(at) if at in ids else min(st.session_state.get("index", 0), len(ids)) - 0.5
    after, before = int(index + 1), int(index - 0.5) if index % 1 else int(index) - 1
    st.session_state["index"] = max(0, int(index + 0.5))
    moves: dict[str, Mapping[str, Any]] = {}
    if after < len(ids):
        moves["j"] = {"do": "select", "card": ids[after], "again": True}
    elif (number + 1) * PAGE_SIZE < total:
        moves["j"] = {"do": "page", "page": number + 1, "again": True}
    if 0 <= before < len(ids):
        moves["k"] = {"do": "select", "card": ids[before], "again": True}
    for letter, arrow in (("j", "ArrowDown"), ("k", "ArrowUp")):
        if letter in moves:
            moves[arrow] = moves[letter]
    return moves


def _paging(number: int, total: int) -> dict[str, Mapping[str, Any]]:
    keys: dict[str, Mapping[str, Any]] = {}
    if (number + 1) * PAGE_SIZE < total:
        keys["]"] = {"do": "page", "page": number + 1}
    if number:
        keys["["] = {"do": "page", "page": number - 1}
    return keys


def _reading(card: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    keys: dict[str, Mapping[str, Any]] = {
        "o": {"ui": "unfold"},
        "m": {"ui": "focus", "field": "comment"},
        " ": {"ui": "scroll", "by": 420, "again": True},
        "b": {"ui": "scroll", "by": -420, "again": True},
    }
    return {**keys, "v": {"ui": "copy"}} if copied(card) else keys


def _list(found: QueuePage, at: str, number: int, doubtful: frozenset[str]) -> Node:
    """``doubtful``: the runs whose lines may not be git's."""
    first = number * PAGE_SIZE
    said = count(found.total, "card")
    if found.total > PAGE_SIZE:
        said = f"{first + 1:,}–{first + len(found.rows):,} of {said}"
    turn = [
        act("Before", {"do": "page", "page": number - 1}, keys="[", disabled=not number),
        act("Next", {"do": "page", "page": number + 1}, keys="]", disabled=first + PAGE_SIZE >= found.total),
    ]
    rows = [_row(row, str(row.card["cardId"]) == at, row.run.run_file in doubtful) for row in found.rows]
    return el(
        "div",
        el("div.listhead", el("span", said), turn if found.total > PAGE_SIZE else None),
        el("div.rows", rows, role="listbox", aria_label="cards"),
    )


def _row(row: CardRow, here: bool, is_doubtful: bool) -> Node:
    if fault := fault_of(row.card):
        return _faulty(str(row.card["cardId"]), fault, here)
    card, anchor = row.card, row.card["diffAnchor"]
    folder, _, name = anchor["path"].rpartition("/")
    marks = [
        el("span.state", standing_word(row.state)) if row.state != "hidden" else None,
        el("span.state", f"blind audit: {label(row.audit)}") if row.audit else None,
        el("span.state", "beyond today's minutes") if row.displaced else None,
        el("span.state", "lines not known to be git's") if is_doubtful else None,
    ]
    return el(
        f"div.row.{card['severity']}{'.decided' * (row.state != 'hidden')}",
        el(
            "div.line",
            el("span.dot", title=card["severity"]),
            el("span.name", f"{name}:{anchor['startLine']}"),
            el("span.folder", el("bdi", folder)),
            marks,
            el("span.age", ago(row.run.started_at)),
        ),
        el("div.said", prose(card["claim"])),
        el(
            "div.meta",
            el("span", label(card["changeKind"])),
            el("span", f"{card['confidence']} confidence"),
            el("span", short(card["cardId"])),
        ),
        **_option(card["cardId"], here),
    )


def _faulty(card_id: str, fault: str, here: bool) -> Node:
    """A card whose record is of another shape: the row says so, and the others are as they are."""
    said = el("div.line", el("span.name", "a card of another shape"))
    return el(
        "div.row", said, el("div.said", fault), el("div.meta", el("span", short(card_id))), **_option(card_id, here)
    )


def _option(card_id: str, here: bool) -> dict[str, Any]:
    return {
        "do": {"do": "select", "card": card_id},
        "data_row": card_id,
        "role": "option",
        "aria_selected": "true" if here else "false",
        "selected": here,
    }


def _card(panel: Panel, detail: CardDetail) -> Node:
    owners = panel.owner_of(detail.row.card["diffAnchor"]["path"]) if panel.owner_of else ()
    doubt = Ledger(panel.state_dir).doubt(detail.row.run.run_file)
    return card_view(detail, owners=owners, earlier=detail.earlier, doubt=doubt)


def _empty(panel: Panel, ledger: Ledger) -> Node:
    """Why there is no card, and what to do."""
    runs = ledger.runs()
    if not runs:
        return nothing(
            "No review is recorded here yet",
            "The queue shows the evidence cards of this repository's reviews.",
            next_=f"Run `review-agent review` in {panel.place}, then press `r`. To see one first: `review-agent demo`.",
            kind="first",
        )
    if filters.is_narrowed():
        return nothing("No card fits these filters", button=act("Clear the filters", {"do": "clear"}, keys="f"))
    newest = runs[0]
    said = (
        f"The newest run ended {ago(newest.ended_at)} ago and is {newest.status}."
        if newest.ended_at
        else "A run is under way, or was stopped."
    )
    return nothing(
        "Every card is decided",
        said,
        next_="New cards come with the next `review-agent review`. `g` `d` shows what was decided, `u` undoes.",
        kind="done",
    )
