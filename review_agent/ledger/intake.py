"""Taking run logs and journal into an open ledger, past the watermarks: what is in already is not read again."""

from __future__ import annotations

import hashlib
import json
import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from review_agent.appendlog import read_on
from review_agent.errors import RecordError
from review_agent.journal import JOURNAL_FILE
from review_agent.ledger.rows import Row, journal_rows, run_rows
from review_agent.ledger.shown import refresh, touched
from review_agent.ledger.tables import JOURNAL_TABLES, RUN_TABLES, TABLES
from review_agent.runlog import read_events

__all__ = ["Mark", "Told", "count", "held", "lost", "marks", "take_all", "take_journal", "take_runs"]

_BATCH_ROWS = 2000
_BATCH_BYTES = 8_000_000
"""So much of run logs is taken in by one transaction; one large run log is taken in whole."""
_TAIL_BYTES = 4096


@dataclass
class Told:
    """What the reader of an answer has to know, and the names of the run logs that could not be read."""

    notices: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def notice(self, text: str) -> None:
        if text not in self.notices:
            self.notices.append(text)

    def leave_out(self, name: str, error: RecordError | OSError) -> None:
        if name not in self.left_out:
            self.left_out.append(name)
        self.notice(f"{name} is left out: {_in_words(error)}")


@dataclass(frozen=True)
class Mark:
    """How much of a source is in: bytes, whole records and, of the journal, the digest of what stands before there."""

    size: int
    records: int
    tail: str | None = None


@dataclass
class _Batch:
    """Rows of several runs on their way in, and the marks to set with them."""

    rows: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    marks: dict[str, Mark] = field(default_factory=dict)
    size: int = 0

    def add(self, path: Path, taken: int = 0) -> None:
        """``taken``: how many of its records are in. Raises RecordError or OSError where the run log cannot be read or
        has lost records; then what was in stays, and nothing more of it comes."""
        size = path.stat().st_size
        events = list(read_events(path))
        if (loss := lost(path, len(events), taken)) is not None:
            raise loss
        for table, rows in (run_rows(path.name, events) if events else {}).items():
            self.rows[table].extend(rows)
        self.marks[path.name] = Mark(size, len(events))
        self.size += size


def lost(path: Path, records: int, taken: int) -> RecordError | None:
    """What is wrong with a run log that has fewer records than were taken from it: it only ever grows, but for a torn
    last line, which is no record."""
    if records >= taken:
        return None
    held = f"the run log has lost records: {records} of the {taken} that the ledger took from it are left"
    step = "put the file back from a copy; `review-agent ledger rebuild` makes a ledger of what is left"
    return RecordError(held, where=str(path), hint=step)


def take_all(connection: duckdb.DuckDBPyConnection, runs_dir: Path, journal: Path | None, told: Told) -> None:
    """Takes in every run log and the journal, if there is one to take in."""
    before = marks(connection)
    take_runs(connection, _grown(runs_dir, before), told, before)
    if journal is not None:
        take_journal(connection, journal, told, before)


def take_runs(
    connection: duckdb.DuckDBPyConnection, logs: Iterable[Path], told: Told, before: Mapping[str, Mark] | None = None
) -> None:
    """Takes in those of the run logs that have grown or are new.

    The rows of a run stand in place of those there were. What cannot be read is left out and told.
    """
    before = marks(connection) if before is None else before
    batch = _Batch()
    for path in logs:
        try:
            mark = before.get(path.name, Mark(-1, 0))
            if mark.size != path.stat().st_size:
                batch.add(path, mark.records)
        except (RecordError, OSError) as error:
            told.leave_out(path.name, error)
        if batch.size >= _BATCH_BYTES:
            _put(connection, batch)
            batch = _Batch()
    _put(connection, batch)


def take_journal(
    connection: duckdb.DuckDBPyConnection, path: Path, told: Told, before: Mapping[str, Mark] | None = None
) -> None:
    """Takes in the journal from where it was left; wholly where it is not the one that was read before.

    Raises RecordError for a line that is damaged. Lines that are no journal records are left out and told each time.
    """
    if path.exists():
        mark = (marks(connection) if before is None else before).get(JOURNAL_FILE)
        if mark is not None and mark.tail != _tail(path, mark.size):
            mark = None
        start = mark or Mark(0, 0)
        read = list(read_on(path, start.size, start.records, together=True))
        if read or mark is None:
            _put_journal(connection, read, start, path, anew=mark is None)
    faults = connection.execute("select position, detail from journal_faults order by position").fetchall()
    for position, detail in faults:
        told.notice(f"{JOURNAL_FILE}:{position + 1} is left out: it is not a journal record ({detail})")


