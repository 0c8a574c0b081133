"""One review from snapshot to record: phases in order, each written to the run log before the next begins.

What a phase yields counts once the phase has ended. A review that was killed, interrupted or told to wait goes on from
there, and an answer that is in the log is never asked for again.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from review_agent import __version__
from review_agent.appendlog import state_folder
from review_agent.counting import counted
from review_agent.engines.recorded import Recorded
from review_agent.errors import RecordError
from review_agent.ground import Setup
from review_agent.ledger.store import Ledger
from review_agent.memory.beginning import remembered, standing_answers, unfinished
from review_agent.memory.lines import ancestry, line_of
from review_agent.memory.recorded import after
from review_agent.memory.verdicts import Memory
from review_agent.phases import Phases
from review_agent.runlog import Following, RunLog, RunState, run_file_name
from review_agent.stages import account, snapshot
from review_agent.stages.snapshot import Asked
from review_agent.syntax.parser import Parser
from review_agent.vocabulary import Phase, Record, ReviewDocument, RunStatus, digest

__all__ = ["Asked", "Reviewed", "Setup", "review", "told"]


@dataclass(frozen=True)
class Reviewed:
    """A run as far as it got; ``notices`` are for the reader's eyes (a ledger that could not be written yet)."""

    document: ReviewDocument
    state: RunState
    path: Path
    notices: tuple[str, ...] = ()


def review(setup: Setup) -> Reviewed:
    """Run the review, or go on with its newest unfinished run.

    Raises SnapshotError and RecordError; on KeyboardInterrupt the run is marked as interrupted and the exception
    goes on.
    """
    choice = snapshot.choose(setup.git, setup.asked)
    notices: list[str] = []
    with _open(setup, _started(setup, choice, notices), notices) as log, Parser() as parser:
        try:
            state = _go(log, Phases(setup, choice, parser, log.flush), setup)
        except KeyboardInterrupt:
            log.realign()
            _stop(log, RunStatus.INTERRUPTED, "Ctrl-C")
            raise
    return told(setup, log.path, state, notices)


def told(setup: Setup, path: Path, state: RunState, notices: Sequence[str] = ()) -> Reviewed:
    """A run as a reader is told it; what follows from one that has ended is seen to, a second time adds nothing."""
    notices = [*notices, *Ledger(setup.state_dir).ingest_run(path)]
    notices += _after(setup, path) if setup.memory and state.ended is not None else []
    return Reviewed(account.document(state, state.attempts[-1]), state, path, tuple(notices))


def _started(setup: Setup, choice: snapshot.Choice, notices: list[str]) -> dict[str, Any]:
    """What identifies the review, and beside it what a reader wants to know of its start."""
    identity = {
        "base": choice.base,
        "head": choice.head,
        "mergeBase": choice.merge_base,
        "policyHash": setup.policy.hash,
        "engine": setup.engine.identity,
        "product": __version__,
        "options": setup.options(),
    }
    memory = _memory(setup, choice, identity, notices)
    identity["memory"] = memory.digest
    beside = {
        "policySource": setup.policy.source,
        "chosen": choice.chosen,
        "line": line_of(setup.git, setup.asked, choice, setup.pr),
        **({"pr": setup.pr} if setup.pr else {}),
        **({"remembered": memory.wire()} if memory.digest else {}),
        **({} if setup.memory else {"forgets": True}),
        **({"plays": True} if isinstance(setup.engine, Recorded) else {}),
    }
    return {**identity, "reviewId": digest(identity), **beside}


def _memory(setup: Setup, choice: snapshot.Choice, identity: dict[str, Any], notices: list[str]) -> Memory:
    if not setup.memory:
        return Memory()
    try:
        return remembered(setup.state_dir, setup.git, choice, identity, setup.day())
    except RecordError as error:
        notices.append(f"earlier decisions are not remembered: {error.message}: {error.where}")
        return Memory()


def _after(setup: Setup, log: Path) -> list[str]:
    """What follows from the run for earlier cards and for the queue, in words."""
    return after(setup.state_dir, [log], setup.policy, setup.day(), is_ancestor=ancestry(setup.git))


def _open(setup: Setup, started: dict[str, Any], notices: list[str]) -> RunLog:
    """The newest unfinished run of this review as a new attempt, with the memory it began with; else a new run, with
    the answers that stand of one that ended incomplete."""
    runs = state_folder(setup.state_dir) / "runs"
    attempt = uuid.uuid4().hex[:12]
    if (path := unfinished(runs, started)) is not None:
        return RunLog.open(path, attempt)
    answers = standing_answers(runs, started) if setup.is_modelled else ()
    if answers:
        notices.append(f"{counted(len(answers), 'answer')} of the run before stood; only the others were asked for")
    return RunLog.create(runs / run_file_name(started["reviewId"]), started, attempt, answers)


def _go(log: RunLog, phases: Phases, setup: Setup) -> RunState:
    """All phases that have not ended, in order; fewer where an engine's answers are pending."""
    following = Following(log.path)
    state = following.state()
    setup.engine.begin(tuple(state.calls), torn=tuple(state.torn))
    for phase in Phase:
        if phase in state.completed:
            continue
        log.event("phase_started", {}, phase)
        for event_type, record in phases.work(phase, state):
            log.event(event_type, record.wire() if isinstance(record, Record) else record, phase)
        if phases.pending:
            _stop(log, RunStatus.WAITING, f"{counted(phases.pending, 'answer')} pending")
            return following.state()
        log.event("phase_ended", {}, phase)
        log.flush()
        state = following.state()
    return state


def _stop(log: RunLog, status: RunStatus, detail: str) -> None:
    """Marks the attempt as ended; the run can be gone on with."""
    log.event("run_stopped", {"status": status, "detail": detail}, None)
    log.flush()
