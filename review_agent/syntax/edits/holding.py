"""Edits of what is held: uses that lost a lock or a transaction, calls that came under one, a use without its lock."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace

from review_agent.syntax.edits.frame import Frame, Sighting, Spot
from review_agent.syntax.edits.held_uses import MOST, HeldUses, Use
from review_agent.syntax.edits.scopes import CALLABLES, Scopes
from review_agent.syntax.edits.unheld import unheld
from review_agent.syntax.holding import bare_hold, hold_key, hold_kind
from review_agent.syntax.model import Outline
from review_agent.syntax.surroundings import held_at
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]

# A lock that many can hold at a time, for reading.
_SHARED = re.compile(r"\.RLock$|readLock\(\)")


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """held_removed, held_added and unheld_use_added."""
    old, new = HeldUses(frame.old_outline), HeldUses(frame.new_outline)
    for before, after in scopes.shared():
        if _touched(frame, scopes, before, after):
            yield from _Pair(frame, scopes, after, old.of(before), new).edits()
    for symbol in scopes.added_within():
        if symbol.kind in CALLABLES:
            yield from _Pair(frame, scopes, symbol.qualname, [], new).added()
    yield from unheld(frame, scopes, old, new)


def _touched(frame: Frame, scopes: Scopes, before: str, after: str) -> bool:
    inside = bool(before) and scopes.kind(after) in CALLABLES
    return inside and (
        frame.touches(Side.OLD, *scopes.span(Side.OLD, before))
        or frame.touches(Side.NEW, *scopes.span(Side.NEW, after))
    )


class _Pair:
    """One scope on both sides."""

    def __init__(self, frame: Frame, scopes: Scopes, scope: str, old: Sequence[Use], whole: HeldUses) -> None:
        self.frame, self.scopes, self.scope, self.old, self.whole = frame, scopes, scope, old, whole
        self.new = whole.of(scope)

    def edits(self) -> Iterator[Sighting]:
        yield from self.removed()
        yield from self.weakened()
        yield from self.unchecked()
        yield from self.added()

    def removed(self) -> Iterator[Sighting]:
        for key, text in _all_held(self.old).items():
            lost = self._more(key, self.old, self.new)
            uses = [one for one in self.new if (one.what, one.name) in lost and key not in one.holds]
            spot = self._where_lost(text, uses) if uses else None
            if spot is not None:
                still, uses = key in _all_held(self.new), [*uses, *self._through(uses, key)]
                yield self._sighting(EditOp.HELD_REMOVED, spot, text, uses, still=still)

    def _through(self, uses: Sequence[Use], key: str) -> list[Use]:
        """What the object's own methods use that are now called without what was held."""
        called = {f"{one.owner}.{one.name}" for one in uses if one.what == "member" and one.act == "call"}
        inside = [use for scope in sorted(called) for use in self.whole.of(scope)]
        return [one for one in inside if one.what == "member" and key not in one.holds]

    def unchecked(self) -> Iterator[Sighting]:
        """A test that was made once more under a lock, and is now only made before it."""
        old, new = (outline.guards for outline in (self.frame.old_outline, self.frame.new_outline))
        before = self.scopes.old_of.get(self.scope, self.scope)
        for key, text in _all_held(self.old).items():
            again = [one for one in old if one.scope == before and self._is_held(Side.OLD, one.start, key)]
            left = [one for one in new if one.scope == self.scope]
            for guard in again:
                same = [one for one in left if one.test == guard.test]
                gone = same and not any(self._is_held(Side.NEW, one.start, key) for one in same)
                lines = (guard.start, max(guard.start, guard.body_start - 1))
                spot = self.frame.spot((Side.OLD, lines)) if gone and key in _all_held(self.new) else None
                if spot is not None:
                    told = self._sighting(EditOp.HELD_REMOVED, spot, text, [], still=True)
                    facts = {**told.facts, "recheck": guard.test, "subjects": guard.subjects}
                    yield replace(told, facts=facts)

    def _is_held(self, side: Side, line: int, key: str) -> bool:
        outline = self.frame.old_outline if side is Side.OLD else self.frame.new_outline
        scope = self.scopes.old_of.get(self.scope, self.scope) if side is Side.OLD else self.scope
        held = held_at(outline, scope, line)
        return any(hold_key(one) == key and hold_kind(one) == "lock" for one in held)

    def weakened(self) -> Iterator[Sighting]:
        """A lock for one that became a lock for many, while what it guards is set under it."""
        now = _all_held(self.new)
        for key, text in _all_held(self.old).items():
            shared = now.get(key, "")
            uses = [one for one in self.new if key in one.holds and one.what != "call"]
            if _SHARED.search(shared) and not _SHARED.search(text):
                spot = self._where_gained(shared, [])
                if spot is not None and any(one.act in ("write", "update") for one in uses):
                    yield self._sighting(EditOp.HELD_REMOVED, spot, text, uses, still=True, shared=shared)

    def added(self) -> Iterator[Sighting]:
        for key, text in _all_held(self.new).items():
            come = self._gained(key)
            uses = [one for one in self.new if (one.what, one.name) in come and key in one.holds]
            spot = self._where_gained(text, uses) if uses else None
            if spot is not None:
                stood = {one.name for one in self.old if one.what == "call" and key not in one.holds}
                yield self._sighting(EditOp.HELD_ADDED, spot, text, uses, still=key in _all_held(self.old), stood=stood)

    def _more(self, key: str, one: Sequence[Use], other: Sequence[Use]) -> set[tuple[str, str]]:
        """What was held under a key, and now stands outside it more often than it did."""
        held, free = _counts(one, key)
        held_now, free_now = _counts(other, key)
        return {name for name in held if free_now[name] > free[name] and held_now[name] < held[name]}

    def _gained(self, key: str) -> set[tuple[str, str]]:
        held, _ = _counts(self.old, key)
        now, _ = _counts(self.new, key)
        return {name for name in now if now[name] > held[name]}

    def _where_lost(self, text: str, uses: Sequence[Use]) -> Spot | None:
        wanted = [(Side.OLD, (line, line)) for line in _takings(self.frame.old_outline, self.scope, text)]
        gone = [one for one in wanted if self.frame.touches(one[0], *one[1])]
        shown = [(Side.NEW, (one.start, one.end)) for one in uses]
        spans = [(side, self.scopes.span(side, self.scope)) for side in (Side.NEW, Side.OLD)]
        return self.frame.spot(*gone, *shown, *spans)

    def _where_gained(self, text: str, uses: Sequence[Use]) -> Spot | None:
        wanted = [(Side.NEW, (line, line)) for line in _takings(self.frame.new_outline, self.scope, text)]
        shown = [(Side.NEW, (one.start, one.end)) for one in uses]
        return self.frame.spot(*wanted, *shown, (Side.NEW, self.scopes.span(Side.NEW, self.scope)))

    def _sighting(
        self,
        op: EditOp,
        spot: Spot,
        text: str,
        uses: Sequence[Use],
        *,
        still: bool,
        stood: Container[str] = (),
        shared: str = "",
    ) -> Sighting:
        def names(what: str) -> tuple[str, ...]:
            return tuple(dict.fromkeys(one.name for one in uses if one.what == what))[:MOST]

        facts: dict[str, FactValue] = {
            "hold": hold_kind(text),
            "taken": text,
            "members": names("member"),
            "values": names("value"),
            "calls": names("call"),
            "acts": tuple(dict.fromkeys(one.text for one in uses if one.text))[:MOST],
            "moved": tuple(name for name in names("call") if name in stood),
            "written": tuple(dict.fromkeys(one.name for one in uses if one.act in ("write", "update")))[:MOST],
            "owner": next((one.owner for one in uses if one.owner), ""),
            "still": still,
            "shared": shared,
            "function": self.scopes.function(self.scope) or self.scope,
        }
        before, after = (text, None) if op is EditOp.HELD_REMOVED else (None, text)
        return Sighting(op, spot, self.scope, bare_hold(text), before, after, facts)


def _all_held(uses: Sequence[Use]) -> dict[str, str]:
    return {key: text for one in uses for key, text in one.holds.items()}


def _counts(uses: Sequence[Use], key: str) -> tuple[dict[tuple[str, str], int], dict[tuple[str, str], int]]:
    held: dict[tuple[str, str], int] = defaultdict(int)
    free: dict[tuple[str, str], int] = defaultdict(int)
    for one in uses:
        (held if key in one.holds else free)[one.what, one.name] += 1
    return held, free


def _takings(outline: Outline, scope: str, text: str) -> list[int]:
    """Lines at which something is taken."""
    lines = [one.start for one in outline.blocks if one.scope == scope and one.subject == text]
    lines += [one.start for one in outline.calls if one.scope == scope and one.callee == text]
    if text == "synchronized":
        lines += [one.name_line for one in outline.symbols if one.qualname == scope]
    return sorted(lines)
