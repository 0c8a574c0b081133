"""The card's state table: which acts a state allows, the state each act leads to, and when one lapses. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from types import MappingProxyType
from typing import Any

from review_agent.errors import TransitionError
from review_agent.vocabulary import Act, CardState

__all__ = ["AGENT", "LEGAL", "OVERTAKEN", "RESULT", "folded", "lapsed", "next_state", "state_word"]

AGENT = "review-agent"
"""The reviewer's name of what this product records by itself."""
OVERTAKEN = frozenset({Act.SUPERSEDE, Act.MARK_STALE})
"""The acts that are the product's own, when a newer push overtakes a card; no person takes them."""

LEGAL: Mapping[CardState, frozenset[Act]] = MappingProxyType(
    {
        CardState.HIDDEN: frozenset({Act.ACCEPT, Act.REJECT, Act.NEEDS_PROOF}) | OVERTAKEN,
        CardState.ACCEPTED: frozenset({Act.REVOKE, Act.DOWNGRADE, Act.REOPEN}) | OVERTAKEN,
        CardState.REJECTED: frozenset({Act.REOPEN}) | OVERTAKEN,
        CardState.NEEDS_PROOF: frozenset({Act.ATTACH, Act.REOPEN}) | OVERTAKEN,
        CardState.REVOKED: frozenset({Act.REOPEN}) | OVERTAKEN,
        CardState.DOWNGRADED: frozenset({Act.REOPEN}) | OVERTAKEN,
        CardState.SUPERSEDED: frozenset(),
        CardState.STALE: frozenset(),
    }
)
"""The acts each state allows. A newer push overtakes any state once; nothing leads out of those two."""

RESULT: Mapping[Act, CardState] = MappingProxyType(
    {
        Act.ACCEPT: CardState.ACCEPTED,
        Act.REJECT: CardState.REJECTED,
        Act.NEEDS_PROOF: CardState.NEEDS_PROOF,
        Act.ATTACH: CardState.HIDDEN,
        Act.REVOKE: CardState.REVOKED,
        Act.DOWNGRADE: CardState.DOWNGRADED,
        Act.REOPEN: CardState.HIDDEN,
        Act.SUPERSEDE: CardState.SUPERSEDED,
        Act.MARK_STALE: CardState.STALE,
    }
)
"""The state a legal act leads to; it does not depend on the state before, so the last act alone tells the state."""


def next_state(state: CardState, act: Act) -> CardState:
    """The state after the act. Raises TransitionError, naming the acts the state allows, when it is not one of them."""
    if act in LEGAL[state]:
        return RESULT[act]
    allowed = ", ".join(sorted(LEGAL[state])) or "nothing: a newer push has overtaken it"
    raise TransitionError(f"a card that is {state} does not allow {act}", hint=f"it allows {allowed}")


def lapsed(record: Mapping[str, Any], today: date) -> bool:
    """Whether a decision, as wire data, no longer holds on the UTC date ``today``: its ``until`` is reached."""
    until = record.get("until")
    return bool(until) and str(until) <= today.isoformat()


def folded(decisions: Sequence[Mapping[str, Any]], today: date) -> CardState:
    """The state on the UTC date ``today`` of one card, from its decisions as wire data in the order of the journal.

    A rejection that has lapsed leaves the card hidden, as if nothing had been decided.
    """
    if not decisions or lapsed(decisions[-1], today):
        return CardState.HIDDEN
    return RESULT[Act(decisions[-1]["act"])]


def state_word(state: str) -> str:
    """The state as text has it: a card that nothing has been decided on is ``open``."""
    return "open" if state == CardState.HIDDEN else str(state)
