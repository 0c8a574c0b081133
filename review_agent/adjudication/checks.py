"""What a decision has to be: its words by the policy, its version, its act by the card's state."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from review_agent.adjudication.words import refusal, short, told_of, typed
from review_agent.errors import TransitionError, UsageError
from review_agent.policy.model import ReasonCode
from review_agent.transitions import AGENT, LEGAL, OVERTAKEN, folded
from review_agent.vocabulary import Act, Proof, Record

__all__ = ["NONE_SEEN", "Intent", "Said", "check_act", "check_seen", "check_version", "said"]

NONE_SEEN = "none"
"""What stands for the latest decision where none was seen."""
LONGEST_COMMENT = 4_000
"""Characters of a comment that a decision takes."""
_FEWEST = 8
"""So many characters of a decision's id are enough to mean it."""


class Intent(Record):
    """What a person wants to decide on a card, not yet checked. ``cardId`` may be shortened.

    ``cardVersion`` is the version they saw, null for the current one; ``decisionSeen``: the id of the latest decision
    they saw on the card, or at least 8 characters of it, ``none`` where they saw none, null for whatever stands.
    ``reviewer``: null for who runs the command.
    ``until``: UTC date, ISO 8601, for a reason code that expires; null for as long as the policy says. ``proof``: the
    job asked for, or its result. ``seconds``: from the first view to the act.
    """

    card_id: str
    act: Act
    reason_code: str | None = None
    comment: str | None = None
    card_version: str | None = None
    decision_seen: str | None = None
    seconds: float | None = None
    until: str | None = None
    proof: Proof | None = None
    reviewer: str | None = None


@dataclass(frozen=True)
class Said:
    """What a decision says beside its card, checked against the policy, as wire data."""

    act: Act
    reviewer: str
    data: Mapping[str, Any]


def said(intent: Intent, reviewer: str, codes: Sequence[ReasonCode], today: date) -> Said:
    """Raises UsageError for what does not fit together or what the policy does not know."""
    _check_person(intent.act, reviewer)
    _check_proof(intent)
    reason = _reason(intent, codes)
    if intent.seconds is not None and not (math.isfinite(intent.seconds) and intent.seconds >= 0):
        raise UsageError(f"{intent.seconds} is no number of seconds", hint="leave it out where it is not known")
    data = {
        "act": intent.act,
        "reasonCode": intent.reason_code,
        "comment": intent.comment,
        "reviewer": reviewer,
        "layer": reason.layer if reason else None,
        "seconds": intent.seconds,
        "until": _until(intent.until, reason, today),
        "proof": intent.proof.wire() if intent.proof else None,
    }
    return Said(intent.act, reviewer, data)


def check_version(card: Mapping[str, Any], expected: str | None) -> None:
    """Raises TransitionError where the card is not the version that was seen."""
    if expected is not None and expected != card["cardVersion"]:
        raise TransitionError(
            "the card has changed since you saw it",
            where=str(card["cardId"]),
            hint="look at it again, then decide on the version you see",
        )


def check_seen(card_id: str, history: Sequence[Mapping[str, Any]], seen: str | None) -> None:
    """Raises TransitionError where the card's latest decision is not the one that was seen; null: not asked."""
    last = history[-1] if history else None
    if seen is None or (seen == NONE_SEEN if last is None else _is_meant(seen, str(last["decisionId"]))):
        return
    if last is None:
        raise TransitionError(
            f"the decision you saw on {short(card_id)} is not in this journal",
            where=card_id,
            hint="look at the card again, then decide on it as it stands",
        )
    raise TransitionError(
        f"{short(card_id)} has been decided on since you saw it: {told_of(last)}",
        where=card_id,
        hint="look at it again, then decide on it as it stands",
    )


def _is_meant(seen: str, decision_id: str) -> bool:
    return len(seen) >= _FEWEST and decision_id.startswith(seen)


