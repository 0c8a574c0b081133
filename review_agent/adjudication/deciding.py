"""Decisions, one or many, by one way: cards found, words checked, acts checked under the lock, appended together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from review_agent.adjudication.cases import (
    Case,
    Ground,
    Mask,
    Notice,
    builder,
    check_together,
    find,
    masked,
    one_of_each,
    say,
)
from review_agent.adjudication.checks import Intent
from review_agent.adjudication.words import short
from review_agent.appendlog import has_state_folder
from review_agent.counting import counted
from review_agent.errors import ReviewAgentError, UsageError
from review_agent.journal import JOURNAL_FILE, Journal
from review_agent.policy.load import load
from review_agent.policy.model import ReasonCode
from review_agent.vocabulary import Act, Decision, Proof

__all__ = ["Told", "decide", "decide_each", "decide_many"]

_NAMED = 6
"""So many cards that refuse a bulk act are named."""


@dataclass(frozen=True)
class Told:
    """What became of one intent. Both are null where it was in order and another of an atomic batch was not."""

    intent: Intent
    decision: Decision | None = None
    error: ReviewAgentError | None = None


def decide(
    state_dir: Path,
    card_id: str,
    act: Act,
    *,
    reason_code: str | None,
    comment: str | None,
    reviewer: str,
    expected_version: str | None = None,
    expected_decision: str | None = None,
    policy_reason_codes: Sequence[ReasonCode],
    seconds: float | None = None,
    until: str | None = None,
    proof: Proof | None = None,
    batch: str | None = None,
    now: datetime | None = None,
    mask: Mask | None = None,
    notice: Notice = lambda text: None,
) -> Decision:
    """Records the act and returns the decision once it is on disk.

    ``card_id`` may be shortened. ``expected_version`` is the card version the reviewer saw, the current one where it is
    not given. ``expected_decision`` is the id of the latest decision they saw on the card, ``none`` where they saw
    none; whatever stands where it is not given. ``until`` and ``seconds`` are as in Decision. ``now`` is the time of
    the act, by the clock where it is not given. ``mask`` takes secrets out of what the reviewer wrote; the shipped
    policy's where it is not given. ``notice`` gets what the reviewer should know beside the result.

    Raises UsageError for an unknown or ambiguous card, a reason code that policy does not have, a missing reason or
    comment, a date that does not fit; TransitionError where the card's state does not allow the act, or the version or
    the latest decision is another; StorageFullError or RecordError where it cannot be written, and then nothing is.
    """
    intent = Intent(
        card_id=card_id,
        act=act,
        reason_code=reason_code,
        comment=comment,
        card_version=expected_version,
        decision_seen=expected_decision,
        seconds=seconds,
        until=until,
        proof=proof,
    )
    (told,) = decide_each(
        state_dir,
        [intent],
        reviewer=reviewer,
        policy_reason_codes=policy_reason_codes,
        batch=batch,
        now=now,
        mask=mask,
        notice=notice,
    )
    return _decision_of(told)


def decide_each(
    state_dir: Path,
    intents: Sequence[Intent],
    *,
    reviewer: str,
    policy_reason_codes: Sequence[ReasonCode],
    atomic: bool = False,
    batch: str | None = None,
    now: datetime | None = None,
    mask: Mask | None = None,
    notice: Notice = lambda text: None,
) -> list[Told]:
    """Records every act that can be had, in order, under one lock; what became of each, in the same order.

    A later intent meets the state that an earlier one made. With ``atomic`` all are recorded or none. ``reviewer``
    decides where an intent names nobody else. The rest is as for ``decide``, which says what the errors are.
    """
    ground = Ground(policy_reason_codes, reviewer, now, mask or load().masker(), atomic=atomic, batch=batch)
    return _decided(state_dir, intents, ground, notice)


def decide_many(
    state_dir: Path,
    card_ids: Sequence[str],
    act: Act,
    *,
    reason_code: str | None,
    comment: str | None,
    reviewer: str,
    policy_reason_codes: Sequence[ReasonCode],
    expected_versions: Mapping[str, str] | None = None,
    expected_decisions: Mapping[str, str] | None = None,
    seconds: float | None = None,
    until: str | None = None,
    proof: Proof | None = None,
    now: datetime | None = None,
    mask: Mask | None = None,
    notice: Notice = lambda text: None,
) -> list[Decision]:
    """Records one act on several cards of one fingerprint or of one rule, all or none, and returns the decisions.

    They share a batch id. ``expected_versions`` and ``expected_decisions``: the version and the latest decision seen,
    by the card ids given; ``seconds`` is for the whole act. Raises UsageError for cards that do not belong together,
    else what ``decide`` raises for the first card that refuses, with the names of all that do.
    """
    if not card_ids:
        raise UsageError("no card to decide on", hint="`review-agent cards list` shows the cards there are")
    versions, decisions = expected_versions or {}, expected_decisions or {}
    intents = [
        Intent(
            card_id=card_id,
            act=act,
            reason_code=reason_code,
            comment=comment,
            card_version=versions.get(card_id),
            decision_seen=decisions.get(card_id),
            seconds=seconds,
            until=until,
            proof=proof,
        )
        for card_id in dict.fromkeys(card_ids)
    ]
    ground = Ground(policy_reason_codes, reviewer, now, mask or load().masker(), atomic=True, together=True, batch="")
    told = _decided(state_dir, intents, ground, notice)
    refused = [one for one in told if one.error is not None]
    if refused and len(told) > 1:
        raise _of_all(refused, len(told))
    return [_decision_of(one) for one in told]


def _decided(state_dir: Path, intents: Sequence[Intent], ground: Ground, notice: Notice) -> list[Told]:
    cases = [Case(masked(intent, ground.mask)) for intent in intents]
    say(cases, ground)
    if not has_state_folder(state_dir):
        find(state_dir, cases, notice)  # there is no card, and no folder is made to say so
    elif not all(case.error for case in cases):

        def words() -> set[str]:
            find(state_dir, cases, notice)
            if ground.together:
                cases[:] = one_of_each(cases)
                check_together(cases)
            return {case.card_id for case in cases if case.error is None}

        # The ids as they were given: those of the cards begin with them.
        likely = {case.intent.card_id for case in cases}
        journal = Journal(state_dir / JOURNAL_FILE)
        journal.append_checked(words, builder(cases, ground), together=ground.atomic, likely=likely)
    return [Told(case.intent, case.decision, case.error) for case in cases]


def _decision_of(told: Told) -> Decision:
    if told.error is not None:
        raise told.error
    assert told.decision is not None
    return told.decision


def _of_all(refused: Sequence[Told], count: int) -> ReviewAgentError:
    """The first refusal of a bulk act, with the names of all cards that refuse."""
    first = refused[0].error
    assert first is not None
    others = ", ".join(short(one.intent.card_id) for one in refused[1:_NAMED])
    more = f" and {len(refused) - _NAMED} more" if len(refused) > _NAMED else ""
    also = f"; so do {others}{more}" if others else ""
    message = f"{len(refused)} of {counted(count, 'card')} cannot take it, so none does: {first.message}{also}"
    return type(first)(message, where=first.where, hint=first.hint)
