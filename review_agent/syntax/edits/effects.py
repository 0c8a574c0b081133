"""Edits of calls: an act that went, came, was replaced, or now happens in another order; an await that went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from review_agent.syntax.edits.frame import Frame, Sighting, leftover, renamed
from review_agent.syntax.edits.passing import Order
from review_agent.syntax.edits.scopes import CALLABLES, Scopes, by_scope
from review_agent.syntax.model import Arg, Call, Outline
from review_agent.syntax.roles import role_of
from review_agent.syntax.surroundings import decorators_at, following, held_at, origin_of, within
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["call_text", "find"]

# Results that say a call is there for what it does, not for what it gives.
ACTS = frozenset({"ignored", "awaited", "context"})
# Results that go into a test or a value without being held.
VALUES = frozenset({"condition", "computed", "other"})
# Added calls of a role that one file tells of.
MOST = 120
# Calls around a call that its edit tells of.
AROUND = 16


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """call_removed, call_added, call_replaced, call_moved and await_removed."""
    old, new = by_scope(frame.old_outline.calls), by_scope(frame.new_outline.calls)
    moved = _newly_called(frame)
    for before, after in scopes.shared():
        yield from _Calls(frame, scopes, before, after, old.get(before, []), new.get(after, []), moved).edits()
    yield from _in_new_code(frame, scopes, new)


def _newly_called(frame: Frame) -> Mapping[str, tuple[str, ...]]:
    """By callee, the scopes in which it is called on an added line."""
    found: dict[str, tuple[str, ...]] = {}
    for call in frame.new_outline.calls:
        if frame.touches(Side.NEW, call.start, call.start):
            found[call.callee] = tuple(dict.fromkeys((*found.get(call.callee, ()), call.scope)))
    return found


class _Calls:
    """The calls of one scope on both sides."""

    def __init__(
        self,
        frame: Frame,
        scopes: Scopes,
        before: str,
        after: str,
        old: Sequence[Call],
        new: Sequence[Call],
        moved: Mapping[str, tuple[str, ...]],
    ) -> None:
        self.frame, self.scopes, self.scope, self.moved = frame, scopes, after, moved
        self.old_scope, self.all_old, self.all_new = before, old, new
        self._names = scopes.renames(before, after)
        self._callees = Counter(call.callee for call in new)
        self.gone = [one for one in leftover(old, new, self.key, self._left, _callee) if self._left(one)]
        self.come = [one for one in leftover(new, old, _callee, self._came, self.key) if self._came(one)]

    def key(self, one: Call) -> str:
        """The callee of an old call as the new side writes it."""
        return renamed(one.callee, self._names)

    def _left(self, one: Call) -> bool:
        return self.frame.touches(Side.OLD, one.start, one.end)

    def _came(self, one: Call) -> bool:
        return self.frame.touches(Side.NEW, one.start, one.end)

    def edits(self) -> Iterator[Sighting]:
        come = list(self.come)
        for one in self.gone:
            fitting = [new for new in come if self._replaces(one, new)]
            other = max(fitting, key=lambda new: (new.name == one.name, new.args == one.args), default=None)
            if other is not None:
                come.remove(other)
                yield from self._replaced(one, other)
            elif one.result in ACTS | VALUES or one.awaited or one.deferred or role_of(one.name):
                yield from self._sight(EditOp.CALL_REMOVED, one, Side.OLD)
        for one in come:
            if role_of(one.name) or one.result in ACTS or one.deferred:
                yield from self._sight(EditOp.CALL_ADDED, one, Side.NEW)
        yield from self._unawaited()
        yield from self._reordered()

    def _replaces(self, one: Call, other: Call) -> bool:
        """Whether the new call stands in the old one's place: in the same run of lines, on the same thing."""
        run = self.frame.run_of(Side.OLD, one.start)
        if run is None or self.frame.run_of(Side.NEW, other.start) is not run:
            return False
        return one.name == other.name or one.receiver == other.receiver or (bool(one.args) and one.args == other.args)

    def _replaced(self, one: Call, other: Call) -> Iterator[Sighting]:
        spot = self.frame.spot((Side.NEW, (other.start, other.end)), (Side.OLD, (one.start, one.end)))
        if spot is None:
            return
        facts = {
            **self._facts(one, self.frame.old_outline, self.old_scope),
            "newCallee": other.callee,
            "newReceiver": other.receiver,
            "newName": other.name,
            "newArguments": tuple(_written(arg) for arg in other.args),
            "following": self._after(one),
            "decorators": decorators_at(self.frame.new_outline, self.scope),
            "within": within(self.frame.old_outline, one.start),
        }
        yield Sighting(EditOp.CALL_REPLACED, spot, self.scope, one.callee, call_text(one), call_text(other), facts)

    def _sight(self, op: EditOp, one: Call, side: Side) -> Iterator[Sighting]:
        spot = self.frame.spot((side, (one.start, one.end)))
        if spot is None:
            return
        old = side is Side.OLD
        outline = self.frame.old_outline if old else self.frame.new_outline
        facts = self._facts(one, outline, self.old_scope if old else self.scope)
        if old:
            facts["elsewhere"] = tuple(name for name in self.moved.get(one.callee, ()) if name != self.scope)
            facts["remaining"] = self._callees[one.callee]
            facts["following"] = self._after(one)
            facts["decorators"] = decorators_at(self.frame.new_outline, self.scope)
            facts["within"] = within(self.frame.old_outline, one.start)
        before, after = (call_text(one), None) if old else (None, call_text(one))
        yield Sighting(op, spot, self.scope, one.callee, before, after, facts)

    def _facts(self, one: Call, outline: Outline, scope: str) -> dict[str, FactValue]:
        return {**call_facts(one, outline), "function": self.scopes.function(self.scope) or scope}

    def _after(self, one: Call) -> tuple[str, ...]:
        return following(self.frame.new_outline, self.scope, self.frame.to_new(one.start) - 1)

    def _unawaited(self) -> Iterator[Sighting]:
        """A call that stayed, without its await."""
        free = [one for one in self.all_new if not one.awaited and self._came(one)]
        for one in self.all_old:
            if not one.awaited or not self._left(one):
                continue
            other = next((new for new in free if (self.key(one), one.args) == (new.callee, new.args)), None)
            spot = self.frame.spot((Side.NEW, (other.start, other.end))) if other is not None else None
            if other is not None and spot is not None:
                free.remove(other)
                facts = self._facts(other, self.frame.new_outline, self.scope)
                yield Sighting(
                    EditOp.AWAIT_REMOVED,
                    spot,
                    self.scope,
                    one.callee,
                    f"await {call_text(one)}",
                    call_text(other),
                    facts,
                )

    def _reordered(self) -> Iterator[Sighting]:
        """Two acts that changed places, told by the one that was moved to an earlier line."""
        old = [one for one in self.all_old if _acts(one)]
        new = [one for one in self.all_new if _acts(one)]
        order = Order([(self.key(one), one.args) for one in old], [(one.callee, one.args) for one in new])
        for at, one in enumerate(new):
            passed = order.passed(at)
            later = (new[i] for i in order.later(at, passed) if self._came(new[i]))
            told = [one] if self._came(one) else list(islice(later, 1))
            spot = self.frame.spot((Side.NEW, (told[0].start, told[0].end))) if told and passed else None
            if passed and spot is not None:
                facts = self._facts(one, self.frame.new_outline, self.scope)
                facts["nowBefore"] = tuple(dict.fromkeys(callee for callee, _ in passed))
                yield Sighting(EditOp.CALL_MOVED, spot, self.scope, one.callee, None, call_text(one), facts)


