"""The schema goes from version to version, whole steps at a time."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from review_agent.errors import RecordError
from review_agent.ledger.database import opened
from review_agent.ledger.migrations import MIGRATIONS, migrate, schema_version
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
