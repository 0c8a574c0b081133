"""The command line: every command registered, and the one place where an error becomes a message and an exit code.

Exit codes: 0 complete; 1 a gate that was asked for tripped; 2 usage, policy, snapshot or record error; 3 incomplete,
also what it prints; 4 waiting for answers; 70 a bug of ours; 130 interrupted.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from review_agent import outlets
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
_MISUSED, _CUT, _BUG, _INTERRUPTED = 2, 3, 70, 130
_INVALID = re.compile(r"^Invalid value for '?([^':]+)'?: ")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave the process with its exit code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    outlets.guard()
    outlets.KEPT.set("")
    sys.exit(_printed(_run(arguments, "--debug" in arguments)))


def _printed(code: int) -> int:
    """What the command leaves with once all is printed: that of an error stays, else 3 where something was not taken.

    Where standard error has no room either, the code alone tells.
    """
    refused = outlets.refusal(sys.stdout)
    if refused is not None:
        kept = f"; {outlets.KEPT.get()}" if outlets.KEPT.get() else " and run it again"
        _say(f"standard output takes no more: {refused.strerror}", hint=f"make room where it goes{kept}")
    cut = outlets.refusal(sys.stderr) or refused
    return _CUT if cut and code not in (_MISUSED, _BUG, _INTERRUPTED) else code


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
    if sys.stderr is not None:  # print would take standard output in its place
        print("\n".join(lines), file=sys.stderr)  # noqa: T201 - the error boundary speaks to stderr


def _shown(text: str) -> str:
    """What a message quotes of a repository does nothing to the terminal."""
    from review_agent.publish.safe import terminal_lines

    return terminal_lines(text)


if __name__ == "__main__":
    main()
