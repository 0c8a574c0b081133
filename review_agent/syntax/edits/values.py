"""Edits of values that others rely on without naming them: constants, fields, settings and their keys."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from review_agent.syntax.edits.frame import Frame, Sighting, Spot, leftover
from review_agent.syntax.edits.scopes import VALUES, Scopes, by_scope
from review_agent.syntax.edits.transitions import is_literal, same_value, transition
from review_agent.syntax.model import Setting, Symbol
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]

# A release changes these on purpose, and nothing branches on them.
VERSIONS = re.compile(r"(?i)^_*(version|release|date|commit|build)(_*(info|tag|number|string|date))?_*$")


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """default_changed of constants, fields and settings; fallback_removed, key_renamed, key_removed."""
    for old, new in scopes.pairs:
        if old.kind in VALUES and new.kind in VALUES and not scopes.is_local(new):
            yield from _constant(frame, scopes, old, new)
    old_settings, new_settings = by_scope(frame.old_outline.settings), by_scope(frame.new_outline.settings)
    for before, after in scopes.shared():
        yield from _Settings(frame, after, old_settings.get(before, []), new_settings.get(after, [])).edits()


def _constant(frame: Frame, scopes: Scopes, old: Symbol, new: Symbol) -> Iterator[Sighting]:
    """A constant, variable or field whose literal value is another one now."""
    was, becomes = old.value, new.value
    if was is None or becomes is None or not is_literal(was) or not is_literal(becomes) or VERSIONS.match(new.name):
        return
    spot = frame.spot((Side.NEW, (new.start, new.end)), (Side.OLD, (old.start, old.end)))
    if spot is not None and not same_value(was, becomes):
        owner = new.qualname.rpartition(".")[0]
        facts: dict[str, FactValue] = {
            "carrier": "constant" if _is_one_value(frame, scopes.kind(owner), new) else "field",
            "key": new.name,
            "transition": transition(was, becomes),
        }
        yield Sighting(EditOp.DEFAULT_CHANGED, spot, owner, new.name, was, becomes, facts)


def _is_one_value(frame: Frame, owner: str, symbol: Symbol) -> bool:
    """Whether there is one of it: of a module, of an object written out there, or Java's constant, which has no other
    place than a class."""
    return not owner or owner in VALUES or (frame.language == "java" and symbol.kind == "constant")


class _Settings:
    """The settings of one scope on both sides."""

    def __init__(self, frame: Frame, scope: str, old: Sequence[Setting], new: Sequence[Setting]) -> None:
        self.frame, self.scope, self.old, self.new = frame, scope, old, new

    def edits(self) -> Iterator[Sighting]:
        gone = [one for one in leftover(self.old, self.new, _name, self._gone_touched) if self._gone_touched(one)]
        come = [one for one in leftover(self.new, self.old, _name, self._come_touched) if self._come_touched(one)]
        yield from self._fallbacks()
        for one in gone:
            other = next((new for new in come if self._replaces(one, new)), None)
            if other is not None:
                come.remove(other)
                yield from self._renamed(one, other)
            elif not self._lives_on(one):
                yield from self._removed(one)

    def _gone_touched(self, one: Setting) -> bool:
        return self.frame.touches(Side.OLD, one.start, one.end)

    def _come_touched(self, one: Setting) -> bool:
        return self.frame.touches(Side.NEW, one.start, one.end)

    def _fallbacks(self) -> Iterator[Sighting]:
        """Settings read on both sides under the same key, the n-th with the n-th."""
        left = list(self.new)
        for one in self.old:
            other = next((new for new in left if _name(new) == _name(one)), None)
            if other is not None:
                left.remove(other)
                yield from self._fallback(one, other)

    def _fallback(self, one: Setting, other: Setting) -> Iterator[Sighting]:
        spot = self.frame.spot((Side.NEW, (other.start, other.end)), (Side.OLD, (one.start, one.end)))
        if spot is None or one.fallback is None or same_value(one.fallback, other.fallback):
            return
        facts: dict[str, FactValue] = {"carrier": other.carrier, "key": other.key}
        if other.fallback is None:
            facts |= {"fallback": one.fallback, "required": other.required}
            yield self._sight(EditOp.FALLBACK_REMOVED, spot, one, other, facts)
        else:
            facts["transition"] = transition(one.fallback, other.fallback)
            before, after = one.fallback, other.fallback
            yield Sighting(EditOp.DEFAULT_CHANGED, spot, self.scope, other.key, before, after, facts)

    def _sight(
        self, op: EditOp, spot: Spot, one: Setting, other: Setting | None, facts: dict[str, FactValue]
    ) -> Sighting:
        before = " ".join(self.frame.text(Side.OLD, one.start, one.end).split())[:200]
        after = None if other is None else " ".join(self.frame.text(Side.NEW, other.start, other.end).split())[:200]
        return Sighting(op, spot, self.scope, one.key, before, after, facts)

    def _replaces(self, one: Setting, other: Setting) -> bool:
        """Whether the new key is read where the old one was: same run of changed lines, same way, same name for it."""
        run = self.frame.run_of(Side.OLD, one.start)
        together = run is not None and self.frame.run_of(Side.NEW, other.start) is run
        alike = one.carrier == other.carrier and same_value(one.fallback, other.fallback)
        return together and alike and self._same_line(one, other)

    def _same_line(self, one: Setting, other: Setting) -> bool:
        """Whether the two statements differ in nothing but the key."""
        before = " ".join(self.frame.text(Side.OLD, one.start, one.end).split())
        after = " ".join(self.frame.text(Side.NEW, other.start, other.end).split())
        return before.replace(one.key, "\0") == after.replace(other.key, "\0") or (
            _target(before) == _target(after) != ""
        )

    def _renamed(self, one: Setting, other: Setting) -> Iterator[Sighting]:
        spot = self.frame.spot((Side.NEW, (other.start, other.end)), (Side.OLD, (one.start, one.end)))
        if spot is not None:
            beside = [new.key for new in self.new if new.carrier == one.carrier and new.key != other.key]
            facts: dict[str, FactValue] = {
                "carrier": one.carrier,
                "newKey": other.key,
                "act": "reads",
                "key": one.key,
                "siblings": tuple(dict.fromkeys(beside)),
            }
            yield self._sight(EditOp.KEY_RENAMED, spot, one, other, facts)

    def _removed(self, one: Setting) -> Iterator[Sighting]:
        spot = self.frame.spot((Side.OLD, (one.start, one.end)))
        if spot is not None:
            others = [other.key for other in self.new if other.carrier == one.carrier]
            facts: dict[str, FactValue] = {
                "carrier": one.carrier,
                "act": "reads",
                "siblings": tuple(dict.fromkeys(others)),
                "key": one.key,
            }
            yield self._sight(EditOp.KEY_REMOVED, spot, one, None, facts)

    def _lives_on(self, one: Setting) -> bool:
        """Whether the key is still a string or a tag somewhere in the file."""
        pattern = re.compile(rf"""["'`:]-*{re.escape(one.key)}["'`,]""")
        return any(pattern.search(line) for line in self.frame.new_lines)


def _name(one: Setting) -> tuple[str, str]:
    return one.carrier, one.key


def _target(statement: str) -> str:
    """What an assignment sets, "" where the text is none."""
    found = re.match(r"([\w.]+(?:: [\w.\[\] |]+)?)\s*:?=[^=]", statement)
    return found.group(1) if found else ""
