"""``review-agent cards list`` and ``cards show``: the evidence cards recorded in this repository."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from review_agent.commands import _cards_options as options
from review_agent.commands._cards_options import Order, State
from review_agent.commands._common import Output, Repo
from review_agent.commands._when import moment
from review_agent.counting import counted
from review_agent.vocabulary import CardState

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from review_agent.git import Git
    from review_agent.ledger.queue import QueueFilter, QueuePage
    from review_agent.ledger.reading import RunRow
    from review_agent.ledger.store import CardDetail, CardRow, Ledger
    from review_agent.owners import Owners

__all__ = ["register"]

_SHORT = 8
_LIMIT = 50
_ALL = 2**31 - 1
_NAMED = 5
_DRAFTED = ("the work tree", "the index", "a patch")  # how what was compared begins where it is in no commit
_ROOM = 20  # so much of a place is shown however narrow the page


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
    state: options.States = None,
    severity: options.Severities = None,
    kind: options.Kinds = None,
    confidence: options.Confidences = None,
    owner: options.Owners = None,
    since: options.Since = None,
    before: options.Before = None,
    run: options.Run = None,
    text: options.Text = "",
    order: options.OrderOf = Order.NEWEST,
    limit: options.Limit = _LIMIT,
    offset: options.Offset = 0,
    format: AsFormat = Format.TEXT,
    output: Output = None,
    repo: Repo = Path(),
) -> None:
    """List cards, two lines each: newest run first, then by severity and place. The filters are those of the panel.

    Most options may be repeated; one of the values must fit. Exit: 0, or 2 for no such run.
    """
    from review_agent.commands._common import recorded
    from review_agent.ledger.queue import QueueFilter
    from review_agent.ledger.store import Ledger

    state_folder, git = recorded(repo)
    ledger = Ledger(state_folder)
    wanted = QueueFilter(
        severity=tuple(severity or ()),
        kind=tuple(kind or ()),
        owner=tuple(owner or ()),
        confidence=tuple(confidence or ()),
        since=moment(since, "--since"),
        before=moment(before, "--before"),
        run=_known(ledger, run) or "",
        state=tuple(_wire(one) for one in state or ()),
        text=text,
        order=order.value,
    )
    found = ledger.queue(wanted, limit=limit or _ALL, offset=offset, owner_of=_owners(git) if owner and git else None)
    _show_list(ledger, wanted, found, offset, format, output)


def _show_list(
    ledger: Ledger, wanted: QueueFilter, found: QueuePage, offset: int, format: Format, output: Path | None
) -> None:
    from review_agent.commands._common import emit, page

    tell(ledger.notices)
    if format is Format.JSON:
        emit(_json([_listed(row) for row in found.rows]), output)
    else:
        emit("".join(f"{line}\n" for line in _lines(found.rows, page()[0])), output)
    tell(_doubtful(ledger, found.rows) + _beside(ledger, wanted, found, offset, format))


def _owners(git: Git) -> Owners | None:
    from review_agent.owners import owners_at

    return owners_at(git)


def _doubtful(ledger: Ledger, rows: Sequence[CardRow]) -> list[str]:
    """Which of the listed cards show lines that may not be git's."""
    doubts = {run: ledger.doubt(run) for run in {row.run.run_file for row in rows}}
    cards = [row.card["cardId"][:_SHORT] for row in rows if doubts[row.run.run_file]]
    if not cards:
        return []
    more = f" and {len(cards) - _NAMED} more" if len(cards) > _NAMED else ""
    return [f"the lines of {', '.join(cards[:_NAMED])}{more} may not be those of git: `cards show` says why"]


def _beside(ledger: Ledger, wanted: QueueFilter, found: QueuePage, offset: int, format: Format) -> list[str]:
    """What to say beside the list: that it is part of a longer one, or why it is empty."""
    from review_agent.ledger.queue import QueueFilter

    if found.rows:
        last = offset + len(found.rows)
        more = f"; --offset {last} shows the next" if last < found.total else ""
        return [f"cards {offset + 1} to {last} of {found.total}{more}"] if len(found.rows) < found.total else []
    if found.total:
        return [f"there are {counted(found.total, 'card')}; --offset {offset} is beyond them"]
    if format is Format.JSON:
        return []
    others = ledger.queue(QueueFilter(state=()), limit=1).total
    if others and wanted != QueueFilter(state=wanted.state, run=wanted.run, order=wanted.order):
        return [f"no card passes these filters; without them there are {others}"]
    if others and wanted.run and not wanted.state:
        return [f"no card of this run; in all there are {others}: `review-agent cards list` without --run has them"]
    return [_why_none(wanted.state, others, recorded=bool(ledger.runs()))]