def _callee(call: Call) -> str:
    return call.callee


def _acts(call: Call) -> bool:
    return call.result in ACTS or bool(role_of(call.name)) or call.deferred


def _in_new_code(frame: Frame, scopes: Scopes, new: Mapping[str, Sequence[Call]]) -> Iterator[Sighting]:
    """Calls with a role in functions that the change adds."""
    told = 0
    for symbol in scopes.added_within():
        if symbol.kind not in CALLABLES:
            continue
        for one in new.get(symbol.qualname, ()):
            spot = frame.spot((Side.NEW, (one.start, one.end))) if role_of(one.name) and told < MOST else None
            if spot is not None:
                told += 1
                facts = {**call_facts(one, frame.new_outline), "function": symbol.qualname, "newFunction": True}
                yield Sighting(EditOp.CALL_ADDED, spot, symbol.qualname, one.callee, None, call_text(one), facts)


def call_facts(one: Call, outline: Outline) -> dict[str, FactValue]:
    """What every edit of a call says of it."""
    return {
        "receiver": one.receiver,
        "name": one.name,
        "role": role_of(one.name),
        "arguments": tuple(_written(arg) for arg in one.args),
        "result": one.result,
        "awaited": one.awaited,
        "targets": one.targets,
        "deferred": one.deferred,
        "final": outline.is_final(one.scope, one.start),
        "loop": one.loop,
        "held": held_at(outline, one.scope, one.start),
        "callsBefore": _texts(outline, one, before=True),
        "callsAfter": _texts(outline, one, before=False),
        "setsBefore": _sets(outline, one),
        "origin": _origin(outline, one),
    }


def _sets(outline: Outline, one: Call) -> tuple[str, ...]:
    """Attributes of other objects that the function sets before a call."""
    found = [target for line, target in outline.dotted_sets(one.scope) if line <= one.start]
    return tuple(dict.fromkeys(found))[-AROUND:]


def _origin(outline: Outline, one: Call) -> str:
    """What a call's receiver was last set to, or the block that binds it."""
    name = one.receiver
    if not name.isidentifier():
        return ""
    return origin_of(outline, one.scope, one.start, name) or outline.bound_by(one.scope, name)


def _texts(outline: Outline, one: Call, *, before: bool) -> tuple[str, ...]:
    """Calls of the same function before or after a call, as they are written, the nearest ones where there are many."""
    # What stands inside its arguments runs with it or by it: a callback of a transaction does.
    around = outline.calls_before if before else outline.calls_after
    return tuple(call_text(call) for call in around(one.scope, one.start, AROUND))


def _written(arg: Arg) -> str:
    return f"{arg.keyword}={arg.text}" if arg.keyword else arg.text


def call_text(call: Call) -> str:
    """A call as it is written, folded and cut."""
    return f"{call.callee}({', '.join(_written(arg) for arg in call.args)})"[:200]
