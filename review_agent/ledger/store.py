"""The ledger: what run logs and journal say, as tables. It holds nothing of its own and can be made again at any time.

Every call takes the state folder's lock, opens DuckDB, takes in what is new, answers and closes. Where a program that
does not know the lock holds the file, or the folder cannot be written, a reader makes the same tables in memory for the
call, and ``notices`` says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb

from review_agent.appendlog import AppendLog, RefusedError, has_state_folder, state_folder
from review_agent.errors import RecordError, StorageFullError, UsageError
from review_agent.journal import JOURNAL_FILE, LOCK_FILE, Journal
from review_agent.ledger import doctor, exchange, ingest
from review_agent.ledger.database import (
    HeldError,
    in_memory,
    opened,
    refuse_other_things,
    replaced,
    set_aside,
    told_apart,
)
from review_agent.ledger.history import (
    DecisionPage,
    DecisionRow,
    RunDetail,
    decision_page,
    replay_list,
    run_detail,
)
from review_agent.ledger.intake import Mark, Told, count, is_up_to_date, marks, take_all, take_journal, take_runs
from review_agent.ledger.lookup import Named, alike, named, named_in_logs
from review_agent.ledger.measures import Measures, measures
from review_agent.ledger.migrations import MIGRATIONS, migrate, schema_version
from review_agent.ledger.queue import OwnerOf, QueueFilter, QueuePage, queue_page
from review_agent.ledger.reading import CardDetail, CardRow, RunRow, card_detail, card_rows, only, run_list
from review_agent.vocabulary import CardState

__all__ = [
    "CardDetail",
    "CardRow",
    "DecisionPage",
    "DecisionRow",
    "Ledger",
    "Named",
    "QueueFilter",
    "QueuePage",
    "RunDetail",
    "RunRow",
]


class Ledger:
    """The ledger of a state folder. ``notices`` holds what the reader of the last call's answer has to know.

    ``left_out`` names the run logs that the last call could not read.
    """

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

    def ingest(self, paths: Sequence[Path]) -> ingest.Ingested:
        """Takes in run logs from elsewhere, files or folders of them; what is known changes nothing.

        Raises UsageError for a path that is not there or holds no run log, RecordError or StorageFullError where they
        cannot be kept.
        """
        self._begin()
        with self._locked():
            found = ingest.take(paths, self.runs_dir)
        self._best_effort(self._sync)
        return found

    def ingest_run(self, path: Path) -> list[str]:
        """Takes in one run log as far as it goes beyond what is in already.

        Never raises for the ledger's own troubles, as the run log is the record and the next call takes it in; what
        stood in the way is returned, in words.
        """
        return self._best_effort(lambda connection: take_runs(connection, [path], self._told))

    def ingest_journal(self) -> list[str]:
        """Takes in the journal, in the same way."""
        return self._best_effort(lambda connection: take_journal(connection, self.journal.path, self._told))

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
                if runs > count(connection, "runs"):
                    kept = set_aside(self.path)
                    self._told.notice(f"the ledger held more runs before ({runs}): it is kept as {kept.name}")
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

    def named(self, prefixes: Sequence[str]) -> list[Named | UsageError]:
        """The one card that each prefix of an id means, or why it means none; in order.

        Where the file cannot be had, they are looked for in the run logs alone, which is quicker than to make tables.
        """
        self._begin()
        if has_state_folder(self.state_dir):
            try:
                with told_apart(self.path):
                    return self._named_beside_others(prefixes) or self._named(prefixes)
            except (HeldError, RefusedError, StorageFullError) as error:
                self._tell_instead(error)
        return named_in_logs(self.runs_dir, self.journal, prefixes, self._told)

    def _named_beside_others(self, prefixes: Sequence[str]) -> list[Named | UsageError]:
        """What any number of processes may ask at once; empty where something has to be taken in first."""
        with ExitStack() as stack, suppress(RefusedError):
            stack.enter_context(self._lock().lock(shared=True))
            if self.path.exists():
                connection = stack.enter_context(opened(self.path, read_only=True))
                if schema_version(connection) == len(MIGRATIONS) and is_up_to_date(connection, self.runs_dir):
                    found = named(connection, prefixes)
                    return [] if any(isinstance(one, UsageError) for one in found) else found
        return []

    def _named(self, prefixes: Sequence[str]) -> list[Named | UsageError]:
        """The journal is taken in only where a prefix is of no review's card: samples of the audit stand there."""
        with self._writing() as connection:
            take_all(connection, self.runs_dir, None, self._told)
            found = named(connection, prefixes)
            if any(isinstance(one, UsageError) for one in found):
                take_journal(connection, self.journal.path, self._told)
                found = named(connection, prefixes)
            return found

    def alike(self, states: Sequence[CardState], **by: str) -> list[str]:
        """Ids of the cards in these states by ``rule``, ``fingerprint`` or ``batch``; these two may be shortened."""
        with self._reading() as connection:
            return alike(connection, states, **by)

    def queue(
        self,
        wanted: QueueFilter | None = None,
        *,
        limit: int = 50,
        offset: int = 0,
        owner_of: OwnerOf | None = None,
    ) -> QueuePage:
        """One page of the cards that a filter lets through, the most worth a reviewer's minute first.

        ``owner_of`` gives the owners of a path; without it they are unknown. Raises UsageError for a filter by owner
        without it.
        """
        with self._reading() as connection:
            return queue_page(connection, wanted or QueueFilter(), limit=limit, offset=offset, owner_of=owner_of)

    def run(self, run_file: str) -> RunDetail:
        """One run's account and timeline; ``run_file`` may be the start of its file name or of its reviewId.

        Of several the newest is meant. Raises UsageError where there is none.
        """
        with self._reading() as connection:
            return run_detail(connection, run_file)

    def decisions(self, limit: int = 50, offset: int = 0) -> DecisionPage:
        """One page of all decisions, newest first."""
        with self._reading() as connection:
            return decision_page(connection, limit=limit, offset=offset)

    def replays(self) -> list[dict[str, Any]]:
        """All replay results as wire data, newest first."""
        with self._reading() as connection:
            return replay_list(connection)

    def measures(self, since: str | None, outside: tuple[str, ...]) -> Measures:
        """The counts that metrics are made of. ``since``: UTC, ISO 8601; ``outside``: see there."""
        with self._reading() as connection:
            return measures(connection, since, outside)

    def export(self, folder: Path, format: exchange.Format) -> exchange.Export:
        """Writes all tables as files into a new or empty folder. Raises UsageError, RecordError, StorageFullError."""
        with self._reading() as connection:
            return exchange.write(connection, folder, format)

    def import_(self, folder: Path) -> exchange.Export:
        """Makes ledger and journal of an export, row for row, where nothing is recorded yet; whole or not at all.

        Raises UsageError where something is recorded or the folder is no export, RecordError where it is damaged.
        """
        self._begin()
        with self._locked() as log:
            self._refuse_recorded()
            with replaced(self.path) as connection:
                migrate(connection)
                export = exchange.load(connection, folder)
                records = exchange.journal_of(connection, folder)
                if records:
                    log.append(records)
                take_journal(connection, self.journal.path, self._told)
        return export

    def _refuse_recorded(self) -> None:
        recorded = [path for path in (self.journal.path, self.path) if path.exists()]
        recorded += [self.runs_dir] if self.runs_dir.is_dir() and any(self.runs_dir.glob("*.jsonl")) else []
        if recorded:
            hint = "import it into another clone; run logs from elsewhere are added with `review-agent ledger ingest`"
            raise UsageError(f"{recorded[0].name} is here already", where=str(recorded[0]), hint=hint)

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

    def _runs_held(self) -> int:
        """How many runs the ledger file holds; 0 where it cannot be told. Raises HeldError, or where it is no file."""
        refuse_other_things(self.path)
        if not self.path.exists():
            return 0
        try:
            with suppress(duckdb.Error), opened(self.path, read_only=True) as connection:
                return count(connection, "runs")
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
            self._told.notice(f"the ledger could not be brought up to date: {error.message}")
        return self.notices

    def _sync(self, connection: duckdb.DuckDBPyConnection) -> None:
        take_all(connection, self.runs_dir, self.journal.path, self._told)

    def _marks_for_doctor(self) -> tuple[int, int, dict[str, Mark]]:
        """Schema version of the file, the newest one known, and the watermarks."""
        lock = self._lock().lock(shared=True, wait=doctor.LOCK_SECONDS)
        with ExitStack() as stack:
            with suppress(RefusedError):
                stack.enter_context(lock)
            connection = stack.enter_context(opened(self.path, read_only=True))
            version = schema_version(connection)
            known = marks(connection) if version == len(MIGRATIONS) else {}
            return version, len(MIGRATIONS), known
