"""Edits of what a function takes and gives back: a thing that is taken still, and given back on fewer ways out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from review_agent.syntax.edits.frame import Frame, Sighting, renamed
from review_agent.syntax.edits.lives import RANK, Life, Lives
from review_agent.syntax.edits.scopes import CALLABLES, Scopes
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """release_weakened."""
    for before, after in scopes.shared():
        if not scopes.function(after):
            continue
        old = Lives(frame.old_outline, before, frame.old_lines)
        new = Lives(frame.new_outline, after, frame.new_lines)
        names = scopes.renames(before, after)
        taken: set[int] = set()
        for one in old.all():
            if one.form == "none":
                continue
            other = new.same(renamed(one.opener, names), renamed(one.thing, names), taken)
            if other is None:
                yield from _extracted(frame, scopes, after, one)
                continue
            taken.add(other.start)
            ways = _new_ways(frame, one, other, old, new)
            weaker = RANK[other.form] < RANK[one.form] and not _taken_over(frame, one, other, old, new)
            weaker = weaker and not (other.form == "none" and _stands(frame, scopes, (before, after), one, names))
            if weaker or ways:
                # What wrapped the thing before the change did not own it then.
                kept = tuple(how for how in old.handed(one) if how.startswith("given"))
                yield from _sight(frame, scopes, after, one, other, new, ways, kept)


def _taken_over(frame: Frame, one: Life, other: Life, old: Lives, new: Lives) -> bool:
    """Whether a call that the change adds takes the thing, where nothing else is seen to give it back."""
    if other.form != "none" or not other.thing or one.form == "handed":
        return False
    known = {call.callee for call in old.calls}
    shape = re.compile(rf"(?<![\w.]){re.escape(other.thing)}(?![\w.(])")
    return any(
        call.callee not in known
        and call.start > other.start
        and frame.touches(Side.NEW, call.start, call.end)
        and any(shape.search(arg.text) for arg in call.args)
        for call in new.calls
    )


def _stands(frame: Frame, scopes: Scopes, shared: tuple[str, str], one: Life, names: Mapping[str, str]) -> bool:
    """Whether the call that gave back is made as often as before: by the function, by those within it, or by one that
    the change adds and the function calls."""
    before, after = shared
    release = renamed(one.release, names)
    if not release:
        return False
    calls = frame.new_outline.calls
    called = {call.name for call in calls if _within(call.scope, after)}
    helpers = {symbol.qualname for symbol in scopes.added_within() if symbol.qualname.rpartition(".")[2] in called}
    then = sum(call.callee == one.release and _within(call.scope, before) for call in frame.old_outline.calls)
    name = release.rpartition(".")[2]
    now = sum(call.callee == release and _within(call.scope, after) for call in calls)
    return now >= then or any(call.name == name and call.scope in helpers for call in calls)


def _within(scope: str, outer: str) -> bool:
    return scope == outer or scope.startswith(f"{outer}.")


def _extracted(frame: Frame, scopes: Scopes, out_of: str, one: Life) -> Iterator[Sighting]:
    """A taking that moved to a function which the change adds, without what gave it back."""
    for symbol in scopes.added_within():
        lives = Lives(frame.new_outline, symbol.qualname, frame.new_lines)
        found = lives.same(one.opener, "", frozenset()) if symbol.kind in CALLABLES else None
        if found is not None:
            if RANK[found.form] < RANK[one.form] and found.form != "handed":
                yield from _sight(frame, scopes, symbol.qualname, one, found, lives, [(found.start, "")], (), out_of)
            return


def _new_ways(frame: Frame, one: Life, other: Life, old: Lives, new: Lives) -> list[tuple[int, str]]:
    """What the change put between the taking and its release: exits, or calls in front of the ``finally``."""
    if RANK[other.form] != RANK[one.form] or other.form in ("block", "none", "handed"):
        return []
    known = {text for _, text in (*old.ways(one), *old.calls_in_gap(one))}
    then, now = (Counter(text for _, text in ways) for ways in (old.ways(one), new.ways(other)))
    fresh = [
        way for way in new.ways(other) if now[way[1]] > then[way[1]] and (way[1] not in known or other.form == "plain")
    ]
    if other.form in ("final", "handled") and not fresh:
        fresh = [way for way in new.calls_in_gap(other) if way[1] not in known]
    fresh = [way for way in fresh if frame.touches(Side.NEW, way[0], way[0])]
    return [way for way in fresh if not _rewritten(frame, way[0], old.ways(one), new.ways(other))]


def _rewritten(frame: Frame, line: int, then: Sequence[tuple[int, str]], now: Sequence[tuple[int, str]]) -> bool:
    """Whether as many ways out stood where a line with one came: it is another form of one of those."""
    run = frame.run_of(Side.NEW, line)
    if run is None:
        return False
    before = sum(number in run.old for number, _ in then)
    return before >= sum(number in run.new for number, _ in now) > 0


def _sight(
    frame: Frame,
    scopes: Scopes,
    scope: str,
    one: Life,
    other: Life,
    new: Lives,
    ways: list[tuple[int, str]],
    kept: tuple[str, ...] = (),
    out_of: str = "",
) -> Iterator[Sighting]:
    wanted = [(Side.NEW, (line, line)) for line, _ in ways[:1]]
    spot = frame.spot(
        *wanted,
        (Side.OLD, one.given),
        (Side.OLD, (one.start, one.end)),
        (Side.NEW, other.given),
        (Side.NEW, (other.start, other.end)),
    )
    if spot is None:
        return
    facts: dict[str, FactValue] = {
        "thing": other.thing,
        "opener": one.opener,
        "openerNow": other.opener,
        "taken": other.text,
        "takenLine": other.start,
        "form": one.form,
        "formAfter": other.form,
        "release": one.release,
        "releaseAfter": other.release,
        "handed": tuple(how for how in new.handed(other) if how not in kept),
        "exits": tuple(dict.fromkeys(text for _, text in new.ways(other)))[:12],
        "between": tuple(dict.fromkeys(text for _, text in new.calls_in_gap(other)))[:12],
        "added": tuple(dict.fromkeys(text for _, text in ways if text))[:12],
        "outOf": out_of,
        "function": scopes.function(scope),
    }
    yield Sighting(EditOp.RELEASE_WEAKENED, spot, scope, one.release or one.text, one.text, None, facts)
