"""What the ledger answers of runs and of single cards, read from an open connection."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb

from review_agent.counting import counted
from review_agent.errors import RecordError, UsageError
from review_agent.ledger.shown import newest
from review_agent.vocabulary import CardState

__all__ = [
    "RUN",
    "UNREACHED",
    "CardDetail",
    "CardRow",
    "RunRow",
    "card_detail",
    "card_rows",
    "of_rows",
    "only",
    "run_list",
]

RUN = "review_id, run_file, engine, policy_hash, base, head, merge_base, chosen, status, started_at, ended_at, attempts"
"""The columns of a RunRow, in order."""
UNREACHED = """select unnest(from_json(displaced, '["VARCHAR"]')) as card_id
    from displaced where position = (select max(position) from displaced
        where day = strftime(now() at time zone 'UTC', '%Y-%m-%d'))"""
"""The cards that today's record of the reviewer minutes names as not reached; days are of UTC."""
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
    """One card: its wire data, its current state, the newest run that has it, and how many decisions it has had.

    ``owners``: by CODEOWNERS, null where they are unknown. ``displaced``: today's record of the reviewer minutes
    names it as not reached. ``audit``: what kept a sample of the blind audit silent; null for a card, and for a sample
    until it has been decided on.
    """

    card: dict[str, Any]
    state: CardState
    run: RunRow
    decisions: int
    owners: tuple[str, ...] | None = None
    displaced: bool = False
    audit: str | None = None


@dataclass(frozen=True)
class CardDetail:
    """A card with what it came from, as wire data, and its decisions, oldest first.

    ``earlier``: the decisions on other cards of the same fingerprint, oldest first.
    """

    row: CardRow
    question: dict[str, Any]
    bundle: dict[str, Any]
    hunk: dict[str, Any]
    decisions: list[dict[str, Any]] = field(default_factory=list)
    earlier: list[dict[str, Any]] = field(default_factory=list)


def run_list(connection: duckdb.DuckDBPyConnection) -> list[RunRow]:
    rows = connection.execute(f"select {RUN} from runs order by run_file desc").fetchall()  # noqa: S608
    return [RunRow(*row) for row in rows]


def card_rows(
    connection: duckdb.DuckDBPyConnection,
    *,
    state: CardState | None = None,
    run: str | None = None,
    prefix: str = "",
) -> list[CardRow]:
    """The newest row of each card, newest run first; samples of the blind audit are among them."""
    chosen = newest("starts_with(run_file, $run) or starts_with(review_id, $run)") if run else "from shown"
    keys = connection.execute(
        f"""select s.card_id, run_file, source from ({chosen}) s left join cards using (run_file, card_id)
        where starts_with(s.card_id, $prefix) order by run_file desc, cards.position nulls last, s.card_id""",  # noqa: S608
        {"prefix": prefix} | ({"run": run} if run else {}),
    ).fetchall()
    cards = of_rows(connection, keys)
    return [card for card in cards if state in (None, card.state)]


def of_rows(connection: duckdb.DuckDBPyConnection, keys: Sequence[tuple[str, str, str | None]]) -> list[CardRow]:
    """The rows of cards, given as card id, run file and (for a sample) source, in the order given."""
    data = _card_data(connection, keys)
    of_runs = _where_in(connection, "from runs", RUN, "run_file", [key[1] for key in keys])
    runs = {row[1]: RunRow(*row) for row in of_runs}
    ids = [key[0] for key in keys]
    of_states = _where_in(connection, "from card_state", "card_id, decisions, state", "card_id", ids)
    states = {row[0]: row[1:] for row in of_states}
    displaced = _displaced(connection, ids)
    found = []
    for card_id, run_file, source in keys:
        decisions, state = states.get(card_id, (0, CardState.HIDDEN))
        audit = source if decisions else None
        card = json.loads(data[card_id, run_file, source])
        row = CardRow(card, CardState(state), runs[run_file], decisions, None, card_id in displaced, audit)
        found.append(row)
    return found


def only(rows: Sequence[CardRow], prefix: str) -> CardRow:
    if not rows or not prefix:
        raise UsageError(f"there is no card {prefix!r}", hint="`review-agent cards list` shows the cards there are")
    if len(rows) > 1:
        names = ", ".join(row.card["cardId"][:_SHORT] for row in rows[:5])
        raise UsageError(
            f"{prefix!r} means {counted(len(rows), 'card')}: {names}", hint="give more characters of the card's id"
        )
    return rows[0]


def card_detail(connection: duckdb.DuckDBPyConnection, row: CardRow) -> CardDetail:
    key = [row.run.run_file, row.card["questionId"]]
    question = _one(connection, "questions", "question_id", key)
    hunk = _one(connection, "hunks", "hunk_id", [key[0], question["hunkId"]])
    of_card = [row.card["cardId"]]
    decisions = _texts(connection, "from decisions where card_id = ?", of_card)
    earlier = _texts(
        connection, "from decisions where fingerprint = ? and card_id != ?", [row.card["fingerprint"], *of_card]
    )
    return CardDetail(row, question, _bundle(connection, key), hunk, decisions, earlier)


def _card_data(
    connection: duckdb.DuckDBPyConnection, keys: Sequence[tuple[str, str, str | None]]
) -> dict[tuple[str, str, str | None], str]:
    ids = [key[0] for key in keys]
    cards = _where_in(connection, "from cards", "card_id, run_file, null, data", "card_id", ids)
    samples = _where_in(connection, "from samples", "card_id, run_file, source, data->'$.card'", "card_id", ids)
    return {(card_id, run_file, source): data for card_id, run_file, source, data in [*cards, *samples]}


def _displaced(connection: duckdb.DuckDBPyConnection, ids: Sequence[str]) -> frozenset[str]:
    """Those of the cards that today's record of the reviewer minutes names as not reached."""
    rows = connection.execute(
        f"select card_id from ({UNREACHED}) where card_id in (select unnest(?))",  # noqa: S608 - our own words
        [list(ids)],
    ).fetchall()
    return frozenset(card_id for (card_id,) in rows)


def _where_in(
    connection: duckdb.DuckDBPyConnection, table: str, columns: str, key: str, values: Sequence[str]
) -> list[tuple[Any, ...]]:
    return connection.execute(
        f"select {columns} {table} where {key} in (select unnest(?))",
        [sorted(set(values))],
    ).fetchall()


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
    return _texts(connection, f"from {table} where run_file = ? and {column} = ?", key)


def _texts(connection: duckdb.DuckDBPyConnection, clause: str, values: Sequence[Any]) -> list[dict[str, Any]]:
    rows = connection.execute(f"select data {clause} order by position", values).fetchall()
    return [json.loads(data) for (data,) in rows]
