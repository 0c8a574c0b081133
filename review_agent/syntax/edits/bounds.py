"""How much of one file is compared fact by fact: a bound on counts, so it is the same on every machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import Any

from review_agent.syntax.edits.frame import Changed
from review_agent.syntax.model import Outline
from review_agent.vocabulary import FileChange, Side

__all__ = ["comparable"]

# Pairs of changed facts of one kind and scope, each of one side held against each of the other; as many as take some
# seconds. Handlers are compared by the lines that they guard.
_MOST_GUARDS, _MOST_HANDLERS, _MOST_COMPOSITES = 1_000_000, 100_000, 4_000_000


def comparable(change: FileChange, old: Outline, new: Outline) -> bool:
    """Whether no scope has so many changed conditions, handlers or literals that their pairs cannot all be looked at.

    A thousand changed conditions in one function are made by a program; what that made is read by lines.
    """
    changed = Changed(change)
    return (
        _pairs(changed, old.guards, new.guards) <= _MOST_GUARDS
        and _pairs(changed, old.handlers, new.handlers) <= _MOST_HANDLERS
        and _pairs(changed, old.composites, new.composites) <= _MOST_COMPOSITES
    )


def _pairs(changed: Changed, old: Iterable[Any], new: Iterable[Any]) -> int:
    gone, come = _by_scope(changed, Side.OLD, old), _by_scope(changed, Side.NEW, new)
    return max((count * come[scope] for scope, count in gone.items()), default=0)


def _by_scope(changed: Changed, side: Side, facts: Iterable[Any]) -> Counter[Hashable]:
    return Counter(one.scope for one in facts if changed.touches(side, one.start, one.end))