def marks(connection: duckdb.DuckDBPyConnection) -> dict[str, Mark]:
    """The watermarks, by source."""
    rows = connection.execute("select source, bytes, records, tail from watermarks").fetchall()
    return {source: Mark(size, records, tail) for source, size, records, tail in rows}


def count(connection: duckdb.DuckDBPyConnection, table: str) -> int:
    row = connection.execute(f"select count(*) from {table}").fetchone()  # noqa: S608 - our own names
    return int(row[0]) if row else 0


def held(connection: duckdb.DuckDBPyConnection) -> tuple[int, int]:
    """How many runs are in, and how many records of their logs."""
    return count(connection, "runs"), sum(
        one.records for name, one in marks(connection).items() if name != JOURNAL_FILE
    )


def _grown(runs_dir: Path, before: Mapping[str, Mark]) -> list[Path]:
    """The run logs that are not as they were taken in, by name. One pass over the folder."""
    if not runs_dir.is_dir():
        return []
    with os.scandir(runs_dir) as entries:
        names = [one.name for one in entries if one.name.endswith(".jsonl") and not _is_in(one, before)]
    return [runs_dir / name for name in sorted(names)]


def _is_in(entry: os.DirEntry[str], before: Mapping[str, Mark]) -> bool:
    mark = before.get(entry.name)
    try:
        return mark is not None and mark.size == entry.stat().st_size
    except OSError:
        return False  # reading it says what is wrong


def _held(connection: duckdb.DuckDBPyConnection, names: Iterable[str]) -> list[str]:
    """Those of the run logs that have rows, with a watermark or (after a migration) without."""
    rows = connection.execute("select run_file from runs where run_file in (select unnest(?))", [list(names)])
    return [name for (name,) in rows.fetchall()]


def _put(connection: duckdb.DuckDBPyConnection, batch: _Batch) -> None:
    if not batch.marks:
        return
    connection.execute("begin")
    again = _held(connection, batch.marks)
    ids = touched(connection, again) if again else set()
    for table in RUN_TABLES if again else ():
        connection.execute(f"delete from {table} where run_file in (select unnest(?))", [again])  # noqa: S608
    for table, rows in batch.rows.items():
        _insert(connection, table, rows)
    refresh(connection, ids | touched(connection, batch.marks))
    _set_marks(connection, batch.marks)
    connection.execute("commit")


def _put_journal(
    connection: duckdb.DuckDBPyConnection, read: Sequence[tuple[Row, int]], start: Mark, path: Path, *, anew: bool
) -> None:
    end = read[-1][1] if read else start.size
    connection.execute("begin")
    for table in JOURNAL_TABLES if anew else ():
        connection.execute(f"delete from {table}")  # noqa: S608 - our own names
    tables = journal_rows((start.records + number, record) for number, (record, _) in enumerate(read))
    for table, rows in tables.items():
        _insert(connection, table, rows)
    if anew or "samples" in tables:
        refresh(connection, None if anew else [row["card_id"] for row in tables["samples"]])
    _set_marks(connection, {JOURNAL_FILE: Mark(end, start.records + len(read), _tail(path, end))})
    connection.execute("commit")


def _tail(path: Path, end: int) -> str:
    """Digest of what stands just before the byte ``end``: another journal, or one that was edited, has another."""
    with path.open("rb") as file:
        start = max(0, end - _TAIL_BYTES)
        file.seek(start)
        return hashlib.sha256(file.read(end - start)).hexdigest()


def _insert(connection: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Row]) -> None:
    """Rows by one statement a batch. DuckDB takes no lone surrogates: they become question marks here only."""
    columns = ", ".join(TABLES[table])
    for start in range(0, len(rows), _BATCH_ROWS):
        text = json.dumps(rows[start : start + _BATCH_ROWS], ensure_ascii=False).encode("utf-8", "replace").decode()
        connection.execute(
            f"insert into {table} ({columns}) select {columns} from "  # noqa: S608 - our own names
            "(select unnest(from_json(?::json, ?), recursive := true))",
            [text, json.dumps([TABLES[table]])],
        )


def _set_marks(connection: duckdb.DuckDBPyConnection, new: Mapping[str, Mark]) -> None:
    connection.execute("delete from watermarks where source in (select unnest(?))", [list(new)])
    rows = [
        {"source": source, "bytes": mark.size, "records": mark.records, "tail": mark.tail}
        for source, mark in new.items()
    ]
    _insert(connection, "watermarks", rows)


def _in_words(error: RecordError | OSError) -> str:
    where = error.where if isinstance(error, RecordError) else ""
    line = where.rpartition(":")[2]
    return f"line {line}: {error}" if line.isdigit() else str(error)
