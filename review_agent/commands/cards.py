"""``review-agent cards list`` and ``cards show``: the evidence cards recorded in this repository."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from review_agent.commands._common import Output, Repo
from review_agent.vocabulary import CardState

if TYPE_CHECKING:
    from review_agent.ledger.store import CardDetail, CardRow

__all__ = ["register"]

_SHORT = 12


class Format(StrEnum):
    TEXT = "text"
    JSON = "json"


AsFormat = Annotated[Format, typer.Option("--format", help="text, or the records as JSON.")]


def register(app: typer.Typer) -> None:
    cards = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Evidence cards: list them, show one.")
    cards.command("list")(list_cards)
    cards.command("show")(show_card)
    app.add_typer(cards, name="cards")


def list_cards(
    state: Annotated[CardState | None, typer.Option("--state", help="Only cards in this state.")] = None,
    run: Annotated[
        str | None, typer.Option("--run", help="Only cards of this run: the start of its name or review id.")
    ] = None,
    format: AsFormat = Format.TEXT,
    output: Output = None,
    repo: Repo = Path(),
) -> None:
    """List cards, one line each, those of the newest run first. Exit: 0."""
    from review_agent.commands._common import emit, page, state_dir
    from review_agent.git import Git
    from review_agent.ledger.store import Ledger

    ledger = Ledger(state_dir(Git(repo)))
    rows = ledger.cards(state=state, run=run)
    tell(ledger.notices)
    if format is Format.JSON:
        emit(_json([_listed(row) for row in rows]), output)
        return
    emit("".join(f"{_line(row, page()[0])}\n" for row in rows), output)
    if not rows:
        tell(["no cards; `review-agent review` writes them"])


def show_card(
    card: Annotated[str, typer.Argument(help="The card's id, or the start of it.", metavar="CARD")],
    format: AsFormat = Format.TEXT,
    output: Output = None,
    repo: Repo = Path(),
) -> None:
    """Show one card with its diff, its evidence and its decisions. Exit: 0, or 2 where there is no such card."""
    from review_agent.commands._common import emit, page, state_dir
    from review_agent.git import Git
    from review_agent.ledger.store import Ledger
    from review_agent.publish.text import card_text

    ledger = Ledger(state_dir(Git(repo)))
    found = ledger.card(card)
    tell(ledger.notices)
    if format is Format.JSON:
        emit(_json(_shown(found)), output)
        return
    width, color = page()
    text = card_text(
        found.row.card, found.question, found.bundle, found.hunk, state=found.row.state, width=width, color=color
    )
    emit("\n".join([text, *_history(found)]) + "\n", output)


def tell(notices: list[str]) -> None:
    """What the reader has to know beside the result, on stderr."""
    for text in notices:
        typer.echo(f"review-agent: {text}", err=True)


def _line(row: CardRow, width: int) -> str:
    from review_agent.publish.safe import terminal

    card, anchor = row.card, row.card["diffAnchor"]
    place = f"{anchor['path']}:{anchor['startLine']}"
    head = f"{card['cardId'][:_SHORT]}  {row.state:<11} {card['severity']:<10} {card['changeKind']:<17} {place}"
    line = terminal(f"{head}  {card['claim']}")
    return line if len(line) <= width else line[: width - 1] + "…"


def _history(found: CardDetail) -> list[str]:
    from review_agent.publish.safe import terminal

    return [
        terminal(
            f"  {decision['at'][:16].replace('T', ' ')}  {decision['act']} by {decision['reviewer']}"
            + (f" ({decision['reasonCode']})" if decision["reasonCode"] else "")
            + (f": {decision['comment']}" if decision["comment"] else "")
        )
        for decision in found.decisions
    ]


def _listed(row: CardRow) -> dict[str, Any]:
    run = {"reviewId": row.run.review_id, "runFile": row.run.run_file, "base": row.run.base, "head": row.run.head}
    return {"card": row.card, "state": row.state, "decisions": row.decisions, "run": run}


def _shown(found: CardDetail) -> dict[str, Any]:
    parts = {"question": found.question, "bundle": found.bundle, "hunk": found.hunk, "decisions": found.decisions}
    return {**_listed(found.row), **parts}


def _json(data: Any) -> str:
    import json

    return json.dumps(data, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
