"""``review-agent demo``: a review of a small repository that ships with the product."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from review_agent.commands._review_options import Format, Printed
from review_agent.outlets import KEPT

if TYPE_CHECKING:
    from review_agent.pipeline import Reviewed

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    app.command("demo")(demo)


def demo(
    directory: Annotated[
        Path | None,
        typer.Option("--dir", help="Build the demo here, in a folder that does not exist yet.", metavar="DIR"),
    ] = None,
    format: Printed = Format.TEXT,
) -> None:
    """Build a small repository with one pull request, review it, and show how to triage the cards.

    No key, no network, no configuration. Exit: 0, or 2 on an error.
    """
    import tempfile

    from review_agent.commands._common import emit
    from review_agent.commands._rendered import rendered
    from review_agent.demo import build

    target = directory or Path(tempfile.mkdtemp(prefix="review-agent-demo-")) / "shop"
    base, head = build(target)
    reviewed = _reviewed(target, base, head)
    KEPT.set(f"the demo is in {target}, and its run is recorded there")
    emit(rendered(reviewed, format), None)
    if format is Format.TEXT:
        emit(_triage(target, [card.card_id[:8] for card in reviewed.document.outcomes.cards]), None)


def _reviewed(target: Path, base: str, head: str) -> Reviewed:
    from review_agent.commands._common import state_dir
    from review_agent.commands._progress import Progress
    from review_agent.engines.rules import Rules
    from review_agent.git import Git
    from review_agent.pipeline import Asked, Setup, review
    from review_agent.policy.load import load

    git = Git(target)
    with Progress() as progress:
        return review(
            Setup(
                git=git,
                policy=load(git=git),
                engine=Rules(),
                state_dir=state_dir(git),
                asked=Asked(base, head),
                progress=progress.at,
                memory=False,
            )
        )


def _triage(target: Path, cards: list[str]) -> str:
    first, second = (cards * 2)[:2] if cards else ("CARD", "CARD")
    command = "review-agent" if shutil.which("review-agent") else shlex.quote(str(Path(sys.argv[0]).absolute()))
    return f"""
Triage them:

  cd {shlex.quote(str(target))}
  {command} cards list
  {command} cards show {first}
  {command} decide {first} accept
  {command} decide {second} reject --reason intended
  {command} decide {second} undo
  {command} explain latest
  {command} dashboard          # the same by the keyboard in a browser{_extra()}

Then in a repository of your own:

  {command} review
"""


def _extra() -> str:
    """What the panel still needs here."""
    from importlib.util import find_spec

    from review_agent.resources import install_command

    return "" if find_spec("streamlit") else f"; needs: {install_command('dashboard')}"
