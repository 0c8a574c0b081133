"""``review-agent replay``: cases with a known answer, rows of a list or past commits, reviewed and judged."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from review_agent.commands._common import Output, PolicyDir
from review_agent.commands._engine import Answers, BaseUrl, Engine, Header, KeyCommand, Model, Recorded
from review_agent.commands._replay_options import (
    Against,
    Cases,
    Commits,
    FailOn,
    Format,
    Fresh,
    FromHistory,
    Gate,
    Jobs,
    Kinds,
    Languages,
    Limit,
    Listing,
    Marks,
    Most,
    Names,
    Options,
    Predictions,
    Printed,
    Repos,
    Repository,
    Since,
    State,
    WriteBaseline,
)
from review_agent.outlets import KEPT

if TYPE_CHECKING:
    from review_agent.commands._replays import Watch
    from review_agent.replay.drift import Baseline
    from review_agent.replay.report import ReplayReport
    from review_agent.replay.run import Plan

__all__ = ["register"]

_RESULTS_KEPT = "the results are kept: run it again to print them"


def register(app: typer.Typer) -> None:
    app.command("replay")(replay)


def replay(
    cases: Cases = None,
    listing: Listing = None,
    repos: Repos = None,
    commits: Commits = None,
    from_history: FromHistory = False,
    since: Since = None,
    most: Most = None,
    limit: Limit = None,
    repo: Repository = Path(),
    engine: Engine = None,
    model: Model = None,
    base_url: BaseUrl = None,
    header: Header = None,
    key_command: KeyCommand = None,
    answers: Answers = None,
    recorded: Recorded = None,
    policy: PolicyDir = None,
    kind: Kinds = None,
    language: Languages = None,
    case: Names = None,
    jobs: Jobs = 0,
    state: State = None,
    fresh: Fresh = False,
    format: Printed = Format.TEXT,
    output: Output = None,
    marks: Marks = None,
    predictions: Predictions = None,
    against: Against = None,
    write_baseline: WriteBaseline = None,
    fail_on: FailOn = None,
) -> None:
    """Review cases with a known answer, and say what was found, what was missed, and which layer missed it.

    A case is a folder with a case.yml (docs/replay.md), a row of a list, or a past commit. A replay that was
    interrupted goes on where it stopped when the same command is run again; results are kept until case, policy,
    engine or product change.

    Exit: 0 complete, 1 --fail-on tripped, 2 error, 3 a case failed or is incomplete, 130 interrupted.
    """
    raise typer.Exit(_run(Options(**locals())))


def _run(asked: Options) -> int:
    """Do what was asked; the exit code."""
    from review_agent.commands._common import check_outputs
    from review_agent.errors import UsageError

    check_outputs(asked.output, asked.predictions, asked.write_baseline)
    if asked.from_history:
        return _calibrate(asked)
    if asked.since is not None or asked.most is not None:
        raise UsageError("--since and --most belong to --from-history", hint="give --from-history with them")
    if asked.fail_on is not None and asked.against is None:
        raise UsageError("--fail-on compares with a baseline", hint="give --against FILE")
    return _replay(asked)


def _calibrate(asked: Options) -> int:
    from review_agent.commands._calibrating import Asked, calibrated, check_format, rendered
    from review_agent.commands._common import emit
    from review_agent.errors import UsageError

    naming = (asked.cases, asked.listing, asked.commits, asked.kind, asked.language, asked.case)
    if any((*naming, asked.against, asked.write_baseline, asked.marks, asked.predictions, asked.fail_on)):
        raise UsageError("--from-history stands alone", hint="leave out what names, narrows or compares other cases")
    check_format(asked.format)
    wanted = (asked.repo, asked.policy, asked.of_engine, asked.since, asked.limit, asked.most, asked.jobs)
    made = calibrated(Asked(*wanted, asked.state, asked.fresh))
    KEPT.set(_RESULTS_KEPT)
    emit(rendered(made, asked.format), asked.output)
    return 3 if made.failed else 0


def _replay(asked: Options) -> int:
    from review_agent.commands import _replays as replays
    from review_agent.commands._common import emit
    from review_agent.replay.product import source_digest
    from review_agent.replay.remember import remember
    from review_agent.replay.run import replay

    folder, ledger = replays.folders(asked.repo, asked.state)
    watch = replays.Watch()
    plan = _plan(asked, folder, watch)
    try:
        report = replay(plan)
    finally:
        watch.clear()
    if source_digest() != report.identity.source:
        typer.echo("review-agent: the product's source changed while it ran; results since then are not kept", err=True)
    remember(report, ledger)
    KEPT.set(_RESULTS_KEPT)
    _tell_waiting(report, folder)
    _write(report, asked.predictions, asked.write_baseline)
    emit(replays.rendered(report, asked.format, folder), asked.output)
    return _exit(report, asked.fail_on or Gate.LOSS)


def _plan(asked: Options, folder: Path, watch: Watch) -> Plan:
    from review_agent.commands import _replays as replays
    from review_agent.commands._engine import wanted
    from review_agent.replay.marks import read_marks
    from review_agent.replay.run import Plan

    every = replays.asked(asked.cases or [], asked.listing, asked.repos, asked.commits, asked.repo, asked.limit)
    todo = replays.chosen(every, asked.kind or [], asked.language or [], asked.case or [])
    policy = replays.policy_in_force(asked.repo, asked.policy)
    return Plan(
        jobs=todo,
        policy=policy,
        engine=wanted(asked.of_engine, policy),
        state=folder,
        processes=asked.jobs or os.cpu_count() or 1,
        fresh=asked.fresh,
        progress=watch.at,
        undone=read_marks(asked.marks) if asked.marks else frozenset(),
        against=_baseline(asked.against),
        whole=len(todo) == len(every),
    )


def _tell_waiting(report: ReplayReport, folder: Path) -> None:
    from review_agent.counting import counted
    from review_agent.vocabulary import RunStatus

    waiting = [entry for entry in report.entries if entry.result.status == RunStatus.WAITING]
    if waiting:
        said = f"{counted(len(waiting), 'half waits', 'halves wait')} for answers to the requests in {folder / 'batch'}"
        hint = "run the same command again with --answers for all of them, those given before too"
        typer.echo(f"review-agent: {said}\n  next   {hint}", err=True)


def _baseline(file: Path | None) -> Baseline | None:
    from review_agent.replay.drift import read_baseline

    return read_baseline(file) if file is not None else None


def _write(report: ReplayReport, predictions: Path | None, baseline_file: Path | None) -> None:
    """The files that were asked for beside the report."""
    from review_agent.commands._common import emit
    from review_agent.replay.drift import baseline, baseline_text
    from review_agent.replay.marks import prediction_lines

    if predictions is not None:
        emit(prediction_lines(entry.result for entry in report.entries), predictions)
    if baseline_file is not None:
        made = baseline(report.identity, (entry.result for entry in report.entries))
        emit(baseline_text(made), baseline_file)


def _exit(report: ReplayReport, gate: Gate) -> int:
    """The exit code; where a gate trips, why is said on stderr."""
    tripped = report.drift.trips(gate.value) if report.drift is not None and gate is not Gate.NEVER else ()
    if tripped:
        named = ", ".join(f"{change.unit} ({change.what})" for change in tripped[:5])
        more = f" and {len(tripped) - 5} more" if len(tripped) > 5 else ""
        typer.echo(f"review-agent: gate --fail-on {gate.value}: {named}{more}", err=True)
        return 1
    return 3 if report.figures.failed or report.figures.incomplete else 0
