"""A whole replay: what is kept from before is taken, the rest is reviewed in worker processes, all is reported."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from review_agent.engines.building import RULES, Wanted
from review_agent.policy.model import Policy
from review_agent.replay.drift import Baseline, Drift, baseline, drift
from review_agent.replay.engines import engine
from review_agent.replay.log import ReplayLog, opened
from review_agent.replay.marks import Undone, marked
from review_agent.replay.pool import SECONDS, Pool
from review_agent.replay.product import Identity, identify, key, source_digest
from review_agent.replay.records import HalfResult, Job
from review_agent.replay.report import ReplayReport, report
from review_agent.vocabulary import RunStatus

__all__ = ["Plan", "replay"]


def _silent(done: int, total: int, unit: str) -> None:
    """Nobody watches."""


@dataclass(frozen=True)
class Plan:
    """What to replay and with what. ``progress(done, total, unit)`` is told each half that ended.

    ``whole``: the jobs are all there are, so that a half of the baseline that is not among them is gone.
    """

    jobs: Sequence[Job]
    policy: Policy
    engine: Wanted
    state: Path
    processes: int = 1
    fresh: bool = False
    seconds: float = SECONDS
    progress: Callable[[int, int, str], None] = _silent
    undone: Undone = frozenset()
    against: Baseline | None = None
    whole: bool = True


def replay(plan: Plan) -> ReplayReport:
    """Replay all jobs. What was reviewed before an interruption is on disk, and the next replay takes it from there.

    Raises RecordError where the state folder cannot be used.
    """
    identity = identify(plan.policy, engine(plan.engine, plan.policy, plan.state))
    with opened(plan.state, fresh=plan.fresh) as log:
        results = _kept(plan, identity, log)
        kept = len(results)
        due = [job for job in plan.jobs if job.unit not in results]
        pool = Pool(plan.processes, policy=plan.policy, engine=plan.engine, state=plan.state, seconds=plan.seconds)
        if due:
            pool.run(due, _recorder(plan, identity, log, results))
    pairs = [(job, marked(job, results[job.unit], plan.undone)) for job in plan.jobs]
    return report(identity, pairs, kept, _drift(plan, identity, (result for _, result in pairs)))


def _drift(plan: Plan, identity: Identity, results: Iterable[HalfResult]) -> Drift | None:
    if plan.against is None:
        return None
    return drift(plan.against, baseline(identity, results), whole=plan.whole)


def _kept(plan: Plan, identity: Identity, log: ReplayLog) -> dict[str, HalfResult]:
    found = ((job.unit, log.get(key(job, identity))) for job in plan.jobs)
    return {unit: result for unit, result in found if result is not None and _is_final(plan, result)}


def _is_final(plan: Plan, result: HalfResult) -> bool:
    """What rules left open they leave open again; what a model did not answer may be answered now."""
    return plan.engine.name == RULES or result.status == RunStatus.COMPLETE


def _recorder(
    plan: Plan, identity: Identity, log: ReplayLog, results: dict[str, HalfResult]
) -> Callable[[Job, HalfResult], None]:
    def record(job: Job, result: HalfResult) -> None:
        # Of a product that is edited while it runs nobody can say which source answered: it is not kept.
        if source_digest() == identity.source:
            log.put(key(job, identity), result)
        results[job.unit] = result
        plan.progress(len(results), len(plan.jobs), job.unit)

    return record
