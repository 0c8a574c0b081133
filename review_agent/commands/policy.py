"""``review-agent policy check``, ``show`` and ``which``: the control plane, examined, shown, and asked about a path."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Collection, Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from review_agent.commands._common import PolicyDir, Repo
from review_agent.counting import counted

if TYPE_CHECKING:
    from review_agent.policy.folder import Folder
    from review_agent.policy.model import Policy

__all__ = ["register"]


class Format(StrEnum):
    TEXT = "text"
    JSON = "json"


Ref = Annotated[
    str | None, typer.Option("--ref", help="Protected ref to read .github/review-agent/ from.", metavar="REF")
]
AsFormat = Annotated[Format, typer.Option("--format", help="What to print.")]


def register(app: typer.Typer) -> None:
    policy = typer.Typer(
        no_args_is_help=True, rich_markup_mode=None, help="The control plane: check it, show it, ask it about a path."
    )
    policy.command("check")(check)
    policy.command("show")(show)
    policy.command("which")(which)
    app.add_typer(policy, name="policy")


def check(
    folder: Annotated[
        Path | None, typer.Argument(help="Policy folder; without it, the one in force.", metavar="[DIR]")
    ] = None,
    ref: Ref = None,
    repo: Repo = Path(),
) -> None:
    """List every problem of a policy, with file, line and key. Exit: 0 where there is none, 2 where there is one."""
    from review_agent.policy.check import check as checked
    from review_agent.publish.safe import terminal

    found = _read(folder, ref, repo)
    policy, problems = checked(found)
    for problem in problems:
        typer.echo(terminal(str(problem)))
    if policy is None:
        typer.echo(terminal(f"{counted(len(problems), 'problem')} in {found.source}"))
        raise typer.Exit(2)
    typer.echo(f"in order: {terminal(policy.source)}\nhash {policy.hash}")


def show(folder: PolicyDir = None, ref: Ref = None, repo: Repo = Path(), format: AsFormat = Format.TEXT) -> None:
    """Show the policy in force: where each file comes from, and what it says. Exit: 0, or 2 where it is invalid."""
    from review_agent.policy.load import load_folder

    found = _read(folder, ref, repo)
    policy = load_folder(found)
    typer.echo(_json(policy, found) if format is Format.JSON else _text(policy, found))


def which(
    path: Annotated[str, typer.Argument(help="A path as git shows it.", metavar="PATH")],
    folder: PolicyDir = None,
    ref: Ref = None,
    repo: Repo = Path(),
) -> None:
    """Say what the policy in force does with a path: set aside by which pattern, ranked higher by which.

    Exit: 0, or 2 where it is no path in the repository.
    """
    from review_agent.policy.load import load_folder
    from review_agent.policy.which import which as matching
    from review_agent.publish.safe import terminal

    names = _names_at_head(repo)
    path = _as_listed(_inside(path, repo), names)
    rules = matching(load_folder(_read(folder, ref, repo)), path)
    aside = next((f"set aside as {rule.says} by {rule.glob}" for rule in rules if rule.what == "set aside"), None)
    missing = "" if names is None or _is_there(path, names) else " (no such path at HEAD)"
    typer.echo(f"{terminal(path)}: {aside or 'examined: no pattern sets it aside'}{missing}")
    for rule in rules:
        if rule.what == "steering":
            typer.echo(f"steering: {rule.glob}: {rule.says}")
        elif rule.what == "sensitive":
            typer.echo(f"sensitive: {rule.glob} {rule.says}")


def _names_at_head(repo: Path) -> Collection[str] | None:
    """The paths that HEAD has; null outside a repository."""
    from review_agent.errors import SnapshotError
    from review_agent.git import Git

    try:
        git = Git(repo)
    except SnapshotError:
        return None
    head = git.head()
    return git.tree(head) if head is not None else ()


def _is_there(path: str, names: Collection[str]) -> bool:
    name = path.rstrip("/")
    return any(one == name or one.startswith(f"{name}/") for one in names)


def _as_listed(path: str, names: Collection[str] | None) -> str:
    """The path as every output shows it: one that is typed with its own control characters or bytes is known by their
    ``\\xNN``; one that is copied from an output has them already."""
    from review_agent.diff import display_path

    return path if names is not None and _is_there(path, names) else display_path(os.fsencode(path))


def _inside(path: str, repo: Path) -> str:
    """The path as git shows it, from the repository's root. Raises UsageError for one that git could not show."""
    from review_agent.errors import SnapshotError, UsageError
    from review_agent.git import Git

    clean = posixpath.normpath(path) if path.strip() else "."
    if clean.startswith("/"):
        try:
            clean = posixpath.relpath(posixpath.realpath(clean), posixpath.realpath(Git(repo).root))
        except SnapshotError:
            clean = ".."
    if clean in (".", "..") or clean.startswith("../"):
        hint = "give the path of a file as git shows it, from the repository's root"
        raise UsageError(f"{path!r} is no path in the repository", where=str(repo), hint=hint)
    return clean + "/" * path.endswith("/")


