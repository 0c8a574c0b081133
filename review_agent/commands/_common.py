"""What several commands share: options, the repository and its state folder, and where output goes."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from review_agent.errors import ReviewAgentError, StorageFullError, UsageError
from review_agent.given import read_up_to
from review_agent.locking import is_full
from review_agent.outlets import KEPT

if TYPE_CHECKING:
    from review_agent.git import Git
    from review_agent.policy.model import Policy
    from review_agent.runlog import RunState
    from review_agent.stages.snapshot import Asked

Repo = Annotated[Path, typer.Option("--repo", help="The repository, or any folder in it.", metavar="DIR")]
PolicyDir = Annotated[
    Path | None,
    typer.Option("--policy", help="Policy folder to use instead of the protected one.", metavar="DIR"),
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write the result to a file instead of stdout.", metavar="FILE")
]
Base = Annotated[str | None, typer.Option("--base", help="Ref to compare with.", metavar="REF")]
Head = Annotated[str | None, typer.Option("--head", help="Ref to review.", metavar="REF")]
Commit = Annotated[str | None, typer.Option("--commit", help="Review one commit against its parent.", metavar="REF")]

Staged = Annotated[bool, typer.Option("--staged", help="Review the index against HEAD.")]
Worktree = Annotated[
    bool, typer.Option("--worktree", help="Review the work tree with its untracked files against HEAD, or --base.")
]
Diff = Annotated[
    Path | None,
    typer.Option("--diff", help="Review a diff, - for stdin, applied to HEAD or --base.", metavar="FILE"),
]
NoRepo = Annotated[
    bool, typer.Option("--no-repo", help="With --diff: read the diff alone, without a repository to look into.")
]
Exclude = Annotated[
    list[str] | None,
    typer.Option("--exclude", help="Leave out files that match, as in a .gitignore; may be repeated.", metavar="GLOB"),
]

TYPED: ContextVar[tuple[str, ...]] = ContextVar("TYPED", default=())
"""The command line, word by word, for messages that name the same command again."""
RUN_KEPT = "the run is recorded: run it again to print it"
_WRITABLE = "name a file in a folder that can be written"
MOST_GIVEN_BYTES = 64 * 1_048_576
_DIFF = "give the file that holds what `git diff` prints, or - for stdin"


def read_given(path: Path, what: str, *, unread: str = "give a file, or - for stdin", large: str) -> bytes:
    """The bytes of a file that an option names, or of stdin for ``-``.

    Raises UsageError where it cannot be read, with the hint ``unread``, or is too large, with the hint ``large``.
    """
    try:
        if str(path) == "-":
            data = sys.stdin.buffer.read(MOST_GIVEN_BYTES + 1) if sys.stdin is not None else b""
        else:
            data = read_up_to(path, MOST_GIVEN_BYTES, f"the {what}")
    except OSError as error:
        raise UsageError(f"cannot read the {what}: {error.strerror}", where=str(path), hint=unread) from error
    if len(data) > MOST_GIVEN_BYTES:
        message = f"the {what} came to more than {MOST_GIVEN_BYTES // 1_048_576} MiB"
        raise UsageError(message, where=str(path), hint=large)
    return data


@dataclass(frozen=True)
class Change:
    """Which change a command is about, as its options say."""

    git: Git
    state: Path
    asked: Asked
    exclude: tuple[str, ...]


@contextmanager
def change(
    repo: Path,
    asked: Asked,
    diff: Path | None,
    no_repo: bool,
    exclude: Sequence[str] | None,
    aside: Sequence[Path] = (),
) -> Iterator[Change]:
    """The repository and the change to review; with ``no_repo`` an empty one that ends with the block.

    ``aside``: files that the options name, which are no part of a work tree under review.
    Raises UsageError for options that exclude each other or a glob that is none.
    """
    from dataclasses import replace

    from review_agent.commands._beside import naming_worktree
    from review_agent.git import Git, empty_repository

    globs = tuple(exclude or ())
    check_globs(globs)
    if no_repo and diff is None:
        raise UsageError("--no-repo reads a diff alone, and there is none", hint="pass --diff FILE, or - for stdin")
    patch = read_given(diff, "diff", unread=_DIFF, large="review a smaller range") if diff is not None else None
    asked = replace(asked, patch=patch, alone=no_repo, aside=tuple(aside) if asked.worktree else ())
    asked.check()
    _check_commit(asked.commit)
    if not no_repo:
        git = Git(repo)
        with naming_worktree(git, asked):
            yield Change(git, state_dir(git), asked, globs)
        return
    with tempfile.TemporaryDirectory(prefix="review-agent-") as folder:
        yield Change(Git(empty_repository(Path(folder))), own_state_dir(repo), asked, globs)


def _check_commit(commit: str | None) -> None:
    """Raises UsageError where a range is given as the one commit to review."""
    base, dots, head = (commit or "").partition("..")
    if dots:
        named = f"--base {base or 'HEAD'} --head {head.lstrip('.') or 'HEAD'}"
        raise UsageError(f"--commit {commit!r} is a range of commits", hint=f"`{named}` reviews a range")


def check_globs(exclude: Sequence[str]) -> None:
    """Raises UsageError for a glob to exclude by that is none, or that leaves nothing out."""
    from review_agent import globs

    for glob in exclude:
        try:
            spec = globs.spec([glob])
        except globs.StarsError as error:
            hint = "write fewer; `**` counts as one, and --exclude may be repeated"
            raise UsageError(f"--exclude {glob!r}: {error}", hint=hint) from error
        except ValueError as error:
            raise UsageError(f"--exclude {glob!r} is no glob: {error}", hint="write it as in a .gitignore") from error
        if "[" in glob and not glob.startswith("#") and all(one.include is None for one in spec.patterns):
            hint = "close it, or write \\[ for the character itself"
            raise UsageError(f"--exclude {glob!r} is no glob: its bracket is not closed", hint=hint)
        if not any(one.include for one in spec.patterns):
            raise UsageError(
                f"--exclude {glob!r} leaves nothing out",
                hint="write a glob as in a .gitignore, without ! and # before it",
            )


def own_state_dir(folder: Path) -> Path:
    """The state folder where there is no repository: ``.review-agent`` in the folder itself."""
    from review_agent.appendlog import has_state_folder

    state = folder.resolve() / ".review-agent"
    has_state_folder(state)
    return state


def state_dir(git: Git) -> Path:
    """The state folder of a repository: ``.review-agent`` at its root.

    Raises UsageError where git tracks it, as what came with a commit is no record of this clone's reviews; RecordError
    where it is a link or no folder.
    """
    from review_agent.appendlog import has_state_folder

    folder = git.root / ".review-agent"
    has_state_folder(folder)
    if git.tracks(folder.name):
        raise UsageError(
            "the state folder is tracked by git, so its records may be anybody's",
            where=str(folder),
            hint="git rm -r --cached .review-agent, move the folder away, and run it again",
        )
    return folder


def recorded(repo: Path) -> tuple[Path, Git | None]:
    """The state folder to read, and the repository it is of; none where only the records are there.

    Raises SnapshotError where there is neither; else as ``state_dir`` does.
    """
    from review_agent.errors import SnapshotError
    from review_agent.git import Git

    try:
        git = Git(repo)
    except SnapshotError:
        if not (repo / ".review-agent").is_dir():
            raise
        return own_state_dir(repo), None
    return state_dir(git), git


def protected_policy(git: Git, folder: Path | None) -> Policy:
    """The policy in force: the folder given, else the protected ref's, else the shipped one. Raises PolicyError."""
    from review_agent.policy.load import load

    return load(folder, git=git)


