"""New uses, unguarded, of a parameter that stands for nothing unless a caller gives it a value."""

from __future__ import annotations

from collections.abc import Iterator

from review_agent.syntax.edits.frame import Frame, Sighting
from review_agent.syntax.edits.scopes import CALLABLES, Scopes
from review_agent.syntax.model import Access, Outline, Symbol
from review_agent.vocabulary import EditOp, Side

__all__ = ["ORIGIN", "find"]

ORIGIN = "optional_parameter"
_NOTHING = frozenset({"None", "null", "undefined"})


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """nilable_dereferenced, of parameters whose default is nothing; one a parameter."""
    old_of = {new: old for old, new in scopes.shared()}
    for symbol in frame.new_outline.symbols:
        names = _optional(symbol)
        if symbol.kind not in CALLABLES or not names or not frame.touches(Side.NEW, symbol.start, symbol.end):
            continue
        bare = [
            one for one in frame.new_outline.accesses if one.base in names and _bare(frame.new_outline, symbol, one)
        ]
        before = frame.old_outline
        known = {
            one.base for one in before.accesses if one.scope == old_of.get(symbol.qualname) and one.guarded_by is None
        }
        yield from _told(frame, scopes, symbol, [one for one in bare if one.base not in known])


def _optional(symbol: Symbol) -> frozenset[str]:
    return frozenset(one.name for one in symbol.params if one.default in _NOTHING)


def _bare(outline: Outline, symbol: Symbol, one: Access) -> bool:
    """Whether a use in the function itself meets what the caller gave, untested."""
    if one.scope != symbol.qualname or one.origin != "name" or one.guarded_by is not None:
        return False
    return not any(
        one.base in each.targets and each.start <= one.start
        for each in outline.assigns
        if each.scope == symbol.qualname
    )


def _told(frame: Frame, scopes: Scopes, symbol: Symbol, bare: list[Access]) -> Iterator[Sighting]:
    told: set[str] = set()
    for one in sorted(bare, key=lambda each: each.start):
        spot = frame.spot((Side.NEW, (one.start, one.end)))
        if spot is None or one.base in told:
            continue
        told.add(one.base)
        default = next(each.default or "" for each in symbol.params if each.name == one.base)
        facts = {
            "member": one.member,
            "origin": ORIGIN,
            "producer": default,
            "function": scopes.function(one.scope),
        }
        line = " ".join(frame.text(Side.NEW, one.start, one.end).split())[:200]
        yield Sighting(EditOp.NILABLE_DEREFERENCED, spot, one.scope, one.base, None, line, facts)
