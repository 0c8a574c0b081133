"""Deciding on several cards at once: those of the card's rule, or of its finding, as they stand when they are shown.

The cards are listed when `s` is pressed, not at every rendering. An act goes to exactly these, at the version and after
the decision that was listed; where one of them has moved since, none is decided and the page says which.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from dashboard.context import Panel
from dashboard.offers import choice, codes, menu
from dashboard.shell import say
from dashboard.tree import Node, act, el
from dashboard.words import count, label, place, short, standing_word
from review_agent import adjudication
from review_agent.adjudication import NONE_SEEN
from review_agent.errors import RecordError, TransitionError, UsageError
from review_agent.ledger.store import CardDetail, Ledger, Listed
from review_agent.policy.model import ReasonCode
from review_agent.transitions import RESULT
from review_agent.vocabulary import Act, CardState, Decision, digest

__all__ = ["MOST", "choices", "heard", "key_of", "nodes", "open_menu", "undo"]

MOST = 500
"""So many cards are decided on by one key; more of them by the command line."""
_SHOWN = 8
_OF = {"rule": "of this rule", "finding": "of this finding"}
_LETTERS = {"rule": "R", "finding": "I"}


def key_of(detail: CardDetail) -> dict[str, Mapping[str, Any]]:
    """``s`` lists the cards that the one shown is alike."""
    if detail.row.state is not CardState.HIDDEN:
        return {}
    return {"s": {"do": "several", "card": detail.row.card["cardId"]}}


def heard(panel: Panel, event: Mapping[str, Any]) -> bool:
    """Takes an event that is about several cards; false where it is none."""
    if event["do"] == "several":
        _list(panel, str(event["card"]))
    elif event["do"] == "together":
        _decide(panel, event)
    elif event["do"] == "undo together":
        _take_back(panel)
    else:
        return False
    return True


def open_menu(detail: CardDetail) -> str:
    """The menu that is to be open on this rendering: of the list that has just been asked for."""
    asked = st.session_state.get("several")
    if not asked or asked["card"] != detail.row.card["cardId"] or not asked.pop("fresh", False):
        return ""
    return next((f"several-{of}" for of in ("finding", "rule") if of in _lists(detail)), "")


def choices(panel: Panel, detail: CardDetail) -> dict[str, dict[str, Mapping[str, Any]]]:
    """What each key of the menus does while one is open."""
    lists = _lists(detail)
    found: dict[str, dict[str, Mapping[str, Any]]] = {}
    for of, listed in lists.items():
        turn = {_LETTERS[one]: {"ui": "menu", "menu": f"several-{one}"} for one in lists if one != of}
        found[f"several-{of}"] = {
            **{letter: _rejection(of, listed, code) for letter, code in codes(panel)},
            **turn,
            "0": _together(of, listed, Act.ACCEPT),
            "m": {"ui": "focus", "field": "comment"},
        }
    return found


def nodes(panel: Panel, detail: CardDetail) -> list[Node]:
    """The menus: which cards an act would decide on, and the acts."""
    return [_menu(panel, of, listed) for of, listed in _lists(detail).items()]


def undo() -> dict[str, Mapping[str, Any]]:
    """``u`` takes the whole act back, where the latest one of this session was one on several cards."""
    return {"u": {"do": "undo together"}} if st.session_state.get("together") else {}


def _list(panel: Panel, card_id: str) -> None:
    ledger = Ledger(panel.state_dir)
    card = ledger.card(card_id).row.card
    by = {"rule": {"rule": str(card["rule"])}, "finding": {"fingerprint": str(card["fingerprint"])}}
    lists = {of: ledger.alike([CardState.HIDDEN], **how) for of, how in by.items()}
    lists = {of: listed for of, listed in lists.items() if len(listed) > 1}
    if lists.get("finding") == lists.get("rule"):
        lists.pop("finding", None)
    if not lists:
        say("note", "No other open card is of this rule or of this finding.")
        return
    if all(len(listed) > MOST for listed in lists.values()):
        command = f"`review-agent decide reject --rule {card['rule']} --reason CODE`"
        say(
            "note", f"{count(len(lists['rule']), 'open card')} are of this rule, more than one key decides on.", command
        )
        return
    some = [one.card_id for listed in lists.values() for one in listed[:_SHOWN]]
    named = ledger.named(list(dict.fromkeys(some)))
    places = {one.card["cardId"]: place(one.card["diffAnchor"]) for one in named if not isinstance(one, UsageError)}
    kept = {of: listed for of, listed in lists.items() if len(listed) <= MOST}
    st.session_state["several"] = {"card": card_id, "lists": kept, "places": places, "fresh": True}


def _lists(detail: CardDetail) -> dict[str, list[Listed]]:
    asked = st.session_state.get("several")
    if asked is None or asked["card"] != detail.row.card["cardId"] or detail.row.state is not CardState.HIDDEN:
        return {}
    lists: dict[str, list[Listed]] = asked["lists"]
    return lists


def _token(listed: Sequence[Listed]) -> str:
    """What an act says of the list it means: it is decided on as it was shown, or not at all."""
    return digest([[one.card_id, one.card_version, one.decision] for one in listed])[:16]


def _together(of: str, listed: Sequence[Listed], what: Act, **more: Any) -> dict[str, Any]:
    event = {"do": "together", "of": of, "list": _token(listed), "act": what.value, "take": ["comment"], "timed": True}
    return {**event, **more}


def _rejection(of: str, listed: Sequence[Listed], code: ReasonCode) -> dict[str, Any]:
    asking = f"{label(code.code)}: say what it is, then Enter"
    needs = {"needs": "comment", "asking": asking} if code.needs_comment else {}
    return _together(of, listed, Act.REJECT, reason=code.code, **needs)


def _menu(panel: Panel, of: str, listed: Sequence[Listed]) -> Node:
    asked = st.session_state["several"]
    rows = [el("li", f"{short(one.card_id)} · {asked['places'].get(one.card_id, '')}") for one in listed[:_SHOWN]]
    if len(listed) > _SHOWN:
        rows.append(el("li", f"and {len(listed) - _SHOWN} more"))
    turn = [
        act(f"Those {_OF[one]}", {"ui": "menu", "menu": f"several-{one}"}, keys=_LETTERS[one])
        for one in asked["lists"]
        if one != of
    ]
    offered = [
        choice("0", f"accept all {len(listed)}", "the evidence holds for each", _together(of, listed, Act.ACCEPT))
    ]
    offered += [
        choice(letter, f"reject all: {label(code.code)}", code.about, _rejection(of, listed, code))
        for letter, code in codes(panel)
    ]
    title = f"{count(len(listed), 'open card')} {_OF[of]}, as one act"
    return menu(
        f"several-{of}", title, el("ul", rows), el("div.buttons", turn) if turn else None, el("div.choices", offered)
    )


def _decide(panel: Panel, event: Mapping[str, Any]) -> None:
    asked = st.session_state.get("several") or {"lists": {}}
    listed = asked["lists"].get(str(event["of"]), [])
    if not listed or _token(listed) != event["list"]:
        say("refused", "Not recorded: the list of cards is another now.", "Press `s` for the cards as they stand.")
        return
    made = _recorded(panel, listed, Act(str(event["act"])), event)
    if made is None:
        return
    st.session_state["recorded"] = {"card": asked["card"], "fields": ["comment"]}
    st.session_state["together"] = [(one.card_id, one.card_version, one.decision_id) for one in made]
    st.session_state.pop("decided", None)
    st.session_state.pop("several", None)
    reason = f" as {label(made[0].reason_code)}" if made[0].reason_code else ""
    said = standing_word(RESULT[made[0].act])
    say("done", f"{count(len(made), 'card')} {said}{reason}, as one act. `u` takes it back.")
    _go_on({one.card_id for one in made})


def _recorded(panel: Panel, listed: Sequence[Listed], what: Act, event: Mapping[str, Any]) -> list[Decision] | None:
    policy, seconds = panel.policy()[0], event.get("seconds")
    try:
        return adjudication.decide_many(
            panel.state_dir,
            [one.card_id for one in listed],
            what,
            reason_code=event.get("reason"),
            comment=str(event.get("comment") or "").strip() or None,
            reviewer=panel.reviewer,
            policy_reason_codes=policy.reason_codes,
            expected_versions={one.card_id: one.card_version for one in listed},
            expected_decisions={one.card_id: one.decision or NONE_SEEN for one in listed},
            seconds=float(seconds) if isinstance(seconds, int | float) and 0 <= seconds <= 86_400 else None,
            mask=policy.masker(),
        )
    except (TransitionError, UsageError, RecordError) as error:
        say("refused", f"Not recorded: {error.message}.", "Press `s` for the cards as they stand now.")
        st.session_state.pop("several", None)
        return None


def _take_back(panel: Panel) -> None:
    made = st.session_state.pop("together", [])
    if not made:
        return
    listed = [Listed(*one) for one in made]
    if (taken := _recorded(panel, listed, Act.REOPEN, {})) is not None:
        st.query_params["card"] = taken[0].card_id
        say("done", f"Taken back: {count(len(taken), 'card')} {'is' if len(taken) == 1 else 'are'} open again.")


def _go_on(decided: set[str]) -> None:
    """To the first card of the page that was not among them."""
    left = [one for one in st.session_state.get("rows", []) if one not in decided]
    if left:
        st.query_params["card"] = left[0]
    else:
        st.query_params.pop("card", None)
