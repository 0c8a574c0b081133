"""The acts that a card allows: the bar that offers them, their keys, and the menus of reasons and jobs.

What each sends is an event for ``deciding``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from dashboard.context import Panel
from dashboard.tree import Node, act, el, key, prose
from dashboard.words import label, short
from review_agent import jobs
from review_agent.adjudication import NONE_SEEN
from review_agent.ledger.store import CardDetail
from review_agent.policy.model import ReasonCode
from review_agent.transitions import LEGAL
from review_agent.vocabulary import Act

__all__ = ["LETTERS", "MOST_LOG_BYTES", "asked", "bar", "choice", "codes", "keys", "menu", "menus", "undo_key"]

LETTERS = "123456789abcdefghilopqrstvwxyz"
"""Keys of a menu's choices, in order; m leads to the comment."""
MOST_LOG_BYTES = 8_000_000
"""A log's size that a browser may send; a larger one is attached by the command line."""


def keys(panel: Panel, detail: CardDetail) -> dict[str, Mapping[str, Any]]:
    """The keys of the acts that the card's state allows."""
    legal = LEGAL[detail.row.state]
    found: dict[str, Mapping[str, Any]] = {}
    if Act.ACCEPT in legal:
        found["a"] = _event(detail, Act.ACCEPT)
    if Act.REJECT in legal:
        found["x"] = {"ui": "menu", "menu": "reject"}
    if Act.NEEDS_PROOF in legal:
        found["n"] = {"ui": "menu", "menu": "proof"}
    if Act.ATTACH in legal:
        found["t"] = {"ui": "menu", "menu": "attach"}
    if Act.REVOKE in legal:
        found["e"] = _event(detail, Act.REVOKE)
    if Act.DOWNGRADE in legal:
        found["w"] = _event(detail, Act.DOWNGRADE)
    return {**found, **undo_key(panel, detail)}


def undo_key(panel: Panel, detail: CardDetail | None) -> dict[str, Mapping[str, Any]]:
    """``u`` takes back the reviewer's own decision on this card, else their last one in this session."""
    mine = detail is not None and bool(detail.decisions) and detail.decisions[-1]["reviewer"] == panel.reviewer
    if detail is not None and mine and Act.REOPEN in LEGAL[detail.row.state]:
        return {"u": {"do": "undo", "card": detail.row.card["cardId"], "seen": seen(detail)}}
    last = st.session_state.get("decided")
    return {"u": {"do": "undo", "card": last[0], "seen": last[1]}} if last else {}


def seen(detail: CardDetail) -> str:
    """What an act says it saw: the id of the card's latest decision."""
    return str(detail.decisions[-1]["decisionId"]) if detail.decisions else NONE_SEEN


def bar(panel: Panel, detail: CardDetail, more: Sequence[Node] = (), also: Node | None = None) -> Node:
    """The acts at the foot of the card, each with its key, the comment that goes along, and the menus.

    ``more`` are further menus, ``also`` is a further button.
    """
    legal = LEGAL[detail.row.state]
    known = keys(panel, detail)
    buttons = [
        act("Accept", known["a"], keys="a", of="button.accept") if "a" in known else None,
        act("Reject …", known["x"], keys="x", of="button.reject") if "x" in known else None,
        act("Needs proof …", known["n"], keys="n") if "n" in known else None,
        act("Attach a result …", known["t"], keys="t") if "t" in known else None,
        act("Revoke", known["e"], keys="e") if "e" in known else None,
        act("Downgrade", known["w"], keys="w") if "w" in known else None,
        also,
        act("Undo", known["u"], keys="u") if "u" in known else None,
    ]
    comment = el(
        "input.draft",
        placeholder="comment (m): goes with the decision",
        data_field="comment",
        aria_label="comment",
        title="comment",
    )
    overtaken = None if legal else el("span.none", "A newer push has overtaken this card: nothing is left to decide.")
    return el(
        "div.bar",
        el("div.buttons", buttons, overtaken),
        comment if legal else None,
        _reject_menu(panel, detail),
        _proof_menu(panel, detail),
        _attach_menu(panel, detail),
        *more,
    )


def menus(panel: Panel, detail: CardDetail) -> dict[str, dict[str, Mapping[str, Any]]]:
    """What each key of a menu does while it is open."""
    legal = LEGAL[detail.row.state]
    found: dict[str, dict[str, Mapping[str, Any]]] = {}
    if Act.REJECT in legal:
        found["reject"] = {letter: _rejection(detail, code) for letter, code in codes(panel)}
    if Act.NEEDS_PROOF in legal:
        found["proof"] = {letter: _request(detail, job.id) for letter, job in _jobs(panel, detail)}
        found["proof"]["0"] = _request(detail, None)
    if Act.ATTACH in legal:
        found["attach"] = {"p": _result(detail, "pass"), "f": _result(detail, "fail")}
    fields = {"attach": "log"}
    return {name: {**of, "m": {"ui": "focus", "field": fields.get(name, "comment")}} for name, of in found.items()}