def check_act(card_id: str, history: Sequence[Mapping[str, Any]], said: Said, today: date) -> None:
    """Raises TransitionError where the card's decisions so far do not allow this one."""
    state, last = folded(history, today), history[-1] if history else None
    if said.act not in LEGAL[state]:
        raise refusal(card_id, state, said.act, said.reviewer, last, today)
    if said.act is Act.REOPEN and last is not None and last["reviewer"] != said.reviewer:
        raise TransitionError(
            f"the latest act on this card is by {last['reviewer']}; only they can undo it",
            where=card_id,
            hint="ask them, or decide on the card as it stands",
        )
    asked = (last or {}).get("proof") or {}
    given = said.data["proof"]
    if said.act is Act.ATTACH and asked and given["job"] != asked["job"]:
        raise TransitionError(
            f"the proof asked for on {short(card_id)} is {asked['job']!r}, not {given['job']!r}",
            where=card_id,
            hint=f"attach --job {asked['job']}, or undo and ask for the other",
        )


def _check_person(act: Act, reviewer: str) -> None:
    if act in OVERTAKEN:
        raise UsageError(
            f"nobody decides {typed(act)}: it is recorded when a newer push overtakes a card",
            hint="accept, reject or ask for proof; `undo` takes your own decision back",
        )
    name = unicodedata.normalize("NFKC", reviewer).strip().casefold()
    if not name:
        raise UsageError("a decision needs a reviewer", hint="set git's user.name and user.email, or give --reviewer")
    if name == AGENT:
        raise UsageError(
            f"{AGENT} is the name of what the product records by itself", hint="decide in a person's name: --reviewer"
        )


def _check_comment(comment: str | None) -> None:
    if comment is not None and len(comment) > LONGEST_COMMENT:
        raise UsageError(
            f"the comment has {len(comment)} characters, a decision takes {LONGEST_COMMENT}",
            hint="say it shorter; a log goes with `attach --log FILE`",
        )


def _reason(intent: Intent, codes: Sequence[ReasonCode]) -> ReasonCode | None:
    _check_comment(intent.comment)
    known = {reason.code: reason for reason in codes}
    code, names = intent.reason_code, f"reason codes of the policy: {', '.join(known)}"
    if code is None:
        if intent.act is Act.REJECT:
            raise UsageError("a rejection needs a reason code", hint=names)
        return None
    if intent.act is not Act.REJECT:
        raise UsageError(
            f"a reason code goes only with reject, not with {typed(intent.act)}",
            hint="leave --reason out; --comment takes your own words",
        )
    if code not in known:
        raise UsageError(f"the policy has no reason code {code!r}", hint=names)
    if known[code].needs_comment and not (intent.comment or "").strip():
        raise UsageError(f"the reason code {code!r} needs a comment", hint="say what it is with --comment")
    return known[code]


def _until(given: str | None, reason: ReasonCode | None, today: date) -> str | None:
    """The date from which the rejection no longer holds; null where it holds until it is taken back."""
    days = reason.expires_after_days if reason else None
    if given is None:
        return (today + timedelta(days=days)).isoformat() if days is not None else None
    if days is None:
        why = f"{reason.code} does not expire" if reason else "only a rejection has one"
        raise UsageError(f"a date goes only with a reason code that expires: {why}", hint="leave --until out")
    try:
        until = date.fromisoformat(given)
    except ValueError:
        raise UsageError(f"{given!r} is no date", hint="write it as 2026-12-31") from None
    if until <= today:
        raise UsageError(f"{until} has passed already", hint=f"name a day after {today}, by UTC")
    return until.isoformat()


def _check_proof(intent: Intent) -> None:
    result = intent.proof.result if intent.proof else None
    if intent.act is Act.ATTACH and result is None:
        raise UsageError("to attach a result, its job and the result are needed", hint="--job ID --result pass|fail")
    if intent.act is Act.NEEDS_PROOF and result is not None:
        raise UsageError("a proof that is asked for has no result yet", hint="ask first, then attach the result")
    if intent.proof is not None and intent.act not in (Act.ATTACH, Act.NEEDS_PROOF):
        message = f"a job goes only with needs-proof and attach, not with {typed(intent.act)}"
        raise UsageError(message, hint="leave it out, or ask for the proof first: needs-proof")
