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
from review_agent.transitions import RESULT, next_state
from review_agent.vocabulary import Act, CardState, Decision, digest

__all__ = ["decide", "state_of"]


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
    try:
        next_state(state_of(history, card_id), act)
    except TransitionError as error:
        raise TransitionError(error.message, where=card_id, hint=error.hint) from None
    if act is Act.REOPEN and history[-1]["reviewer"] != reviewer:
        raise TransitionError(
            f"the latest act on this card is by {history[-1]['reviewer']}; only they can undo it",
            where=card_id,
            hint="ask them, or decide on the card as it stands",
        )


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