def _event(detail: CardDetail, what: Act, **more: Any) -> dict[str, Any]:
    card = detail.row.card
    return {
        "do": "decide",
        "act": what.value,
        "card": card["cardId"],
        "version": card["cardVersion"],
        "seen": seen(detail),
        "take": ["comment"],
        "timed": True,
        **more,
    }


def codes(panel: Panel) -> list[tuple[str, ReasonCode]]:
    """Keys and reason codes of the policy in force."""
    return list(zip(LETTERS, panel.policy()[0].reason_codes, strict=False))


def _rejection(detail: CardDetail, code: ReasonCode) -> dict[str, Any]:
    needs = (
        {"needs": "comment", "asking": f"{label(code.code)}: say what it is, then Enter"} if code.needs_comment else {}
    )
    return _event(detail, Act.REJECT, reason=code.code, **needs)


def _reject_menu(panel: Panel, detail: CardDetail) -> Node | None:
    if Act.REJECT not in LEGAL[detail.row.state]:
        return None
    choices = [
        choice(letter, label(code.code), code.about, _rejection(detail, code), f"layer at fault: {code.layer}")
        for letter, code in codes(panel)
    ]
    return menu("reject", "Reject, because", el("div.choices", choices))


def _jobs(panel: Panel, detail: CardDetail) -> list[tuple[str, jobs.Job]]:
    """Keys and jobs of the protected catalogue that can settle this card, those it proposes first."""
    return list(zip(LETTERS, jobs.applicable(detail.row.card, detail.question, panel.policy()[0]), strict=False))


def _request(detail: CardDetail, job: str | None) -> dict[str, Any]:
    needs = {} if job else {"needs": "comment", "asking": "what would prove it? then Enter"}
    return _event(detail, Act.NEEDS_PROOF, job=job, **needs)


def _proof_menu(panel: Panel, detail: CardDetail) -> Node | None:
    if Act.NEEDS_PROOF not in LEGAL[detail.row.state]:
        return None
    choices = [
        choice(letter, f"{label(job.kind)} · {job.id}", job.procedure, _request(detail, job.id))
        for letter, job in _jobs(panel, detail)
    ]
    choices.append(choice("0", "something else", "say in a comment what would prove it", _request(detail, None)))
    return menu("proof", "Needs proof, by this job of the catalogue", el("div.choices.wide", choices))


def _attach_menu(panel: Panel, detail: CardDetail) -> Node | None:
    """The result of the job that was asked for: pass or fail, with what it printed."""
    if Act.ATTACH not in LEGAL[detail.row.state]:
        return None
    waits_for = asked(detail)
    found = next((job for _, job in _jobs(panel, detail) if job.id == waits_for), None)
    card = short(detail.row.card["cardId"])
    run = (
        f"review-agent decide {card} attach --job {waits_for} --run"
        if found and found.argv and not found.refusal
        else ""
    )
    return menu(
        "attach",
        f"Attach the result of {waits_for}" if waits_for else "Attach a result",
        el("p", prose(found.procedure)) if found else None,
        el("p.signal", prose(found.signal)) if found else None,
        el("p.signal", "Here it can be run: ", el("code", run), " ", el("button.copy", "Copy", copy=run, type="button"))
        if run
        else None,
        el(
            "textarea",
            placeholder="what it printed (m to write here), or choose a file",
            data_field="log",
            aria_label="log",
        ),
        el(
            "div.fields",
            el("input", type="file", name="log", max=MOST_LOG_BYTES, aria_label="log file"),
            act("pass: the claim does not show", _result(detail, "pass"), keys="p"),
            act("fail: the claim shows", _result(detail, "fail"), keys="f"),
        ),
    )


def asked(detail: CardDetail) -> str:
    """The job that the card waits for; the manual check where none was named."""
    proof = detail.decisions[-1].get("proof") if detail.decisions else None
    return str(proof["job"]) if proof else ""


def _result(detail: CardDetail, result: str) -> dict[str, Any]:
    event = _event(detail, Act.ATTACH, job=asked(detail) or jobs.BY_HAND, result=result)
    return {**event, "take": ["comment", "log"]}


def choice(letter: str, name: str, about: str, event: Mapping[str, Any], title: str | None = None) -> Node:
    """One line of a menu, with its key."""
    said = el("span.about", prose(about))
    return el("button.choice", key(letter), el("b", name), said, do=event, type="button", title=title)


def menu(name: str, title: str, *parts: Node | None) -> Node:
    """A menu over the bar; the browser shows it while it is open."""
    return el(f"div.menu.{name}", el("h2", title), *parts, data_menu=name, role="dialog", aria_label=title)
