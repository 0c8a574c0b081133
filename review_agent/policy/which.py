"""What a policy does with a path: which pattern sets it aside, which raise it, which make it a question."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from review_agent import globs
from review_agent.policy.model import Policy

__all__ = ["Rule", "which"]


@dataclass(frozen=True)
class Rule:
    """A pattern of the policy that matches a path. ``wins``: it decides; of those that set aside, the first does."""

    what: str
    glob: str
    says: str
    wins: bool = True


def which(policy: Policy, path: str) -> list[Rule]:
    """Every pattern that matches the path, those that set it aside first, in the policy's order."""
    skips = [(rule.value, glob) for rule, globs in policy.skips.globs.items() for glob in globs if _fits(glob, path)]
    found = [Rule("set aside", glob, rule, wins=not at) for at, (rule, glob) in enumerate(skips)]
    return [*found, *_weighed(policy, path)]


def _weighed(policy: Policy, path: str) -> Iterator[Rule]:
    for steers in policy.steering.files:
        if _fits(steers.glob, path):
            yield Rule("steering", steers.glob, f"a change of it is itself a question ({steers.why})")
    for one in policy.sensitive_paths:
        if _fits(one.glob, path):
            yield Rule("sensitive", one.glob, f"adds {one.risk} to the rank of its questions ({one.why})")


def _fits(glob: str, path: str) -> bool:
    return bool(globs.spec([glob]).match_file(path))
