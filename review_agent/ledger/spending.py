"""What a run's calls to models came to, by model."""

from __future__ import annotations

from dataclasses import dataclass

import duckdb

__all__ = ["ModelSpend", "calls_by_model"]


@dataclass(frozen=True)
class ModelSpend:
    """The calls of one model in one run.

    Tokens and cost are sums of what is known, null where nothing is. ``unmetered`` and ``unpriced`` count the calls
    whose tokens, and whose cost, nobody told: the true sums are higher by theirs. ``cached`` is a part of ``prompt``
    tokens; it is known of ``prompt_metered`` of them, the prompt tokens of the calls whose server tells it. ``errors``
    counts by name. Milliseconds are until a reply was whole; null where no call was timed.
    """

    model: str
    calls: int
    requests: int
    errors: dict[str, int]
    prompt_tokens: int | None
    completion_tokens: int | None
    cached_tokens: int | None
    prompt_metered: int | None
    cost_usd: float | None
    unmetered: int
    unpriced: int
    median_ms: float | None
    longest_ms: int | None


def calls_by_model(connection: duckdb.DuckDBPyConnection, run_file: str) -> tuple[ModelSpend, ...]:
    """One entry a model, the one that was called most first."""
    rows = connection.execute(
        """select model, count(*)::bigint, count(distinct request_id)::bigint,
            sum(prompt_tokens)::bigint, sum(completion_tokens)::bigint, sum(cached_tokens)::bigint,
            sum(prompt_tokens) filter (cached_tokens is not null)::bigint, sum(cost_usd),
            count(*) filter (prompt_tokens is null or completion_tokens is null)::bigint,
            count(*) filter (cost_usd is null)::bigint, median(milliseconds), max(milliseconds)
        from calls where run_file = ? group by model order by count(*) desc, model""",
        [run_file],
    ).fetchall()
    errors = _errors(connection, run_file)
    return tuple(ModelSpend(model, calls, of, errors.get(model, {}), *rest) for model, calls, of, *rest in rows)


def _errors(connection: duckdb.DuckDBPyConnection, run_file: str) -> dict[str, dict[str, int]]:
    rows = connection.execute(
        """select model, error, count(*)::bigint from calls where run_file = ? and error is not null
        group by model, error order by model, count(*) desc, error""",
        [run_file],
    ).fetchall()
    found: dict[str, dict[str, int]] = {}
    for model, error, count in rows:
        found.setdefault(model, {})[error] = count
    return found
