"""At which stage of the rollout this repository is: what may be shown where more people read than decide."""

from __future__ import annotations

__all__ = ["HIDDEN", "shows_cards", "stage"]

HIDDEN = "hidden"


def stage() -> str:
    """The stage in force. No stage but ``hidden`` can be reached yet."""
    return HIDDEN


def shows_cards(stage: str) -> bool:
    """Whether a job summary may hold a card's words at the stage."""
    return stage in ("draft", "comment")
