"""The journal: one append-only JSONL file a ledger, for what people and rollout decide and what replays gave.

An act is checked and appended under the state folder's lock, on disk before it is acknowledged. Readers need no lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from review_agent import appendlog
from review_agent.vocabulary import Decision, Displaced, Record, Replay, Sample

__all__ = ["JOURNAL_FILE", "LOCK_FILE", "Journal", "fault", "is_known"]

JOURNAL_FILE = "journal.jsonl"
LOCK_FILE = "lock"
"""The one lock of a state folder; who takes it may go on to the journal, then to DuckDB, in that order only."""

_RECORDS: Mapping[str, type[Record]] = {
    "decision": Decision,
    "displaced": Displaced,
    "replay": Replay,
    "sample": Sample,
}


def is_known(record: Mapping[str, Any]) -> bool:
    """Whether this product knows the record's kind; a later one may write others, which are passed over."""
    kind = record.get("kind")
    return isinstance(kind, str) and kind in _RECORDS


def fault(record: Mapping[str, Any]) -> str:
    """What keeps the record from being one of a journal, in words; empty where nothing does."""
    kind = record.get("kind")
    if not isinstance(kind, str) or not kind:
        return "it has no kind"
    if not is_known(record):
        return ""
    try:
        _RECORDS[kind].model_validate(record)
    except ValidationError as error:
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return ""


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
        """Appends the record that ``build`` makes from all records before it, under one lock; returns that record.

        Damaged decisions are not among them: whoever reads the ledger is told of those.
        """
        appendlog.state_folder(self.path.parent)
        with self._log.lock():
            record = build([before for before in self.read() if not (is_known(before) and fault(before))])
            self._log.append([record])
        return record

    def read(self) -> Iterator[dict[str, Any]]:
        """The records in order, a torn tail left out; none where there is no journal yet."""
        if appendlog.has_state_folder(self.path.parent) and self.path.exists():
            yield from appendlog.read(self.path)
