"""Edits of whole symbols: removed, renamed, and new abstract members."""

from __future__ import annotations

import re
from collections.abc import Iterator

from review_agent.syntax.edits.frame import Frame, Sighting
from review_agent.syntax.edits.scopes import CALLABLES, CLASSES, Scopes
from review_agent.syntax.model import Symbol
from review_agent.syntax.roles import opposite
from review_agent.syntax.surroundings import written
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]

# Names that nothing outside refers to, or that a tool reads instead of a program.
UNREFERENCED = frozenset({"_", "__all__", "init", "main"})

# Callees and tests that an added function is told by.
MOST_CALLS = 24
MOST_BESIDE = 8


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """symbol_removed, symbol_renamed, symbol_added, abstract_member_added."""
    for symbol in scopes.removed:
        if _is_reachable(frame, scopes, symbol) and not _still_defined(frame, scopes, symbol):
            yield from _removed(frame, symbol)
    for old, new in scopes.renamed:
        if _is_reachable(frame, scopes, old) and not _still_defined(frame, scopes, old):
            yield from _renamed(frame, old, new)
    for symbol in scopes.added_within():
        if symbol.kind in CALLABLES and not scopes.is_local(symbol):
            yield from _added(frame, symbol)
    yield from _abstract(frame, scopes)


def _added(frame: Frame, symbol: Symbol) -> Iterator[Sighting]:
    spot = frame.spot((Side.NEW, (symbol.start, max(symbol.header_end, symbol.name_line))))
    if spot is None:
        return
    inside = [one for one in frame.new_outline.calls if one.scope == symbol.qualname]
    facts: dict[str, FactValue] = {
        "symbolKind": symbol.kind,
        "qualname": symbol.qualname,
        "exported": symbol.exported,
        "decorators": symbol.decorators,
        "parameters": tuple(written(one) for one in symbol.params),
        "calls": tuple(dict.fromkeys(one.callee for one in inside))[:MOST_CALLS],
        "guards": tuple(one.test for one in frame.new_outline.guards if one.scope == symbol.qualname)[:MOST_CALLS],
        "twin": _twin(frame, symbol),
        "beside": _beside(frame, symbol),
    }
    yield Sighting(EditOp.SYMBOL_ADDED, spot, symbol.qualname, symbol.name, None, symbol.qualname, facts)


def _beside(frame: Frame, symbol: Symbol) -> tuple[str, ...]:
    """The exported functions that stood in the same place before, the most telling names first."""
    owner = symbol.qualname.rpartition(".")[0]
    names = {
        one.name
        for one in frame.new_outline.symbols
        if one.kind in CALLABLES
        and one.exported
        and one.qualname.rpartition(".")[0] == owner
        and one.name_line not in frame.new
        and one.name != symbol.name
        and not one.name.startswith("_")
    }
    return tuple(sorted(names, key=lambda name: (-len(name), name)))[:MOST_BESIDE]


def _twin(frame: Frame, symbol: Symbol) -> str:
    """The function beside it, named for the opposite act, that has the very same body; "" for none."""
    beside = (one for one in frame.new_outline.symbols if one.kind in CALLABLES and one.scope == symbol.scope)
    return next((one.name for one in beside if one.body == symbol.body and opposite(one.name, symbol.name)), "")


def _is_reachable(frame: Frame, scopes: Scopes, symbol: Symbol) -> bool:
    """Whether code elsewhere can name it: not a local, not a nested function, not a program's own entry."""
    entry = frame.language == "go" and symbol.name in UNREFERENCED and symbol.kind == "function"
    return (
        symbol.name not in {"_", "__all__"}
        and not entry
        and not scopes.is_local(symbol)
        and not _replaced_decorator(symbol)
    )


def _replaced_decorator(symbol: Symbol) -> bool:
    """A setter, deleter or overload: its name is defined by another symbol."""
    return any(re.search(r"\.(setter|getter|deleter|register)\b|\boverload$", text) for text in symbol.decorators)