def page() -> tuple[int, bool]:
    """How wide to write (the terminal's width or ``COLUMNS``, else 110; at most 160) and whether to colour."""
    width = min(shutil.get_terminal_size((110, 40)).columns, 160)
    terminal = sys.stdout is not None and sys.stdout.isatty()
    return max(width, 40), terminal and not os.environ.get("NO_COLOR")


def check_outputs(*outputs: Path | None) -> None:
    """Raises UsageError for a file that ``emit`` could not write, so that it is known before the work and not after."""
    for output in filter(None, outputs):
        folder = output.resolve().parent
        if output.is_dir():
            raise UsageError("the result needs a file's name, this is a folder", where=str(output), hint=_WRITABLE)
        if not folder.is_dir() or not (output.exists() or os.access(folder, os.W_OK)):
            said = "its folder cannot be written" if folder.is_dir() else "there is no such folder"
            raise UsageError(f"cannot write the result: {said}", where=str(output), hint=_WRITABLE)


def emit(text: str, output: Path | None) -> None:
    """Write a result to a file, whole or not at all, or to stdout.

    A symlink is written through; a device or pipe is written to, never replaced. Raises UsageError where the file
    cannot be had, StorageFullError where there is no room for it.
    """
    if output is None:
        _print(text)
        return
    check_outputs(output)
    partial = None
    try:
        target = output.resolve()
        if target.exists() and not target.is_file():
            target.write_text(text, encoding="utf-8", errors="replace")
            return
        partial = target.with_name(f".{target.name}.partial")
        partial.write_text(text, encoding="utf-8", errors="replace")
        partial.replace(target)
    except OSError as error:
        if partial is not None:
            with suppress(OSError):
                partial.unlink()
        raise unwritten(error, "cannot write the result", output, _WRITABLE) from error


def unwritten(error: OSError, message: str, where: Path, hint: str) -> ReviewAgentError:
    """The error to raise where a file that was asked for cannot be written; with it goes what is recorded already."""
    full = is_full(error)
    parts = ["make room there, or name another place" if full else hint, *filter(None, [KEPT.get()])]
    kind = StorageFullError if full else UsageError
    return kind(f"{message}: {error.strerror}", where=str(where), hint="; ".join(parts))


def _print(text: str) -> None:
    """Prints it; what stdout refuses is told at the end of the command."""
    if sys.stdout is None:
        raise UsageError("there is no standard output to print to", hint="give --output FILE")
    sys.stdout.write(text)
    sys.stdout.flush()


def say(text: str) -> None:
    """A word to the reader beside the result, on stderr; what it quotes of a change does nothing to a terminal."""
    from review_agent.publish.safe import terminal_lines

    typer.echo(f"review-agent: {terminal_lines(text)}", err=True)


def read_run(path: Path) -> RunState:
    """The state that a run log establishes. Raises RecordError where it cannot be read."""
    from review_agent.runlog import fold, read_events

    return fold(read_events(path))
