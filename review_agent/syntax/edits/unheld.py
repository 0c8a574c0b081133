"""Edits of uses that hold nothing: a new use of a member without the lock that all other uses of it hold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from review_agent.syntax.edits.frame import Frame, Sighting, Spot
from review_agent.syntax.edits.held_uses import HeldUses, Use, is_lock
from review_agent.syntax.edits.scopes import Scopes
from review_agent.syntax.holding import hold_kind
from review_agent.syntax.roles import words_of
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["unheld"]

_MAKERS = frozenset({"__init__", "__new__", "__post_init__", "constructor", "__enter__", "__del__"})
# Names that say that the caller holds what is needed.
_HELD_BY_CALLER = frozenset({"locked", "unlocked", "nolock", "unsafe", "unsynchronized", "lockless"})


def unheld(frame: Frame, scopes: Scopes, old: HeldUses, new: HeldUses) -> Iterator[Sighting]:
    """A new use of a member that holds nothing of what all other uses of it in the file hold."""
    if not new.holding:
        return
    uses = [one for one in new.members() if not _made_or_handed(scopes, one) and not is_lock(one.name)]
    before = _counted(old.members(), scopes.new_of)
    told: set[tuple[str, str, str]] = set()
    for one in uses:
        where = (one.owner, one.name, one.scope)
        if where in told or not frame.touches(Side.NEW, one.start, one.end):
            continue
        others = [two for two in uses if two.owner == one.owner and two.name == one.name and two.scope != one.scope]
        held = _common(others)
        spot = frame.spot((Side.NEW, (one.start, one.end))) if held and not set(held) & set(one.holds) else None
        if spot is not None and sum(1 for two in uses if (two.owner, two.name, two.scope) == where) > before[where]:
            told.add(where)
            yield _unheld_sighting(scopes, spot, one, held, len(others))


def _made_or_handed(scopes: Scopes, use: Use) -> bool:
    """In a constructor nobody else sees the object yet; a name can say that the caller holds the lock."""
    name = use.scope.rpartition(".")[2]
    made = name in _MAKERS or name == use.owner.rpartition(".")[2]
    return made or bool(_HELD_BY_CALLER & set(words_of(name))) or scopes.kind(use.scope) in ("class", "")


def _counted(uses: Iterable[Use], new_of: Mapping[str, str]) -> dict[tuple[str, str, str], int]:
    counts: dict[tuple[str, str, str], int] = defaultdict(int)
    for one in uses:
        counts[one.owner, one.name, new_of.get(one.scope, one.scope)] += 1
    return counts


def _common(others: Sequence[Use]) -> dict[str, str]:
    """The locks that every other use holds, where one of them writes."""
    if not any(one.act in ("write", "update") for one in others) and not _is_method(others):
        return {}
    common = set(others[0].holds).intersection(*(one.holds for one in others))
    return {key: others[0].holds[key] for key in sorted(common) if hold_kind(others[0].holds[key]) == "lock"}


def _is_method(others: Sequence[Use]) -> bool:
    """A method of the object's own that more than one place calls."""
    return len(others) > 1 and all(one.act == "call" for one in others)


def _unheld_sighting(scopes: Scopes, spot: Spot, one: Use, held: Mapping[str, str], others: int) -> Sighting:
    facts: dict[str, FactValue] = {
        "lock": next(iter(held.values())),
        "act": one.act,
        "owner": one.owner,
        "others": others,
        "holds": tuple(one.holds.values()),
        "function": scopes.function(one.scope) or one.scope,
    }
    return Sighting(EditOp.UNHELD_USE_ADDED, spot, one.scope, one.name, None, next(iter(held.values())), facts)