def _read(folder: Path | None, ref: str | None, repo: Path) -> Folder:
    """The files in force. Outside a repository the shipped default is."""
    from review_agent.errors import SnapshotError, UsageError
    from review_agent.git import Git
    from review_agent.policy.folder import read

    if folder is not None and ref is not None:
        raise UsageError("a policy is read from a folder or from a ref, not from both", hint="leave one out")
    if folder is not None:
        return read(folder)
    try:
        git = Git(repo)
    except SnapshotError:
        if ref is not None:
            raise
        return read()
    return read(git=git, ref=ref)


def _json(policy: Policy, found: Folder) -> str:
    from review_agent.publish.safe import json_text

    return json_text({**policy.wire(), "files": found.origin}, sort_keys=False).rstrip()


def _may(allowed: bool) -> str:
    return "may" if allowed else "may not"


def _block(title: str, values: Mapping[str, Any]) -> list[str]:
    """A line a value, an empty list said to be one."""
    said = {name: "none" if value in ([], "") else value for name, value in values.items()}
    return ["", title, *(f"  {name:<20} {value}" for name, value in said.items())]


def _text(policy: Policy, found: Folder) -> str:
    from review_agent.publish.safe import terminal_lines

    kinds = policy.change_kinds.kinds
    asked = [kind.value for kind, one in kinds.items() if one.enabled]
    resting = [kind.value for kind, one in kinds.items() if not one.enabled]
    width = max(len(name) for name in found.origin)
    skips = {str(rule): ", ".join(globs) for rule, globs in policy.skips.globs.items()}
    sensitive = {one.glob: f"{one.risk}: {one.why}" for one in policy.sensitive_paths}
    rows = (
        ("source", policy.source),
        ("hash", policy.hash),
        ("asked", ", ".join(asked) or "nothing"),
        ("not asked", ", ".join(resting) or "none"),
        ("reject codes", ", ".join(one.code for one in policy.reason_codes)),
        ("catalogue", f"{counted(len(policy.catalog), 'way')} to confirm or refute"),
        ("masking", f"{counted(len(policy.masking), 'shape')} of secrets"),
        (
            "steering",
            f"{counted(len(policy.steering.files), 'pattern')} of paths, {len(policy.steering.texts)} of words",
        ),
    )
    lines = [f"{name:<13} {value}" for name, value in rows]
    lines += _block("budgets (a question unless it says otherwise)", policy.budgets.wire())
    lines += _block("queue", policy.queue.wire()) + _block("set aside by name", skips)
    lines += [*_block("sensitive paths, by how much they raise a question's rank", sensitive), "", "files"]
    lines += [f"  {name:<{width}}  {source}" for name, source in found.origin.items()]
    return terminal_lines("\n".join([*lines, "", policy.text.rstrip()]))
