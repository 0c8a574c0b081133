"""What the ledger answers of what has been: one run's account and timeline, decisions, replays."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import duckdb

from review_agent.errors import UsageError
from review_agent.ledger.reading import RUN, RunRow
from review_agent.ledger.spending import ModelSpend, calls_by_model

__all__ = [
    "AttemptRow",
    "DecisionPage",
    "DecisionRow",
    "PhaseRow",
    "RunDetail",
    "decision_page",
    "replay_list",
    "run_detail",
]


@dataclass(frozen=True)
class PhaseRow:
    """One phase of one attempt. ``endedAt`` is null where it was cut; ``events`` counts what it wrote."""

    phase: str
    started_at: str
    ended_at: str | None
    events: int


@dataclass(frozen=True)
class AttemptRow:
    """One attempt, from its first event to its last, with its phases in order."""

    attempt: str
    started_at: str
    last_at: str
    phases: tuple[PhaseRow, ...]


@dataclass(frozen=True)
class RunDetail:
    """One run's account. Lists hold wire data in the order of the run; what is unknown is null.

    ``coverage`` and ``spend`` are null for a run that has not ended. ``outcomes`` counts by name: cards, noFindings,
    rejections, unanswered, suppressed, skipped. ``spent``: of each question {questionId, kind, rule, path, spent,
    leftOut}. ``refusals``: searches that were refused or failed, as {questionId, status, query, note}. ``calls``: those
    to models, by model; empty where none was asked.
    """

    run: RunRow
    product: str
    policy_source: str
    options: dict[str, Any]
    coverage: dict[str, Any] | None
    spend: dict[str, Any] | None
    outcomes: dict[str, int]
    spent: list[dict[str, Any]]
    refusals: list[dict[str, Any]]
    unanswered: list[dict[str, Any]]
    failed_files: list[dict[str, Any]]
    failures: list[dict[str, Any]]
    timeline: list[AttemptRow]
    calls: tuple[ModelSpend, ...]


@dataclass(frozen=True)
class DecisionRow:
    """One decision as wire data, and of its card {claim, path, line, severity, changeKind, rule}; null where it is
    not in the ledger."""

    decision: dict[str, Any]
    card: dict[str, Any] | None


@dataclass(frozen=True)
class DecisionPage:
    """Decisions of one page, newest first, and how many there are in all."""

    rows: list[DecisionRow]
    total: int


def run_detail(connection: duckdb.DuckDBPyConnection, name: str) -> RunDetail:
    row = connection.execute(
        f"""select {RUN}, product, policy_source, options, coverage, spend from runs
        where starts_with(run_file, $name) or starts_with(review_id, $name) order by run_file desc limit 1""",  # noqa: S608
        {"name": name},
    ).fetchone()
    if row is None or not name:
        raise UsageError(f"there is no run {name!r}", hint="`review-agent review` makes one")
    *of_run, product, source, options, coverage, spend = row
    run = RunRow(*of_run)
    return RunDetail(
        run=run,
        product=product,
        policy_source=source,
        options=_parsed(options) or {},
        coverage=_parsed(coverage),
        spend=_parsed(spend),
        outcomes={name: _count(connection, table, run.run_file) for name, table in _OUTCOMES.items()},
        spent=_spent(connection, run.run_file),
        refusals=_refusals(connection, run.run_file),
        unanswered=[_parsed(data) for (data,) in _rows(connection, "unanswered", "data", run.run_file)],
        failed_files=_named(connection, "failed_files", ("path", "detail"), run.run_file),
        failures=_named(connection, "failures", ("what", "name", "path", "detail"), run.run_file),
        timeline=_timeline(connection, run.run_file),
        calls=calls_by_model(connection, run.run_file),
    )


def decision_page(connection: duckdb.DuckDBPyConnection, *, limit: int, offset: int) -> DecisionPage:
    rows = connection.execute(
        """select d.data, any_value(to_json(struct_pack(claim := c.claim, path := c.path, line := c.line,
            severity := c.severity, changeKind := c.change_kind, rule := c.rule)))
                filter (c.card_id is not null)
        from (from decisions order by position desc limit $limit offset $offset) d
            left join cards c on c.card_id = d.card_id and c.card_version = d.card_version
        group by d.position, d.data order by d.position desc""",
        {"limit": limit, "offset": offset},
    ).fetchall()
    total = connection.execute("select count(*) from decisions").fetchone()
    return DecisionPage([DecisionRow(_parsed(data), _parsed(card)) for data, card in rows], total[0] if total else 0)


def replay_list(connection: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    rows = connection.execute("select data from replays order by position desc").fetchall()
    return [json.loads(data) for (data,) in rows]


_OUTCOMES = {
    "cards": "cards",
    "noFindings": "no_findings",
    "rejections": "rejections",
    "unanswered": "unanswered",
    "suppressed": "suppressed",
    "skipped": "skipped",
}


def _parsed(text: str | None) -> Any:
    return None if text is None else json.loads(text)


def _rows(connection: duckdb.DuckDBPyConnection, table: str, columns: str, run_file: str) -> list[tuple[Any, ...]]:
    return connection.execute(
        f"select {columns} from {table} where run_file = ? order by position",  # noqa: S608 - our own names
        [run_file],
    ).fetchall()


def _named(
    connection: duckdb.DuckDBPyConnection, table: str, columns: tuple[str, ...], run_file: str
) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in _rows(connection, table, ", ".join(columns), run_file)]


def _count(connection: duckdb.DuckDBPyConnection, table: str, run_file: str) -> int:
    row = connection.execute(f"select count(*) from {table} where run_file = ?", [run_file]).fetchone()  # noqa: S608
    return int(row[0]) if row else 0


def _spent(connection: duckdb.DuckDBPyConnection, run_file: str) -> list[dict[str, Any]]:
    rows = connection.execute(
        """select question_id, kind, rule, path, spent, left_out
        from bundles join questions using (run_file, question_id) where run_file = ? order by bundles.position""",
        [run_file],
    ).fetchall()
    names = ("questionId", "kind", "rule", "path", "spent", "leftOut")
    return [dict(zip(names, (*row, _parsed(spent), _parsed(left_out)), strict=True)) for *row, spent, left_out in rows]


def _refusals(connection: duckdb.DuckDBPyConnection, run_file: str) -> list[dict[str, Any]]:
    rows = connection.execute(
        """select question_id, status, data->'$.query', data->>'$.note' from queries
        where run_file = ? and status in ('refused', 'failed') order by position""",
        [run_file],
    ).fetchall()
    return [
        {"questionId": question, "status": status, "query": _parsed(query), "note": note}
        for question, status, query, note in rows
    ]


def _timeline(connection: duckdb.DuckDBPyConnection, run_file: str) -> list[AttemptRow]:
    phases = _rows(connection, "phases", "attempt, phase, started_at, ended_at, events", run_file)
    return [
        AttemptRow(attempt, started, last, tuple(PhaseRow(*phase) for of, *phase in phases if of == attempt))
        for attempt, started, last in _rows(connection, "attempts", "attempt, started_at, last_at", run_file)
    ]
