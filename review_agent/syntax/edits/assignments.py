"""Edits of what is set on something that outlives the function: attributes, elements."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from review_agent.syntax.edits.frame import Frame, Sighting, leftover, renamed
from review_agent.syntax.edits.scopes import Scopes, by_scope
from review_agent.syntax.model import Assign
from review_agent.syntax.surroundings import held_at
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["GROWS", "find"]

MOST = 60
# A member of the object itself that a line adds to.
GROWS = re.compile(
    r"(?:\b(?:self|this|[a-z]\w{0,2})\.)(#?\w+)(?:\.(?:push|append|appendleft|add|extend|unshift|enqueue)\(|\s*=\s*append\()"
)


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """assignment_removed and assignment_added."""
    old, new = by_scope(frame.old_outline.assigns), by_scope(frame.new_outline.assigns)
    for before, after in scopes.shared():
        yield from _compare(frame, scopes, before, after, _lasting(old.get(before, [])), _lasting(new.get(after, [])))
    told = 0
    for symbol in scopes.added_within():
        for one in _lasting(new.get(symbol.qualname, [])):
            told += 1
            if told <= MOST:
                yield from _sight(frame, scopes, EditOp.ASSIGNMENT_ADDED, symbol.qualname, one, Side.NEW, None)


def _lasting(assigns: Sequence[Assign]) -> list[Assign]:
    return [one for one in assigns if any("." in target or "[" in target for target in one.targets)]


def _compare(
    frame: Frame, scopes: Scopes, before: str, after: str, old: Sequence[Assign], new: Sequence[Assign]
) -> Iterator[Sighting]:
    names = scopes.renames(before, after)

    def left(one: Assign) -> bool:
        return frame.touches(Side.OLD, one.start, one.end)

    def came(one: Assign) -> bool:
        return frame.touches(Side.NEW, one.start, one.end)

    def key(one: Assign) -> tuple[str, ...]:
        return tuple(renamed(target, names) for target in one.targets)

    for one in leftover(old, new, key, left, lambda one: one.targets):
        if left(one):
            yield from _sight(frame, scopes, EditOp.ASSIGNMENT_REMOVED, after, one, Side.OLD, before)
    for one in leftover(new, old, lambda one: one.targets, came, key):
        if came(one):
            yield from _sight(frame, scopes, EditOp.ASSIGNMENT_ADDED, after, one, Side.NEW, None)


def _sight(
    frame: Frame, scopes: Scopes, op: EditOp, scope: str, one: Assign, side: Side, old_scope: str | None
) -> Iterator[Sighting]:
    spot = frame.spot((side, (one.start, one.end)))
    target = next((name for name in one.targets if "." in name or "[" in name), "")
    if spot is None:
        return
    outline = frame.old_outline if side is Side.OLD else frame.new_outline
    facts: dict[str, FactValue] = {
        "targets": one.targets,
        "value": one.value,
        "callee": one.callee,
        "held": held_at(outline, one.scope, one.start),
        "remaining": sum(1 for a in frame.new_outline.assigns if a.scope == scope and target in a.targets),
        "beside": _grown_beside(frame, one) if side is Side.NEW and one.value.startswith("+=") else (),
        "function": scopes.function(scope) or (old_scope or ""),
    }
    text = f"{', '.join(one.targets)} = {one.value}"[:200]
    yield Sighting(
        op, spot, scope, target, text if side is Side.OLD else None, text if side is Side.NEW else None, facts
    )


def _grown_beside(frame: Frame, one: Assign) -> tuple[str, ...]:
    """The members that the lines right before and behind a statement add to."""
    around = (frame.text(Side.NEW, one.start - 1, one.start - 1), frame.text(Side.NEW, one.end + 1, one.end + 1))
    return tuple(dict.fromkeys(name for line in around for name in GROWS.findall(line)))
