"""Which engine a replay reviews with: each worker process builds its own."""

from __future__ import annotations

from pathlib import Path

from review_agent.engines.building import Wanted, build
from review_agent.policy.model import Policy
from review_agent.vocabulary import Engine

__all__ = ["engine"]


def engine(wanted: Wanted, policy: Policy, state: Path) -> Engine:
    """A new engine; request files of a batch go to the state folder. Raises UsageError."""
    return build(wanted, policy, state).engine
