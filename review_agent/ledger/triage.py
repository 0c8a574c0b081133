"""What a panel shows at one click: a page of the queue, and one card whole."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb

from review_agent.errors import RecordError
from review_agent.ledger.queue import OwnerOf, QueueFilter, QueuePage, queue_page
from review_agent.ledger.reading import CardDetail, CardRow, card_rows
from review_agent.ledger.shapes import whole_card

__all__ = ["Triage", "triage"]

Triage = tuple[QueuePage, CardDetail | RecordError | None]
"""The page, and the card; null where there is none, the error where its run log lacks a part or has it in another
shape."""


def triage(
    connection: duckdb.DuckDBPyConnection,
    wanted: QueueFilter,
    card: str,
    *,
    limit: int,
    offset: int,
    owner_of: OwnerOf | None,
) -> Triage:
    page = queue_page(connection, wanted, limit=limit, offset=offset, owner_of=owner_of)
    row = _chosen(connection, page.rows, card)
    try:
        return page, None if row is None else whole_card(connection, row)
    except RecordError as error:
        return page, error


def _chosen(connection: duckdb.DuckDBPyConnection, rows: Sequence[CardRow], prefix: str) -> CardRow | None:
    """The row of the page that the prefix means, else any card of the ledger, else the page's first."""
    found = [row for row in rows if str(row.card["cardId"]) == prefix]
    if not found and prefix:
        found = card_rows(connection, prefix=prefix)
    return found[0] if len(found) == 1 else next(iter(rows), None)
