"""What the ledger answers: runs and cards, read from an open connection."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb

from review_agent.errors import RecordError, UsageError
from review_agent.vocabulary import CardState

__all__ = ["CardDetail", "CardRow", "RunRow", "card_detail", "card_rows", "only", "run_list"]

_RUN = (
    "review_id, run_file, engine, policy_hash, base, head, merge_base, chosen, status, started_at, ended_at, attempts"
)
_SHORT = 12


@dataclass(frozen=True)
class RunRow:
    """One run. ``status`` is null while it runs or after a kill; times are UTC, ISO 8601."""

    review_id: str
    run_file: str
    engine: str
    policy_hash: str
    base: str
    head: str
    merge_base: str
    chosen: str | None
    status: str | None
    started_at: str
    ended_at: str | None
    attempts: int


@dataclass(frozen=True)
class CardRow:
    """One card: its wire data, its current state, the newest run that has it, and how many decisions it has had."""

    card: dict[str, Any]
    state: CardState
    run: RunRow
    decisions: int


@dataclass(frozen=True)
class CardDetail:
    """A card with what it came from, as wire data, and its decisions, oldest first."""

    row: CardRow
    question: dict[str, Any]
    bundle: dict[str, Any]
    hunk: dict[str, Any]
    decisions: list[dict[str, Any]] = field(default_factory=list)


def run_list(connection: duckdb.DuckDBPyConnection) -> list[RunRow]:
    rows = connection.execute(f"select {_RUN} from runs order by run_file desc").fetchall()  # noqa: S608
    return [RunRow(*row) for row in rows]


def card_rows(
    connection: duckdb.DuckDBPyConnection,
    *,
    state: CardState | None = None,
    run: str | None = None,
    prefix: str = "",
) -> list[CardRow]:
    rows = connection.execute(
        f"""select c.data, coalesce(s.state, 'hidden'), coalesce(s.decisions, 0), {_RUN}
        from cards c join runs r using (run_file) left join card_state s using (card_id)
        where starts_with(card_id, $prefix) and (starts_with(run_file, $run) or starts_with(review_id, $run))
        qualify row_number() over (partition by card_id order by run_file desc) = 1
        order by run_file desc, c.position""",  # noqa: S608 - our own names
        {"prefix": prefix, "run": run or ""},
    ).fetchall()
    cards = [CardRow(json.loads(data), CardState(now), RunRow(*rest), count) for data, now, count, *rest in rows]
    return [card for card in cards if state in (None, card.state)]


def only(rows: Sequence[CardRow], prefix: str) -> CardRow:
    if not rows or not prefix:
        raise UsageError(f"there is no card {prefix!r}", hint="`review-agent cards list` shows the cards there are")
    if len(rows) > 1:
        names = ", ".join(row.card["cardId"][:_SHORT] for row in rows[:5])
        raise UsageError(f"{prefix!r} means {len(rows)} cards: {names}", hint="give more characters of the card's id")
    return rows[0]


def card_detail(connection: duckdb.DuckDBPyConnection, row: CardRow) -> CardDetail:
    key = [row.run.run_file, row.card["questionId"]]
    question = _one(connection, "questions", "question_id", key)
    hunk = _one(connection, "hunks", "hunk_id", [key[0], question["hunkId"]])
    decisions = connection.execute(
        "select data from decisions where card_id = ? order by position", [row.card["cardId"]]
    ).fetchall()
    return CardDetail(row, question, _bundle(connection, key), hunk, [json.loads(data) for (data,) in decisions])


def _bundle(connection: duckdb.DuckDBPyConnection, key: list[str]) -> dict[str, Any]:
    rest = connection.execute(
        "select left_out, spent from bundles where run_file = ? and question_id = ?", key
    ).fetchone()
    if rest is None:
        raise _lacks("bundles", key)
    return {
        "questionId": key[1],
        "evidence": _data(connection, "evidence", "question_id", key),
        "queries": _data(connection, "queries", "question_id", key),
        "leftOut": json.loads(rest[0]),
        "spent": json.loads(rest[1]),
    }


def _one(connection: duckdb.DuckDBPyConnection, table: str, column: str, key: list[str]) -> dict[str, Any]:
    found = _data(connection, table, column, key)
    if not found:
        raise _lacks(table, key)
    return found[0]


def _lacks(table: str, key: list[str]) -> RecordError:
    return RecordError(f"the run log has no record among its {table} for {key[1]}", where=key[0], hint="was it edited?")


def _data(connection: duckdb.DuckDBPyConnection, table: str, column: str, key: list[str]) -> list[dict[str, Any]]:
    rows = connection.execute(
        f"select data from {table} where run_file = ? and {column} = ? order by position",  # noqa: S608 - our own names
        key,
    ).fetchall()
    return [json.loads(data) for (data,) in rows]
