"""The table ``shown``: what the queue filters and ranks by, one row a card, kept up with every intake."""

from __future__ import annotations

from collections.abc import Collection

import duckdb

__all__ = ["SPOKEN", "newest", "refresh", "touched"]

SPOKEN = """
last as (
    select card_id, arg_max(struct_pack(act := act, reason_code := reason_code, layer := layer, until := until,
        decided_at := decided_at), position) as said
    from decisions where act not in ('supersede', 'mark_stale') group by card_id
),
spoken as (
    select shown.*, said.act as act, said.reason_code as reason_code, said.layer as layer,
        said.decided_at as decided_at,
        case when said.until <= strftime(now() at time zone 'UTC', '%Y-%m-%d') then null
            when said.act in ('accept', 'downgrade') then 'accepted'
            when said.act in ('reject', 'revoke') then 'rejected' end as verdict
    from shown left join last using (card_id)
)"""
"""The rows of ``shown`` with what a person last said of each card, and the verdict (null: none stands) that it gives.

That a push overtook the card afterwards does not unsay it.
"""

_EVERY = """
    select card_id, run_file, rule, change_kind, severity, confidence, path, line, risk, null as source, claim
    from cards
    union all
    select card_id, run_file, data->>'$.card.rule', data->>'$.card.changeKind', data->>'$.card.severity',
        data->>'$.card.confidence', data->>'$.card.diffAnchor.path', (data->'$.card.diffAnchor.startLine')::bigint,
        (select max(risk) from questions q where q.run_file = samples.run_file and q.question_id = samples.question_id),
        source, data->>'$.card.claim'
    from samples"""


def touched(connection: duckdb.DuckDBPyConnection, run_files: Collection[str]) -> set[str]:
    """The ids of the cards, and of the samples, that these run logs have a say in just now."""
    rows = connection.execute(
        """select card_id from cards where run_file in (select unnest($files))
        union select card_id from samples where run_file in (select unnest($files))""",
        {"files": list(run_files)},
    ).fetchall()
    return {card_id for (card_id,) in rows}


def refresh(connection: duckdb.DuckDBPyConnection, ids: Collection[str] | None = None) -> None:
    """Makes the rows of these cards anew, of all cards where none are named."""
    chosen = "true" if ids is None else "card_id in (select unnest($ids))"
    values = {} if ids is None else {"ids": list(ids)}
    connection.execute(f"delete from shown where {chosen}", values)  # noqa: S608 - our own words
    connection.execute(f"insert into shown {newest(chosen)} order by run_file, card_id", values)


def newest(where: str) -> str:
    """The query for the rows of the cards that a condition on cards and their runs lets through."""
    return f"""select card_id, run_file, review_id, started_at, rule, change_kind, severity, confidence, path, line,
        risk, source, lower(concat_ws(' ', claim, path, rule, card_id)) as words
        from ({_EVERY}) join runs using (run_file)
        where {where}
        qualify row_number() over (partition by card_id order by source is null desc, run_file desc) = 1"""  # noqa: S608 - our own words
