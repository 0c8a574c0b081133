"""The options that stand before a command, and what ``review-agent --help`` says above and below the commands."""

from __future__ import annotations

import typer

from review_agent import __version__

__all__ = ["root"]


def root() -> typer.Typer:
    """The command line without a command."""
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

    Run it in any git repository, no configuration and no key needed:  review-agent review
    """
