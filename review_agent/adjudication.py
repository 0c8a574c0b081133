"""A person's decision on a card: checked against state, version and policy under the lock, then appended."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from review_agent.errors import TransitionError, UsageError
from review_agent.journal import JOURNAL_FILE, Journal
from review_agent.ledger.store import Ledger
from review_agent.policy.model import ReasonCode
from review_agent.transitions import LEGAL, RESULT, next_state
from review_agent.vocabulary import Act, CardState, Decision, digest

__all__ = ["decide", "standing", "state_of", "state_word", "typed"]

_SHORT = 8


def decide(
    state_dir: Path,
    card_id: str,
    act: Act,
    *,
    reason_code: str | None,
    comment: str | None,
    reviewer: str,
    expected_version: str | None = None,
    policy_reason_codes: Sequence[ReasonCode],
    notice: Callable[[str], None] = lambda text: None,
) -> Decision:
    """Records the act and returns the decision once it is on disk.

    ``card_id`` may be shortened. ``expected_version`` is the card version the reviewer saw, the current one where it is
    not given. ``notice`` gets what the reviewer should know beside the result.

    Raises UsageError for an unknown or ambiguous card, a reason code that policy does not have, a missing reason or
    comment; TransitionError where the card's state does not allow the act or the version is another; StorageFullError
    or RecordError where it cannot be written, and then nothing is.
    """
    _check_reason(act, reason_code, comment, policy_reason_codes)
    ledger = Ledger(state_dir)
    card = ledger.card(card_id).row.card
    for text in ledger.notices:
        notice(text)
    _check_version(card, expected_version)
    said = {"act": act, "reasonCode": reason_code, "comment": comment, "reviewer": _named(reviewer)}

    def build(before: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        history = [record for record in before if _is_of(record, card["cardId"])]
        _check_act(card["cardId"], history, act, reviewer)
        return _decision(card, said, len(before)).wire()

    return Decision.model_validate(Journal(state_dir / JOURNAL_FILE).append_built(build))


def state_of(records: Sequence[Mapping[str, Any]], card_id: str) -> CardState:
    """The card's current state, folded from journal records in order."""
    acts = [record["act"] for record in records if _is_of(record, card_id)]
    return RESULT[Act(acts[-1])] if acts else CardState.HIDDEN


def typed(act: Act) -> str:
    """The act as the command line has it."""
    return "undo" if act is Act.REOPEN else act.value.replace("_", "-")


def state_word(state: str) -> str:
    """The state as text has it: a card that nothing has been decided on is ``open``."""
    return "open" if state == CardState.HIDDEN else str(state)


def standing(state: CardState) -> str:
    """What a sentence about a card in this state says after its name."""
    return "needs proof" if state is CardState.NEEDS_PROOF else f"is {state_word(state)}"


def _is_of(record: Mapping[str, Any], card_id: str) -> bool:
    return record.get("kind") == "decision" and record.get("cardId") == card_id


def _named(reviewer: str) -> str:
    if not reviewer.strip():
        raise UsageError("a decision needs a reviewer", hint="set git's user.name and user.email, or give --reviewer")
    return reviewer


def _check_reason(act: Act, code: str | None, comment: str | None, codes: Sequence[ReasonCode]) -> None:
    known = {reason.code: reason for reason in codes}
    names = f"reason codes of the policy: {', '.join(known)}"
    if code is None:
        if act is Act.REJECT:
            raise UsageError("a rejection needs a reason code", hint=names)
        return
    if act is not Act.REJECT:
        raise UsageError(
            f"a reason code goes only with reject, not with {typed(act)}",
            hint="leave --reason out; --comment takes your own words",
        )
    if code not in known:
        raise UsageError(f"the policy has no reason code {code!r}", hint=names)
    if known[code].needs_comment and not (comment or "").strip():
        raise UsageError(f"the reason code {code!r} needs a comment", hint="say what it is with --comment")


def _check_version(card: Mapping[str, Any], expected: str | None) -> None:
    if expected is not None and expected != card["cardVersion"]:
        raise TransitionError(
            "the card has changed since you saw it",
            where=str(card["cardId"]),
            hint="look at it again, then decide on the version you see",
        )


def _check_act(card_id: str, history: Sequence[Mapping[str, Any]], act: Act, reviewer: str) -> None:
    state = state_of(history, card_id)
    try:
        next_state(state, act)
    except TransitionError:
        by = history[-1]["reviewer"] if history else reviewer
        raise _refused(card_id, state, act, by if by != reviewer else "") from None
    if act is Act.REOPEN and history[-1]["reviewer"] != reviewer:
        raise TransitionError(
            f"the latest act on this card is by {history[-1]['reviewer']}; only they can undo it",
            where=card_id,
            hint="ask them, or decide on the card as it stands",
        )


def _refused(card_id: str, state: CardState, act: Act, other: str) -> TransitionError:
    """Why the act is not to be had, in the words of the command line. ``other`` is who else decided last."""
    name = card_id[:_SHORT]
    if not LEGAL[state]:
        return TransitionError(
            f"{name} {standing(state)}: a newer push has overtaken it",
            where=card_id,
            hint="`review-agent cards list` shows the cards there are",
        )
    if state is CardState.HIDDEN:
        said = "no decision stands" if act is Act.REOPEN else "it is open, not accepted"
        hint = f"`review-agent decide {name} accept`, `reject --reason CODE` or `needs-proof`"
        return TransitionError(f"nothing to {typed(act)} on {name}: {said}", where=card_id, hint=hint)
    stands = f"{name} {standing(state)}"
    said = f"{stands} already" if RESULT[act] is state else f"{stands}: it does not take `{typed(act)}`"
    return TransitionError(said, where=card_id, hint=_way_back(name, state, other))


def _way_back(name: str, state: CardState, other: str) -> str:
    ways = [f"`{typed(act)}`" for act in (Act.REVOKE, Act.DOWNGRADE) if act in LEGAL[state]]
    undo = f"`review-agent decide {name} undo`"
    first = f"ask {other} to undo first: {undo}" if other else f"undo first: {undo}"
    return f"{first}, or {' or '.join(ways)}" if ways else first


def _decision(card: Mapping[str, Any], said: Mapping[str, Any], position: int) -> Decision:
    content = {
        "kind": "decision",
        "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "cardId": card["cardId"],
        "cardVersion": card["cardVersion"],
        "fingerprint": card["fingerprint"],
        **said,
    }
    return Decision.model_validate({**content, "decisionId": digest([content, position])})
