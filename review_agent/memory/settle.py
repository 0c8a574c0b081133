"""What a newer run says of the cards of older ones: carried on, standing, reopened, fixed, gone.

Only ``supersede`` and ``mark_stale`` are written, each with its reason, under the journal's lock. What is settled is
not settled again: a second identical run adds nothing, and the order in which runs come in does not matter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from review_agent.fingerprint import evidence
from review_agent.journal import JOURNAL_FILE, Journal
from review_agent.memory.beginning import journal_records
from review_agent.memory.lines import IsAncestor, carries, speaks_for
from review_agent.memory.telling import Run, Told, card_ids, heads
from review_agent.memory.verdicts import AGENT, by_person, recall
from review_agent.memory.verdicts import suppressed as made_suppressed
from review_agent.transitions import LEGAL, folded, lapsed
from review_agent.vocabulary import Act, CardState, Decision, Remembered, ReviewEvidenceCard, digest

__all__ = ["REOPENED", "settle"]

REOPENED = "reopened because"
"""How the comment begins where a finding that was decided is asked about again."""

_SHORT = 8
_OVER = frozenset({CardState.SUPERSEDED, CardState.STALE})
_STANDS = frozenset({CardState.ACCEPTED, CardState.DOWNGRADED, CardState.NEEDS_PROOF})
_DENIED = frozenset({CardState.REJECTED, CardState.REVOKED})

Wire = Mapping[str, Any]


def settle(
    state_dir: Path, runs: Sequence[Path], today: date, *, is_ancestor: IsAncestor = lambda older, newer: False
) -> list[Decision]:
    """Settles the lines of development that the runs belong to, each by its newest run; returns what it decided.

    ``today`` is the UTC date. Raises StorageFullError or RecordError where that cannot be written.
    """
    every = heads(state_dir / "runs")
    journal = Journal(state_dir / JOURNAL_FILE)
    decided: list[Decision] = []
    for newest in _newest(every, {path.name for path in runs}, is_ancestor):
        told = Told.read(newest)
        if told is None:
            continue
        states = _States(journal_records(state_dir), today)
        older = [run for run in every[: every.index(newest)] if carries(newest.started, run.started, is_ancestor)]
        before = [one for run in older if _matters(run, told, states) and (one := Told.read(run)) is not None]
        acts = journal.append_many(_acts(told, before, today, is_ancestor))
        decided += [Decision.model_validate(act) for act in acts]
    return decided


def _newest(every: Sequence[Run], names: set[str], is_ancestor: IsAncestor) -> list[Run]:
    """The runs that have the last word on the named ones, oldest first."""
    chosen: list[Run] = []
    for at, run in enumerate(every):
        if run.path.name in names:
            for relation in (speaks_for, carries):
                later = (one for one in reversed(every[at:]) if relation(one.started, run.started, is_ancestor))
                chosen += [one for one in (next((one for one in later if one.ended), None),) if one is not None]
    return [run for run in every if run in chosen]


class _States:
    """Where each card stands by the journal, and by what has been decided here since."""

    def __init__(self, records: Sequence[Wire], today: date) -> None:
        self.today = today
        self._of: dict[str, list[Wire]] = {}
        for record in records:
            if record.get("kind") == "decision":
                self.add(record)

    def add(self, record: Wire) -> None:
        self._of.setdefault(record["cardId"], []).append(record)

    def all(self, card_id: str) -> Sequence[Wire]:
        return self._of.get(card_id, ())

    def state(self, card_id: str) -> CardState:
        return folded(self.all(card_id), self.today)

    def is_over(self, card_id: str) -> bool:
        return self.state(card_id) in _OVER


def _matters(run: Run, told: Told, states: _States) -> bool:
    """Whether an older run has a card that the newest one may say something of."""
    for card_id, mark in card_ids(run.path).items():
        state = states.state(card_id)
        if state not in _OVER and (state not in _DENIED or mark in told.cards):
            return True
    return False


def _acts(told: Told, before: Sequence[Told], today: date, is_ancestor: IsAncestor) -> Any:
    def build(records: Sequence[Wire]) -> Sequence[Wire]:
        return _Settling(told, before, records, today, is_ancestor).acts()

    return build


class _Settling:
    """One line of development: its newest run, the ones before it, oldest first, and the journal."""

    def __init__(
        self, told: Told, before: Sequence[Told], records: Sequence[Wire], today: date, is_ancestor: IsAncestor
    ) -> None:
        self.told, self.is_ancestor = told, is_ancestor
        self.states = _States(records, today)
        self.memory = recall(records, today)
        self.position = len(records)
        self.made: list[Wire] = []
        own = {card.card_id for card in told.cards.values()}
        self.earlier = {
            card.card_id: (run, card) for run in before for card in run.cards.values() if card.card_id not in own
        }

    def acts(self) -> Sequence[Wire]:
        """The decisions that are due, in order."""
        for mark, card in self.told.cards.items():
            self._found(card, [old for _, old in self._open() if old.fingerprint == mark])
        for run, old in self._open():
            if old.fingerprint not in self.told.cards:
                self._missing(run, old)
        return self.made

    def _open(self) -> Iterator[tuple[Told, ReviewEvidenceCard]]:
        yield from [one for one in self.earlier.values() if not self.states.is_over(one[1].card_id)]

    def _found(self, card: ReviewEvidenceCard, earlier: Sequence[ReviewEvidenceCard]) -> None:
        """A finding that the newest run has a card of."""
        if self.states.is_over(card.card_id):
            return
        fresh = not any(map(by_person, self.states.all(card.card_id)))
        mark = evidence(card.wire())
        rejection = self.memory.verdict(card.fingerprint, mark)
        if fresh and rejection is not None:
            for one in (*self._hidden(earlier), card):
                self._silence(one, rejection, made_suppressed(one, rejection).detail)
            return
        standing = next((old for old in reversed(earlier) if self._stands(old, mark)), None) if fresh else None
        if standing is not None:
            self._over(card, standing, f"{_name(standing)} stands: {self._said(standing)}")
        for old in earlier:
            if old is not standing:
                self._carry(old, standing or card)

    def _hidden(self, cards: Sequence[ReviewEvidenceCard]) -> list[ReviewEvidenceCard]:
        return [card for card in cards if self.states.state(card.card_id) is CardState.HIDDEN]

    def _stands(self, old: ReviewEvidenceCard, mark: str) -> bool:
        """Whether what a person decided on the card holds for the same finding in a newer run."""
        state = self.states.state(old.card_id)
        return state in _STANDS or (state in _DENIED and evidence(old.wire()) == mark)

    def _carry(self, old: ReviewEvidenceCard, card: ReviewEvidenceCard) -> None:
        """An older card gives way to the one that is there now."""
        state = self.states.state(old.card_id)
        last = self.states.all(old.card_id)[-1:]
        if state in _DENIED:
            self._over(old, card, f"{REOPENED} what it stands on has changed since it was {self._said(old)}")
        elif state is CardState.HIDDEN and last and lapsed(last[0], self.states.today):
            self._over(old, card, f"{REOPENED} its rejection lapsed on {last[0]['until']}")
        elif state is CardState.HIDDEN:
            self._over(old, card, f"found again at {self.told.run.started['head'][:12]}, as {_name(card)}")

    def _missing(self, run: Told, old: ReviewEvidenceCard) -> None:
        """A card of an older run whose finding the newest one has no card of."""
        state = self.states.state(old.card_id)
        suppressed = self.told.suppressed.get(old.fingerprint)
        if suppressed is not None:
            if state is CardState.HIDDEN:
                rejection = self.memory.verdict(old.fingerprint, evidence(suppressed.card.wire()))
                self._silence(old, rejection, suppressed.detail)
            return
        if state in _DENIED or not speaks_for(self.told.run.started, run.run.started, self.is_ancestor):
            return
        fate = self.told.fate(run, old, frozenset(card.fingerprint for _, card in self.earlier.values()))
        if fate.card is not None and not self.states.is_over(fate.card.card_id):
            why = f"{REOPENED} its lines have been edited since it was {self._said(old)}"
            self._over(old, fate.card, why if state in _STANDS else f"its lines have been edited: {_name(fate.card)}")
        elif fate.why:
            fixed = state in (CardState.ACCEPTED, CardState.DOWNGRADED)
            self._decide(old, Act.MARK_STALE, f"{'fixed' if fixed else 'gone'}: {fate.why}")

    def _silence(self, card: ReviewEvidenceCard, rejection: Remembered | None, detail: str) -> None:
        """An open card of a finding that has been rejected on the same evidence: the rejected one stands for it."""
        if rejection is None or self.states.is_over(rejection.card_id):
            self._decide(card, Act.MARK_STALE, f"suppressed: {detail}")
        elif card.card_id != rejection.card_id:
            self._decide(card, Act.SUPERSEDE, f"suppressed: {detail}", rejection.card_id)

    def _said(self, card: ReviewEvidenceCard) -> str:
        """What was decided on a card, in words."""
        last = self.states.all(card.card_id)[-1]
        state = self.states.state(card.card_id)
        word = "sent for proof" if state is CardState.NEEDS_PROOF else state.value
        return f"{word}{_as(last.get('reasonCode'))} on {last['at'][:10]}"

    def _over(self, old: ReviewEvidenceCard, new: ReviewEvidenceCard, why: str) -> None:
        self._decide(old, Act.SUPERSEDE, why, new.card_id)

    def _decide(self, card: ReviewEvidenceCard, act: Act, comment: str, successor: str | None = None) -> None:
        if act not in LEGAL[self.states.state(card.card_id)]:
            return
        content = {
            "kind": "decision",
            "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "cardId": card.card_id,
            "cardVersion": card.card_version,
            "fingerprint": card.fingerprint,
            "act": act,
            "reasonCode": None,
            "comment": comment,
            "reviewer": AGENT,
            "successor": successor,
            "rule": card.rule,
        }
        whole = {**content, "decisionId": digest([content, self.position + len(self.made)])}
        record = Decision.model_validate(whole).wire()
        self.made.append(record)
        self.states.add(record)


def _as(reason: str | None) -> str:
    return f" as {reason}" if reason else ""


def _name(card: ReviewEvidenceCard) -> str:
    return card.card_id[:_SHORT]
