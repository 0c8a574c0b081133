"""Engines by name: which one a replay reviews with."""

from __future__ import annotations

from review_agent.engines.rules import Rules
from review_agent.errors import UsageError
from review_agent.vocabulary import Engine

__all__ = ["ENGINES", "engine"]

ENGINES = {"rules": Rules}


def engine(name: str) -> Engine:
    """A new engine of that name. Raises UsageError."""
    if name not in ENGINES:
        raise UsageError(f"there is no engine called {name!r}", hint=f"choose one of {', '.join(ENGINES)}")
    return ENGINES[name]()
