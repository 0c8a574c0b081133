"""Edits of values put together from parts: a component or an entry that went, came or changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from review_agent.syntax.edits.collapsed import collapsed
from review_agent.syntax.edits.extracted import extracted
from review_agent.syntax.edits.frame import Frame, Sighting, leftover, renamed
from review_agent.syntax.edits.scopes import Scopes, by_scope
from review_agent.syntax.edits.takers import takers, users
from review_agent.syntax.model import Composite
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]

# Entries of one literal that are told; more is another table.
MOST = 20
_TEXTS = ("template", "join", "format")
# What stands where a literal lost all its entries: an empty one, or the library's own default object.
_EMPTY = re.compile(r"\{\s*\}|\bhttp\.DefaultClient\b")


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """component_removed, component_added, template_changed and entry_*."""
    old, new = by_scope(frame.old_outline.composites), by_scope(frame.new_outline.composites)
    for before, after in scopes.shared():
        names = scopes.renames(before, after)
        paired = []
        for one, other in _pairs(frame, names, old.get(before, []), new.get(after, [])):
            paired.append(one)
            compare = _entries if one.kind == "object" else _components
            yield from compare(frame, scopes, after, names, one, other)
        alone = [one for one in old.get(before, []) if one not in paired and one.kind != "object"]
        for one in alone:
            made = extracted(frame, after, names, one)
            if made is not None:
                yield from _components(frame, scopes, after, names, one, *made)
            else:
                yield from collapsed(frame, scopes, after, names, [one])
        emptied = [one for one in old.get(before, []) if one not in paired and one.kind == "object"]
        yield from _emptied(frame, scopes, after, emptied)


def _emptied(frame: Frame, scopes: Scopes, scope: str, alone: Sequence[Composite]) -> Iterator[Sighting]:
    """Entries of a literal that has none left: an empty literal has no parts to compare with."""
    for one in alone:
        run = frame.run_of(Side.OLD, one.start)
        now = frame.text(Side.NEW, run.new[0], run.new[-1]) if run is not None and run.new else ""
        if not _EMPTY.search(now) or len(one.components) > MOST:
            continue
        spot = frame.spot((Side.OLD, (one.start, one.end)))
        for key, value in zip(one.components, one.values, strict=False):
            if spot is not None:
                facts = {**_facts(scopes, scope, one, one), "kept": (), "afterComponents": (), "key": key}
                yield Sighting(EditOp.ENTRY_REMOVED, spot, scope, key, value, None, facts)


def _pairs(
    frame: Frame, names: Mapping[str, str], old: Sequence[Composite], new: Sequence[Composite]
) -> Iterator[tuple[Composite, Composite]]:
    """Values in the same role whose parts differ, in order."""

    def key(one: Composite) -> tuple[object, ...]:
        return one.kind, _all(one.components, names), _all(one.values, names), one.target, one.call

    def plain(one: Composite) -> tuple[object, ...]:
        return one.kind, one.components, one.values, one.target, one.call

    def left(one: Composite) -> bool:
        return frame.touches(Side.OLD, one.start, one.end)

    def came(one: Composite) -> bool:
        return frame.touches(Side.NEW, one.start, one.end)

    gone = [one for one in leftover(old, new, key, left, plain) if left(one) or one.kind != "object"]
    come = [one for one in leftover(new, old, plain, came, key) if came(one)]
    for one in gone:
        ranked = sorted(((-_likeness(frame, names, one, other), at) for at, other in enumerate(come)))
        if ranked and ranked[0][0] < 0:
            yield one, come.pop(ranked[0][1])


def _likeness(frame: Frame, names: Mapping[str, str], one: Composite, other: Composite) -> int:
    """How surely one value became the other; 0 where it did not."""
    text = {"template", "join", "format"}
    if one.kind != other.kind and not {one.kind, other.kind} <= text:
        return 0
    shared = len(set(_all(one.components, names)) & set(other.components))
    place = (renamed(one.target, names), renamed(one.call, names), one.returned)
    same_place = place == (other.target, other.call, other.returned) and place != ("", "", False)
    same_run = frame.run_of(Side.OLD, one.start) is not None and (
        frame.run_of(Side.OLD, one.start) is frame.run_of(Side.NEW, other.start)
    )
    return shared + 3 * same_place + 2 * same_run if shared or same_place else 0


def _all(texts: Sequence[str], names: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(renamed(one, names) for one in texts)


def _facts(scopes: Scopes, scope: str, one: Composite, other: Composite) -> dict[str, FactValue]:
    return {
        "composite": other.kind,
        "type": other.type,
        "target": other.target,
        "call": other.call,
        "returned": other.returned,
        "kept": tuple(part for part in other.components if part in one.components),
        "beforeComponents": one.components,
        "afterComponents": other.components,
        "beforeText": one.values[0] if one.values and one.kind != "object" else "",
        "afterText": other.values[0] if other.values and other.kind != "object" else "",
        "function": scopes.function(scope),
    }


def _components(
    frame: Frame,
    scopes: Scopes,
    scope: str,
    names: Mapping[str, str],
    one: Composite,
    other: Composite,
    maker: str = "",
) -> Iterator[Sighting]:
    spot = frame.spot((Side.NEW, (other.start, other.end)), (Side.OLD, (one.start, one.end)))
    if spot is None:
        return
    facts = {**_facts(scopes, scope, one, other), "maker": maker, "holders": users(frame, scope, other.target)}
    before, after = list(_all(one.components, names)), list(other.components)
    gone = [part for part in dict.fromkeys(before) if part not in after]
    come = [part for part in dict.fromkeys(after) if part not in before]
    for part in gone:
        now = come[0] if len(come) == len(gone) == 1 else None
        told = {**facts, "takers": takers(frame, scope, part)}
        yield Sighting(EditOp.COMPONENT_REMOVED, spot, scope, part, part, now, told)
    for part in come if not gone else ():
        yield Sighting(EditOp.COMPONENT_ADDED, spot, scope, part, None, part, facts)
    reordered = not gone and not come and before != after
    if reordered or (not gone and not come and one.values != other.values and one.kind in _TEXTS):
        was, now = str(facts["beforeText"]), str(facts["afterText"])
        yield Sighting(EditOp.TEMPLATE_CHANGED, spot, scope, other.target or other.call, was, now, facts)


def _entries(
    frame: Frame, scopes: Scopes, scope: str, names: Mapping[str, str], one: Composite, other: Composite
) -> Iterator[Sighting]:
    facts = _facts(scopes, scope, one, other)
    before = dict(zip(one.components, _all(one.values, names), strict=False))
    after = dict(zip(other.components, other.values, strict=False))
    gone = [key for key in before if key not in after and renamed(key, names) not in after]
    come = [key for key in after if key not in before]
    old, new = (Side.OLD, (one.start, one.end)), (Side.NEW, (other.start, other.end))
    for key in gone[:MOST]:
        twin = next((name for name in come if after[name] == before[key]), None)
        if twin is not None:
            come.remove(twin)
            yield from _entry(frame, EditOp.ENTRY_RENAMED, scope, key, key, twin, facts, (new, old))
        else:
            yield from _entry(frame, EditOp.ENTRY_REMOVED, scope, key, before[key], None, facts, (old, new))
    for key in come[:MOST]:
        yield from _entry(frame, EditOp.ENTRY_ADDED, scope, key, None, after[key], facts, (new,))
    for key in [name for name in before if name in after and before[name] != after[name]][:MOST]:
        yield from _entry(frame, EditOp.ENTRY_CHANGED, scope, key, before[key], after[key], facts, (new, old))


def _entry(
    frame: Frame,
    op: EditOp,
    scope: str,
    key: str,
    before: str | None,
    after: str | None,
    facts: Mapping[str, FactValue],
    places: Sequence[tuple[Side, tuple[int, int]]],
) -> Iterator[Sighting]:
    """An entry, on the changed line that names its key where there is one."""
    word = after if op is EditOp.ENTRY_RENAMED and after else key
    for side, (start, end) in places:
        name = word if side is Side.NEW else key
        lines = [n for n in range(start, end + 1) if frame.touches(side, n, n) and name in frame.text(side, n, n)]
        spot = frame.spot((side, (lines[0], lines[0]))) if lines else None
        if spot is not None:
            yield Sighting(op, spot, scope, key, before, after, {**facts, "key": key})
            return
