"""Edits of what is held for a region: a block that went while its body lives on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from review_agent.syntax.edits.frame import Frame, Sighting, leftover, renamed
from review_agent.syntax.edits.scopes import Scopes, by_scope
from review_agent.syntax.model import Block, Outline
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]

HOLDING = frozenset({"with", "try_resource", "synchronized", "finally"})


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """block_removed."""
    old, new = by_scope(frame.old_outline.blocks), by_scope(frame.new_outline.blocks)
    for before, after in scopes.shared():
        names = scopes.renames(before, after)
        olds = [one for one in old.get(before, []) if one.kind in HOLDING]
        news = [one for one in new.get(after, []) if one.kind in HOLDING]
        yield from _removed(frame, scopes, after, names, olds, news)


def _removed(
    frame: Frame, scopes: Scopes, scope: str, names: Mapping[str, str], old: Sequence[Block], new: Sequence[Block]
) -> Iterator[Sighting]:
    def touched(one: Block) -> bool:
        return frame.touches(Side.OLD, one.start, max(one.start, one.body_start - 1))

    gone = leftover(old, new, lambda one: _key(one, names), touched, lambda one: _key(one, {}))
    for one in gone:
        inside, living = _inside(frame.old_outline, one), _all(frame.new_outline, scope)
        kept = tuple(name for name in inside if renamed(name, names) in living)
        spot = frame.spot((Side.OLD, (one.start, max(one.start, one.body_start - 1))))
        if spot is not None and (kept or one.kind == "finally"):
            facts: dict[str, FactValue] = {
                "blockKind": one.kind,
                "binds": one.binds,
                "inside": inside,
                "living": kept,
                "function": scopes.function(scope),
            }
            text = " ".join(frame.text(Side.OLD, one.start, one.start).split())[:200]
            yield Sighting(EditOp.BLOCK_REMOVED, spot, scope, one.subject or one.kind, text, None, facts)


def _key(one: Block, names: Mapping[str, str]) -> tuple[str, str]:
    return one.kind, renamed(one.subject, names)


def _inside(outline: Outline, block: Block) -> tuple[str, ...]:
    """Callees and own members in a block's body, in order."""
    first, last = block.body_start, block.body_end
    found = [(one.start, one.callee) for one in outline.calls if first <= one.start <= last]
    found += [(one.line, one.path) for one in outline.member_uses if first <= one.line <= last]
    return tuple(dict.fromkeys(text for _, text in sorted(found)))[:40]


def _all(outline: Outline, scope: str) -> set[str]:
    names = {one.callee for one in outline.calls if one.scope == scope}
    return names | {one.path for one in outline.member_uses if one.scope == scope}
