"""Which cards a person means by the ids they give, whole or shortened: many at once, without what they came from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import duckdb

from review_agent.counting import counted
from review_agent.errors import RecordError, UsageError
from review_agent.journal import Journal, fault
from review_agent.ledger.intake import Told
from review_agent.ledger.rows import run_rows
from review_agent.runlog import read_events
from review_agent.vocabulary import CardState

__all__ = ["Listed", "Named", "alike", "named", "named_in_logs"]

_SHORT = 12


@dataclass(frozen=True)
class Named:
    """A card as wire data, as its newest run has it, and the base path of its file (its path where it is new)."""

    card: dict[str, Any]
    path: str


def named(connection: duckdb.DuckDBPyConnection, prefixes: Sequence[str]) -> list[Named | UsageError]:
    """The one card that each prefix means, or why it means none; samples of the blind audit are cards, too."""
    ids = _ids(connection, prefixes)
    cards = _cards(connection, [found[0] for found in ids.values() if len(found) == 1])
    meant = ((one, ids.get(one, [])) for one in prefixes)
    return [cards[found[0]] if len(found) == 1 else refused(one, found) for one, found in meant]


@dataclass(frozen=True)
class Listed:
    """A card as it stood when it was listed: its version, and the latest decision on it (null: none)."""

    card_id: str
    card_version: str
    decision: str | None


def alike(
    connection: duckdb.DuckDBPyConnection,
    states: Sequence[CardState],
    *,
    rule: str | None = None,
    fingerprint: str | None = None,
    batch: str | None = None,
) -> list[Listed]:
    """The cards in one of the states that are of a rule, a fingerprint or a bulk act, those of the newest run
    first. Fingerprint and batch may be shortened."""
    rows = connection.execute(
        f"""with prints as (select card_id, fingerprint from cards
            union select card_id, data->>'$.card.fingerprint' from samples),
        last as (select card_id, arg_max(decision_id, position) as decision_id from decisions group by card_id)
        select shown.card_id, coalesce(cards.data->>'$.cardVersion', s.data->>'$.card.cardVersion'), decision_id
        from shown left join card_state using (card_id) left join last using (card_id)
        left join cards on cards.run_file = shown.run_file and cards.card_id = shown.card_id
        left join samples s on cards.card_id is null and s.run_file = shown.run_file and s.card_id = shown.card_id
        where coalesce(state, '{CardState.HIDDEN}') in (select unnest($states))
        and ($rule is null or shown.rule = $rule)
        and ($fingerprint is null or shown.card_id in
            (select card_id from prints where starts_with(fingerprint, $fingerprint)))
        and ($batch is null or shown.card_id in (select card_id from decisions where starts_with(batch, $batch)))
        order by shown.run_file desc, cards.position nulls last, shown.card_id""",  # noqa: S608 - our own words
        {"states": [str(one) for one in states], "rule": rule, "fingerprint": fingerprint, "batch": batch},
    ).fetchall()
    return list(dict.fromkeys(Listed(*row) for row in rows))


def refused(prefix: str, ids: Sequence[str]) -> UsageError:
    """What is wrong with a prefix that means these cards: none or several."""
    if not ids:
        return UsageError(f"there is no card {prefix!r}", hint="`review-agent cards list` shows the cards there are")
    names = ", ".join(one[:_SHORT] for one in ids[:5])
    return UsageError(
        f"{prefix!r} means {counted(len(ids), 'card')}: {names}", hint="give more characters of the card's id"
    )


def named_in_logs(runs_dir: Path, journal: Journal, prefixes: Sequence[str], told: Told) -> list[Named | UsageError]:
    """What ``named`` gives, from run logs and journal as they are. Only logs that hold such an id are read whole."""
    wanted = re.compile(b'"cardId":"((?:%s)[0-9a-f]*)"' % b"|".join(_safe(one) for one in prefixes if one))
    cards: dict[str, Named] = {}
    for path in sorted(runs_dir.glob("*.jsonl"), reverse=True):
        try:
            if wanted.search(path.read_bytes()):
                cards = {**_cards_of(path), **cards}
        except (RecordError, OSError) as error:
            told.leave_out(path.name, error)
    for record in journal.naming([_safe(one).decode() for one in prefixes]):
        if record.get("kind") == "sample" and not fault(record):
            card = record["card"]
            cards.setdefault(card["cardId"], Named(card, card["diffAnchor"]["path"]))
    found = ([one for one in cards if prefix and one.startswith(prefix)] for prefix in prefixes)
    return [
        cards[ids[0]] if len(ids) == 1 else cards[prefix] if prefix in ids else refused(prefix, ids)
        for prefix, ids in zip(prefixes, found, strict=True)
    ]


def _cards_of(path: Path) -> dict[str, Named]:
    """The cards of one run log. Raises RecordError or OSError where it cannot be read."""
    rows = run_rows(path.name, list(read_events(path)))
    hunks = {row["hunk_id"]: row["data"]["oldPath"] for row in rows.get("hunks", ())}
    of_question = {row["question_id"]: hunks.get(row["hunk_id"]) for row in rows.get("questions", ())}
    return {
        row["card_id"]: Named(row["data"], of_question.get(row["question_id"]) or row["path"])
        for row in rows.get("cards", ())
    }


def _safe(prefix: str) -> bytes:
    """A prefix that ids can begin with; what holds anything else is none, and stands for no id."""
    return prefix.encode() if re.fullmatch(r"[0-9a-f]+", prefix) else b"none"


def _ids(connection: duckdb.DuckDBPyConnection, prefixes: Sequence[str]) -> dict[str, list[str]]:
    """The ids that begin with each prefix. A whole id is looked up, so that many of them take no longer than one."""
    whole = connection.execute(
        "select card_id from shown where card_id in (select unnest($prefixes)) order by all",
        {"prefixes": list(prefixes)},
    ).fetchall()
    found = {card_id: [card_id] for (card_id,) in whole}
    cut = sorted({one for one in prefixes if one and one not in found})
    if not cut:
        return found
    rows = connection.execute(
        """select prefix, card_id from (select unnest($cut) as prefix) join shown on starts_with(card_id, prefix)
        order by all""",
        {"cut": cut},
    ).fetchall()
    for prefix, card_id in rows:
        found.setdefault(prefix, []).append(card_id)
    return found


def _cards(connection: duckdb.DuckDBPyConnection, ids: Sequence[str]) -> dict[str, Named]:
    """The cards by id, from the newest run that shows each."""
    newest = connection.execute(
        "select card_id, run_file from shown where card_id in (select unnest($ids))", {"ids": list(ids)}
    ).fetchall()
    runs: dict[str, str] = dict(newest)
    look = partial(_rows, connection, sorted(set(runs.values())))
    cards = look("samples", "card_id", "question_id", "data->'$.card'", ids) | look(
        "cards", "card_id", "question_id", "data", ids
    )
    hunks = look("questions", "question_id", "hunk_id", "null", {question for question, _ in cards.values()})
    files = look("hunks", "hunk_id", "data->>'oldPath'", "null", {hunk for hunk, _ in hunks.values()})
    found = {}
    for card_id, run in runs.items():
        question_id, data = cards[run, card_id]
        card = json.loads(data)
        hunk, _ = hunks.get((run, question_id), ("", None))
        path, _ = files.get((run, hunk), (None, None))
        found[card_id] = Named(card, path or card["diffAnchor"]["path"])
    return found


def _rows(
    connection: duckdb.DuckDBPyConnection,
    runs: Sequence[str],
    table: str,
    key: str,
    one: str,
    two: str,
    keys: Iterable[str],
) -> dict[tuple[str, str], tuple[Any, Any]]:
    """Two columns of the rows of these runs by run and key. Joined to one another, the tables would be read whole."""
    found = connection.execute(
        f"""select run_file, {key}, {one}, {two} from {table}
        where run_file in (select unnest($runs)) and {key} in (select unnest($keys))""",  # noqa: S608 - our own words
        {"runs": list(runs), "keys": sorted(keys)},
    ).fetchall()
    return {(run, name): (first, second) for run, name, first, second in found}
