"""Edits of what is held: uses that lost a lock or a transaction, calls that came under one, a use without its lock."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from review_agent.syntax.edits.effects import call_text
from review_agent.syntax.edits.frame import Frame, Sighting, Spot
from review_agent.syntax.edits.scopes import CALLABLES, Scopes
from review_agent.syntax.holding import bare_hold, hold_key, hold_kind
from review_agent.syntax.model import MemberUse, Outline
from review_agent.syntax.roles import words_of
from review_agent.syntax.surroundings import ACQUIRES, RELEASES, RUNS_HELD, held_at
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]

MOST = 40
_MAKERS = frozenset({"__init__", "__new__", "__post_init__", "constructor", "__enter__", "__del__"})
# Names that say that the caller holds what is needed.
_HELD_BY_CALLER = frozenset({"locked", "unlocked", "nolock", "unsafe", "unsynchronized", "lockless"})
# A lock that many can hold at a time, for reading.
_SHARED = re.compile(r"\.RLock$|readLock\(\)")
_VALUES = frozenset({"variable", "constant"})
# Methods that change what they are called on: lists, maps, sets, queues and counters of four languages.
_CHANGING = """
    add addAll addFirst addLast append appendleft clear compute computeIfAbsent delete discard extend insert merge
    offer poll pop popitem popleft push put putAll putIfAbsent remove removeAll removeFirst removeIf removeLast set
    setdefault shift sort splice subtract unshift update write
"""
MUTATORS = frozenset(_CHANGING.split())


@dataclass(frozen=True)
class Use:
    """A call, or a use of a member or of a module's own value. ``what``: call, member, value."""

    what: str
    name: str
    act: str
    owner: str
    scope: str
    start: int
    end: int
    holds: Mapping[str, str]
    text: str = ""


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """held_removed, held_added and unheld_use_added."""
    old, new = _Side(frame.old_outline), _Side(frame.new_outline)
    for before, after in scopes.shared():
        if _touched(frame, scopes, before, after):
            yield from _Pair(frame, scopes, after, old.of(before), new.of(after)).edits()
    for symbol in scopes.added_within():
        if symbol.kind in CALLABLES:
            yield from _Pair(frame, scopes, symbol.qualname, [], new.of(symbol.qualname)).added()
    yield from _unheld(frame, scopes, old, new)


def _touched(frame: Frame, scopes: Scopes, before: str, after: str) -> bool:
    inside = bool(before) and scopes.kind(after) in CALLABLES
    return inside and (
        frame.touches(Side.OLD, *scopes.span(Side.OLD, before))
        or frame.touches(Side.NEW, *scopes.span(Side.NEW, after))
    )


