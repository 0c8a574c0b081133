"""The acts that settle one line of development, by its newest run, the runs before it and the journal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import cache
from typing import Any

from review_agent.fingerprint import evidence
from review_agent.memory.lines import IsAncestor, carries, speaks_for
from review_agent.memory.telling import Run, Told
from review_agent.memory.verdicts import AGENT, by_person, recall
from review_agent.memory.verdicts import suppressed as made_suppressed
from review_agent.runlog import is_from_elsewhere
from review_agent.transitions import LEGAL, folded, lapsed
from review_agent.vocabulary import Act, CardState, Decision, Remembered, ReviewEvidenceCard, digest

__all__ = ["DENIED", "OVER", "REOPENED", "IsProven", "Settling", "States", "Wire"]

IsProven = Callable[[Run, Run], bool]
"""Whether the first run is known to go on from the second one, whatever its log says of its line."""
REOPENED = "reopened because"
"""How the comment begins where a finding that was decided is asked about again."""
OVER = frozenset({CardState.SUPERSEDED, CardState.STALE})
DENIED = frozenset({CardState.REJECTED, CardState.REVOKED})

_SHORT = 8
_STANDS = frozenset({CardState.ACCEPTED, CardState.DOWNGRADED, CardState.NEEDS_PROOF})

Wire = Mapping[str, Any]


class States:
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
        return self.state(card_id) in OVER


class Settling:
    """One line of development: its newest run, the ones before it, oldest first, and the journal."""

    def __init__(
        self,
        told: Told,
        before: Sequence[Told],
        records: Sequence[Wire],
        today: date,
        is_ancestor: IsAncestor,
        is_proven: IsProven,
    ) -> None:
        self.told, self.is_ancestor = told, is_ancestor
        runs = {one.run.path.name: one.run for one in before}
        self.is_heard = cache(lambda name: not is_from_elsewhere(told.run.path) or is_proven(told.run, runs[name]))
        self.states = States(records, today)
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
            same = [old for run, old in self._open() if old.fingerprint == mark and self._is_one(run, old, card)]
            self._found(card, same)
        for run, old in self._open():
            if old.fingerprint not in self.told.cards:
                self._missing(run, old)
        return self.made

    def _is_one(self, run: Told, old: ReviewEvidenceCard, card: ReviewEvidenceCard) -> bool:
        """Whether the older card and the newer run's of the same fingerprint are one finding: in one line of
        development they are, and elsewhere where both stand on the same evidence."""
        same_line = carries(self.told.run.started, run.run.started, self.is_ancestor)
        return same_line or evidence(old.wire()) == evidence(card.wire())

    def _hears(self, old: ReviewEvidenceCard) -> bool:
        """Whether the newest run may do more to an older card than carry it on."""
        return bool(self.is_heard(self.earlier[old.card_id][0].run.path.name))

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
        return [card for card in cards if self.states.state(card.card_id) is CardState.HIDDEN and self._hears(card)]

    def _stands(self, old: ReviewEvidenceCard, mark: str) -> bool:
        """Whether what a person decided on the card holds for the same finding in a newer run."""
        state = self.states.state(old.card_id)
        return state in _STANDS or (state in DENIED and evidence(old.wire()) == mark)

    def _carry(self, old: ReviewEvidenceCard, card: ReviewEvidenceCard) -> None:
        """An older card gives way to the one that is there now."""
        state = self.states.state(old.card_id)
        last = self.states.all(old.card_id)[-1:]
        if state in DENIED and self._hears(old):
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
            if state is CardState.HIDDEN and self._hears(old) and self._is_one(run, old, suppressed.card):
                rejection = self.memory.verdict(old.fingerprint, evidence(suppressed.card.wire()))
                self._silence(old, rejection, suppressed.detail)
            return
        if state in DENIED or not speaks_for(self.told.run.started, run.run.started, self.is_ancestor):
            return
        if not self._hears(old):
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

    def _path(self, card: ReviewEvidenceCard) -> str:
        """The base path of a card's file, as on people's decisions."""
        told = self.earlier[card.card_id][0] if card.card_id in self.earlier else self.told
        question = told.questions.get(card.question_id)
        return told.key(question)[1] if question is not None else card.diff_anchor.path

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
            "path": self._path(card),
        }
        whole = {**content, "decisionId": digest([content, self.position + len(self.made)])}
        record = Decision.model_validate(whole).wire()
        self.made.append(record)
        self.states.add(record)


def _as(reason: str | None) -> str:
    return f" as {reason}" if reason else ""


def _name(card: ReviewEvidenceCard) -> str:
    return card.card_id[:_SHORT]
