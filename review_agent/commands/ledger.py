"""``review-agent ledger doctor`` and ``ledger rebuild``: the state folder's health."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from review_agent.commands._common import Repo
from review_agent.counting import counted

__all__ = ["register"]


class Format(StrEnum):
    TEXT = "text"
    JSON = "json"


def register(app: typer.Typer) -> None:
    ledger = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="The ledger: examine it, make it again.")
    ledger.command("doctor")(examine)
    ledger.command("rebuild")(rebuild)
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
    from review_agent.ledger.store import Ledger

    ledger = Ledger(state_dir(Git(repo)))
    for text in ledger.rebuild():
        say(text)
    left_out = list(ledger.left_out)
    typer.echo(f"the ledger holds {counted(len(ledger.runs()), 'run')} and {counted(len(ledger.cards()), 'card')}")
    if left_out:
        typer.echo(f"review-agent: {counted(len(left_out), 'run log')} could not be read; put back a copy", err=True)
        raise typer.Exit(3)
