"""How a ledger is opened: under the state folder's lock, brought up to date, or its tables made in memory instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import duckdb

from review_agent.appendlog import AppendLog, RefusedError, has_state_folder, state_folder
from review_agent.errors import RecordError, StorageFullError
from review_agent.journal import JOURNAL_FILE, LOCK_FILE, Journal
from review_agent.ledger.database import HeldError, in_memory, opened, refuse_other_things, replaced, told_apart
from review_agent.ledger.intake import Told, held, take_all
from review_agent.ledger.migrations import migrate

__all__ = ["Opening"]


class Opening:
    """The files of a ledger and the ways into it: what ``Ledger`` answers from."""

    def __init__(self, state_dir: Path) -> None:
        self.state_dir = state_dir
        self.path = state_dir / "ledger.duckdb"
        self.runs_dir = state_dir / "runs"
        self.journal = Journal(state_dir / JOURNAL_FILE)
        self._told = Told()

    @property
    def notices(self) -> list[str]:
        return self._told.notices

    @property
    def left_out(self) -> list[str]:
        return self._told.left_out

    def _begin(self) -> None:
        self._told = Told()

    @contextmanager
    def _locked(self) -> Iterator[AppendLog]:
        state_folder(self.state_dir)
        log = self._lock()
        with log.lock():
            yield log

    def _lock(self) -> AppendLog:
        return AppendLog(self.journal.path, self.state_dir / LOCK_FILE)

    @contextmanager
    def _writing(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """The ledger file under the lock, made first where it is missing."""
        self._begin()
        with self._locked(), self._file() as connection:
            yield connection

    @contextmanager
    def _file(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """The same for one who holds the lock already."""
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
            lock = stack.enter_context(ExitStack())
            try:
                lock.enter_context(self._locked())
            except (RefusedError, StorageFullError) as error:
                yield self._instead(stack, error)
                return
            yield self._up_to_date(stack, lock)

    def _up_to_date(self, stack: ExitStack, lock: ExitStack) -> duckdb.DuckDBPyConnection:
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
            lock.close()
            return self._instead(stack, error)

    def _instead(self, stack: ExitStack, error: RecordError) -> duckdb.DuckDBPyConnection:
        """The tables in memory, and a notice of what stands in the ledger's way; run logs and journal need no lock."""
        self._tell_instead(error)
        return self._memory(stack)

    def _tell_instead(self, error: RecordError) -> None:
        self._begin()
        self._told.notice(f"{error.message}: {error.where}; what follows is read from run logs and journal")

    def _memory(self, stack: ExitStack) -> duckdb.DuckDBPyConnection:
        connection = stack.enter_context(in_memory())
        migrate(connection)
        self._sync(connection)
        return connection

    def _create(self) -> None:
        with replaced(self.path) as connection:
            migrate(connection)
            self._sync(connection)

    def _held(self) -> tuple[int, int]:
        """How many runs, and records of run logs, the ledger file holds; 0 where that cannot be told. Raises HeldError,
        or where it is no file."""
        refuse_other_things(self.path)
        if not self.path.exists():
            return 0, 0
        try:
            with suppress(duckdb.Error), opened(self.path, read_only=True) as connection:
                return held(connection)
        except HeldError:
            raise
        except RecordError:
            pass
        return 0, 0

    def _best_effort(self, take: Callable[[duckdb.DuckDBPyConnection], None]) -> list[str]:
        try:
            with self._writing() as connection:
                take(connection)
        except RecordError as error:
            self._told.notice(f"the ledger could not be brought up to date: {error.message}")
        return self.notices

    def _sync(self, connection: duckdb.DuckDBPyConnection) -> None:
        take_all(connection, self.runs_dir, self.journal.path, self._told)
