"""``review-agent doctor``: is everything here that a review needs?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from review_agent.commands._common import PolicyDir, Repo
from review_agent.commands._engine import BaseUrl, Engine, EngineOptions, Header, KeyCommand, Model

if TYPE_CHECKING:
    from review_agent.git import Git

__all__ = ["Finding", "examine", "register"]

_MIN_PYTHON = (3, 11)
# The oldest release that the hardened calls of git.py were tried with.
_TRIED_GIT = (2, 39)


class Format(StrEnum):
    TEXT = "text"
    JSON = "json"


class State(StrEnum):
    OK = "ok"
    NOTE = "note"
    BROKEN = "broken"


@dataclass(frozen=True)
class Finding:
    """One check: ``state`` is broken where a review would fail, a note where a reader should know."""

    check: str
    state: State
    detail: str
    next: str = ""


def register(app: typer.Typer) -> None:
    app.command("doctor")(doctor)


def doctor(
    repo: Repo = Path(),
    policy: PolicyDir = None,
    engine: Engine = None,
    model: Model = None,
    base_url: BaseUrl = None,
    header: Header = None,
    key_command: KeyCommand = None,
    format: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.TEXT,
) -> None:
    """Check what a review needs: Python, git, the repository, state folder, policy, grammars, ledger. Changes nothing.

    Where the openai engine is chosen its endpoint is asked, too: one small call, with nothing of the repository in it.

    Exit: 0 where a review can run, 2 where something that it needs is broken.
    """
    from review_agent.publish.safe import json_text, terminal

    options = EngineOptions(engine, model, base_url, header, key_command)
    findings = list(examine(repo, policy, options))
    if format is Format.JSON:
        typer.echo(json_text([asdict(one) for one in findings], sort_keys=False), nl=False)
    else:
        width = 7 + max(len(one.check) for one in findings) + 2
        for one in findings:
            typer.echo(f"{f'{one.state.value:<7}{one.check}':<{width}}{terminal(one.detail)}")
            if one.next:
                typer.echo(f"{'':<{width}}next: {terminal(one.next)}")
    if any(one.state is State.BROKEN for one in findings):
        raise typer.Exit(2)


def examine(repo: Path, policy: Path | None = None, engine: EngineOptions | None = None) -> Iterator[Finding]:
    """Every check in order; those that need a repository are left out where there is none."""
    yield _python()
    yield _checked("git", _git)
    found: list[Git] = []
    yield _checked("repository", lambda: _repository(repo, found))
    git = found[0] if found else None
    if git is not None:
        yield _checked("state folder", lambda: _state_folder(git))
    yield _checked("policy", lambda: _policy(git, policy))
    yield from _engine(git, policy, engine or EngineOptions())
    yield from _grammars()
    if git is not None:
        yield _checked("ledger", lambda: _ledger(git))


def _engine(git: Git | None, policy: Path | None, options: EngineOptions) -> Iterator[Finding]:
    from review_agent.commands._doctor_engine import checks

    yield from checks(git, policy, options)


def _checked(name: str, check: Callable[[], Finding]) -> Finding:
    """A check's finding; an error that it raises is one."""
    from review_agent.errors import ReviewAgentError

    try:
        return check()
    except ReviewAgentError as error:
        return Finding(name, State.BROKEN, error.message, error.hint)


def _python() -> Finding:
    import platform
    import sys

    said = f"{platform.python_implementation()} {platform.python_version()}"
    if sys.version_info[:2] >= _MIN_PYTHON:
        return Finding("python", State.OK, said)
    return Finding("python", State.BROKEN, f"{said} is too old", "install Python 3.11 or newer")


