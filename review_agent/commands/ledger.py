"""``review-agent ledger``: the state folder's health, run logs from elsewhere, tables out and in."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from review_agent.commands._common import Repo
from review_agent.counting import counted
from review_agent.outlets import KEPT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from review_agent.git import Git
    from review_agent.ledger.exchange import ExportedTable
    from review_agent.ledger.ingest import Ingested
    from review_agent.ledger.store import Ledger
    from review_agent.memory.telling import Run

__all__ = ["register"]

_NAMED = 5


class Format(StrEnum):
    TEXT = "text"
    JSON = "json"


class Files(StrEnum):
    """How tables are written."""

    JSONL = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"


def register(app: typer.Typer) -> None:
    ledger = typer.Typer(
        no_args_is_help=True, rich_markup_mode=None, help="The ledger: examine it, add to it, take it along."
    )
    ledger.command("doctor")(examine)
    ledger.command("rebuild")(rebuild)
    ledger.command("ingest")(ingest)
    ledger.command("export")(export)
    ledger.command("import")(import_)
    app.add_typer(ledger, name="ledger")


def examine(
    format: Annotated[Format, typer.Option("--format", help="text, or the findings as JSON.")] = Format.TEXT,
    repo: Repo = Path(),
) -> None:
    """Say what is wrong or pending in run logs, journal and ledger; changes nothing.

    Exit: 0 where nothing needs a person, 2 where something does.
    """
    from dataclasses import asdict

    from review_agent.commands._common import state_dir
    from review_agent.git import Git
    from review_agent.ledger.store import Ledger
    from review_agent.publish.safe import json_text, terminal_lines

    findings = Ledger(state_dir(Git(repo))).doctor()
    if format is Format.JSON:
        typer.echo(json_text([asdict(finding) for finding in findings], sort_keys=False), nl=False)
    for finding in findings if format is Format.TEXT else ():
        told = f"{finding.level}: {finding.what}\n  where  {finding.where}\n  next   {finding.next}"
        typer.echo(terminal_lines(told))
    if format is Format.TEXT and not findings:
        typer.echo("run logs, journal and ledger are in order")
    if any(finding.level == "problem" for finding in findings):
        raise typer.Exit(2)


def rebuild(repo: Repo = Path()) -> None:
    """Make the ledger again from run logs and journal; the old file is replaced in one step.

    An old file that held more runs is kept as ledger.duckdb.before.
    Exit: 0 where every run log is in it, 3 where one could not be read.
    """
    from review_agent.commands._common import say, state_dir
    from review_agent.git import Git
    from review_agent.ledger.store import Ledger, QueueFilter

    ledger = Ledger(state_dir(Git(repo)))
    for text in ledger.rebuild():
        say(text)
    KEPT.set("the ledger is made")
    left_out = list(ledger.left_out)
    cards = ledger.queue(QueueFilter(state=()), limit=1).total
    typer.echo(f"the ledger holds {counted(len(ledger.runs()), 'run')} and {counted(cards, 'card')}")
    if left_out:
        typer.echo(f"review-agent: {counted(len(left_out), 'run log')} could not be read; put back a copy", err=True)
        raise typer.Exit(3)


def ingest(
    paths: Annotated[
        list[Path], typer.Argument(help="Run logs, or folders of them, as `check` keeps them.", metavar="FILE…|DIR")
    ],
    request: Annotated[
        str | None,
        typer.Option("--request", help="The pull or merge request that you know all of them to be of.", metavar="N"),
    ] = None,
    format: Annotated[Format, typer.Option("--format", help="text, or what became of each as JSON.")] = Format.TEXT,
    repo: Repo = Path(),
) -> None:
    """Take in run logs from elsewhere. As often as you like, in any order: what is known changes nothing.

    Each is checked line by line: records, identities, order. The longer version of a run that was killed takes the
    place of the shorter. One that was edited, damaged, or says other than what is recorded is refused with the reason.
    So is one that shows lines which git does not have at its commits; where this clone lacks the commits it is taken
    in, and what is to be fetched is said and kept with its cards.

    A run from elsewhere adds cards. That an earlier finding is fixed or gone, or that a rejection no longer holds, it
    says only where the commits, which must be in this clone, prove that it goes on from that card's run, or where you
    say with --request whose it is.
    Exit: 0; 2 where one was refused (the others are taken in), or a path holds no run log.
    """
    from dataclasses import asdict

    from review_agent.commands._common import say, state_dir
    from review_agent.commands._intake import comparison
    from review_agent.errors import RecordError
    from review_agent.git import Git
    from review_agent.ledger.store import Ledger
    from review_agent.publish.safe import json_text, terminal

    git = Git(repo)
    ledger = Ledger(state_dir(git))
    try:
        found = ledger.ingest(paths, request=request, compare=comparison(git))
    except RecordError:
        for text in _followed(git, ledger, ()):
            say(text)
        raise
    KEPT.set("what was taken in is recorded")
    notices = list(ledger.notices)
    for text in notices + _followed(git, ledger, _named(found) if request else ()):
        say(text)
    if format is Format.JSON:
        typer.echo(json_text(asdict(found), sort_keys=False), nl=False)
    else:
        typer.echo(_told(found))
    for text in _not_compared(found):
        say(terminal(text))
    for one in found.refused:
        say(terminal(f"{one.source} is refused: {one.reason}"))
    if found.refused:
        raise typer.Exit(2)


def _not_compared(found: Ingested) -> list[str]:
    first = found.uncompared[:_NAMED]
    told = [f"{one.run} is not compared with git, and its cards say so: {one.why}" for one in first]
    if len(found.uncompared) > _NAMED:
        told.append(
            f"{counted(len(found.uncompared) - _NAMED, 'more run')} not compared with git: --format json has all"
        )
    around = len(found.around)
    if around:
        runs = f"{counted(around, 'run')} {'was' if around == 1 else 'were'}"
        told.append(f"{runs} masked by another policy or version: around the masks the lines are those of git")
    return told


def _named(found: Ingested) -> list[str]:
    return [*found.added, *found.grown, *found.known]


def _followed(git: Git, ledger: Ledger, vouched: Sequence[str]) -> list[str]:
    """What runs from elsewhere say of earlier cards: carried on, suppressed; and reopened, fixed or gone only where git
    proves that they go on from the card's run, or the caller vouched for them, by name.

    Runs that an earlier call placed and did not come to are among them.
    """
    from datetime import UTC, datetime

    from review_agent.commands._common import protected_policy
    from review_agent.memory.lines import ancestry, follows
    from review_agent.memory.recorded import after, pending

    named = [ledger.runs_dir / name for name in vouched]
    runs = list(dict.fromkeys([*named, *pending(ledger.state_dir)]))
    is_ancestor = ancestry(git)

    def is_proven(newer: Run, older: Run) -> bool:
        return newer.path.name in vouched or follows(git, is_ancestor, newer.started, older.started)

    today = datetime.now(UTC).date()
    policy = protected_policy(git, None) if runs else None
    if policy is None:
        return []
    return after(ledger.state_dir, runs, policy, today, is_ancestor=is_ancestor, is_proven=is_proven)


def _told(found: Ingested) -> str:
    parts = [f"{counted(len(found.added), 'run')} added"]
    parts += [f"{len(found.grown)} grown"] if found.grown else []
    parts += [f"{len(found.known)} known already"] if found.known else []
    parts += [f"{len(found.refused)} refused"] if found.refused else []
    return ", ".join(parts)


def export(
    output: Annotated[Path, typer.Option("--output", "-o", help="A folder that is new or empty.", metavar="DIR")],
    format: Annotated[Files, typer.Option("--format", help="How the tables are written.")] = Files.JSONL,
    repo: Repo = Path(),
) -> None:
    """Write every table of the ledger as a file, and export.json, which names them. All text is masked already.

    In CSV a cell that a spreadsheet would run as a formula gets an apostrophe before it; `ledger import` takes it away.
    Exit: 0, or 2 where the folder holds something or cannot be written.
    """
    from review_agent.commands._common import say, state_dir
    from review_agent.git import Git
    from review_agent.ledger.store import Ledger
    from review_agent.publish.safe import terminal

    ledger = Ledger(state_dir(Git(repo)))
    written = ledger.export(output, format.value)
    KEPT.set("the export is written")
    for text in ledger.notices:
        say(text)
    typer.echo(terminal(f"{_rows(written.tables)} in {output}"))


def import_(
    folder: Annotated[Path, typer.Argument(help="A folder that `ledger export` wrote.", metavar="DIR")],
    repo: Repo = Path(),
) -> None:
    """Make ledger and journal of an export, row for row, in a repository where nothing is recorded yet.

    Run logs are not part of an export: `ledger rebuild` would drop the runs. Import what you exported yourself; what
    others send goes through `ledger ingest`. Exit: 0; 2 where something is recorded or the export is not whole.
    """
    from review_agent.commands._common import state_dir
    from review_agent.git import Git
    from review_agent.ledger.store import Ledger

    read = Ledger(state_dir(Git(repo))).import_(folder)
    KEPT.set("the rows are imported")
    typer.echo(f"{_rows(read.tables)} imported")


def _rows(tables: Mapping[str, ExportedTable]) -> str:
    return f"{counted(sum(one.rows for one in tables.values()), 'row')} of {counted(len(tables), 'table')}"
