"""The filters of ``review-agent cards list``: those of the panel's queue."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from review_agent.commands._when import HELP as WHEN
from review_agent.vocabulary import ChangeKind, Confidence, Severity

__all__ = [
    "Before",
    "Confidences",
    "Kinds",
    "Limit",
    "Offset",
    "Order",
    "OrderOf",
    "Owners",
    "Run",
    "Severities",
    "Since",
    "State",
    "States",
    "Text",
]


class Order(StrEnum):
    NEWEST = "newest"
    QUEUE = "queue"


class State(StrEnum):
    """The states of a card, as typed; ``open`` is how text has ``hidden``."""

    OPEN = "open"
    HIDDEN = "hidden"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    NEEDS_PROOF = "needs_proof"
    REVOKED = "revoked"
    DOWNGRADED = "downgraded"
    SUPERSEDED = "superseded"
    STALE = "stale"


States = Annotated[
    list[State] | None, typer.Option("--state", help="Only cards in this state; open and hidden are one.")
]
Severities = Annotated[list[Severity] | None, typer.Option("--severity", help="Only cards of this severity.")]
Kinds = Annotated[list[ChangeKind] | None, typer.Option("--kind", help="Only cards of this change kind.")]
Confidences = Annotated[list[Confidence] | None, typer.Option("--confidence", help="Only cards of this confidence.")]
Owners = Annotated[
    list[str] | None,
    typer.Option("--owner", help="Only cards on files of this owner by CODEOWNERS, or nobody.", metavar="NAME"),
]
Since = Annotated[str | None, typer.Option("--since", help=f"Only cards of runs since: {WHEN}.", metavar="WHEN")]
Before = Annotated[str | None, typer.Option("--before", help="Only cards of runs before; as --since.", metavar="WHEN")]
Run = Annotated[
    str | None, typer.Option("--run", help="Only cards of this run: the start of its name or review id, or latest.")
]
Text = Annotated[
    str, typer.Option("--text", help="Only cards whose claim, path, rule or id hold these words.", metavar="WORDS")
]
OrderOf = Annotated[
    Order, typer.Option("--order", help="newest: by run, then severity; queue: most worth a minute first.")
]
Limit = Annotated[int, typer.Option("--limit", help="So many cards at most; 0: all of them.", min=0)]
Offset = Annotated[int, typer.Option("--offset", help="Leave out so many at the top.", min=0)]
