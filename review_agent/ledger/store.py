"""The ledger: what run logs and journal say, as tables. It holds nothing of its own and can be made again at any time.

Every call takes the state folder's lock, opens DuckDB, takes in what is new, answers and closes. Where a program that
does not know the lock holds the file, or the folder cannot be written, a reader makes the same tables in memory for the
call, and ``notices`` says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from review_agent.appendlog import RefusedError, has_state_folder, state_folder
from review_agent.errors import StorageFullError, UsageError
from review_agent.ledger import compared
from review_agent.ledger.database import (
    HeldError,
    opened,
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
from review_agent.ledger.intake import Mark, held, marks, take_all, take_journal, take_runs
from review_agent.ledger.lookup import Listed, Named, alike, named, named_in_logs
from review_agent.ledger.measures import Measures, measures
from review_agent.ledger.migrations import MIGRATIONS, migrate, schema_version
from review_agent.ledger.opening import Opening
from review_agent.ledger.queue import OwnerOf, QueueFilter, QueuePage, queue_ids, queue_page
from review_agent.ledger.reading import CardDetail, CardRow, RunRow, card_rows, only, run_list
from review_agent.ledger.shapes import whole_card
from review_agent.ledger.triage import Triage, triage
from review_agent.vocabulary import CardState

if TYPE_CHECKING:
    from review_agent.ledger import doctor, exchange, ingest

__all__ = [
    "CardDetail",
    "CardRow",
    "DecisionPage",
    "DecisionRow",
    "Ledger",
    "Listed",
    "Named",
    "QueueFilter",
    "QueuePage",
    "RunDetail",
    "RunRow",
]

_ARTIFACTS = 20
"""So many artifacts are taken in by one turn at the ledger: whoever decides meanwhile does not wait for all of them."""


class Ledger(Opening):
    """The ledger of a state folder. ``notices`` holds what the reader of the last call's answer has to know.

    ``left_out`` names the run logs that the last call could not read.
    """

    def ingest(
        self, paths: Sequence[Path], *, request: str | None = None, compare: ingest.Compare | None = None
    ) -> ingest.Ingested:
        """Takes in run logs from elsewhere, files or folders of them; what is known changes nothing.

        With ``request`` those are refused that are not of that pull or merge request; by ``compare`` those that show
        other lines than git has.

        Raises UsageError for a path that is not there or holds no run log, RecordError or StorageFullError where they
        cannot be kept.
        """
        from review_agent.ledger import ingest

        artifacts, found, notices = ingest.sources(paths), ingest.Ingested(), list[str]()
        state_folder(self.state_dir)
        intake = ingest.Intake(self.runs_dir, self._locked, request, compare)
        for start in range(0, len(artifacts), _ARTIFACTS):
            for artifact in artifacts[start : start + _ARTIFACTS]:
                intake.take(artifact, found)
            notices += [text for text in self._best_effort(self._sync) if text not in notices]
        self._told.notices[:] = notices
        return found

    def doubt(self, run_file: str) -> str:
        """Why the lines that a run from elsewhere shows may not be git's; empty where they are."""
        return compared.doubt(self.runs_dir, run_file)

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
            runs, records = self._held()
            with replaced(self.path) as connection:
                migrate(connection)
                self._sync(connection)
                runs_now, records_now = held(connection)
                if runs > runs_now or records > records_now:
                    kept = set_aside(self.path)
                    more = f"runs before ({runs})" if runs > runs_now else f"records before ({records})"
                    self._told.notice(f"the ledger held more {more}: it is kept as {kept.name}")
        return self.notices

    def doctor(self) -> list[doctor.Finding]:
        """What is wrong or pending in the state folder; changes nothing."""
        from review_agent.ledger import doctor

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
        """The one card whose id starts with the prefix. Raises UsageError where there is none, or more than one;
        RecordError where its run log lacks a part of it, or has one in another shape."""
        with self._reading() as connection:
            return whole_card(connection, only(card_rows(connection, prefix=prefix), prefix))

    def named(self, prefixes: Sequence[str], *, locked: bool = False) -> list[Named | UsageError]:
        """The one card that each prefix of an id means, or why it means none; in order.

        ``locked``: the caller holds the state folder's lock. Where the file cannot be had, the cards are looked for in
        the run logs alone, which is quicker than to make tables.
        """
        self._begin()
        if has_state_folder(self.state_dir):
            try:
                with told_apart(self.path), nullcontext() if locked else self._locked(), self._file() as connection:
                    return self._named(connection, prefixes)
            except (HeldError, RefusedError, StorageFullError) as error:
                self._tell_instead(error)
        return named_in_logs(self.runs_dir, self.journal, prefixes, self._told)

    def _named(self, connection: duckdb.DuckDBPyConnection, prefixes: Sequence[str]) -> list[Named | UsageError]:
        """The journal is taken in only where a prefix is of no review's card: samples of the audit stand there."""
        take_all(connection, self.runs_dir, None, self._told)
        found = named(connection, prefixes)
        if any(isinstance(one, UsageError) for one in found):
            take_journal(connection, self.journal.path, self._told)
            found = named(connection, prefixes)
        return found

    def alike(self, states: Sequence[CardState], **by: str) -> list[Listed]:
        """The cards in these states by ``rule``, ``fingerprint`` or ``batch``; these two may be shortened."""
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

    def open_cards(self) -> list[str]:
        """The ids of all cards that nobody has decided on, in the order of the queue."""
        with self._reading() as connection:
            return queue_ids(connection)

    def triage(
        self,
        wanted: QueueFilter,
        card: str = "",
        *,
        limit: int = 50,
        offset: int = 0,
        owner_of: OwnerOf | None = None,
    ) -> Triage:
        """One page of the queue, and one card whole, in one opening.

        The card is the one whose id starts with ``card``, else the page's first. Raises UsageError as ``queue`` does.
        """
        with self._reading() as connection:
            return triage(connection, wanted, card, limit=limit, offset=offset, owner_of=owner_of)

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
        from review_agent.ledger import exchange

        with self._reading() as connection:
            return exchange.write(connection, folder, format)

    def import_(self, folder: Path) -> exchange.Export:
        """Makes ledger and journal of an export, row for row, where nothing is recorded yet; whole or not at all.

        The journal gets its name last. After a kill the same import is run again.

        Raises UsageError where something is recorded or the folder is no export, RecordError where it is damaged.
        """
        from review_agent.ledger import exchange

        self._begin()
        coming = self.journal.path.with_name(exchange.COMING)
        with self._locked():
            self._refuse_recorded(coming)
            with replaced(self.path) as connection:
                migrate(connection)
                export = exchange.load(connection, folder)
                exchange.write_journal(exchange.journal_of(connection, folder), coming)
                take_journal(connection, coming, self._told)
            exchange.put_journal(coming, self.journal.path)
        return export

    def _refuse_recorded(self, coming: Path) -> None:
        """A ledger beside a journal that is still to be renamed is what an import left that was killed: it is none."""
        cut = coming.exists() and not self.journal.path.exists()
        recorded = [path for path in (self.journal.path, self.path) if path.exists() and not cut]
        recorded += [self.runs_dir] if self.runs_dir.is_dir() and any(self.runs_dir.glob("*.jsonl")) else []
        if recorded:
            hint = "import it into another clone; run logs from elsewhere are added with `review-agent ledger ingest`"
            raise UsageError(f"{recorded[0].name} is here already", where=str(recorded[0]), hint=hint)

    def _marks_for_doctor(self) -> tuple[int, int, dict[str, Mark]]:
        """Schema version of the file, the newest one known, and the watermarks."""
        from review_agent.ledger import doctor

        lock = self._lock().lock(shared=True, wait=doctor.LOCK_SECONDS)
        with ExitStack() as stack:
            with suppress(RefusedError):
                stack.enter_context(lock)
            connection = stack.enter_context(opened(self.path, read_only=True))
            version = schema_version(connection)
            known = marks(connection) if version == len(MIGRATIONS) else {}
            return version, len(MIGRATIONS), known
