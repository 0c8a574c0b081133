"""``review-agent replay``: cases with a known answer, rows of a list or past commits, reviewed and judged."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from review_agent.commands._common import Output, PolicyDir, Repo

if TYPE_CHECKING:
    from review_agent.policy.model import Policy
    from review_agent.replay.records import Job
    from review_agent.replay.report import ReplayReport

__all__ = ["register"]


class Format(StrEnum):
    TEXT = "text"
    JSON = "json"


def register(app: typer.Typer) -> None:
    app.command("replay")(replay)


def replay(
    cases: Annotated[list[Path] | None, typer.Argument(help="Folders of cases.", metavar="[CASES]...")] = None,
    repo: Repo = Path(),
    engine: Annotated[str, typer.Option("--engine", help="Which engine answers.")] = "rules",
    policy: PolicyDir = None,
    kind: Annotated[list[str] | None, typer.Option("--kind", help="Only cases of this kind; repeatable.")] = None,
    language: Annotated[list[str] | None, typer.Option("--language", help="Only this language; repeatable.")] = None,
    case: Annotated[
        list[str] | None, typer.Option("--case", help="Only cases with this in their name; repeatable.")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Worker processes; 0: one a core.", min=0)] = 0,
    state: Annotated[
        Path | None,
        typer.Option("--state", help="Where results are kept; .review-agent/replay of the repository.", metavar="DIR"),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Review everything again.")] = False,
    format: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.TEXT,
    output: Output = None,
) -> None:
    """Review cases with a known answer, and say what was found, what was missed, and which layer missed it.

    A replay that was interrupted goes on where it stopped when the same command is run again.

    Exit: 0 complete, 1 --fail-on tripped, 2 error, 3 a case failed or is incomplete, 130 interrupted.
    """
    from review_agent.commands._common import emit
    from review_agent.replay.cases import jobs_of_folders
    from review_agent.replay.run import Plan, replay

    chosen = _chosen(jobs_of_folders(cases or []), kind or [], language or [], case or [])
    folder = _state(repo, state)
    plan = Plan(
        jobs=chosen,
        policy=_policy(repo, policy),
        engine=engine,
        state=folder,
        processes=jobs or os.cpu_count() or 1,
        fresh=fresh,
        progress=_progress,
    )
    try:
        report = replay(plan)
    finally:
        _clear()
    emit(_rendered(report, format, folder), output)
    raise typer.Exit(3 if report.figures.failed or report.figures.incomplete else 0)


def _chosen(jobs: list[Job], kinds: list[str], languages: list[str], names: list[str]) -> list[Job]:
    from review_agent.errors import UsageError

    found = [
        job
        for job in jobs
        if (not kinds or job.kind in kinds)
        and (not languages or job.language in languages)
        and (not names or any(name in job.unit for name in names))
    ]
    if not found:
        known = ", ".join(sorted({job.kind for job in jobs})) or "none"
        raise UsageError("nothing to replay", hint=f"name folders of cases; kinds there are: {known}")
    return found


def _state(repo: Path, folder: Path | None) -> Path:
    from review_agent.commands._common import state_dir
    from review_agent.git import Git

    return folder.absolute() if folder is not None else state_dir(Git(repo)) / "replay"


def _policy(repo: Path, folder: Path | None) -> Policy:
    from review_agent.commands._common import protected_policy
    from review_agent.git import Git

    return protected_policy(Git(repo), folder)


def _rendered(report: ReplayReport, format: Format, state: Path) -> str:
    import json

    from review_agent.replay.text import report_text

    if format is Format.JSON:
        return json.dumps(report.wire(), ensure_ascii=False, indent=1) + "\n"
    return report_text(report, _near(state))


def _near(path: Path) -> str:
    """The path as short as it can be said from here."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def _progress(done: int, total: int, unit: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[2K{done}/{total} {unit} …")
        sys.stderr.flush()


def _clear() -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[2K")
        sys.stderr.flush()