def _still_defined(frame: Frame, scopes: Scopes, symbol: Symbol) -> bool:
    """Whether the new side gives the same name in the same place by other means."""
    owner = symbol.qualname.rpartition(".")[0]
    if owner == "":
        return _bound_in_module(frame, symbol.name)
    new_owner = scopes.new_of.get(owner, owner)
    return symbol.name in _members(scopes, new_owner, set())


def _bound_in_module(frame: Frame, name: str) -> bool:
    imported = any(one.scope == "" and (one.alias == name or one.name == "*") for one in frame.new_outline.imports)
    assigned = any(one.scope == "" and name in one.targets for one in frame.new_outline.assigns)
    if imported or assigned:
        return True
    quoted = re.compile(rf"""["']{re.escape(name)}["']""")
    return frame.new_outline.has_getattr and any(quoted.search(line) for line in frame.new_lines)


def _members(scopes: Scopes, owner: str, seen: set[str]) -> set[str]:
    """Names that a new class has, those of its bases in the same file included."""
    symbol = scopes.new_symbols.get(owner)
    if symbol is None or owner in seen:
        return set()
    seen.add(owner)
    names = set(symbol.members)
    names.update(one.name for one in scopes.new_symbols.values() if one.qualname == f"{owner}.{one.name}")
    for base in symbol.bases:
        names |= _members(scopes, base.lstrip("*"), seen)
    return names


def _removed(frame: Frame, symbol: Symbol) -> Iterator[Sighting]:
    spot = frame.spot((Side.OLD, (symbol.name_line, symbol.header_end)), (Side.OLD, (symbol.start, symbol.end)))
    if spot is None:
        return
    facts: dict[str, FactValue] = {"symbolKind": symbol.kind, "qualname": symbol.qualname, "exported": symbol.exported}
    yield Sighting(EditOp.SYMBOL_REMOVED, spot, _owner(symbol), symbol.name, _header(frame, symbol), None, facts)


def _owner(symbol: Symbol) -> str:
    return symbol.qualname.rpartition(".")[0]


def _header(frame: Frame, symbol: Symbol, side: Side = Side.OLD) -> str:
    return " ".join(frame.text(side, symbol.name_line, symbol.header_end).split())[:200]


def _renamed(frame: Frame, old: Symbol, new: Symbol) -> Iterator[Sighting]:
    spot = frame.spot((Side.NEW, (new.name_line, new.name_line)), (Side.OLD, (old.name_line, old.name_line)))
    if spot is None:
        return
    facts: dict[str, FactValue] = {
        "symbolKind": old.kind,
        "qualname": old.qualname,
        "newName": new.name,
        "newQualname": new.qualname,
        "exported": old.exported,
    }
    before, after = _header(frame, old), _header(frame, new, Side.NEW)
    yield Sighting(EditOp.SYMBOL_RENAMED, spot, _owner(new), old.name, before, after, facts)


def _abstract(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """New abstract members of classes and interfaces that stood before."""
    for old, new in [*scopes.pairs, *scopes.renamed]:
        if old.kind in CLASSES and new.kind in CLASSES:
            before = {one.name for one in _abstract_members(frame.old_outline.symbols, old)}
            renamed = {after.qualname for _, after in scopes.renamed}
            for member in _abstract_members(frame.new_outline.symbols, new):
                if member.name not in before and member.qualname not in renamed:
                    yield from _abstract_added(frame, new, member, sorted(before))


def _abstract_members(symbols: tuple[Symbol, ...], owner: Symbol) -> list[Symbol]:
    return [one for one in symbols if one.is_abstract and _owner(one) == owner.qualname]


def _abstract_added(frame: Frame, owner: Symbol, member: Symbol, others: list[str]) -> Iterator[Sighting]:
    spot = frame.spot((Side.NEW, (member.name_line, member.header_end)), (Side.NEW, (member.start, member.end)))
    if spot is None:
        return
    facts: dict[str, FactValue] = {
        "owner": owner.qualname,
        "otherMembers": tuple(others),
        "parameters": tuple(param.name for param in member.params if param.name not in ("self", "cls")),
    }
    after = _header(frame, member, Side.NEW)
    yield Sighting(EditOp.ABSTRACT_MEMBER_ADDED, spot, owner.qualname, member.name, None, after, facts)
