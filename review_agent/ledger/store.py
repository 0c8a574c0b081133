"""The ledger: what run logs and journal say, as tables. It holds nothing of its own and can be made again at any time.

Every call takes the state folder's lock, opens DuckDB, takes in what is new, answers and closes. Where a program that
does not know the lock holds the file, or the folder cannot be written, a reader makes the same tables in memory for the
call, and ``notices`` says so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb

from review_agent.appendlog import AppendLog, RefusedError, has_state_folder, state_folder
from review_agent.errors import RecordError, StorageFullError
from review_agent.journal import JOURNAL_FILE, LOCK_FILE, Journal, fault
from review_agent.ledger import doctor
from review_agent.ledger.database import (
    HeldError,
    in_memory,
    opened,
    refuse_other_things,
    replaced,
    set_aside,
    told_apart,
)
from review_agent.ledger.migrations import MIGRATIONS, RUN_TABLES, TABLES, migrate, schema_version
from review_agent.ledger.reading import CardDetail, CardRow, RunRow, card_detail, card_rows, only, run_list
from review_agent.ledger.rows import Row, decision_rows, run_rows
from review_agent.runlog import read_events
from review_agent.vocabulary import CardState

__all__ = ["CardDetail", "CardRow", "Ledger", "RunRow"]

_BATCH_ROWS = 2000
_RUN = (
    "review_id, run_file, engine, policy_hash, base, head, merge_base, chosen, status, started_at, ended_at, attempts"
)
_SHORT = 12


class Ledger:
    """The ledger of a state folder. ``notices`` holds what the reader of the last call's answer has to know.

    ``left_out`` names the run logs that the last call could not read.
    """

    def __init__(self, state_dir: Path) -> None:
        self.state_dir = state_dir
        self.path = state_dir / "ledger.duckdb"
        self.runs_dir = state_dir / "runs"
        self.journal = Journal(state_dir / JOURNAL_FILE)
        self.notices: list[str] = []
        self.left_out: list[str] = []

    def ingest_run(self, path: Path) -> list[str]:
        """Takes in one run log as far as it goes beyond what is in already.

        Never raises for the ledger's own troubles, as the run log is the record and the next call takes it in; what
        stood in the way is returned, in words.
        """
        return self._best_effort(lambda connection: self._take_new_runs(connection, [path]))

    def ingest_journal(self) -> list[str]:
        """Takes in the journal, in the same way."""
        return self._best_effort(self._take_journal)

    def sync(self) -> list[str]:
        """Takes in every run log and the journal, past the watermarks; returns notices. Raises RecordError."""
        with self._writing() as connection:
            self._sync(connection)
        return self.notices

    def rebuild(self) -> list[str]:
        """Makes the ledger again in a new file, which then takes the old one's place. Returns notices.

        An old one that holds more runs than the new one is kept beside it. Raises RecordError where another program
        holds the old one, or something else has its name.
        """
        self._begin()
        with self._locked():
            runs = self._runs_held()
            with replaced(self.path) as connection:
                migrate(connection)
                self._sync(connection)
                if runs > _count(connection, "runs"):
                    kept = set_aside(self.path)
                    self._notice(f"the ledger held more runs before ({runs}): it is kept as {kept.name}")
        return self.notices

    def doctor(self) -> list[doctor.Finding]:
        """What is wrong or pending in the state folder; changes nothing."""
        return doctor.examine(self.state_dir, self._marks_for_doctor)

    def runs(self) -> list[RunRow]:
        """All runs, newest first."""
        with self._reading() as connection:
            return run_list(connection)

    def cards(self, state: CardState | None = None, run: str | None = None) -> list[CardRow]:
        """Cards, those of the newest run first, in the order of the run; each card once, as its newest run has it.

        ``run`` narrows to one run: the start of its file name or of its reviewId.
        """
        with self._reading() as connection:
            return card_rows(connection, state=state, run=run)

    def card(self, prefix: str) -> CardDetail:
        """The one card whose id starts with the prefix. Raises UsageError where there is none, or more than one."""
        with self._reading() as connection:
            return card_detail(connection, only(card_rows(connection, prefix=prefix), prefix))

    def _begin(self) -> None:
        self.notices, self.left_out = [], []

    @contextmanager
    def _locked(self) -> Iterator[None]:
        state_folder(self.state_dir)
        with AppendLog(self.journal.path, self.state_dir / LOCK_FILE).lock():
            yield

    @contextmanager
    def _writing(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """The ledger file under the lock, made first where it is missing."""
        self._begin()
        with self._locked():
            if not self.path.exists():
                self._create()
            with opened(self.path) as connection:
                migrate(connection)
                yield connection

    @contextmanager
    def _reading(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Tables that are up to date: the ledger's, or the same ones in memory where the file cannot be had."""
        self._begin()
        with ExitStack() as stack:
            if not has_state_folder(self.state_dir):
                yield self._memory(stack)
                return
            try:
                stack.enter_context(self._locked())
            except (RefusedError, StorageFullError) as error:
                yield self._instead(stack, error)
                return
            yield self._up_to_date(stack)

    def _up_to_date(self, stack: ExitStack) -> duckdb.DuckDBPyConnection:
        file = stack.enter_context(ExitStack())
        try:
            with told_apart(self.path):
                if not self.path.exists():
                    self._create()
                connection = file.enter_context(opened(self.path))
                migrate(connection)
                self._sync(connection)
                return connection
        except (HeldError, RefusedError, StorageFullError) as error:
            file.close()
            return self._instead(stack, error)

    def _instead(self, stack: ExitStack, error: RecordError) -> duckdb.DuckDBPyConnection:
        """The tables in memory, and a notice of what stands in the ledger's way; run logs and journal need no lock."""
        self._begin()
        self._notice(f"{error.message}: {error.where}; what follows is read from run logs and journal")
        return self._memory(stack)

    def _memory(self, stack: ExitStack) -> duckdb.DuckDBPyConnection:
        connection = stack.enter_context(in_memory())
        migrate(connection)
        self._sync(connection)
        return connection

    def _create(self) -> None:
        with replaced(self.path) as connection:
            migrate(connection)
            self._sync(connection)

    def _runs_held(self) -> int:
        """How many runs the ledger file holds; 0 where it cannot be told. Raises HeldError, or where it is no file."""
        refuse_other_things(self.path)
        if not self.path.exists():
            return 0
        try:
            with suppress(duckdb.Error), opened(self.path, read_only=True) as connection:
                return _count(connection, "runs")
        except HeldError:
            raise
        except RecordError:
            pass
        return 0

    def _best_effort(self, take: Callable[[duckdb.DuckDBPyConnection], None]) -> list[str]:
        try:
            with self._writing() as connection:
                take(connection)
        except RecordError as error:
            self._notice(f"the ledger could not be brought up to date: {error.message}")
        return self.notices

    def _leave_out(self, name: str) -> None:
        if name not in self.left_out:
            self.left_out.append(name)

    def _notice(self, text: str) -> None:
        if text not in self.notices:
            self.notices.append(text)

    def _sync(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._take_new_runs(connection, sorted(self.runs_dir.glob("*.jsonl")))
        self._take_journal(connection)

    def _take_new_runs(self, connection: duckdb.DuckDBPyConnection, paths: Sequence[Path]) -> None:
        marks = _marks(connection)
        for path in paths:
            try:
                if marks.get(path.name, (-1, 0))[0] != path.stat().st_size:
                    self._take_run(connection, path)
            except (RecordError, OSError) as error:
                self._leave_out(path.name)
                self._notice(f"{path.name} is left out: {_in_words(error)}")

    def _take_run(self, connection: duckdb.DuckDBPyConnection, path: Path) -> None:
        """Puts the run's rows in place of those there are. Raises RecordError or OSError where it cannot be read."""
        size = path.stat().st_size
        events = list(read_events(path))
        tables = run_rows(path.name, events) if events else {}
        connection.execute("begin")
        for table in RUN_TABLES:
            connection.execute(f"delete from {table} where run_file = ?", [path.name])  # noqa: S608 - our own names
        for table, rows in tables.items():
            _insert(connection, table, rows)
        _set_mark(connection, path.name, size, len(events))
        connection.execute("commit")

    def _take_journal(self, connection: duckdb.DuckDBPyConnection) -> None:
        if not self.journal.path.exists():
            return
        size = self.journal.path.stat().st_size
        before, taken = _marks(connection).get(JOURNAL_FILE, (-1, 0))
        if size == before and taken == _count(connection, "decisions"):
            return
        records = list(self.journal.read())
        faults = self._damaged(records)
        if size == before:
            return
        connection.execute("begin")
        if len(records) < taken:
            connection.execute("delete from decisions")
            taken = 0
        _insert(
            connection, "decisions", [row for row in decision_rows(records, taken) if row["position"] not in faults]
        )
        _set_mark(connection, JOURNAL_FILE, size, len(records))
        connection.execute("commit")

    def _damaged(self, records: Sequence[Mapping[str, Any]]) -> set[int]:
        """The places of journal records that are none, with a notice of each."""
        faults = {position: text for position, record in enumerate(records) if (text := fault(record))}
        for position, text in faults.items():
            self._notice(f"{JOURNAL_FILE}:{position + 1} is left out: it is not a journal record ({text})")
        return set(faults)

    def _marks_for_doctor(self) -> tuple[int, int, dict[str, tuple[int, int]]]:
        """Schema version of the file, the newest one known, and the watermarks."""
        lock = AppendLog(self.journal.path, self.state_dir / LOCK_FILE).lock(shared=True, wait=doctor.LOCK_SECONDS)
        with ExitStack() as stack:
            with suppress(RefusedError):
                stack.enter_context(lock)
            connection = stack.enter_context(opened(self.path, read_only=True))
            version = schema_version(connection)
            return version, len(MIGRATIONS), _marks(connection) if version else {}


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


def _in_words(error: RecordError | OSError) -> str:
    where = error.where if isinstance(error, RecordError) else ""
    line = where.rpartition(":")[2]
    return f"line {line}: {error}" if line.isdigit() else str(error)


def _count(connection: duckdb.DuckDBPyConnection, table: str) -> int:
    row = connection.execute(f"select count(*) from {table}").fetchone()  # noqa: S608 - our own names
    return int(row[0]) if row else 0


def _marks(connection: duckdb.DuckDBPyConnection) -> dict[str, tuple[int, int]]:
    """Bytes and records that are in, by source."""
    rows = connection.execute("select source, bytes, records from watermarks").fetchall()
    return {source: (size, records) for source, size, records in rows}


def _set_mark(connection: duckdb.DuckDBPyConnection, source: str, size: int, records: int) -> None:
    connection.execute("delete from watermarks where source = ?", [source])
    connection.execute("insert into watermarks values (?, ?, ?)", [source, size, records])
