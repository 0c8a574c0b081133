"""Edits of what a call passes, where the call itself stayed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from review_agent.syntax.edits.effects import call_facts
from review_agent.syntax.edits.frame import Frame, Sighting, leftover, renamed
from review_agent.syntax.edits.scopes import Scopes, by_scope
from review_agent.syntax.edits.takers import takers
from review_agent.syntax.model import Arg, Call
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """argument_removed, argument_added and argument_changed."""
    old, new = by_scope(frame.old_outline.calls), by_scope(frame.new_outline.calls)
    for before, after in scopes.shared():
        names = scopes.renames(before, after)
        for one, other in _pairs(frame, names, old.get(before, []), new.get(after, [])):
            yield from _differences(frame, scopes, after, names, one, other)


def _pairs(
    frame: Frame, names: Mapping[str, str], old: Sequence[Call], new: Sequence[Call]
) -> Iterator[tuple[Call, Call]]:
    """Calls of one callee whose arguments differ, in order."""

    def key(one: Call) -> tuple[str, tuple[str, ...]]:
        return renamed(one.callee, names), tuple(renamed(_written(arg), names) for arg in one.args)

    def plain(one: Call) -> tuple[str, tuple[str, ...]]:
        return one.callee, tuple(_written(arg) for arg in one.args)

    def left(one: Call) -> bool:
        return frame.touches(Side.OLD, one.start, one.end)

    def came(one: Call) -> bool:
        return frame.touches(Side.NEW, one.start, one.end)

    gone = [one for one in leftover(old, new, key, left, plain) if left(one)]
    come = [one for one in leftover(new, old, plain, came, key) if came(one)]
    for one in gone:
        other = next((new for new in come if new.callee == renamed(one.callee, names)), None)
        if other is not None:
            come.remove(other)
            yield one, other


def _differences(
    frame: Frame, scopes: Scopes, scope: str, names: Mapping[str, str], one: Call, other: Call
) -> Iterator[Sighting]:
    before, after = _by_place(one.args, names), _by_place(other.args, {})
    for place in (*before, *(place for place in after if place not in before)):
        was, now = before.get(place), after.get(place)
        if was == now:
            continue
        op = EditOp.ARGUMENT_ADDED if was is None else EditOp.ARGUMENT_REMOVED
        op = EditOp.ARGUMENT_CHANGED if was is not None and now is not None else op
        spot = frame.spot((Side.NEW, (other.start, other.end)), (Side.OLD, (one.start, one.end)))
        if spot is not None:
            facts: dict[str, FactValue] = {
                **call_facts(other, frame.new_outline),
                "keyword": place if isinstance(place, str) else None,
                "index": place if isinstance(place, int) else -1,
                "function": scopes.function(scope),
                "takers": takers(frame, scope, was) if was is not None else (),
            }
            yield Sighting(op, spot, scope, other.callee, was, now, facts)


def _by_place(args: Sequence[Arg], names: Mapping[str, str]) -> dict[int | str, str]:
    return {arg.keyword or index: renamed(arg.text, names) for index, arg in enumerate(args)}


def _written(arg: Arg) -> str:
    return f"{arg.keyword}={arg.text}" if arg.keyword else arg.text
