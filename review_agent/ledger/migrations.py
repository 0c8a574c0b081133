"""The ledger's schema, version by version. ``TABLES`` is the shape of today."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import duckdb

from review_agent.errors import RecordError
from review_agent.ledger.shown import refresh
from review_agent.ledger.tables import TABLES
from review_agent.transitions import RESULT
from review_agent.vocabulary import CardState

__all__ = ["MIGRATIONS", "Migration", "migrate", "schema_version"]

Migration = Callable[[duckdb.DuckDBPyConnection], None]


def _create(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    columns = ", ".join(f"{column} {kind}" for column, kind in TABLES[name].items())
    connection.execute(f"create table if not exists {name} ({columns})")


def _create_all(connection: duckdb.DuckDBPyConnection) -> None:
    for name in TABLES:
        _create(connection, name)


def _add_failures(connection: duckdb.DuckDBPyConnection) -> None:
    _create(connection, "failures")


def _add_journal_and_queue(connection: duckdb.DuckDBPyConnection) -> None:
    """All kinds of journal records, the phases of a run, and what the queue filters and ranks by."""
    for name, columns in TABLES.items():
        _create(connection, name)
        for column, kind in columns.items():
            connection.execute(f"alter table {name} add column if not exists {column} {kind}")
    # Runs whose log is gone are not taken in again: what can be had of their rows is had here.
    connection.execute("update cards set claim = data->>'claim'")
    connection.execute("""update cards set risk = questions.risk from questions
        where cards.run_file = questions.run_file and cards.question_id = questions.question_id""")
    refresh(connection)
    connection.execute("delete from watermarks")
    _create_card_state(connection)


def _add_calls(connection: duckdb.DuckDBPyConnection) -> None:
    """The calls to models, one row each. Run logs are taken in again: an older product passed them over."""
    _create(connection, "calls")
    connection.execute("delete from watermarks")


def _create_card_state(connection: duckdb.DuckDBPyConnection) -> None:
    """The state of each card that has been decided on; one that lapses holds until the day before."""
    states = " ".join(f"when '{act}' then '{state}'" for act, state in RESULT.items())
    connection.execute(
        f"""create or replace view card_state as
        select card_id, decisions, case
            when last.until <= strftime(now() at time zone 'UTC', '%Y-%m-%d')
            then '{CardState.HIDDEN}' else case last.act {states} end end as state
        from (
            select card_id, arg_max(struct_pack(act := act, until := until), position) as last, count(*) as decisions
            from decisions group by card_id
        )"""  # noqa: S608 - our own words
    )


MIGRATIONS: tuple[Migration, ...] = (_create_all, _add_failures, _add_journal_and_queue, _add_calls)
"""What leads from version n to n + 1, at index n. A migration that changes what is taken from the sources empties
``watermarks``, so that they are taken in again."""


def schema_version(connection: duckdb.DuckDBPyConnection) -> int:
    """The version of an open ledger; 0 for a new one."""
    found = connection.execute(
        "select 1 from information_schema.tables where table_name = 'schema_version' and table_catalog = 'ledger'"
    ).fetchone()
    if found is None:
        return 0
    row = connection.execute("select max(version) from schema_version").fetchone()
    return int(row[0]) if row and row[0] is not None else 0


def migrate(connection: duckdb.DuckDBPyConnection, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Brings an open ledger to the newest version, each step in a transaction of its own.

    Raises RecordError when a newer product made it.
    """
    version = schema_version(connection)
    if version > len(migrations):
        raise RecordError(
            f"the ledger has schema version {version}, this product knows up to {len(migrations)}",
            hint="upgrade review-agent, or run `review-agent ledger rebuild`",
        )
    for number, step in enumerate(migrations[version:], version + 1):
        connection.execute("begin")
        step(connection)
        connection.execute("create table if not exists schema_version (version BIGINT)")
        connection.execute("insert into schema_version values (?)", [number])
        connection.execute("commit")
