"""Appending to the journal what is worked out of all of it, without holding its lock meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from review_agent.journal import JOURNAL_FILE, Journal
from review_agent.memory.beginning import journal_records
from review_agent.memory.settling import Wire

__all__ = ["appended"]

_TRIES = 5


def appended(state_dir: Path, build: Callable[[Sequence[Wire]], Sequence[Wire]]) -> Sequence[Wire]:
    """Appends the records that ``build`` makes of those before them, all or none, and returns them.

    ``build`` may be asked again, where somebody else appended meanwhile; under the lock only once that has gone on for
    long. Raises StorageFullError or RecordError where the journal cannot be read or written.
    """
    journal = Journal(state_dir / JOURNAL_FILE)
    for _ in range(_TRIES):
        size = journal.path.stat().st_size if journal.path.is_file() else 0
        made = build(journal_records(state_dir))
        if not made:
            return made
        with suppress(_MovedError):
            return journal.append_checked((), _where_still(size, made), together=True)
    return journal.append_many(build)


class _MovedError(Exception):
    """The journal is not the one that was read."""


def _where_still(size: int, made: Sequence[Wire]) -> Callable[[Sequence[Wire], int], Sequence[Wire]]:
    def build(before: Sequence[Wire], now: int) -> Sequence[Wire]:
        if now != size:
            raise _MovedError
        return made

    return build
