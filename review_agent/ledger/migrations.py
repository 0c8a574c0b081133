"""The ledger's schema, version by version. ``TABLES`` is the shape of today."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import duckdb

from review_agent.errors import RecordError
from review_agent.transitions import RESULT

__all__ = ["MIGRATIONS", "RUN_TABLES", "TABLES", "Migration", "migrate", "schema_version"]

Migration = Callable[[duckdb.DuckDBPyConnection], None]

RUN_TABLES: dict[str, dict[str, str]] = {
    "runs": {
        "review_id": "VARCHAR",
        "engine": "VARCHAR",
        "policy_hash": "VARCHAR",
        "policy_source": "VARCHAR",
        "product": "VARCHAR",
        "base": "VARCHAR",
        "head": "VARCHAR",
        "merge_base": "VARCHAR",
        "chosen": "VARCHAR",
        "options": "JSON",
        "started_at": "VARCHAR",
        "ended_at": "VARCHAR",
        "attempts": "BIGINT",
        "status": "VARCHAR",
        "coverage": "JSON",
        "spend": "JSON",
    },
    "attempts": {"attempt": "VARCHAR", "started_at": "VARCHAR", "last_at": "VARCHAR", "phases": "JSON"},
    "files": {"path": "VARCHAR", "old_path": "VARCHAR", "status": "VARCHAR", "data": "JSON"},
    "hunks": {"hunk_id": "VARCHAR", "path": "VARCHAR", "data": "JSON"},
    "edits": {
        "edit_id": "VARCHAR",
        "hunk_id": "VARCHAR",
        "op": "VARCHAR",
        "path": "VARCHAR",
        "scope": "VARCHAR",
        "subject": "VARCHAR",
        "data": "JSON",
    },
    "questions": {
        "question_id": "VARCHAR",
        "kind": "VARCHAR",
        "rule": "VARCHAR",
        "hunk_id": "VARCHAR",
        "path": "VARCHAR",
        "risk": "BIGINT",
        "data": "JSON",
    },
    "bundles": {"question_id": "VARCHAR", "left_out": "JSON", "spent": "JSON"},
    "queries": {
        "question_id": "VARCHAR",
        "kind": "VARCHAR",
        "name": "VARCHAR",
        "status": "VARCHAR",
        "hits": "BIGINT",
        "resolved": "BIGINT",
        "ambiguous": "BIGINT",
        "unresolved": "BIGINT",
        "truncated": "BOOLEAN",
        "data": "JSON",
    },
    "evidence": {
        "question_id": "VARCHAR",
        "query": "BIGINT",
        "origin": "VARCHAR",
        "role": "VARCHAR",
        "path": "VARCHAR",
        "start_line": "BIGINT",
        "end_line": "BIGINT",
        "data": "JSON",
    },
    "answers": {
        "request_id": "VARCHAR",
        "question_id": "VARCHAR",
        "role": "VARCHAR",
        "engine": "VARCHAR",
        "failure": "VARCHAR",
        "data": "JSON",
    },
    "cards": {
        "card_id": "VARCHAR",
        "card_version": "VARCHAR",
        "fingerprint": "VARCHAR",
        "question_id": "VARCHAR",
        "rule": "VARCHAR",
        "change_kind": "VARCHAR",
        "severity": "VARCHAR",
        "confidence": "VARCHAR",
        "path": "VARCHAR",
        "line": "BIGINT",
        "model_may_post": "BOOLEAN",
        "data": "JSON",
    },
    "no_findings": {
        "question_id": "VARCHAR",
        "rule": "VARCHAR",
        "change_kind": "VARCHAR",
        "code": "VARCHAR",
        "path": "VARCHAR",
        "line": "BIGINT",
        "data": "JSON",
    },
    "rejections": {
        "question_id": "VARCHAR",
        "ordinal": "BIGINT",
        "change_kind": "VARCHAR",
        "codes": "JSON",
        "data": "JSON",
    },
    "unanswered": {"question_id": "VARCHAR", "cause": "VARCHAR", "data": "JSON"},
    "skipped": {
        "path": "VARCHAR",
        "hunk_id": "VARCHAR",
        "question_id": "VARCHAR",
        "rule": "VARCHAR",
        "data": "JSON",
    },
    "suppressed": {
        "question_id": "VARCHAR",
        "fingerprint": "VARCHAR",
        "decision_id": "VARCHAR",
        "data": "JSON",
    },
    "failed_files": {"path": "VARCHAR", "detail": "VARCHAR"},
    "failures": {"what": "VARCHAR", "name": "VARCHAR", "path": "VARCHAR", "detail": "VARCHAR"},
}
"""Tables made from run logs. Each has ``run_file`` and ``position``, the row's place within the run, before these."""

for _name, _columns in RUN_TABLES.items():
    RUN_TABLES[_name] = {"run_file": "VARCHAR", "position": "BIGINT", **_columns}

TABLES: dict[str, dict[str, str]] = {
    **RUN_TABLES,
    "decisions": {
        "position": "BIGINT",
        "decision_id": "VARCHAR",
        "decided_at": "VARCHAR",
        "card_id": "VARCHAR",
        "card_version": "VARCHAR",
        "fingerprint": "VARCHAR",
        "act": "VARCHAR",
        "reason_code": "VARCHAR",
        "comment": "VARCHAR",
        "reviewer": "VARCHAR",
        "data": "JSON",
    },
    "watermarks": {"source": "VARCHAR", "bytes": "BIGINT", "records": "BIGINT"},
}
"""All tables, column by column. ``decisions.position`` is the record's place in the journal. A watermark says how much
of a source file the ledger has taken in: its size in bytes then, and its whole records."""


def _create(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    columns = ", ".join(f"{column} {kind}" for column, kind in TABLES[name].items())
    connection.execute(f"create table if not exists {name} ({columns})")


def _create_all(connection: duckdb.DuckDBPyConnection) -> None:
    for name in TABLES:
        _create(connection, name)
    states = " ".join(f"when '{act}' then '{state}'" for act, state in RESULT.items())
    connection.execute(
        f"""create view card_state as
        select card_id, case act {states} end as state, count(*) over (partition by card_id) as decisions
        from decisions
        qualify row_number() over (partition by card_id order by position desc) = 1"""  # noqa: S608 - our own words
    )


def _add_failures(connection: duckdb.DuckDBPyConnection) -> None:
    _create(connection, "failures")


MIGRATIONS: tuple[Migration, ...] = (_create_all, _add_failures)
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
