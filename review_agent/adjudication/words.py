"""How acts and states are said, and why an act is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from review_agent.errors import TransitionError
from review_agent.transitions import LEGAL, RESULT, folded, lapsed, state_word
from review_agent.vocabulary import Act, CardState

__all__ = ["lapse", "refusal", "short", "standing", "state_of", "state_word", "told_of", "typed"]

_SHORT = 8


def short(card_id: str) -> str:
    """A card's name in a sentence."""
    return card_id[:_SHORT]


def typed(act: Act) -> str:
    """The act as the command line has it."""
    return "undo" if act is Act.REOPEN else act.value.replace("_", "-")


def state_of(records: Sequence[Mapping[str, Any]], card_id: str, today: date) -> CardState:
    """The card's state on the UTC date ``today``, folded from journal records in order."""
    return folded([one for one in records if one.get("kind") == "decision" and one.get("cardId") == card_id], today)


def standing(state: CardState) -> str:
    """What a sentence about a card in this state says after its name."""
    return "needs proof" if state is CardState.NEEDS_PROOF else f"is {state_word(state)}"


def lapse(decision: Mapping[str, Any], today: date) -> str:
    """How long a decision, as wire data, holds: ``deferred until 2026-12-30``, and whether that ``has passed``.

    Empty where it holds until somebody takes it back.
    """
    until = decision.get("until")
    passed = " has passed" if lapsed(decision, today) else ""
    return f"{decision.get('reasonCode') or 'decided'} until {until}{passed}" if until else ""


def told_of(decision: Mapping[str, Any]) -> str:
    """A decision, as wire data, in a few words: who, what, when."""
    proof = decision.get("proof") or {}
    said = [decision.get("reasonCode"), proof.get("job"), proof.get("result")]
    why = ", ".join(str(one) for one in said if one)
    at = f"{str(decision['at'])[:16].replace('T', ' ')} UTC"
    return f"`{typed(Act(decision['act']))}`{f' ({why})' if why else ''} by {decision['reviewer']} at {at}"


def refusal(
    card_id: str, state: CardState, act: Act, reviewer: str, last: Mapping[str, Any] | None, today: date
) -> TransitionError:
    """Why ``reviewer`` cannot have the act, in the words of the command line. ``last`` is the latest decision."""
    name = short(card_id)
    if not LEGAL[state]:
        why, instead = (last or {}).get("comment"), (last or {}).get("successor")
        return TransitionError(
            f"{name} {standing(state)}: {why or 'a newer push has overtaken it'}",
            where=card_id,
            hint=f"decide on the card that stands for it: `review-agent cards show {short(instead)}`"
            if instead
            else "`review-agent cards list` shows the cards there are",
        )
    if state is CardState.HIDDEN:
        said = "no decision stands" if act is Act.REOPEN else _open(act)
        passed = lapse(last, today) if last is not None else ""
        hint = f"`review-agent decide {name} accept`, `reject --reason CODE` or `needs-proof`"
        message = f"nothing to {typed(act)} on {name}: {said}{f', {passed}' if passed else ''}"
        return TransitionError(message, where=card_id, hint=hint)
    stands = f"{name} {standing(state)}"
    said = f"{stands} already" if RESULT[act] is state else f"{stands}: it does not take `{typed(act)}`"
    by = str(last["reviewer"]) if last is not None else reviewer
    return TransitionError(said, where=card_id, hint=_way_back(name, state, by if by != reviewer else ""))


def _open(act: Act) -> str:
    return "it is open, no proof is asked for" if act is Act.ATTACH else "it is open, not accepted"


def _way_back(name: str, state: CardState, other: str) -> str:
    """``other`` is who else decided last."""
    ways = [f"`{typed(act)}`" for act in (Act.REVOKE, Act.DOWNGRADE, Act.ATTACH) if act in LEGAL[state]]
    undo = f"`review-agent decide {name} undo`"
    first = f"ask {other} to undo first: {undo}" if other else f"undo first: {undo}"
    return f"{first}, or {' or '.join(ways)}" if ways else first
