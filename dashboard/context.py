"""What the command hands to the panel: where the records are, who decides, and by which policy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from review_agent.errors import ReviewAgentError
from review_agent.ledger.queue import OwnerOf
from review_agent.policy.folder import Folder
from review_agent.policy.model import Policy

__all__ = ["Panel", "given", "hand_over"]


@dataclass(frozen=True)
class Panel:
    """One panel. ``policy`` reads the policy in force with the files it comes from; it raises PolicyError.

    ``place`` is what the header calls the repository. ``owner_of`` gives a path's owners by CODEOWNERS, null where
    there is no such file; ``owners`` are all that it names.
    """

    state_dir: Path
    place: str
    reviewer: str
    policy: Callable[[], tuple[Policy, Folder]]
    owner_of: OwnerOf | None = None
    owners: tuple[str, ...] = ()


_HELD: list[Panel] = []


def hand_over(panel: Panel) -> None:
    """Makes ``panel`` the one that the pages of this process show."""
    _HELD[:] = [panel]


def given() -> Panel:
    """The panel handed over. Raises ReviewAgentError where a page was started by something else than the command."""
    if not _HELD:
        raise ReviewAgentError("the panel was not started by its command", hint="run `review-agent dashboard`")
    return _HELD[0]
