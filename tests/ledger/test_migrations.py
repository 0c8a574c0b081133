"""The schema goes from version to version, whole steps at a time."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from made_states import varied
from test_store import dump

from review_agent.errors import RecordError
from review_agent.ledger.database import in_memory, opened
from review_agent.ledger.migrations import MIGRATIONS, migrate, schema_version
from review_agent.ledger.queue import QueueFilter
from review_agent.ledger.store import Ledger
from review_agent.ledger.tables import TABLES


def add_note(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("alter table cards add column note VARCHAR default 'none'")
    connection.execute("delete from watermarks")


def breaks(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("alter table cards add column other VARCHAR")
    raise RuntimeError("in the middle")


def test_a_new_ledger_comes_to_the_newest_version(tmp_path: Path) -> None:
    with opened(tmp_path / "l.duckdb") as connection:
        assert schema_version(connection) == 0
        migrate(connection)
        assert schema_version(connection) == len(MIGRATIONS)
        names = {row[0] for row in connection.execute("select table_name from duckdb_tables()").fetchall()}
    assert names == {*TABLES, "schema_version"}


def test_a_second_migration_is_applied_once_and_keeps_the_rows(tmp_path: Path) -> None:
    steps = (*MIGRATIONS, add_note)
    with opened(tmp_path / "l.duckdb") as connection:
        migrate(connection)
        connection.execute("insert into cards (card_id) values ('kept')")
        connection.execute("insert into watermarks values ('run', 1, 1, null)")
    with opened(tmp_path / "l.duckdb") as connection:
        migrate(connection, steps)
        migrate(connection, steps)
        assert schema_version(connection) == len(MIGRATIONS) + 1
        assert connection.execute("select card_id, note from cards").fetchall() == [("kept", "none")]
        assert connection.execute("select * from watermarks").fetchall() == []


def test_a_step_that_fails_leaves_the_version_before_it(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="in the middle"), opened(tmp_path / "l.duckdb") as connection:
        migrate(connection, (*MIGRATIONS, add_note, breaks))
    with opened(tmp_path / "l.duckdb") as connection:
        assert schema_version(connection) == len(MIGRATIONS) + 1
        columns = [row[0] for row in connection.execute("describe cards").fetchall()]
    assert "note" in columns
    assert "other" not in columns


def test_a_ledger_of_a_newer_product_is_refused(tmp_path: Path) -> None:
    with opened(tmp_path / "l.duckdb") as connection:
        migrate(connection, (*MIGRATIONS, add_note))
        with pytest.raises(RecordError, match=f"version {len(MIGRATIONS) + 1}") as caught:
            migrate(connection)
    assert "rebuild" in caught.value.hint


SCHEMAS = Path(__file__).with_name("schemas")
EARLIER = range(1, len(MIGRATIONS) + 1)


def columns_of(connection: duckdb.DuckDBPyConnection, catalog: str) -> dict[str, set[tuple[str, str]]]:
    found: dict[str, set[tuple[str, str]]] = {}
    for table, column, kind in connection.execute(
        "select table_name, column_name, data_type from duckdb_columns() where database_name = ? and not internal",
        [catalog],
    ).fetchall():
        found.setdefault(table, set()).add((column, kind))
    return found


def as_version(state: Path, version: int) -> None:
    """Puts in place of the ledger one of an earlier schema version, with the rows it would have had."""
    path = state / "ledger.duckdb"
    old = state / "old.duckdb"
    with opened(old) as connection:
        connection.execute((SCHEMAS / f"v{version}.sql").read_text())
        connection.execute(f"attach '{path}' as today (read_only)")
        tables, views = columns_of(connection, "ledger"), {"card_state"}
        for table in tables.keys() - {"schema_version", *views}:
            columns = ", ".join(column for column, _ in tables[table])
            connection.execute(f"insert into {table} ({columns}) select {columns} from today.{table}")
    old.replace(path)


@pytest.mark.slow
@pytest.mark.parametrize("version", EARLIER)
@pytest.mark.parametrize("entrance", ["queue", "sync", "ingest_journal"])
def test_a_ledger_of_every_earlier_version_comes_to_what_a_new_one_would_be(
    tmp_path: Path, version: int, entrance: str
) -> None:
    state = varied(tmp_path / ".review-agent")
    ledger = Ledger(state)
    ledger.sync()
    as_version(state, version)
    getattr(ledger, entrance)()
    ledger.sync()
    migrated = dump(ledger.path)
    assert ledger.rebuild() == ledger.sync()
    assert dump(ledger.path) == migrated


@pytest.mark.slow
@pytest.mark.parametrize("version", EARLIER)
def test_cards_whose_run_log_is_gone_are_kept_and_found_through_every_version(tmp_path: Path, version: int) -> None:
    state = varied(tmp_path / ".review-agent")
    ledger = Ledger(state)
    before = ledger.queue(QueueFilter(state=(), text="again"))
    assert before.total == 3
    as_version(state, version)
    for path in (state / "runs").glob("*.jsonl"):
        path.unlink()
    assert ledger.queue(QueueFilter(state=(), text="again")) == before


def test_the_newest_frozen_schema_is_that_of_today() -> None:
    newest = (SCHEMAS / f"v{len(MIGRATIONS)}.sql").read_text()
    with duckdb.connect() as frozen, in_memory() as today:
        frozen.execute(newest)
        migrate(today)
        assert columns_of(frozen, "memory") == columns_of(today, "ledger")
