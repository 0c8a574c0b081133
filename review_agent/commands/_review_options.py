"""The options of ``review-agent review`` and ``review-agent check``, beside those that more commands share."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "Artifact",
    "CheckFailOn",
    "CheckFormat",
    "CheckPrinted",
    "Details",
    "FailOn",
    "Format",
    "Gate",
    "NoMemory",
    "Printed",
    "Protected",
    "Summary",
]


class Format(StrEnum):
    TEXT = "text"
    JSON = "json"
    OUTCOMES = "outcomes"


class CheckFormat(StrEnum):
    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"


class Gate(StrEnum):
    BLOCKING = "blocking"
    IMPORTANT = "important"
    SUGGESTION = "suggestion"
    INCOMPLETE = "incomplete"


Printed = Annotated[Format, typer.Option("--format", help="What to print.")]
Details = Annotated[
    bool, typer.Option("--details", help="Print each question that found nothing with its reason, not their number.")
]
FailOn = Annotated[
    Gate | None,
    typer.Option("--fail-on", help="Exit 1 on a card of this severity or a higher one that nobody has rejected."),
]
NoMemory = Annotated[
    bool, typer.Option("--no-memory", help="Forget earlier decisions: nothing is suppressed, no card settled.")
]

CheckPrinted = Annotated[CheckFormat, typer.Option("--format", help="How to print the summary.")]
CheckFailOn = Annotated[
    Gate | None,
    typer.Option("--fail-on", help="Exit 1 on a card of this severity or above, or on an incomplete run."),
]
Protected = Annotated[
    str | None, typer.Option("--protected", help="Ref whose .github/review-agent/ is the policy.", metavar="REF")
]
Artifact = Annotated[
    Path | None,
    typer.Option("--artifact", help="Keep the run log here; .review-agent/artifact by default.", metavar="DIR"),
]
Summary = Annotated[
    Path | None,
    typer.Option(
        "--summary", help="Write the summary as Markdown, instead of adding it to the job's own.", metavar="FILE"
    ),
]
