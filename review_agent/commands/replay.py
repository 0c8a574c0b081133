"""``review-agent replay``: cases with a known answer, rows of a list or past commits, reviewed and judged."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from review_agent.commands._common import Output, PolicyDir

if TYPE_CHECKING:
    from review_agent.replay.drift import Baseline
    from review_agent.replay.report import ReplayReport

__all__ = ["register"]


class Format(StrEnum):
    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"
    HTML = "html"


class Gate(StrEnum):
    LOSS = "loss"
    ANY_CHANGE = "any-change"
    NEVER = "never"


def register(app: typer.Typer) -> None:
    app.command("replay")(replay)


def replay(
    cases: Annotated[list[Path] | None, typer.Argument(help="Folders of cases.", metavar="CASES")] = None,
    listing: Annotated[
        Path | None, typer.Option("--list", help="A TSV of projects, commits and locations.", metavar="FILE")
    ] = None,
    repos: Annotated[
        Path | None, typer.Option("--repos", help="Where the list's repositories are.", metavar="DIR")
    ] = None,
    commits: Annotated[
        str | None, typer.Option("--commits", help="Past commits, each against its parent.", metavar="A..B")
    ] = None,
    from_history: Annotated[
        bool, typer.Option("--from-history", help="Cases mined from the past fixes of --repo: docs/calibration.md.")
    ] = False,
    since: Annotated[
        str | None, typer.Option("--since", help="With --from-history: only what came after this.", metavar="REF")
    ] = None,
    most: Annotated[
        int | None,
        typer.Option("--most", help="With --from-history: review at most so many faults, and clean commits.", min=1),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", help="At most so many commits of --commits or --from-history.", min=1)
    ] = None,
    repo: Annotated[
        Path, typer.Option("--repo", help="Repository of --commits, of the policy and of the state.", metavar="DIR")
    ] = Path(),
    engine: Annotated[str, typer.Option("--engine", help="Which engine answers.")] = "rules",
    policy: PolicyDir = None,
    kind: Annotated[list[str] | None, typer.Option("--kind", help="Only this kind; may be repeated.")] = None,
    language: Annotated[
        list[str] | None, typer.Option("--language", help="Only this language; may be repeated.")
    ] = None,
    case: Annotated[
        list[str] | None, typer.Option("--case", help="Only names that hold this; may be repeated.")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Worker processes; 0: one a core.", min=0)] = 0,
    state: Annotated[
        Path | None,
        typer.Option("--state", help="Where results are kept, if not in .review-agent/replay.", metavar="DIR"),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Review everything again.")] = False,
    format: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.TEXT,
    output: Output = None,
    marks: Annotated[
        Path | None, typer.Option("--marks", help="JSONL of cards a reading has undone.", metavar="FILE")
    ] = None,
    predictions: Annotated[
        Path | None, typer.Option("--predictions", help="Write all cards by line, as JSONL.", metavar="FILE")
    ] = None,
    against: Annotated[
        Path | None, typer.Option("--against", help="Baseline to list changed outcomes against.", metavar="FILE")
    ] = None,
    write_baseline: Annotated[
        Path | None, typer.Option("--write-baseline", help="Write the outcomes as a baseline.", metavar="FILE")
    ] = None,
    fail_on: Annotated[
        Gate | None,
        typer.Option("--fail-on", help="Exit 1 on such a change against the baseline; loss, unless told otherwise."),
    ] = None,
) -> None:
    """Review cases with a known answer, and say what was found, what was missed, and which layer missed it.

    A case is a folder with a case.yml (docs/replay.md), a row of a list, or a past commit. A replay that was
    interrupted goes on where it stopped when the same command is run again; results are kept until case, policy,
    engine or product change.

    Exit: 0 complete, 1 --fail-on tripped, 2 error, 3 a case failed or is incomplete, 130 interrupted.
    """
    from review_agent.commands import _replays as replays
    from review_agent.commands._common import emit
    from review_agent.errors import UsageError
    from review_agent.replay.marks import read_marks
    from review_agent.replay.product import source_digest
    from review_agent.replay.remember import remember
    from review_agent.replay.run import Plan, replay

    if from_history:
        others = (cases, listing, commits, against, write_baseline, kind, language, case, marks, predictions, fail_on)
        if any(others):
            raise UsageError(
                "--from-history stands alone", hint="leave out what names, narrows or compares other cases"
            )
        from review_agent.commands._calibrating import Asked, calibrated, check_format, rendered

        check_format(format)
        made = calibrated(Asked(repo, policy, engine, since, limit, most, jobs, state, fresh))
        emit(rendered(made, format), output)
        raise typer.Exit(3 if made.failed else 0)
    if since is not None or most is not None:
        raise UsageError("--since and --most belong to --from-history", hint="give --from-history with them")
    if fail_on is not None and against is None:
        raise UsageError("--fail-on compares with a baseline", hint="give --against FILE")
    every = replays.asked(cases or [], listing, repos, commits, repo, limit)
    todo = replays.chosen(every, kind or [], language or [], case or [])
    folder, ledger = replays.folders(repo, state)
    watch = replays.Watch()
    plan = Plan(
        jobs=todo,
        policy=replays.policy_in_force(repo, policy),
        engine=engine,
        state=folder,
        processes=jobs or os.cpu_count() or 1,
        fresh=fresh,
        progress=watch.at,
        undone=read_marks(marks) if marks else frozenset(),
        against=_baseline(against),
        whole=len(todo) == len(every),
    )
    try:
        report = replay(plan)
    finally:
        watch.clear()
    if source_digest() != report.identity.source:
        typer.echo("review-agent: the product's source changed while it ran; results since then are not kept", err=True)
    remember(report, ledger)
    _write(report, predictions, write_baseline)
    emit(replays.rendered(report, format, folder), output)
    raise typer.Exit(_exit(report, fail_on or Gate.LOSS))


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
