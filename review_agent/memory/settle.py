"""What a newer run says of the cards of older ones: carried on, standing, reopened, fixed, gone.

Only ``supersede`` and ``mark_stale`` are written, each with its reason. What is settled is not settled again: a second
identical run adds nothing, and the order in which runs come in does not matter. All is worked out before the journal's
lock is taken, and worked out again where the journal is another by then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

from review_agent.memory.appending import appended
from review_agent.memory.lines import IsAncestor, carries, joins, speaks_for
from review_agent.memory.settling import DENIED, OVER, IsProven, Settling, States, Wire
from review_agent.memory.telling import Run, Told, card_ids, heads
from review_agent.vocabulary import Decision

__all__ = ["settle"]


def settle(
    state_dir: Path,
    runs: Sequence[Path],
    today: date,
    *,
    is_ancestor: IsAncestor = lambda older, newer: False,
    is_proven: IsProven = lambda newer, older: False,
    notice: Callable[[str], None] = lambda text: None,
) -> list[Decision]:
    """Settles the lines of development that the runs belong to, each by its newest run; returns what it decided.

    ``today`` is the UTC date. ``is_proven`` is asked of newer runs from elsewhere. A line that cannot be settled is
    told and costs no other. Raises StorageFullError or RecordError where the journal cannot be read or written.
    """
    work = _Work(state_dir, {path.name for path in runs}, today, is_ancestor, is_proven, notice)
    return [Decision.model_validate(act) for act in appended(state_dir, work.acts)]


class _Work:
    """The lines to settle, oldest first, and their runs as far as they have been read."""

    def __init__(
        self,
        state_dir: Path,
        names: set[str],
        today: date,
        is_ancestor: IsAncestor,
        is_proven: IsProven,
        notice: Callable[[str], None],
    ) -> None:
        self.every = heads(state_dir / "runs")
        self.newest = _newest(self.every, names, is_ancestor)
        self.today, self.is_ancestor, self.is_proven, self.notice = today, is_ancestor, is_proven, notice
        self._read: dict[str, Told | None] = {}

    def acts(self, records: Sequence[Wire]) -> Sequence[Wire]:
        """What is due of all lines, by the journal's records and in their order."""
        made: list[Wire] = []
        for newest in self.newest:
            try:
                made += self._of(newest, [*records, *made])
            except (LookupError, TypeError, ValueError, AttributeError, OSError) as error:
                self.notice(f"{newest.path.name} settles no earlier card: it cannot be read ({type(error).__name__})")
        return made

    def _of(self, newest: Run, records: Sequence[Wire]) -> Sequence[Wire]:
        told = self._told(newest)
        if told is None:
            return ()
        states = States(records, self.today)
        earlier = self.every[: self.every.index(newest)]
        older = [run for run in earlier if _matters(run, told, states) and self._belongs(run, told)]
        before = [one for run in older if (one := self._told(run)) is not None]
        return Settling(told, before, records, self.today, self.is_ancestor, self.is_proven).acts()

    def _belongs(self, run: Run, told: Told) -> bool:
        """Whether the older run may have a finding of the newest one; git is asked only where they share one."""
        if carries(told.run.started, run.started, self.is_ancestor):
            return True
        shared = {*told.cards, *told.suppressed}.intersection(card_ids(run.path).values())
        return bool(shared) and joins(told.run.started, run.started, self.is_ancestor)

    def _told(self, run: Run) -> Told | None:
        if run.path.name not in self._read:
            self._read[run.path.name] = Told.read(run)
        return self._read[run.path.name]


def _newest(every: Sequence[Run], names: set[str], is_ancestor: IsAncestor) -> list[Run]:
    """The runs that have the last word on the named ones, oldest first."""
    chosen: list[Run] = []
    for at, run in enumerate(every):
        if run.path.name in names:
            for relation in (speaks_for, carries, joins):
                later = (one for one in reversed(every[at:]) if relation(one.started, run.started, is_ancestor))
                chosen += [one for one in (next((one for one in later if one.ended), None),) if one is not None]
    return [run for run in every if run in chosen]


def _matters(run: Run, told: Told, states: States) -> bool:
    """Whether an older run has a card that the newest one may say something of."""
    for card_id, mark in card_ids(run.path).items():
        state = states.state(card_id)
        if state not in OVER and (state not in DENIED or mark in told.cards):
            return True
    return False