def _git() -> Finding:
    import re

    from review_agent.process import run

    done = run(["git", "version"], timeout=10, max_output=10_000)
    said = done.stdout.decode("utf-8", "replace").strip()
    version = re.search(r"(\d+)\.(\d+)", said)
    if done.returncode or version is None:
        return Finding("git", State.BROKEN, f"`git version` failed: {said or 'no output'}", "install git")
    if (int(version[1]), int(version[2])) < _TRIED_GIT:
        tried = ".".join(map(str, _TRIED_GIT))
        return Finding("git", State.NOTE, f"{said} is older than any that was tried", f"install git {tried} or newer")
    return Finding("git", State.OK, said.removeprefix("git version "))


def _repository(repo: Path, found: list[Git]) -> Finding:
    from review_agent.git import Git

    git = Git(repo)
    found.append(git)
    branch = git.default_branch()
    said = f"{git.root}, compared with {branch} by default" if branch else f"{git.root}"
    if branch is None:
        return Finding("repository", State.NOTE, f"{said}: no branch to compare with", "pass --base or --commit")
    if git.is_shallow():
        return Finding(
            "repository", State.NOTE, f"{said}; the clone is shallow", "`git fetch --unshallow` if a base lacks"
        )
    return Finding("repository", State.OK, said)


def _state_folder(git: Git) -> Finding:
    import os

    from review_agent.commands._common import state_dir

    folder = state_dir(git)
    place = folder if folder.exists() else folder.parent
    if not os.access(place, os.W_OK | os.X_OK):
        return Finding("state folder", State.BROKEN, f"{place} cannot be written", "give yourself write permission")
    return Finding("state folder", State.OK, f"{folder}" + ("" if folder.exists() else ", made by the first review"))


def _policy(git: Git | None, folder: Path | None) -> Finding:
    from review_agent.commands._beside import unused_policy
    from review_agent.policy.check import check
    from review_agent.policy.folder import read

    found = read(folder, git=git)
    policy, problems = check(found)
    if policy is None:
        said = f"{problems[0]}" + (f", and {len(problems) - 1} more" if len(problems) > 1 else "")
        return Finding("policy", State.BROKEN, said, f"`{found.check}` lists every problem")
    unused = unused_policy(git, folder) if git is not None else ""
    if unused:
        said, _, next_step = unused.partition(": give ")
        return Finding("policy", State.NOTE, f"{policy.source} ({policy.hash[:12]}); {said}", f"give {next_step}")
    return Finding("policy", State.OK, f"{policy.source} ({policy.hash[:12]})")


def _grammars() -> Iterator[Finding]:
    from review_agent.errors import ReviewAgentError
    from review_agent.syntax.parser import Parser

    samples = (
        ("python", "def f(x):\n    return x\n"),
        ("go", "package p\n\nfunc F(x int) int {\n\treturn x\n}\n"),
        ("java", "interface F {}\n"),
        ("javascript", "const f = (x) => x\n"),
        ("typescript", "const f = (x: number): number => x\n"),
        ("tsx", "const F = (x: Props) => <p>{x.a}</p>\n"),
    )
    try:
        with Parser() as parser:
            for language, text in samples:
                outline = parser.outline(text, language)
                works = outline is not None and len(outline.symbols) == 1
                why = "" if works else parser.why(text, language) or "the outline of a sample is wrong"
                state = State.OK if works else State.BROKEN
                yield Finding(
                    f"{language} grammar", state, why or "grammar loads and parses", "" if works else "install again"
                )
    except ReviewAgentError as error:
        yield Finding("grammars", State.BROKEN, error.message, error.hint)


def _ledger(git: Git) -> Finding:
    from review_agent.commands._common import state_dir
    from review_agent.ledger.store import Ledger

    folder = state_dir(git)
    if not folder.exists():
        return Finding("ledger", State.OK, "empty: nothing was reviewed here yet")
    findings = Ledger(folder).doctor()
    bad = [one for one in findings if one.level == "problem"]
    if bad:
        return Finding("ledger", State.BROKEN, f"{bad[0].what} ({bad[0].where})", bad[0].next)
    if findings:
        return Finding("ledger", State.NOTE, f"{findings[0].what} ({findings[0].where})", findings[0].next)
    return Finding("ledger", State.OK, "run logs, journal and ledger are in order")
