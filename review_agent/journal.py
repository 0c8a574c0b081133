"""The journal: one append-only JSONL file a ledger, for what people and rollout decide and what replays gave.

A line is a record, or an array of records that stand or fall together.
An act is checked and appended under the state folder's lock, on disk before it is acknowledged. Readers need no lock.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import ValidationError

from review_agent import appendlog
from review_agent.errors import RecordError
from review_agent.vocabulary import Decision, Displaced, Record, Replay, Sample

__all__ = ["JOURNAL_FILE", "LOCK_FILE", "Journal", "fault", "is_known"]

JOURNAL_FILE = "journal.jsonl"
LOCK_FILE = "lock"
"""The one lock of a state folder. It is taken first: journal and DuckDB file are opened under it, in either order (a
decision looks its card up before it appends), and whoever has DuckDB open never waits for it."""

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


_WORD = re.compile(r"[0-9a-z]+")
_CHUNK = 1 << 18
_FEW = 8
"""With more words than these, parsing every line is no slower than looking for each of them."""
_OF_NO_CARD = b'{"kind":"displaced",'
"""How a record begins that names cards by the hundred and is about none of them: it is not parsed for one of them."""
_SPELT_OUT = b"\\u00"
"""How JSON may spell a digit or a letter of a word otherwise; this product never does."""
_LOOKS_WHOLE = re.compile(rb"(?:\{[^\n]*\}\n|\[\{[^\n]*\}\]\n)*")
"""Lines that begin and end as JSON objects, or arrays of them, do."""


class Journal:
    """The journal at ``path``; its lock is the file ``lock`` beside it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._log = appendlog.AppendLog(path, path.with_name(LOCK_FILE))

    def naming(self, words: Collection[str]) -> Iterator[dict[str, Any]]:
        """The records that hold any of the words, which are of digits and small letters, in order; others among them
        at times. Those of the reviewer minutes are left out.

        Raises RecordError for a line of them that is no record, and for any that does not begin and end as one.
        """
        if appendlog.has_state_folder(self.path.parent) and self.path.exists():
            yield from _naming(self.path, [word.encode("ascii") for word in words])

    def append(
        self, record: Mapping[str, Any], check: Callable[[Sequence[Mapping[str, Any]]], None] | None = None
    ) -> None:
        """Appends one record once ``check``, called with all records before it under the same lock, has not raised.

        Returns when the record is on disk. Raises what ``check`` raises, StorageFullError, or RecordError.
        """

        if check is None:
            self.append_checked((), lambda before, size: [record])
            return

        def build(before: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
            check(before)
            return record

        self.append_built(build)

    def append_checked(
        self,
        words: Collection[str] | Callable[[], Collection[str]],
        build: Callable[[Sequence[Mapping[str, Any]], int], Sequence[Mapping[str, Any]]],
        *,
        together: bool = False,
        likely: Collection[str] = (),
    ) -> Sequence[Mapping[str, Any]]:
        """Appends what ``build`` makes, under one lock, of the records that hold any of the words; returns that.

        ``words`` may be called for, under the lock, too: who needs the ledger to tell them waits in line only once.
        ``build`` gets these records, damaged ones left out, and the size of the journal in bytes. Its records are on
        disk when this returns, and none of them is where it raises; with ``together`` not even a kill parts them.
        However long the journal is, of the other records only the bytes are looked at; and where all words begin with
        one of the ``likely`` ones, those that stand there already are looked at before the lock is taken.
        """
        appendlog.state_folder(self.path.parent)
        seen = self._looked_at(likely)
        with self._log.lock():
            named = words() if callable(words) else words
            found = self.naming(named) if seen is None else seen.further(named)
            before = [record for record in found if not (is_known(record) and fault(record))]
            records = build(before, self.path.stat().st_size if self.path.exists() else 0)
            if records:
                self._log.append(records, together=together and len(records) > 1)
        return records

    def _looked_at(self, words: Collection[str]) -> _Looked | None:
        """What the journal says of the words by now; null where there is nothing to look at, or it cannot be read: who
        holds the lock says why."""
        if not words or not all(map(_WORD.fullmatch, words)):
            return None
        with suppress(RecordError, OSError):
            return _Looked(self.path, words)
        return None

    def append_built(self, build: Callable[[Sequence[Mapping[str, Any]]], Mapping[str, Any]]) -> Mapping[str, Any]:
        """Appends the record that ``build`` makes from all records before it, under one lock; returns that record.

        Damaged decisions are not among them: whoever reads the ledger is told of those.
        """
        return self.append_many(lambda before: [build(before)])[0]

    def append_many(
        self, build: Callable[[Sequence[Mapping[str, Any]]], Sequence[Mapping[str, Any]]]
    ) -> Sequence[Mapping[str, Any]]:
        """The same for any number of records, all of them or none; where ``build`` makes none, nothing is written."""
        appendlog.state_folder(self.path.parent)
        with self._log.lock():
            records = build([before for before in self.read() if not (is_known(before) and fault(before))])
            if records:
                self._log.append(records, together=len(records) > 1)
        return records

    def read(self) -> Iterator[dict[str, Any]]:
        """The records in order, a torn tail left out; none where there is no journal yet."""
        if appendlog.has_state_folder(self.path.parent) and self.path.exists():
            yield from appendlog.read(self.path, together=True)


class _Looked:
    """The records of a journal that hold any of some words, as far as it went when it was looked at.

    A journal only grows: what a writer with the lock moves aside stands behind the last whole line.
    """

    def __init__(self, path: Path, words: Collection[str]) -> None:
        self._path, self._words = path, tuple(words)
        self._place = _Place()
        with path.open("rb") as file:
            self._file = os.fstat(file.fileno()).st_ino
        self._records = list(_naming(path, [word.encode("ascii") for word in words], self._place))

    def further(self, words: Collection[str]) -> Iterator[dict[str, Any]]:
        """The records that hold any of the words now; others among them."""
        stat = self._path.stat()
        known = stat.st_ino == self._file and stat.st_size >= self._place.end
        wanted = [word.encode("ascii") for word in words]
        if known and all(word.startswith(self._words) for word in words):
            yield from self._records
            yield from _naming(self._path, wanted, self._place)
        else:
            yield from _naming(self._path, wanted, _Place())


@dataclass
class _Place:
    """How far a journal has been read: bytes, and the number of the line that begins there."""

    end: int = 0
    line: int = 1


def _naming(path: Path, words: Sequence[bytes], place: _Place | None = None) -> Iterator[dict[str, Any]]:
    """Only lines that hold a word are parsed; a chunk whose lines do not all look like records is parsed whole.

    ``place`` is where to begin, and where it ended.
    """
    place = place or _Place()
    try:
        with path.open("rb") as file:
            file.seek(place.end)
            for chunk in _whole_lines(file):
                whole = len(words) > _FEW or _LOOKS_WHOLE.fullmatch(chunk) is None
                if whole or (words and (b"\\" in chunk or any(word in chunk for word in words))):
                    for number, line in enumerate(chunk.split(b"\n")[:-1], place.line):
                        if _is_of_no_card(line):
                            continue
                        if whole or _SPELT_OUT in line or any(word in line for word in words):
                            yield from appendlog.parsed(line, path, number, together=True)
                place.line += chunk.count(b"\n")
                place.end += len(chunk)
    except OSError as error:
        raise appendlog.unreadable(error, path) from error


def _is_of_no_card(line: bytes) -> bool:
    """It is one object with none inside it, so no other record has run into it."""
    return line.startswith(_OF_NO_CARD) and line.endswith(b"}") and line.find(b"{", 1) < 0


def _whole_lines(file: BinaryIO) -> Iterator[bytes]:
    """The file in chunks that end with a line; an unterminated last line is left out."""
    rest = b""
    while data := file.read(_CHUNK):
        cut = data.rfind(b"\n") + 1
        if cut:
            yield rest + data[:cut]
            rest = data[cut:]
        else:
            rest += data
