"""The exception tree: every failure a user can cause or meet, with the exit code it ends in.

An error says what happened, where, and what to do next. Only ``cli`` turns one into an exit code; anything that is not
a :class:`ReviewAgentError` is a bug of ours and ends in exit code 70.
"""

from __future__ import annotations


class ReviewAgentError(Exception):
    """Base of all errors shown to a user without a traceback.

    ``where`` is a path, ref or record the message is about; ``hint`` is the next step to take, else ``usual_hint``.
    """

    exit_code = 2
    usual_hint = ""

    def __init__(self, message: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint or self.usual_hint


class UsageError(ReviewAgentError):
    """The command line asks for something that does not exist or does not fit together."""


class SnapshotError(ReviewAgentError):
    """The repository, a ref or the merge base cannot be had."""


class GitError(SnapshotError):
    """A git command failed, ran out of time or printed something unreadable."""

    usual_hint = "`git fsck` tells whether the repository is damaged; if it is, take a fresh clone"


class DiffError(SnapshotError):
    """git's diff output does not parse; nothing of it is used."""

    usual_hint = "run it again; if it stays, report it with the diff's first lines and what `git --version` says"


class PolicyError(ReviewAgentError):
    """The policy folder is missing, unreadable or invalid."""


class RecordError(ReviewAgentError):
    """A run log, journal or ledger cannot be read or written."""


class StorageFullError(RecordError):
    """The disk refused a write; what was acknowledged before it is intact, and the run can go on: it is incomplete."""

    exit_code = 3


class TransitionError(ReviewAgentError):
    """A decision that the card's state table does not allow, or that saw another version of the card."""


class ProcessError(ReviewAgentError):
    """A child process could not be started, ran past its limit, or was killed."""

    usual_hint = "run it again when the machine is less busy"
