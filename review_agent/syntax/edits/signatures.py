"""Edits of what a function takes and whether it is awaited: parameters, their order and defaults, async."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from review_agent.syntax.edits.frame import Frame, Sighting, Spot, dotted
from review_agent.syntax.edits.scopes import CALLABLES, Scopes
from review_agent.syntax.edits.transitions import same_value, transition
from review_agent.syntax.model import Param, Symbol
from review_agent.syntax.surroundings import following
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]

BOUND = ("self", "cls", "mcs", "mcls", "metacls")
NOT_CALLED = re.compile(r"\bfixture\b|\bparametrize\b|\boverload$|\.(setter|getter|deleter)$")


@dataclass(frozen=True)
class Taken:
    """A parameter as a caller sees it. ``index``: call position, -1 for keyword-only ones."""

    param: Param
    index: int

    @property
    def keyword_only(self) -> bool:
        return self.param.kind == "keyword_only"


@dataclass(frozen=True)
class Signature:
    symbol: Symbol
    taken: tuple[Taken, ...]

    @property
    def by_name(self) -> dict[str, Taken]:
        return {one.param.name: one for one in self.taken}

    @property
    def positional(self) -> tuple[str, ...]:
        return tuple(one.param.name for one in self.taken if not one.keyword_only)

    def has(self, kind: str) -> bool:
        return any(param.kind == kind for param in self.symbol.params)


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """Parameter edits, defaults of parameters, became_async and became_sync of functions that stand on both sides."""
    for old, new in scopes.pairs:
        if old.kind in CALLABLES and new.kind in CALLABLES and not scopes.is_local(new):
            yield from _async(frame, old, new)
            if _is_called(frame, new):
                yield from _compare(frame, scopes, _signature(old), _signature(new))


def _is_called(frame: Frame, symbol: Symbol) -> bool:
    """Whether calls in code give the arguments: those of tests, fixtures and overload stubs come from a tool."""
    is_test = frame.language == "python" and symbol.name.startswith("test_")
    return not is_test and not any(NOT_CALLED.search(text) for text in symbol.decorators)


def _signature(symbol: Symbol) -> Signature:
    params = list(symbol.params)
    if params and symbol.kind == "method" and params[0].name in BOUND:
        params = params[1:]
    taken, position = [], 0
    for param in _named(params):
        if param.kind == "positional":
            taken.append(Taken(param, position))
            position += 1
        elif param.kind == "keyword_only":
            taken.append(Taken(param, -1))
    return Signature(symbol, tuple(taken))


def _named(params: Sequence[Param]) -> Iterator[Param]:
    """Parameters that Go leaves without a name are told apart by their type, and by number where it repeats."""
    counts: Counter[str] = Counter()
    for param in params:
        if param.name not in ("", "_"):
            yield param
            continue
        written = _plain(param.type) or "_"
        counts[written] += 1
        yield replace(param, name=written if counts[written] == 1 else f"{written} {counts[written]}")


def _async(frame: Frame, old: Symbol, new: Symbol) -> Iterator[Sighting]:
    if old.is_async == new.is_async:
        return
    spot = _header_spot(frame, old, new)
    if spot is not None:
        op = EditOp.BECAME_ASYNC if new.is_async else EditOp.BECAME_SYNC
        facts: dict[str, FactValue] = {"function": new.qualname, "symbolKind": new.kind}
        before, after = _line(frame, Side.OLD, old), _line(frame, Side.NEW, new)
        yield Sighting(op, spot, new.qualname, new.name, before, after, facts)


def _line(frame: Frame, side: Side, symbol: Symbol) -> str:
    return " ".join(frame.text(side, symbol.name_line, symbol.header_end).split())[:200]


def _header_spot(frame: Frame, old: Symbol, new: Symbol, old_name: str = "", new_name: str = "") -> Spot | None:
    """The changed header line that names the parameter, else the changed lines of the header."""
    wanted = []
    for side, symbol, name in ((Side.NEW, new, new_name), (Side.OLD, old, old_name)):
        if name:
            pattern = dotted(name)
            lines = range(symbol.name_line, symbol.header_end + 1)
            wanted += [(side, (line, line)) for line in lines if pattern.search(frame.text(side, line, line))]
    header = [(Side.NEW, (new.name_line, new.header_end)), (Side.OLD, (old.name_line, old.header_end))]
    if old_name and not new_name:
        header.reverse()
    return frame.spot(*wanted, *header)


def _compare(frame: Frame, scopes: Scopes, old: Signature, new: Signature) -> Iterator[Sighting]:
    renames = _same_types(old, new) if frame.language == "go" else _renames(old, new)
    if frame.language != "go":
        for before, after in renames:
            yield from _renamed(frame, old, new, before, after)
    paired = {one.param.name for pair in renames for one in pair}
    for one in filter(_is_named, new.taken):
        if one.param.name not in old.by_name and one.param.name not in paired:
            yield from _added(frame, old, new, one)
    for one in filter(_is_named, old.taken):
        if one.param.name not in new.by_name and one.param.name not in paired:
            yield from _removed(frame, old, new, one)
    yield from _reordered(frame, old, new)
    for one in new.taken:
        if one.param.name in old.by_name:
            yield from _default(frame, scopes, old, new, one.param.name)
            yield from _tightened(frame, old, new, one.param.name)


def _is_named(one: Taken) -> bool:
    """JavaScript's parameters that are taken apart at once have no name."""
    return one.param.name[:1] not in "{[" or not one.param.name


