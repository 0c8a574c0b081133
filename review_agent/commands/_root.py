"""The options that stand before a command, and what ``review-agent --help`` says above and below the commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer

from review_agent import __version__

__all__ = ["root"]


_SAID, _WRAPPED = "review-agent", "review\0agent"


class _WholeNames(typer.Context.formatter_class):  # type: ignore[misc,valid-type] # the library has no name for it
    """Help in which no line ends within the program's name: a command that is broken there cannot be copied."""

    def write_text(self, text: str) -> None:
        super().write_text(text.replace(_SAID, _WRAPPED))

    def write_dl(self, rows: Sequence[tuple[str, str]], *args: Any, **named: Any) -> None:
        super().write_dl([(first, second.replace(_SAID, _WRAPPED)) for first, second in rows], *args, **named)

    def getvalue(self) -> str:
        return str(super().getvalue()).replace(_WRAPPED, _SAID)


def root() -> typer.Typer:
    """The command line without a command."""
    for one in typer.Context.__mro__:
        if "formatter_class" in vars(one):
            one.formatter_class = _WholeNames  # type: ignore[attr-defined]
    app = typer.Typer(
        name="review-agent",
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog="Exit: 0 complete, 1 gate tripped, 2 usage or policy or snapshot error, 3 incomplete, 4 waiting for "
        "answers, 130 interrupted, 70 a bug of ours.",
    )
    app.callback()(_options)
    return app


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"review-agent {__version__}")
        raise typer.Exit


def _options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and leave."
    ),
    debug: bool = typer.Option(False, "--debug", help="Show a traceback where something goes wrong."),
) -> None:
    """Review a code change by evidence: questions from the diff, bounded evidence, cards you accept or reject.

    Run it in any git repository, no configuration and no key needed: review-agent review
    """
