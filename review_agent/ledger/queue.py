"""The queue: cards by a filter, ranked, page by page. Filtering, ranking and paging are DuckDB's work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import duckdb

from review_agent.errors import UsageError
from review_agent.ledger.reading import UNREACHED, CardRow, of_rows
from review_agent.ledger.shown import SPOKEN, newest
from review_agent.vocabulary import CardState, Severity

__all__ = ["NOBODY", "OwnerOf", "QueueFilter", "QueuePage", "queue_ids", "queue_page"]

OwnerOf = Callable[[str], tuple[str, ...]]
"""The owners of a path, as CODEOWNERS names them; none: nobody owns it."""

NOBODY = "nobody"
"""The owner to filter by for cards that nobody owns."""


@dataclass(frozen=True)
class QueueFilter:
    """What a card must be to stand in the queue. An empty filter of a kind lets all through.

    ``state``: only cards nobody has decided on, unless it says otherwise. ``owner``: names as CODEOWNERS has them, or
    ``nobody``. ``since`` and ``before``: when the card's run started, UTC, ISO 8601, the second exclusive. ``run``: the
    start of a run's file name or reviewId. ``text``: words that claim, path, rule or card id hold, in any case.
    ``displaced``: only (or none of) the cards that the reviewer minutes did not reach. ``order``: the queue's, or the
    newest run first and in it by severity and place.
    """

    severity: tuple[str, ...] = ()
    kind: tuple[str, ...] = ()
    owner: tuple[str, ...] = ()
    confidence: tuple[str, ...] = ()
    since: str | None = None
    before: str | None = None
    run: str = ""
    state: tuple[str, ...] = (CardState.HIDDEN,)
    text: str = ""
    displaced: bool | None = None
    order: Literal["queue", "newest"] = "queue"


@dataclass(frozen=True)
class QueuePage:
    """Rows of one page, and how many cards the filter lets through in all."""

    rows: list[CardRow]
    total: int


def queue_page(
    connection: duckdb.DuckDBPyConnection,
    wanted: QueueFilter,
    *,
    limit: int,
    offset: int,
    owner_of: OwnerOf | None = None,
) -> QueuePage:
    """Severity first, then the question's risk weighed with the share of its rule's cards accepted so far."""
    _check(wanted, owner_of)
    where, values = _conditions(wanted)
    source = _FROM_RUN if wanted.run else _FROM
    if owner_of is not None and wanted.owner:
        found = connection.execute(f"{source} select distinct path from standing where {where}", values)  # noqa: S608
        values["paths"] = [path for (path,) in found.fetchall() if _is_owned(owner_of(path), wanted.owner)]
        where += " and path in (select unnest($paths))"
    total = connection.execute(f"{source} select count(*) from standing where {where}", values).fetchone()  # noqa: S608
    count = total[0] if total else 0
    # The first so many of all are found by keeping no more than those: a page near the end is the first from there.
    last = max(min(limit, count - offset), 0)
    backwards = offset > count // 2
    skipped = max(count - offset - last, 0) if backwards else offset
    keys = connection.execute(
        f"""{source} select card_id, run_file, source
        from standing left join accepted using (rule) where {where}
        order by {_ordered(wanted.order, backwards=backwards)}
        limit {int(last)} offset {int(skipped)}""",  # noqa: S608 - our own words
        values,
    ).fetchall()
    rows = of_rows(connection, keys[::-1] if backwards else keys)
    if owner_of is not None:
        rows = [replace(row, owners=owner_of(row.card["diffAnchor"]["path"])) for row in rows]
    return QueuePage(rows, count)


def queue_ids(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """The ids of all cards that nobody has decided on, in the order of the queue."""
    where, values = _conditions(QueueFilter())
    keys = connection.execute(
        f"""{_FROM} select card_id from standing left join accepted using (rule) where {where}
        order by {_ordered("queue")}""",  # noqa: S608 - our own words
        values,
    ).fetchall()
    return [card_id for (card_id,) in keys]


_SEVERITY = "case severity " + " ".join(f"when '{one}' then {n}" for n, one in enumerate(Severity)) + " end"
_ORDER = {
    "queue": ((_SEVERITY, "asc"), ("coalesce(risk, 0) * coalesce(share, 0.5)", "desc"), ("run_file", "desc")),
    "newest": (("run_file", "desc"), (_SEVERITY, "asc")),
}
_TIES = (("path", "asc"), ("line", "asc"), ("card_id", "asc"))
_OTHER_WAY = {"asc": "desc nulls first", "desc": "asc nulls first"}


def _ordered(order: Literal["queue", "newest"], *, backwards: bool = False) -> str:
    """What follows ``order by``; backwards, the same rows come from the last to the first."""
    ways = _OTHER_WAY if backwards else {"asc": "asc nulls last", "desc": "desc nulls last"}
    return ", ".join(f"{what} {ways[way]}" for what, way in (*_ORDER[order], *_TIES))


_STANDING = f"""
{SPOKEN},
standing as (
    select s.*, coalesce(state, '{CardState.HIDDEN}') as state
    from chosen s left join card_state using (card_id)
),
accepted as (
    select rule, (count(*) filter (verdict = 'accepted') + 1) / (count(*) + 2) as share
    from spoken where source is null and verdict is not null group by rule
),
unreached as ({UNREACHED})"""  # noqa: S608 - our own words
_FROM = f"with chosen as (from shown), {_STANDING}"
_FROM_RUN = f"with chosen as ({newest('starts_with(run_file, $run) or starts_with(review_id, $run)')}), {_STANDING}"


def _check(wanted: QueueFilter, owner_of: OwnerOf | None) -> None:
    if wanted.owner and owner_of is None:
        raise UsageError(
            "owners are unknown here: there is no CODEOWNERS file to read",
            hint="run it in a clone whose head has .github/CODEOWNERS, or leave the owner out",
        )


def _conditions(wanted: QueueFilter) -> tuple[str, dict[str, Any]]:
    """The filter as a condition and the values it takes; ``owner`` is not part of it."""
    lists = {
        "severity": wanted.severity,
        "change_kind": wanted.kind,
        "confidence": wanted.confidence,
        "state": wanted.state,
    }
    said = [f"{column} in (select unnest(${column}))" for column, chosen in lists.items() if chosen]
    values: dict[str, Any] = {"run": wanted.run} if wanted.run else {}
    values |= {column: [str(one) for one in chosen] for column, chosen in lists.items() if chosen}
    for clause, name, value in (
        ("started_at >= $since", "since", wanted.since),
        ("started_at < $before", "before", wanted.before),
        ("contains(words, lower($text))", "text", wanted.text.strip()),
    ):
        if value:
            said.append(clause)
            values[name] = value
    if wanted.displaced is not None:
        said.append(f"card_id {'' if wanted.displaced else 'not'} in (select card_id from unreached)")  # noqa: S608
    return " and ".join(said) or "true", values


def _is_owned(owners: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    names = {one.casefold() for one in wanted}
    return NOBODY in names if not owners else any(owner.casefold() in names for owner in owners)
