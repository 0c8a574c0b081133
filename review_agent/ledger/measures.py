"""The counts that metrics are made of, read from an open connection. No rate is taken here."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import duckdb

from review_agent.ledger.shown import SPOKEN

__all__ = ["Audit", "Measures", "measures"]


@dataclass(frozen=True)
class Audit:
    """Of what one source kept silent: how many that could be drawn, drawn, decided on, and found to be worth showing.

    ``weight``: the sum of 1/share over those worth showing, the number of silenced outcomes that they stand for.
    """

    source: str
    silenced: int
    drawn: int
    decided: int
    accepted: int
    weight: float


@dataclass(frozen=True)
class Measures:
    """Counts since a moment. ``judged``: (severity, accepted, judged, undecided). ``reasons``: (layer, code, count).

    ``seconds`` is the median from first view to decision, of ``timed`` acts: one on several cards is one, and those on
    samples of the blind audit are left out. ``cost`` is the sum over the runs
    whose cost is known, null where there is none.
    """

    runs: int
    incomplete: int
    cost: float | None
    cost_unknown: int
    judged: list[tuple[str, int, int, int]]
    questions: int
    answered: int
    reasons: list[tuple[str, str, int]]
    outside: int
    seconds: float | None
    timed: int
    replay: dict[str, Any] | None
    audits: list[Audit]


def measures(connection: duckdb.DuckDBPyConnection, since: str | None, outside: tuple[str, ...]) -> Measures:
    """``since``: UTC, ISO 8601. ``outside``: the reason codes that say a card is not about what the change did."""
    values = {"since": since or ""}
    runs, incomplete, cost, unknown = _row(connection, _RUNS, values)
    seconds, timed = _row(connection, _SECONDS, values)
    questions, answered = _row(connection, _EVIDENCE, values)
    reasons = connection.execute(f"{_JUDGED} {_REASONS}", values).fetchall()
    replay = connection.execute(_REPLAY, values).fetchone()
    return Measures(
        runs=runs,
        incomplete=incomplete,
        cost=cost,
        cost_unknown=unknown,
        judged=connection.execute(f"{_JUDGED} {_SEVERITIES}", values).fetchall(),
        questions=questions,
        answered=answered,
        reasons=reasons,
        outside=sum(count for _, code, count in reasons if code in outside),
        seconds=seconds,
        timed=timed,
        replay=json.loads(replay[0]) if replay else None,
        audits=[Audit(*row) for row in connection.execute(f"{_JUDGED} {_AUDITS}", values).fetchall()],
    )


def _row(connection: duckdb.DuckDBPyConnection, query: str, values: dict[str, str]) -> tuple[Any, ...]:
    row = connection.execute(query, values).fetchone()
    assert row is not None
    return row


# One run a review: that of the newest time it was run.
_NEWEST = "select max(run_file) as run_file from runs where started_at >= $since group by review_id"

_RUNS = """
select count(*), count(*) filter (status is distinct from 'complete'), sum((spend->>'$.costUsd')::double),
    count(*) filter (spend->>'$.costUsd' is null)
from runs where started_at >= $since"""

_SECONDS = """
select median(seconds), count(*) from (
    select any_value(seconds) as seconds from decisions anti join samples using (card_id)
    where seconds is not null and act in ('accept', 'reject') and decided_at >= $since
    group by coalesce(batch, decision_id)
)"""

_EVIDENCE = f"""
select count(*), count(*) filter (whole) from (
    select bool_and(status in ('answered', 'empty') and not coalesce(truncated, false)) as whole
    from queries semi join ({_NEWEST}) using (run_file) group by run_file, question_id
)"""  # noqa: S608 - our own words

_REPLAY = "select data from replays where replayed_at >= $since order by position desc limit 1"

_JUDGED = f"""
with {SPOKEN},
judged as (select *, verdict is null or decided_at >= $since as counts from spoken)"""  # noqa: S608 - our own words

_SEVERITIES = """
select severity, count(*) filter (verdict = 'accepted' and counts), count(*) filter (verdict is not null and counts),
    count(*) filter (verdict is null and started_at >= $since
        and coalesce(state, 'hidden') not in ('superseded', 'stale'))
from judged left join card_state using (card_id) where source is null group by severity"""

_REASONS = """
select coalesce(layer, 'unknown'), coalesce(reason_code, 'unknown'), count(*) from judged
where source is null and act = 'reject' and verdict = 'rejected' and counts group by all order by all"""

_AUDITS = f"""
, newest as ({_NEWEST}),
silenced as (
    select if(code = 'refuted', 'refuted', 'no_finding') as source from no_findings semi join newest using (run_file)
    where code in ('refuted', 'insufficient_evidence')
    union all select 'suppressed' from suppressed semi join newest using (run_file)
),
drawn as (
    select s.source, s.share, j.verdict from samples s left join judged j on j.card_id = s.card_id and j.counts
    where s.sampled_at >= $since
)
select source, (select count(*) from silenced where silenced.source = named.source),
    count(drawn.source), count(verdict), count(*) filter (verdict = 'accepted'),
    coalesce(sum(1 / share) filter (verdict = 'accepted'), 0)
from (values (1, 'no_finding'), (2, 'refuted'), (3, 'suppressed')) named (place, source)
left join drawn using (source) group by place, source order by place"""  # noqa: S608 - our own words
