"""The policy of a review, or a clear error: nothing of a folder with a problem is used."""

from __future__ import annotations

from pathlib import Path

from review_agent.errors import PolicyError
from review_agent.git import Git
from review_agent.policy.check import check
from review_agent.policy.folder import Folder, read
from review_agent.policy.model import Policy

__all__ = ["load", "load_folder"]


def load(folder: Path | None = None, *, git: Git | None = None, ref: str | None = None) -> Policy:
    """Load the control plane from the protected side.

    ``folder`` is what ``--policy`` named; else ``.github/review-agent/`` at ``ref`` (default: the remote's default
    branch), read from git objects; else the shipped default. ``Policy.source`` says which. Raises PolicyError with
    file, line, key and a suggestion; ``review-agent policy check`` lists all problems.
    """
    return load_folder(read(folder, git=git, ref=ref))


def load_folder(found: Folder) -> Policy:
    """The policy that files hold which were read already. Raises PolicyError."""
    policy, problems = check(found)
    if policy is not None:
        return policy
    first, more = problems[0], len(problems) - 1
    meanwhile = "and where a command takes `--policy DIR` it goes on with that folder meanwhile"
    mended = f"; a commit on {found.ref} mends it, {meanwhile}" if found.ref else ""
    raise PolicyError(
        f"{first}" + (f", and {more} more" if more else ""),
        where=found.source,
        hint=f"`{found.check}` lists every problem{mended}",
    )
