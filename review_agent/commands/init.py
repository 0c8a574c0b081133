"""``review-agent init``: a team's own policy files, a CI job, and what the repository's history says of kinds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from review_agent.commands._common import Repo
from review_agent.counting import counted
from review_agent.outlets import KEPT

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
    every: Annotated[bool, typer.Option("--policy", "--all", help="Copy every policy file.")] = False,
    github: Annotated[
        bool, typer.Option("--github", help="Write a GitHub workflow that checks pull requests.")
    ] = False,
    install: Annotated[
        str | None,
        typer.Option("--install", help="With --github: what pip installs there; as here by default.", metavar="SPEC"),
    ] = None,
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
    """Make the repository ready: a team's policy, begun from the shipped one; a CI job; a look at its past faults.

    Policy files go to .github/review-agent/, to be changed and committed; a file that is not copied stays the shipped
    one. Nothing takes effect before it is on the protected branch, and nothing is switched by --calibrate: it writes a
    report with a proposal. No file is written over without --force, and where one is there none is written.

    Exit: 0 done, 2 error, 3 a review of --calibrate failed, 130 interrupted.
    """
    from review_agent.git import Git
    from review_agent.policy.folder import IN_REPOSITORY

    names = _named(files or [], every, calibrate or github)
    texts = {f"{IN_REPOSITORY}/{name}": _shipped(name) for name in names}
    texts |= _job(github, install)
    git = Git(repo)
    report = [f"{IN_REPOSITORY}/{_REPORT}"] if calibrate else []
    _refuse_present(git, [*texts, *report], force)
    for path, text in texts.items():
        _write(git.root / path, text)
    failed = _calibrated(repo, git.root / report[0], limit, most) if report else 0
    for line in _next(git, names, github):
        typer.echo(line)
    raise typer.Exit(3 if failed else 0)


def _named(files: Sequence[str], every: bool, more: bool) -> list[str]:
    """The files to copy. Raises UsageError for one that no policy has, and where nothing is asked for."""
    from review_agent.errors import UsageError
    from review_agent.policy.folder import NAMES

    names = list(NAMES) if every else list(dict.fromkeys(files))
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        raise UsageError(f"no policy file is called {unknown[0]}", hint=f"there are {', '.join(NAMES)}")
    if not names and not more:
        hint = f"give --policy for all policy files or name some of {', '.join(NAMES)}; --github; or --calibrate"
        raise UsageError("nothing to begin is named", hint=hint)
    return names


def _job(github: bool, install: str | None) -> dict[str, str]:
    """The workflow's path and text, where it is asked for."""
    from review_agent.commands import _workflow
    from review_agent.errors import UsageError

    if not github:
        if install is not None:
            raise UsageError("--install is for the job of --github", hint="give --github with it")
        return {}
    return {_workflow.PATH: _workflow.workflow(install or _workflow.installed())}


def _refuse_present(git: Git, paths: list[str], force: bool) -> None:
    """Raises UsageError where there is no work tree, a link leads out of it, or a file would be written over."""
    from review_agent.errors import UsageError

    if git.root == git.git_dir:
        raise UsageError("the repository has no work tree to write to", where=str(git.root), hint="use a clone")
    for path in paths:
        folder = (git.root / path).parent
        if not folder.resolve().is_relative_to(git.root.resolve()):
            raise UsageError("a link leads out of the repository", where=str(folder), hint="make it a folder")
        if (git.root / path).is_symlink():
            raise UsageError(f"{path} is a link", where=str(git.root), hint="remove it: a regular file is written")
    there = [path for path in paths if (git.root / path).exists()]
    if there and not force:
        hint = "nothing was written; name only files that are not there, or give --force to write over them"
        said = f"{there[0]} is" if len(there) == 1 else f"{there[0]} and {counted(len(there) - 1, 'more file')} are"
        raise UsageError(f"{said} there already", where=str(git.root), hint=hint)


def _shipped(name: str) -> str:
    from review_agent.resources import shipped

    return (shipped("policy") / name).read_text(encoding="utf-8")


def _write(target: Path, text: str) -> None:
    from review_agent.commands._common import emit, unwritten

    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        hint = "see that nothing else of that name is there, and that the folder above it can be written"
        raise unwritten(error, "the folder cannot be made", target.parent, hint) from error
    emit(text, target)
    KEPT.set(f"{target.name} is written")
    typer.echo(f"wrote {target}")


def _calibrated(repo: Path, report: Path, limit: int | None, most: int | None) -> int:
    """Calibrate, and write the report; how many reviews failed."""
    from review_agent.commands._calibrating import Asked, calibrated, rendered

    made = calibrated(Asked(repo, limit=limit, most=most))
    text = rendered(made, "text").replace("```", "'''")
    _write(report, f"# What the reviewer finds in this repository's own history\n\n```text\n{text}```\n")
    return made.failed


def _next(git: Git, names: list[str], github: bool) -> Iterator[str]:
    """What to do with what was written."""
    if github:
        yield "the job runs on each pull request once it is committed: it counts, and shows no card (docs/ci.md)"
    if names:
        branch = git.default_branch()
        protected = branch is not None and "origin/" in branch
        unknown = "the default branch of the remote, which this clone does not have yet"
        yield "`review-agent policy check .github/review-agent` checks it"
        yield (
            f"it takes effect once it is committed on {branch if protected else unknown}: "
            "a review reads its policy there and never from the change"
        )
    elif not github:
        yield "it switches nothing: `review-agent init change-kinds.yml` copies the file that its proposal is for"
