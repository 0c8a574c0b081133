"""Where the files of the control plane come from: a folder named by hand, a protected ref, or the shipped default.

A partial folder is laid over the shipped default file by file; nothing inside a file is merged.
"""

from __future__ import annotations

import difflib
import shlex
from dataclasses import dataclass, replace
from pathlib import Path

from review_agent.errors import PolicyError, ReviewAgentError, UsageError
from review_agent.git import Git
from review_agent.given import read_up_to
from review_agent.policy.document import MAX_BYTES, TOO_LARGE, Problem
from review_agent.resources import shipped

__all__ = ["IN_REPOSITORY", "NAMES", "Folder", "read"]

NAMES = (
    "policy.md",
    "change-kinds.yml",
    "budgets.yml",
    "skips.yml",
    "sensitive-paths.yml",
    "reason-codes.yml",
    "validation-catalog.yml",
    "jobs.yml",
    "queue.yml",
    "engine.yml",
    "prices.yml",
    "prompt-system.md",
    "prompt-compile.md",
    "prompt-synthesize.md",
    "prompt-refute.md",
    "masking.yml",
    "steering.yml",
)
IN_REPOSITORY = ".github/review-agent"
_SHIPPED = "the shipped default"
_REGULAR = ("100644", "100755")


@dataclass(frozen=True)
class Folder:
    """All files of a control plane as bytes. ``origin`` says for each where it came from; ``source`` for the whole.

    ``check``: the command that lists the problems of this one. ``ref``: where a commit mends them; empty for a folder.
    """

    source: str
    files: dict[str, bytes]
    origin: dict[str, str]
    problems: tuple[Problem, ...] = ()
    check: str = "review-agent policy check"
    ref: str = ""


def read(folder: Path | None = None, *, git: Git | None = None, ref: str | None = None) -> Folder:
    """Find and read the control plane.

    ``folder`` wins; else ``.github/review-agent/`` at ``ref``, or at the default branch of the remote where no ref is
    configured, read from git objects; else the shipped default. Raises PolicyError where a folder or ref that was
    asked for by name cannot be had.
    """
    if folder is not None:
        found = _overlaid(f"the folder {folder}", *_from_disk(folder))
        return replace(found, check=f"{found.check} {shlex.quote(str(folder))}")
    if git is None:
        return _overlaid("", {}, ())
    protected = ref or _remote_default(git)
    if protected is None:
        return _overlaid("", {}, (), why=": no protected ref is configured and no remote has a default branch")
    found = _from_ref(git, protected, configured=ref is not None)
    named = f" --ref {shlex.quote(ref)}" if ref is not None else ""
    return replace(found, check=f"{found.check}{named}", ref=protected)


def _remote_default(git: Git) -> str | None:
    """The remote's default branch. A local branch of the same name is not protected: it may be the head itself."""
    branch = git.default_branch()
    return branch if branch is not None and branch.startswith(("origin/", "remotes/origin/")) else None


def _from_ref(git: Git, ref: str, *, configured: bool) -> Folder:
    try:
        commit = git.resolve(ref)
    except ReviewAgentError as error:
        if not configured:
            return _overlaid("", {}, (), why=f": {ref} does not resolve here")
        raise PolicyError(
            f"the protected ref {ref} does not resolve: {error.message}",
            where=ref,
            hint="fetch it, or name a policy folder with --policy DIR",
        ) from error
    found, problems = _from_tree(git, commit)
    if not found and not problems:
        return _overlaid("", {}, (), why=f": {ref} has no {IN_REPOSITORY}/")
    return _overlaid(f"{IN_REPOSITORY}/ at {ref} ({commit[:12]})", found, problems)


def _from_tree(git: Git, commit: str) -> tuple[dict[str, bytes], tuple[Problem, ...]]:
    found: dict[str, bytes] = {}
    problems: list[Problem] = []
    inside = {path: entry for path, entry in git.tree(commit).items() if path.startswith(f"{IN_REPOSITORY}/")}
    for path, entry in sorted(inside.items()):
        name = path.removeprefix(f"{IN_REPOSITORY}/")
        if name not in NAMES:
            problems.extend(_stray(name))
        elif entry.mode not in _REGULAR:
            problems.append(Problem(name, 0, "", f"not a regular file (mode {entry.mode})"))
        else:
            data = git.show_file(commit, path)
            if data is None:
                problems.append(Problem(name, 0, "", f"git cannot give it, or {TOO_LARGE}"))
            else:
                found[name] = data
    return found, tuple(problems)


def _from_disk(folder: Path) -> tuple[dict[str, bytes], tuple[Problem, ...]]:
    if not folder.is_dir():
        raise PolicyError(
            f"no policy folder at {folder}",
            where=str(folder),
            hint="name a folder that exists; without one, the policy in force is used",
        )
    found: dict[str, bytes] = {}
    problems: list[Problem] = []
    for path in sorted(folder.iterdir()):
        if path.name not in NAMES:
            problems.extend(_stray(path.name))
            continue
        try:
            found[path.name] = read_up_to(path, MAX_BYTES, path.name)
        except OSError as error:
            problems.append(Problem(path.name, 0, "", f"cannot be read: {error.strerror}"))
        except UsageError:
            problems.append(Problem(path.name, 0, "", "is no file, but a device, a pipe or a socket"))
    if not found and not problems:
        raise PolicyError(
            f"{folder} holds no policy file", where=str(folder), hint=f"a policy folder holds any of {', '.join(NAMES)}"
        )
    return found, tuple(problems)


def _stray(name: str) -> list[Problem]:
    """A YAML file of another name would be obeyed by nobody: that is an error, not a note to ignore."""
    if not name.endswith((".yml", ".yaml")):
        return []
    near = difflib.get_close_matches(name, NAMES, n=1)
    return [Problem(name, 0, "", "no policy file has this name", f"did you mean {near[0]}?" if near else "")]


def _overlaid(source: str, found: dict[str, bytes], problems: tuple[Problem, ...], why: str = "") -> Folder:
    default = shipped("policy")
    files = {name: found[name] if name in found else (default / name).read_bytes() for name in NAMES}
    origin = {name: source if name in found else _SHIPPED for name in NAMES}
    if not found:
        return Folder(_SHIPPED + why, files, origin, problems)
    if len(found) < len(NAMES):
        source = f"{source}: {', '.join(name for name in NAMES if name in found)}; the rest from {_SHIPPED}"
    return Folder(source, files, origin, problems)
