"""How good the reviews are, as far as it is known: what people decided, what evidence was had, what replays gave.

docs/metrics.md defines every figure. What is unknown is null and never zero: a rate of nothing, a cost that no engine
told, a recall that no replay measured. Intervals are Wilson's at 95%.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from pydantic import Field

from review_agent.ledger.measures import Audit, Measures
from review_agent.ledger.store import Ledger
from review_agent.rates import Rate, rate
from review_agent.vocabulary import Record, Severity

__all__ = ["OUTSIDE", "Acceptance", "Audited", "Cost", "LayerReasons", "Metrics", "Recall", "measured"]

METRICS_VERSION = "1.0"

OUTSIDE = ("pre_existing", "wrong_anchor")
"""Reason codes that say a card is not about what the change did: scope inflation."""


class Acceptance(Record):
    """``accepted``: of the judged cards those that people accepted. ``undecided`` stand beside, in no rate."""

    severity: Severity
    accepted: Rate
    undecided: int


class LayerReasons(Record):
    """Rejections whose reason puts one layer at fault, by reason code; layer ``unknown`` where none was recorded."""

    layer: str
    rejections: int
    codes: dict[str, int]


class Recall(Record):
    """The newest replay on cases whose answer is known. ``found``: of the defects; ``silent``: of the clean halves."""

    replay_id: str
    at: str
    engine: str
    product: str
    found: Rate
    silent: Rate
    failed: int
    misses_by_layer: dict[str, int]


class Audited(Record):
    """What one source kept silent, by the blind audit.

    ``wrongly``: of the samples decided on, those that people accepted. ``estimate``: so many silenced outcomes should
    have been shown, each accepted sample standing for 1/share of them, scaled up for samples not decided on yet.
    """

    source: str
    silenced: int
    drawn: int
    wrongly: Rate
    estimate: float | None


class Cost(Record):
    """``usd``: over the runs whose cost is known, null where none is; ``unknownRuns``: the others."""

    usd: float | None
    unknown_runs: int


class Metrics(Record):
    """All figures since a moment (UTC, ISO 8601; null: since ever)."""

    schema_version: str
    since: str | None
    runs: int
    incomplete_runs: int = Field(description="runs that ended incomplete, or have not ended")
    accepted: Rate = Field(description="of all judged cards")
    undecided: int
    acceptance: tuple[Acceptance, ...]
    evidence: Rate = Field(description="of the questions with searches, those whose searches were all answered whole")
    scope_inflation: Rate = Field(description="of all judged cards, those rejected as not about what the change did")
    reasons: tuple[LayerReasons, ...]
    recall: Recall | None
    audit: tuple[Audited, ...]
    seconds_to_decide: float | None = Field(description="median from first view to decision, where it is known")
    timed_decisions: int
    cost: Cost


def measured(ledger: Ledger, since: str | None = None) -> Metrics:
    """The metrics of a ledger. ``since`` (UTC, ISO 8601) takes decisions, runs, samples and replays from then on.

    Raises RecordError where the ledger cannot be read.
    """
    counts = ledger.measures(since, OUTSIDE)
    judged = sum(of for _, _, of, _ in counts.judged)
    return Metrics(
        schema_version=METRICS_VERSION,
        since=since,
        runs=counts.runs,
        incomplete_runs=counts.incomplete,
        accepted=rate(sum(accepted for _, accepted, _, _ in counts.judged), judged),
        undecided=sum(undecided for *_, undecided in counts.judged),
        acceptance=_acceptance(counts),
        evidence=rate(counts.answered, counts.questions),
        scope_inflation=rate(counts.outside, judged),
        reasons=_reasons(counts.reasons),
        recall=_recall(counts),
        audit=tuple(_audited(one) for one in counts.audits),
        seconds_to_decide=counts.seconds,
        timed_decisions=counts.timed,
        cost=Cost(usd=counts.cost, unknown_runs=counts.cost_unknown),
    )


def _acceptance(counts: Measures) -> tuple[Acceptance, ...]:
    by_severity = {severity: (accepted, of, undecided) for severity, accepted, of, undecided in counts.judged}
    rows = ((severity, *by_severity.get(severity, (0, 0, 0))) for severity in Severity)
    return tuple(
        Acceptance(severity=severity, accepted=rate(accepted, of), undecided=undecided)
        for severity, accepted, of, undecided in rows
    )


def _reasons(found: Iterable[tuple[str, str, int]]) -> tuple[LayerReasons, ...]:
    layers: dict[str, dict[str, int]] = defaultdict(dict)
    for layer, code, count in found:
        layers[layer][code] = count
    ranked = sorted(layers.items(), key=lambda one: (-sum(one[1].values()), one[0]))
    return tuple(LayerReasons(layer=layer, rejections=sum(codes.values()), codes=codes) for layer, codes in ranked)


def _recall(counts: Measures) -> Recall | None:
    found = counts.replay
    if found is None:
        return None
    return Recall(
        replay_id=found["replayId"],
        at=found["at"],
        engine=found["engine"],
        product=found["product"],
        found=rate(found["found"], found["defects"]),
        silent=rate(found["silent"], found["clean"]),
        failed=found["failed"],
        misses_by_layer=dict(sorted(Counter(half["layer"] for half in found["halves"] if half["layer"]).items())),
    )


def _audited(found: Audit) -> Audited:
    estimate = round(found.weight * found.drawn / found.decided, 1) if found.decided else None
    return Audited(
        source=found.source,
        silenced=found.silenced,
        drawn=found.drawn,
        wrongly=rate(found.accepted, found.decided),
        estimate=estimate,
    )
