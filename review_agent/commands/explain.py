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
        str | None,
        typer.Argument(
            help="A run: latest, which it is by default, the start of its name or review id, a run log's path; or the "
            "start of a card's id or a commit, for the newest run that has it."
        ),
    ] = None,
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

    A card's id, as the run or as --only, finds its run and shows the card's question alone.

    Exit: 0, or 2 where there is no such run or question.
    """
    from review_agent.commands._common import emit, read_run
    from review_agent.errors import UsageError
    from review_agent.publish.safe import json_text
    from review_agent.publish.trail import trail_text
    from review_agent.runlog import read_events

    path, card = _meant(run, only or [], repo)
    if format is Format.JSON:
        if only:
            raise UsageError("--only narrows the text; the events are printed whole", hint="leave one out")
        events = [event.wire() for event in read_events(path)]
        emit(json_text(events, sort_keys=False), output)
    else:
        state = read_run(path)
        # Refs that were given as ids are long enough by their beginning; the events have them whole.
        state.started["chosen"] = _ID.sub(r"\1", str(state.started.get("chosen", "")))
        emit(trail_text(state, only or list(filter(None, [card]))), output)


def _meant(run: str | None, only: list[str], repo: Path) -> tuple[Path, str]:
    """The run log, and the card that it was found by."""
    from review_agent.commands._common import recorded
    from review_agent.commands._runs import is_file, run_of, run_of_card

    # A run log is read wherever it lies, without a repository: it is the portable record.
    if run is not None and is_file(run):
        return Path(run), ""
    state, git = recorded(repo)
    if run is None:
        of_card = next(filter(None, (run_of_card(state / "runs", word) for word in only)), None)
        if of_card is not None:
            return of_card
    return run_of(state / "runs", run or "latest", git)
