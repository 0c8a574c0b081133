"""Edits of loops that try again: a bound that went."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from review_agent.syntax.edits.frame import Frame, Sighting, words
from review_agent.syntax.edits.scopes import Scopes, by_scope
from review_agent.syntax.model import Handler, Loop, Outline
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]

LEAVING = frozenset({"raise", "return", "return_error", "return_none", "break", "exit"})
COUNTED = re.compile(r"[<>]|==|\brange\b|%")
# Go's range over anything but a number that is named or written as a limit.
COLLECTION = re.compile(r"\brange\s+(?!\d|[\w.]*(?i:max|retr|attempt|tries|limit|count|times))\w")
# A bound that counts tries, where the failure is told by other means than a handler.
_TRIES = re.compile(r"attempt|retr(?:y|ies)|tries", re.IGNORECASE)
NOT_A_NAME = frozenset({"range", "in", "not", "and", "or", "len", "int", "is", "None", "True", "False", "for"})


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """retry_unbounded: a loop that tried a bounded number of times now tries for ever."""
    old, new = by_scope(frame.old_outline.loops), by_scope(frame.new_outline.loops)
    for before, after in scopes.shared():
        for loop in new.get(after, []):
            if loop.kind == "while_true" or _without_test(loop.test):
                yield from _unbounded(frame, scopes, after, loop, old.get(before, []))


def _unbounded(frame: Frame, scopes: Scopes, scope: str, loop: Loop, old: Sequence[Loop]) -> Iterator[Sighting]:
    going_on = [one for one in _handlers(frame.new_outline, loop) if not set(one.actions) & LEAVING]
    if _counts(frame.new_outline, loop):
        return
    tried = _callees(frame.new_outline, loop)
    for before in old:
        bound = _bound(frame.old_outline, before)
        again = tried & _callees(frame.old_outline, before) if going_on else _TRIES.search(bound)
        if bound and _became(frame, before, loop) and again:
            yield from _sight(frame, scope, loop, before, bound, going_on)
            return


def _without_test(test: str) -> bool:
    """Whether the head of a counting loop has no condition: ``i := 0; ; i++``."""
    parts = test.strip("() ").split(";")
    return len(parts) == 3 and not parts[1].strip()


def _became(frame: Frame, before: Loop, loop: Loop) -> bool:
    """Whether the one loop became the other: its head was rewritten in place, or stands as it was."""
    run = frame.run_of(Side.OLD, before.start)
    if run is None:
        return frame.to_new(before.start) == loop.start and loop.start not in frame.new
    return frame.run_of(Side.NEW, loop.start) is run


def _handlers(outline: Outline, loop: Loop) -> list[Handler]:
    return [one for one in outline.handlers if one.scope == loop.scope and loop.start <= one.start <= loop.end]


def _callees(outline: Outline, loop: Loop) -> set[str]:
    """Callees in the statements that the loop's handlers guard."""
    found = {one.source for one in _handlers(outline, loop) if one.source}
    for handler in _handlers(outline, loop):
        inside = (one for one in outline.calls if one.scope == loop.scope)
        found.update(one.callee for one in inside if handler.try_start <= one.start <= handler.try_end)
    return found


def _counts(outline: Outline, loop: Loop) -> str:
    """The test of a guard in the loop that leaves on a count, "" where there is none."""
    for guard in outline.guards:
        inside = guard.scope == loop.scope and loop.start <= guard.start <= loop.end
        if inside and guard.action in LEAVING and guard.test_kind != "error" and COUNTED.search(guard.test):
            return guard.test
    return ""


def _bound(outline: Outline, loop: Loop) -> str:
    """The text that bounds a loop, "" where nothing does."""
    if loop.kind == "while_true":
        return _counts(outline, loop)
    return loop.test if COUNTED.search(loop.test) and not COLLECTION.search(loop.test) else ""


def _sight(
    frame: Frame, scope: str, loop: Loop, before: Loop, bound: str, handlers: Sequence[Handler]
) -> Iterator[Sighting]:
    header = (loop.start, loop.start)
    spot = frame.spot(
        (Side.NEW, header), (Side.OLD, (before.start, before.start)), (Side.OLD, (before.start, before.end))
    )
    if spot is None:
        return
    tried = tuple(sorted(_callees(frame.new_outline, loop) & _callees(frame.old_outline, before)))
    after = frame.text(Side.NEW, *header).strip().rstrip(":{").strip()
    facts: dict[str, FactValue] = {
        "beforeTest": bound,
        "afterTest": loop.test or after,
        "tryCalls": tried,
        "types": tuple(dict.fromkeys(name for one in handlers for name in one.types)),
        "loopStart": loop.start,
        "loopEnd": loop.end,
        "capNames": _caps(bound),
        "function": scope,
    }
    yield Sighting(EditOp.RETRY_UNBOUNDED, spot, scope, tried[0] if tried else bound, bound, loop.test or after, facts)


def _caps(bound: str) -> tuple[str, ...]:
    """Names in a bound: of ``for i in range(N)`` and ``for i := 0; i < n; i++`` only what limits."""
    limit = bound.rpartition(" in ")[2]
    parts = limit.split(";")
    limit = parts[1] if len(parts) == 3 else limit
    limit = re.split(r"[<>]=?", limit)[-1] if re.search("[<>]", limit) else limit
    return tuple(dict.fromkeys(name for name in words(limit) if name not in NOT_A_NAME))
