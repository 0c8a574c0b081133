"""Intents on their way to decisions: words checked, cards found, acts checked in the journal's order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from review_agent import fingerprint
from review_agent.adjudication.checks import Intent, Said, check_act, check_seen, check_version, said
from review_agent.counting import counted
from review_agent.errors import ReviewAgentError, TransitionError, UsageError
from review_agent.ledger.store import Ledger, Named
from review_agent.policy.model import ReasonCode
from review_agent.vocabulary import Decision, digest

__all__ = ["Case", "Ground", "Mask", "Notice", "builder", "check_together", "find", "masked", "one_of_each", "say"]

Mask = Callable[[str], str]
Notice = Callable[[str], None]
_Build = Callable[[Sequence[Mapping[str, Any]], int], Sequence[Mapping[str, Any]]]


@dataclass(frozen=True)
class Ground:
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
class Case:
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


def masked(intent: Intent, mask: Mask) -> Intent:
    """The intent without secrets in what its reviewer wrote."""
    changes = {name: mask(text) for name in ("comment", "reviewer") if (text := getattr(intent, name)) is not None}
    return intent.model_copy(update=changes) if changes else intent


def say(cases: Sequence[Case], ground: Ground) -> None:
    default, today = ground.mask(ground.reviewer), ground.time().date()
    for case in cases:
        try:
            reviewer = default if case.intent.reviewer is None else case.intent.reviewer
            case.said = said(case.intent, reviewer, ground.codes, today)
        except UsageError as error:
            case.error = error


def find(state_dir: Path, cases: Sequence[Case], notice: Notice) -> None:
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


def one_of_each(cases: Sequence[Case]) -> list[Case]:
    """The cases without those that mean a card once more."""
    seen: dict[str, Case] = {}
    for number, case in enumerate(cases):
        seen.setdefault(case.card_id if case.named else f"refused {number}", case)
    return list(seen.values())


def check_together(cases: Sequence[Case]) -> None:
    cards = [case.named.card for case in cases if case.named is not None]
    rules = sorted({str(card["rule"]) for card in cards})
    if len(rules) > 1 and len({card["fingerprint"] for card in cards}) > 1:
        raise UsageError(
            f"these cards are of {counted(len(rules), 'rule')}: {', '.join(rules)}",
            hint="decide together only on cards of one rule or one fingerprint",
        )


def builder(cases: Sequence[Case], ground: Ground) -> _Build:
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
    case: Case, acts: Mapping[str, list[Mapping[str, Any]]], at: datetime, place: list[int], batch: str | None
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