def _renames(old: Signature, new: Signature) -> list[tuple[Taken, Taken]]:
    """Parameters whose name is gone, with the new one that stands in the same place with the same default."""
    gone = [one for one in old.taken if one.param.name not in new.by_name]
    come = [one for one in new.taken if one.param.name not in old.by_name]
    pairs = [(one, other) for one in gone for other in come if _stands_for(old, new, one, other)]
    return [pair for pair in pairs if all(map(_is_named, pair))]


def _same_types(old: Signature, new: Signature) -> list[tuple[Taken, Taken]]:
    """Go's callers know no names: a parameter whose name is gone lives on in a new one of its type, in order."""
    come = [one for one in new.taken if one.param.name not in old.by_name]
    pairs = []
    for one in old.taken:
        other = next((other for other in come if _same_type(one, other)), None)
        if one.param.name not in new.by_name and other is not None:
            come.remove(other)
            pairs.append((one, other))
    return pairs


def _same_type(one: Taken, other: Taken) -> bool:
    """Equal types; or, where neither has a name, the same place with another type."""
    nameless = all(_plain(taken.param.type) == taken.param.name.partition(" ")[0] for taken in (one, other))
    return _plain(one.param.type) == _plain(other.param.type) or (nameless and one.index == other.index)


def _plain(written: str | None) -> str:
    """A Go type in its newest spelling."""
    return (written or "").replace("interface{}", "any")


def _stands_for(old: Signature, new: Signature, one: Taken, other: Taken) -> bool:
    if one.param.kind != other.param.kind:
        return False
    same_place = one.index == other.index if one.index >= 0 else _rank(old, one) == _rank(new, other)
    types = {one.param.type, other.param.type} - {None}
    return same_place and same_value(one.param.default, other.param.default) and len(types) < 2


def _rank(signature: Signature, one: Taken) -> int:
    return [other for other in signature.taken if other.keyword_only].index(one)


def _facts(new: Signature, one: Taken) -> dict[str, FactValue]:
    return {
        "function": new.symbol.qualname,
        "symbolKind": new.symbol.kind,
        "index": one.index,
        "keywordOnly": one.keyword_only,
    }


def _text(param: Param) -> str:
    typed = f"{param.name}: {param.type}" if param.type else param.name
    return typed if param.default is None else f"{typed} = {param.default}"


def _sight(
    op: EditOp,
    spot: Spot,
    new: Signature,
    subject: str,
    before: str | None,
    after: str | None,
    facts: dict[str, FactValue],
) -> Sighting:
    return Sighting(op, spot, new.symbol.qualname, subject, before, after, facts)


