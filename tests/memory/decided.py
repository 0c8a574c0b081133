"""Decisions made by hand, as a journal has them."""

from __future__ import annotations

from typing import Any

from review_agent.memory.verdicts import AGENT
from review_agent.vocabulary import Decision


def act(name: str, card: str = "c1", **changes: Any) -> dict[str, Any]:
    """A decision by Ada on finding ``f``, as wire data."""
    fields = {
        "kind": "decision",
        "decisionId": f"{name} {card}",
        "at": "2026-11-29T10:00:00.000+00:00",
        "act": name,
        "cardId": card,
        "cardVersion": "v",
        "fingerprint": "f",
        "reasonCode": None,
        "comment": None,
        "reviewer": "Ada",
        "evidence": "e1",
        "path": "a.py",
        "rule": "r",
    }
    return Decision.model_validate({**fields, **changes}).wire()


def reject(card: str = "c1", **changes: Any) -> dict[str, Any]:
    """Ada's rejection of finding ``f``."""
    return act("reject", card, **{"reasonCode": "intended", **changes})


def over(card: str, successor: str | None = None) -> dict[str, Any]:
    """What the product says of a card that a newer push overtook."""
    return act("supersede" if successor else "mark_stale", card, reviewer=AGENT, successor=successor, evidence=None)
