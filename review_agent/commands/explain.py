"""``review-agent explain RUN``: the whole trail of one run."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from review_agent.commands._common import Output, Repo

__all__ = ["register"]

_ID = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{28}(?:[0-9a-f]{24})?\b")


class Format(StrEnum):
    TEXT = "text"
    JSON = "json"


def register(app: typer.Typer) -> None:
    app.command("explain")(explain)


def explain(
    run: Annotated[
        str, typer.Argument(help="'latest', the start of a run's name or review id, or a run log's path.")
    ] = ("latest"),
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only", help="Only questions of this kind, rule or id, or of this card; may be repeated.", metavar="WHAT"
        ),
    ] = None,
    repo: Repo = Path(),
    format: Annotated[Format, typer.Option("--format", help="text, or the run log's events as JSON.")] = Format.TEXT,
    output: Output = None,
) -> None:
    """Show how each question of a run ended, then everything it did: edits, queries, reads, refusals, drafts, verdicts.

    Exit: 0, or 2 where there is no such run or question.
    """
    from review_agent.commands._common import emit, find_run, read_run, state_dir
    from review_agent.errors import UsageError
    from review_agent.git import Git
    from review_agent.publish.safe import json_text
    from review_agent.publish.trail import trail_text
    from review_agent.runlog import read_events

    # A run log is read wherever it lies, without a repository: it is the portable record.
    path = Path(run) if Path(run).is_file() else find_run(state_dir(Git(repo)) / "runs", run)
    if format is Format.JSON:
        if only:
            raise UsageError("--only narrows the text; the events are printed whole", hint="leave one out")
        events = [event.wire() for event in read_events(path)]
        emit(json_text(events, sort_keys=False), output)
    else:
        state = read_run(path)
        # Refs that were given as ids are long enough by their beginning; the events have them whole.
        state.started["chosen"] = _ID.sub(r"\1", str(state.started.get("chosen", "")))
        emit(trail_text(state, only or ()), output)