def _added(frame: Frame, old: Signature, new: Signature, one: Taken) -> Iterator[Sighting]:
    spot = _header_spot(frame, old.symbol, new.symbol, "", one.param.name)
    if spot is not None:
        facts = {**_facts(new, one), "required": one.param.default is None, "others": tuple(old.by_name)}
        yield _sight(EditOp.PARAMETER_ADDED, spot, new, one.param.name, None, _text(one.param), facts)


def _removed(frame: Frame, old: Signature, new: Signature, one: Taken) -> Iterator[Sighting]:
    spot = _header_spot(frame, old.symbol, new.symbol, one.param.name, "")
    if spot is not None:
        facts = {
            **_facts(new, one),
            "hadDefault": one.param.default is not None,
            "acceptsAny": new.has("var_keyword"),
            "positionalMax": -1 if new.has("var_positional") else len(new.positional),
        }
        yield _sight(EditOp.PARAMETER_REMOVED, spot, new, one.param.name, _text(one.param), None, facts)


def _renamed(frame: Frame, old: Signature, new: Signature, one: Taken, other: Taken) -> Iterator[Sighting]:
    spot = _header_spot(frame, old.symbol, new.symbol, one.param.name, other.param.name)
    if spot is not None:
        facts = {**_facts(new, one), "newName": other.param.name, "acceptsAny": new.has("var_keyword")}
        before, after = _text(one.param), _text(other.param)
        yield _sight(EditOp.PARAMETER_RENAMED, spot, new, one.param.name, before, after, facts)


def _reordered(frame: Frame, old: Signature, new: Signature) -> Iterator[Sighting]:
    common = set(old.positional) & set(new.positional)
    spot = _header_spot(frame, old.symbol, new.symbol)
    if spot is None or _only(old.positional, common) == _only(new.positional, common):
        return
    facts: dict[str, FactValue] = {
        "function": new.symbol.qualname,
        "symbolKind": new.symbol.kind,
        "beforeOrder": old.positional,
        "afterOrder": new.positional,
    }
    before, after = ", ".join(old.positional), ", ".join(new.positional)
    yield _sight(EditOp.PARAMETERS_REORDERED, spot, new, new.symbol.name, before, after, facts)


def _only(names: Sequence[str], wanted: set[str]) -> list[str]:
    return [name for name in names if name in wanted]


def _default(frame: Frame, scopes: Scopes, old: Signature, new: Signature, name: str) -> Iterator[Sighting]:
    """A parameter that has a default on both sides, but another one."""
    before, after = old.by_name[name], new.by_name[name]
    was, becomes = before.param.default, after.param.default
    renames = scopes.renames("", "")
    if was is None or becomes is None or same_value(renames.get(was, was), becomes):
        return
    spot = _header_spot(frame, old.symbol, new.symbol, name, name)
    if spot is not None:
        facts: dict[str, FactValue] = {
            "carrier": "parameter",
            "function": new.symbol.qualname,
            "index": after.index,
            "key": name,
            "transition": transition(was, becomes),
            "following": following(frame.new_outline, new.symbol.qualname, new.symbol.start),
        }
        yield _sight(EditOp.DEFAULT_CHANGED, spot, new, name, was, becomes, facts)


def _tightened(frame: Frame, old: Signature, new: Signature, name: str) -> Iterator[Sighting]:
    """A parameter that a call could leave out and now must pass, or could pass by place and now must name."""
    before, after = old.by_name[name], new.by_name[name]
    lost = before.param.default is not None and after.param.default is None
    if not lost and not (after.keyword_only and not before.keyword_only):
        return
    spot = _header_spot(frame, old.symbol, new.symbol, name, name)
    if spot is not None:
        facts = {
            **_facts(new, after),
            "how": "lost_default" if lost else "keyword_only",
            "default": before.param.default,
        }
        yield _sight(EditOp.PARAMETER_TIGHTENED, spot, new, name, _text(before.param), _text(after.param), facts)
