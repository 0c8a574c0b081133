"""How much of one file is compared fact by fact: a bound on counts, so it is the same on every machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import Any

from review_agent.syntax.edits.frame import Changed
from review_agent.syntax.model import Outline
from review_agent.vocabulary import FileChange, Side

__all__ = ["comparable"]

# Pairs of changed facts of one kind and scope: each of one side is held against each of the other.
_MOST_PAIRS = 1_000_000


def comparable(change: FileChange, old: Outline, new: Outline) -> bool:
    """Whether no scope has so many changed conditions, handlers or literals that their pairs cannot all be looked at.

    A thousand changed facts of one kind in one function are made by a program; what that made is read by lines.
    """
    changed = Changed(change)
    kinds = ((old.guards, new.guards), (old.handlers, new.handlers), (old.composites, new.composites))
    return all(_pairs(changed, gone, come) <= _MOST_PAIRS for gone, come in kinds)


def _pairs(changed: Changed, old: Iterable[Any], new: Iterable[Any]) -> int:
    gone, come = _by_scope(changed, Side.OLD, old), _by_scope(changed, Side.NEW, new)
    return max((count * come[scope] for scope, count in gone.items()), default=0)


def _by_scope(changed: Changed, side: Side, facts: Iterable[Any]) -> Counter[Hashable]:
    return Counter(one.scope for one in facts if changed.touches(side, one.start, one.end))
