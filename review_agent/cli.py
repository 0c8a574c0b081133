"""The command line: every command registered, and the one place where an error becomes a message and an exit code.

Exit codes: 0 complete; 1 a gate that was asked for tripped; 2 usage, policy, snapshot or record error; 3 incomplete;
4 waiting for answers; 70 a bug of ours; 130 interrupted.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from review_agent.errors import ReviewAgentError

if TYPE_CHECKING:
    import typer

__all__ = ["main"]

COMMANDS = (
    "demo",
    "review",
    "preview",
    "explain",
    "cards",
    "decide",
    "dashboard",
    "ledger",
    "metrics",
    "memory",
    "policy",
    "replay",
    "schema",
    "check",
    "doctor",
    "init",
)

_NAME = "review-agent"
_BUG, _INTERRUPTED, _MISUSED = 70, 130, 2
_INVALID = re.compile(r"^Invalid value for '?([^':]+)'?: ")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave the process with its exit code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        # A stream that cannot say a character says its number; no review fails on the reader's locale.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    debug = "--debug" in arguments
    sys.exit(_run(arguments, debug))


def _run(arguments: list[str], debug: bool) -> int:
    try:
        # --debug is taken anywhere on the line, as people add it to the end of a command that failed.
        return _called([a for a in arguments if a != "--debug"])
    except KeyboardInterrupt:
        _say("interrupted; what was recorded is intact: run the same command again to go on")
        return _INTERRUPTED
    except ReviewAgentError as error:
        if debug:
            raise
        _say(error.message, error.where, error.hint)
        return error.exit_code
    except Exception as error:
        if debug:
            raise
        _say(
            f"a bug in review-agent: {type(error).__name__}: {error}",
            hint="run again with --debug for the traceback, and report it; records written before are intact",
        )
        return _BUG


def _app() -> typer.Typer:
    from review_agent.commands._root import root

    app = root()
    for name in COMMANDS:
        import_module(f"review_agent.commands.{name}").register(app)
    return app


def _called(arguments: list[str]) -> int:
    """What the command leaves with. typer takes long to load: it loads here, where Ctrl-C is met like at any time."""
    import typer

    # typer carries a click of its own and does not export the base of its usage errors.
    problem: type[typer.BadParameter] = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")
    from review_agent.commands._common import TYPED

    TYPED.set(tuple(arguments))
    try:
        result = _app()(arguments, prog_name=_NAME, standalone_mode=False)
    except problem as error:
        return _misused(error, arguments)
    except typer.Abort:
        raise KeyboardInterrupt from None
    if result == _INTERRUPTED:  # typer turns Ctrl-C into this exit code by itself, without a word
        raise KeyboardInterrupt
    return result if isinstance(result, int) else 0


def _misused(error: typer.BadParameter, arguments: list[str]) -> int:
    """Says what is wrong with the command line, as every error is said; a command without its words shows its help."""
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()
        return _MISUSED
    # typer hands on how pydantic says it where an option may be repeated.
    said = error.format_message().replace("Value error, ", "").strip()
    said = _INVALID.sub(r"\1: ", said)
    # The parser does not say of which command an option lacks its value.
    named = [_NAME, *(word for word in arguments[:1] if word in COMMANDS)]
    command = error.ctx.command_path if error.ctx is not None else " ".join(named)
    _say(said[:1].lower() + said[1:].removesuffix("."), command, f"`{command} --help` tells what it takes")
    return _MISUSED


def _say(message: str, where: str = "", hint: str = "") -> None:
    lines = [f"review-agent: {_shown(message)}"]
    lines += [f"  where  {_shown(where)}"] if where else []
    lines += [f"  next   {_shown(hint)}"] if hint else []
    print("\n".join(lines), file=sys.stderr)  # noqa: T201 - the error boundary speaks to stderr


def _shown(text: str) -> str:
    """What a message quotes of a repository does nothing to the terminal."""
    from review_agent.publish.safe import terminal_lines

    return terminal_lines(text)


if __name__ == "__main__":
    main()