class _Side:
    """The uses of one outline by scope, with what is held at each."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.values = {one.name for one in outline.symbols if one.kind in _VALUES and not one.scope}
        self.holding = bool(outline.blocks) or any(
            one.name in ACQUIRES or RUNS_HELD.match(one.name) for one in outline.calls
        )
        self.holding = self.holding or any("synchronized" in one.modifiers for one in outline.symbols)
        self._known: dict[str, list[Use]] = {}
        self._held: dict[tuple[str, int], Mapping[str, str]] = {}

    def of(self, scope: str) -> list[Use]:
        if scope not in self._known:
            self._known[scope] = list(self._uses(scope)) if self.holding else []
        return self._known[scope]

    def members(self) -> Iterator[Use]:
        """Every use of a member in the file."""
        for one in self.outline.member_uses:
            yield self._member(one)

    def _member(self, one: MemberUse) -> Use:
        name, _, rest = one.path.partition(".")
        act = "update" if one.act == "call" and rest.rpartition(".")[2] in MUTATORS else one.act
        return self._use(
            "member", name, "read" if act == "call" and rest else act, one.owner, one.scope, one.line, one.line
        )

    def _uses(self, scope: str) -> Iterator[Use]:
        for call in self.outline.calls:
            if call.scope == scope and call.name not in RELEASES and not call.deferred:
                yield replace(
                    self._use("call", call.callee, "call", "", scope, call.start, call.end), text=call_text(call)
                )
                yield from self._values((call.receiver, *(one.text for one in call.args)), "call", scope, call.start)
        for one in self.outline.member_uses:
            if one.scope == scope and not _is_lock(one.path):
                yield self._member(one)
        for assign in self.outline.assigns:
            if assign.scope == scope:
                yield from self._values(assign.targets, "write", scope, assign.start)
                yield from self._values((assign.value,), "read", scope, assign.start)

    def _values(self, texts: Iterable[str], act: str, scope: str, line: int) -> Iterator[Use]:
        roots = {text.partition(".")[0].partition("[")[0] for text in texts}
        for name in sorted(roots & self.values):
            if not _is_lock(name):
                yield self._use("value", name, act, "", scope, line, line)

    def _use(self, what: str, name: str, act: str, owner: str, scope: str, start: int, end: int) -> Use:
        if (scope, start) not in self._held:
            held = held_at(self.outline, scope, start)
            self._held[scope, start] = {hold_key(one): one for one in held if hold_kind(one)}
        return Use(what, name, act, owner, scope, start, end, self._held[scope, start])


def _is_lock(path: str) -> bool:
    return hold_kind(path) == "lock" or path.rpartition(".")[2] in ACQUIRES or path.rpartition(".")[2] in RELEASES


class _Pair:
    """One scope on both sides."""

    def __init__(self, frame: Frame, scopes: Scopes, scope: str, old: Sequence[Use], new: Sequence[Use]) -> None:
        self.frame, self.scopes, self.scope, self.old, self.new = frame, scopes, scope, old, new

    def edits(self) -> Iterator[Sighting]:
        yield from self.removed()
        yield from self.weakened()
        yield from self.added()

    def removed(self) -> Iterator[Sighting]:
        for key, text in _all_held(self.old).items():
            lost = self._more(key, self.old, self.new)
            uses = [one for one in self.new if (one.what, one.name) in lost and key not in one.holds]
            spot = self._where_lost(text, uses) if uses else None
            if spot is not None:
                still = key in _all_held(self.new)
                yield self._sighting(EditOp.HELD_REMOVED, spot, text, uses, still=still)

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


def _unheld(frame: Frame, scopes: Scopes, old: _Side, new: _Side) -> Iterator[Sighting]:
    """A new use of a member that holds nothing of what all other uses of it in the file hold."""
    if not new.holding:
        return
    uses = [one for one in new.members() if not _made_or_handed(scopes, one) and not _is_lock(one.name)]
    before = _counted(old.members(), scopes.new_of)
    told: set[tuple[str, str, str]] = set()
    for one in uses:
        where = (one.owner, one.name, one.scope)
        if where in told or not frame.touches(Side.NEW, one.start, one.end):
            continue
        others = [two for two in uses if two.owner == one.owner and two.name == one.name and two.scope != one.scope]
        held = _common(others)
        spot = frame.spot((Side.NEW, (one.start, one.end))) if held and not set(held) & set(one.holds) else None
        if spot is not None and sum(1 for two in uses if (two.owner, two.name, two.scope) == where) > before[where]:
            told.add(where)
            yield _unheld_sighting(scopes, spot, one, held, len(others))


def _made_or_handed(scopes: Scopes, use: Use) -> bool:
    """In a constructor nobody else sees the object yet; a name can say that the caller holds the lock."""
    name = use.scope.rpartition(".")[2]
    made = name in _MAKERS or name == use.owner.rpartition(".")[2]
    return made or bool(_HELD_BY_CALLER & set(words_of(name))) or scopes.kind(use.scope) in ("class", "")


def _counted(uses: Iterable[Use], new_of: Mapping[str, str]) -> dict[tuple[str, str, str], int]:
    counts: dict[tuple[str, str, str], int] = defaultdict(int)
    for one in uses:
        counts[one.owner, one.name, new_of.get(one.scope, one.scope)] += 1
    return counts


def _common(others: Sequence[Use]) -> dict[str, str]:
    """The locks that every other use holds, where one of them writes."""
    if not any(one.act in ("write", "update") for one in others) and not _is_method(others):
        return {}
    common = set(others[0].holds).intersection(*(one.holds for one in others))
    return {key: others[0].holds[key] for key in sorted(common) if hold_kind(others[0].holds[key]) == "lock"}


def _is_method(others: Sequence[Use]) -> bool:
    """A method of the object's own that more than one place calls."""
    return len(others) > 1 and all(one.act == "call" for one in others)


def _unheld_sighting(scopes: Scopes, spot: Spot, one: Use, held: Mapping[str, str], others: int) -> Sighting:
    facts: dict[str, FactValue] = {
        "lock": next(iter(held.values())),
        "act": one.act,
        "owner": one.owner,
        "others": others,
        "holds": tuple(one.holds.values()),
        "function": scopes.function(one.scope) or one.scope,
    }
    return Sighting(EditOp.UNHELD_USE_ADDED, spot, one.scope, one.name, None, next(iter(held.values())), facts)
