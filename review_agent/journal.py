"""The journal: one append-only JSONL file a ledger, for what people and rollout decide.

An act is checked and appended under the state folder's lock, on disk before it is acknowledged. Readers need no lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from review_agent import appendlog

__all__ = ["JOURNAL_FILE", "LOCK_FILE", "Journal"]

JOURNAL_FILE = "journal.jsonl"
LOCK_FILE = "lock"
"""The one lock of a state folder; who takes it may go on to the journal, then to DuckDB, in that order only."""


class Journal:
    """The journal at ``path``; its lock is the file ``lock`` beside it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._log = appendlog.AppendLog(path, path.with_name(LOCK_FILE))

    def append(
        self, record: Mapping[str, Any], check: Callable[[Sequence[Mapping[str, Any]]], None] | None = None
    ) -> None:
        """Appends one record once ``check``, called with all records before it under the same lock, has not raised.

        Returns when the record is on disk. Raises what ``check`` raises, StorageFullError, or RecordError.
        """

        def build(before: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
            if check is not None:
                check(before)
            return record

        self.append_built(build)

    def append_built(self, build: Callable[[Sequence[Mapping[str, Any]]], Mapping[str, Any]]) -> Mapping[str, Any]:
        """Appends the record that ``build`` makes from all records before it, under one lock; returns that record."""
        appendlog.state_folder(self.path.parent)
        with self._log.lock():
            record = build(list(self.read()))
            self._log.append([record])
        return record

    def read(self) -> Iterator[dict[str, Any]]:
        """The records in order, a torn tail left out; none where there is no journal yet."""
        if self.path.exists():
            yield from appendlog.read(self.path)
