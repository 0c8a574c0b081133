"""Decisions, one or many, by one way: cards found, words checked, acts checked under the lock, appended together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from review_agent import fingerprint
from review_agent.adjudication.checks import Intent, Said, check_act, check_seen, check_version, said
from review_agent.appendlog import has_state_folder
from review_agent.counting import counted
from review_agent.errors import ReviewAgentError, TransitionError, UsageError
from review_agent.journal import JOURNAL_FILE, Journal
from review_agent.ledger.store import Ledger, Named
from review_agent.policy.load import load
from review_agent.policy.model import ReasonCode
from review_agent.vocabulary import Act, Decision, Proof, digest

__all__ = ["Told", "decide", "decide_each", "decide_many"]

Mask = Callable[[str], str]
Notice = Callable[[str], None]
_Build = Callable[[Sequence[Mapping[str, Any]], int], Sequence[Mapping[str, Any]]]


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
    ground = _Ground(policy_reason_codes, reviewer, now, mask or load().masker(), atomic=atomic, batch=batch)
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
    seconds: float | None = None,
    until: str | None = None,
    proof: Proof | None = None,
    now: datetime | None = None,
    mask: Mask | None = None,
    notice: Notice = lambda text: None,
) -> list[Decision]:
    """Records one act on several cards of one fingerprint or of one rule, all or none, and returns the decisions.

    They share a batch id. ``expected_versions``: the versions seen, by the card ids given; ``seconds`` is for the whole
    act. Raises UsageError for cards that do not belong together, else what ``decide`` raises for the first card
    that refuses.
    """
    if not card_ids:
        raise UsageError("no card to decide on", hint="`review-agent cards list` shows the cards there are")
    versions = expected_versions or {}
    intents = [
        Intent(
            card_id=card_id,
            act=act,
            reason_code=reason_code,
            comment=comment,
            card_version=versions.get(card_id),
            seconds=seconds,
            until=until,
            proof=proof,
        )
        for card_id in dict.fromkeys(card_ids)
    ]
    ground = _Ground(policy_reason_codes, reviewer, now, mask or load().masker(), atomic=True, together=True, batch="")
    told = _decided(state_dir, intents, ground, notice)
    refused = [one.error for one in told if one.error is not None]
    if refused and len(told) > 1:
        raise _of_all(refused, len(told))
    return [_decision_of(one) for one in told]


@dataclass(frozen=True)
class _Ground:
    """What all intents of one call stand on. ``batch``: empty for one to be made; ``together``: of one kind only."""

    codes: Sequence[ReasonCode]
    reviewer: str
    now: datetime | None
    mask: Mask
    atomic: bool = False
    together: bool = False
    batch: str | None = None

    def time(self) -> datetime:
        return (self.now or datetime.now(UTC)).astimezone(UTC)


@dataclass
class _Case:
    """An intent on its way: what it says and the card it means, or why not."""

    intent: Intent
    said: Said | None = None
    named: Named | None = None
    error: ReviewAgentError | None = None
    decision: Decision | None = None

    @property
    def card_id(self) -> str:
        assert self.named is not None
        return str(self.named.card["cardId"])


def _decided(state_dir: Path, intents: Sequence[Intent], ground: _Ground, notice: Notice) -> list[Told]:
    cases = [_Case(_masked(intent, ground.mask)) for intent in intents]
    _say(cases, ground)
    if not has_state_folder(state_dir):
        _find(state_dir, cases, notice)  # there is no card, and no folder is made to say so
    elif not all(case.error for case in cases):

        def words() -> set[str]:
            _find(state_dir, cases, notice)
            if ground.together:
                cases[:] = _one_of_each(cases)
                _check_together(cases)
            return {case.card_id for case in cases if case.error is None}

        Journal(state_dir / JOURNAL_FILE).append_checked(words, _builder(cases, ground), together=ground.atomic)
    return [Told(case.intent, case.decision, case.error) for case in cases]


def _masked(intent: Intent, mask: Mask) -> Intent:
    """The intent without secrets in what its reviewer wrote."""
    changes = {name: mask(text) for name in ("comment", "reviewer") if (text := getattr(intent, name)) is not None}
    return intent.model_copy(update=changes) if changes else intent


def _say(cases: Sequence[_Case], ground: _Ground) -> None:
    default, today = ground.mask(ground.reviewer), ground.time().date()
    for case in cases:
        try:
            reviewer = default if case.intent.reviewer is None else case.intent.reviewer
            case.said = said(case.intent, reviewer, ground.codes, today)
        except UsageError as error:
            case.error = error


def _find(state_dir: Path, cases: Sequence[_Case], notice: Notice) -> None:
    """The cards of the cases that are in order so far, at the version that was seen. The lock is held."""
    open_cases = [case for case in cases if case.error is None]
    if not open_cases:
        return
    ledger = Ledger(state_dir)
    found = ledger.named([case.intent.card_id for case in open_cases], locked=True)
    for text in ledger.notices:
        notice(text)
    for case, named in zip(open_cases, found, strict=True):
        try:
            if isinstance(named, UsageError):
                raise named
            check_version(named.card, case.intent.card_version)
            case.named = named
        except (UsageError, TransitionError) as error:
            case.error = error


def _one_of_each(cases: Sequence[_Case]) -> list[_Case]:
    """The cases without those that mean a card once more."""
    seen: dict[str, _Case] = {}
    for number, case in enumerate(cases):
        seen.setdefault(case.card_id if case.named else f"refused {number}", case)
    return list(seen.values())


def _check_together(cases: Sequence[_Case]) -> None:
    cards = [case.named.card for case in cases if case.named is not None]
    rules = sorted({str(card["rule"]) for card in cards})
    if len(rules) > 1 and len({card["fingerprint"] for card in cards}) > 1:
        raise UsageError(
            f"these cards are of {counted(len(rules), 'rule')}: {', '.join(rules)}",
            hint="decide together only on cards of one rule or one fingerprint",
        )


def _builder(cases: Sequence[_Case], ground: _Ground) -> _Build:
    def build(before: Sequence[Mapping[str, Any]], size: int) -> Sequence[Mapping[str, Any]]:
        acts, at = _by_card(before), ground.time()
        batch = digest([case.intent.card_id for case in cases] + [at.isoformat(), size])[:16]
        for case in cases:
            if case.error is None:
                _act(case, acts, at, [size, len(acts)], batch if ground.batch == "" else ground.batch)
        if ground.atomic and any(case.error for case in cases):
            for case in cases:
                case.decision = None
        return [case.decision.wire() for case in cases if case.decision is not None]

    return build


def _by_card(records: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """Decisions by card, in order; what is decided next joins them."""
    found: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for record in records:
        if record.get("kind") == "decision":
            found[record["cardId"]].append(record)
    return found


def _act(
    case: _Case, acts: Mapping[str, list[Mapping[str, Any]]], at: datetime, place: list[int], batch: str | None
) -> None:
    assert case.said is not None
    assert case.named is not None
    history = acts[case.card_id]
    try:
        check_seen(case.card_id, history, case.intent.decision_seen)
        check_act(case.card_id, history, case.said, at.date())
    except TransitionError as error:
        case.error = error
        return
    case.decision = _decision(case.named, case.said, at, batch, [*place, len(history)])
    history.append(case.decision.wire())


def _decision(named: Named, said: Said, at: datetime, batch: str | None, place: list[int]) -> Decision:
    """``place`` tells the record from all others of the journal."""
    card = named.card
    content = {
        "kind": "decision",
        "at": at.isoformat(timespec="milliseconds"),
        "cardId": card["cardId"],
        "cardVersion": card["cardVersion"],
        "fingerprint": card["fingerprint"],
        "evidence": fingerprint.evidence(card),
        "rule": card["rule"],
        "path": named.path,
        "batch": batch,
        **said.data,
    }
    return Decision.model_validate({**content, "decisionId": digest([content, place])})


def _decision_of(told: Told) -> Decision:
    if told.error is not None:
        raise told.error
    assert told.decision is not None
    return told.decision


def _of_all(refused: Sequence[ReviewAgentError], count: int) -> ReviewAgentError:
    """The first refusal of a bulk act, with how many there are."""
    first = refused[0]
    message = f"{len(refused)} of {counted(count, 'card')} cannot take it, so none does: {first.message}"
    return type(first)(message, where=first.where, hint=first.hint)