def show_card(
    card: Annotated[str, typer.Argument(help="The card's id, or the start of it.", metavar="CARD")],
    format: AsFormat = Format.TEXT,
    output: Output = None,
    repo: Repo = Path(),
) -> None:
    """Show one card with its whole hunk, its excerpts, what was searched for and its decisions.

    Exit: 0, or 2 where there is no such card.
    """
    from review_agent.commands._common import emit, page, recorded
    from review_agent.ledger.store import Ledger
    from review_agent.publish.card_page import card_page
    from review_agent.publish.safe import terminal

    ledger = Ledger(recorded(repo)[0])
    found = ledger.card(card)
    tell(ledger.notices)
    doubt = ledger.doubt(found.row.run.run_file)
    if format is Format.JSON:
        emit(_json({**_shown(found), "doubt": doubt or None}), output)
        return
    width, color = page()
    parts = (found.row.card, found.question, found.bundle, found.hunk, found.decisions)
    warned = f"! {terminal(doubt)}\n\n" if doubt else ""
    drafted = _drafted(found.row.run)
    emit(f"{warned}{card_page(*parts, state=found.row.state, width=width, color=color, drafted=drafted)}\n", output)


def _drafted(run: RunRow) -> dict[str, str]:
    """The commits of a run that were made for it alone, and of what."""
    made_of = next((words for words in _DRAFTED if (run.chosen or "").startswith(words)), None)
    if made_of is None:
        return {}
    # A patch that is read alone has a base of its own, too.
    alone = [run.base] if run.base == run.merge_base and "read alone" in (run.chosen or "") else []
    return dict.fromkeys([run.head, *alone], made_of)


def tell(notices: list[str]) -> None:
    """What the reader has to know beside the result, on stderr."""
    from review_agent.commands._common import say

    for text in notices:
        say(text)


def _wire(state: State) -> CardState:
    return CardState.HIDDEN if state is State.OPEN else CardState(state.value)


def _known(ledger: Ledger, run: str | None) -> str | None:
    """The start of a run's name that ``--run`` means. Raises UsageError where no run has it."""
    from review_agent.errors import UsageError

    runs = ledger.runs() if run is not None else []
    if run is None or any(one.run_file.startswith(run) or one.review_id.startswith(run) for one in runs):
        return run
    if run == "latest" and runs:
        return runs[0].run_file
    hint = f"the newest is {runs[0].run_file.removesuffix('.jsonl')}" if runs else "`review-agent review` makes one"
    raise UsageError(f"no run is called {run!r}", where=str(ledger.runs_dir), hint=hint)


def _why_none(states: Sequence[str], others: int, *, recorded: bool) -> str:
    if states and others:
        from review_agent.adjudication import standing

        name = " or ".join(standing(CardState(one)) for one in states)
        return f"no card {name}; {others} {'is in another state' if others == 1 else 'are in other states'}"
    return "no cards: the reviews here have written none" if recorded else "no cards; `review-agent review` writes them"


def _lines(rows: Sequence[CardRow], width: int) -> Iterable[str]:
    """Two lines a card, in columns: what it is and where, then what it claims."""
    from review_agent.publish.safe import terminal
    from review_agent.transitions import state_word

    heads = [
        (row.card["cardId"][:_SHORT], state_word(row.state), row.card["severity"], row.card["changeKind"])
        for row in rows
    ]
    sizes = [max(map(len, column)) for column in zip(*heads, strict=True)]
    for row, head in zip(rows, heads, strict=True):
        columns = "  ".join(word.ljust(size) for word, size in zip(head, sizes, strict=True))
        yield f"{columns}  {_place(row, width - len(columns) - 2)}"
        claim = terminal(row.card["claim"])
        yield f"  {claim}" if len(claim) <= width - 2 else f"  {claim[: width - 3]}…"


def _place(row: CardRow, room: int) -> str:
    """Path and line; where there is no room for the whole path, its end."""
    from review_agent.publish.safe import terminal

    anchor = row.card["diffAnchor"]
    place = terminal(f"{anchor['path']}:{anchor['startLine']}")
    room = max(room, _ROOM)
    return place if len(place) <= room else f"…{place[1 - room :]}"


def _listed(row: CardRow) -> dict[str, Any]:
    run = {"reviewId": row.run.review_id, "runFile": row.run.run_file, "base": row.run.base, "head": row.run.head}
    return {"card": row.card, "state": row.state, "decisions": row.decisions, "run": run}


def _shown(found: CardDetail) -> dict[str, Any]:
    parts = {"question": found.question, "bundle": found.bundle, "hunk": found.hunk, "decisions": found.decisions}
    return {**_listed(found.row), **parts, "earlier": found.earlier}


def _json(data: Any) -> str:
    from review_agent.publish.safe import json_text

    return json_text(data)
