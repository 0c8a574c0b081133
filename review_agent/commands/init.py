"""``review-agent init``: a team's own copy of policy files, and what the repository's own history says about kinds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from review_agent.commands._common import Repo

if TYPE_CHECKING:
    from review_agent.git import Git

__all__ = ["register"]

_REPORT = "calibration.md"


def register(app: typer.Typer) -> None:
    app.command("init")(init)


def init(
    files: Annotated[
        list[str] | None, typer.Argument(help="Policy files to copy, e.g. change-kinds.yml.", metavar="FILES")
    ] = None,
    repo: Repo = Path(),
    every: Annotated[bool, typer.Option("--all", help="Copy every policy file.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Write over files that are there.")] = False,
    calibrate: Annotated[
        bool, typer.Option("--calibrate", help="Review past faults of this repository, and report beside the policy.")
    ] = False,
    limit: Annotated[
        int | None, typer.Option("--limit", help="With --calibrate: look through so many commits.", min=1)
    ] = None,
    most: Annotated[
        int | None, typer.Option("--most", help="With --calibrate: review so many faults, and clean commits.", min=1)
    ] = None,
) -> None:
    """Start a team's policy: copy files of the shipped one to .github/review-agent/, to be changed and committed.

    A file that is not copied stays the shipped one. Nothing takes effect before it is on the protected branch, and
    nothing is switched by --calibrate: it writes a report with a proposal.

    Exit: 0 done, 2 error, 3 a review of --calibrate failed, 130 interrupted.
    """
    from review_agent.git import Git

    names = _named(files or [], every, calibrate)
    git = Git(repo)
    folder = _folder(git)
    _refuse_present(folder, [*names, *([_REPORT] if calibrate else [])], force)
    for name in names:
        _write(folder, name, _shipped(name))
    failed = _calibrated(repo, folder, limit, most) if calibrate else 0
    typer.echo(_next(git, names))
    raise typer.Exit(3 if failed else 0)


def _named(files: Sequence[str], every: bool, calibrate: bool) -> list[str]:
    """The files to copy. Raises UsageError for one that no policy has, and where nothing is asked for."""
    from review_agent.errors import UsageError
    from review_agent.policy.folder import NAMES

    names = list(NAMES) if every else list(dict.fromkeys(files))
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        raise UsageError(f"no policy file is called {unknown[0]}", hint=f"there are {', '.join(NAMES)}")
    if not names and not calibrate:
        raise UsageError(
            "no policy file is named", hint=f"name some of {', '.join(NAMES)}, or give --all or --calibrate"
        )
    return names


def _folder(git: Git) -> Path:
    """The policy's folder in the work tree. Raises UsageError where there is none, or a link leads out of it."""
    from review_agent.errors import UsageError
    from review_agent.policy.folder import IN_REPOSITORY

    if git.root == git.git_dir:
        raise UsageError("the repository has no work tree to write to", where=str(git.root), hint="use a clone")
    folder = git.root / IN_REPOSITORY
    if not folder.resolve().is_relative_to(git.root.resolve()):
        raise UsageError("a link leads out of the repository", where=str(folder), hint="make it a folder")
    return folder


def _refuse_present(folder: Path, names: list[str], force: bool) -> None:
    from review_agent.errors import UsageError

    links = [name for name in names if (folder / name).is_symlink()]
    there = [name for name in names if (folder / name).exists()]
    if links:
        raise UsageError(f"{links[0]} is a link", where=str(folder), hint="remove it: a policy is regular files")
    if there and not force:
        hint = "nothing was written; leave it out, or give --force to write over it"
        raise UsageError(f"{', '.join(there)} is there already", where=str(folder), hint=hint)


def _shipped(name: str) -> str:
    from review_agent.resources import shipped

    return (shipped("policy") / name).read_text(encoding="utf-8")


def _write(folder: Path, name: str, text: str) -> None:
    from review_agent.commands._common import emit
    from review_agent.errors import UsageError

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        hint = "see that nothing else of that name is there, and that the folder above it can be written"
        raise UsageError(f"the folder cannot be made: {error.strerror}", where=str(folder), hint=hint) from error
    emit(text, folder / name)
    typer.echo(f"wrote {folder / name}")


def _calibrated(repo: Path, folder: Path, limit: int | None, most: int | None) -> int:
    """Calibrate, and write the report; how many reviews failed."""
    from review_agent.commands._calibrating import Asked, calibrated, rendered

    made = calibrated(Asked(repo, limit=limit, most=most))
    text = rendered(made, "text").replace("```", "'''")
    _write(folder, _REPORT, f"# What the reviewer finds in this repository's own history\n\n```text\n{text}```\n")
    return made.failed


def _next(git: Git, names: list[str]) -> str:
    """What to do with what was written."""
    if not names:
        return "it switches nothing: `review-agent init change-kinds.yml` copies the file that its proposal is for"
    branch = git.default_branch()
    protected = branch if branch is not None and "origin/" in branch else None
    where = (
        f"on {protected}" if protected else "on the default branch of the remote, which this clone does not have yet"
    )
    return (
        "`review-agent policy check .github/review-agent` checks it\n"
        f"it takes effect once it is committed {where}: a review reads its policy there and never from the change"
    )
