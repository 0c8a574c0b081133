"""Definitions as facts: signatures, bases, members and the shapes of what a body returns and raises."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from review_agent.stages.evidence_gather import Found
from review_agent.stages.evidence_view import View, in_test
from review_agent.syntax.model import Assign, Symbol
from review_agent.syntax.resolution_definitions import Doubt
from review_agent.syntax.resolution_go import Go
from review_agent.syntax.resolution_python import Python
from review_agent.syntax.resolution_world import Index, Value
from review_agent.vocabulary import DefinitionFact, ParameterFact, Resolution

__all__ = ["doubtful", "go_definitions", "plain_definition", "python_definitions"]

_METACLASS = re.compile(r"\bmetaclass\s*=\s*([\w.]+)")


def _places(view: View, value: Value) -> Iterator[tuple[str, Symbol]]:
    """The files and symbols of a Python value; overloads and the setters of a property are not its definition."""
    index = view.index(value.path)
    for symbol in index.by_qualname.get(value.qualname, ()) if index else ():
        if not any(re.search(r"\boverload$|\.(setter|deleter)$", one) for one in symbol.decorators):
            yield value.path, symbol


def python_definitions(view: View, names: Python, values: Sequence[Value]) -> list[Found]:
    """Every definition of Python values; ambiguous where there may be others."""
    found = []
    for value in values:
        resolution = Resolution.RESOLVED if value.sure and _one_place(values) else Resolution.AMBIGUOUS
        index = view.index(value.path)
        listed = list(_places(view, value))
        for path, symbol in listed:
            fact = _python_fact(view, names, path, symbol, resolution, value.why)
            found.append(_found(path, symbol, fact))
        if not listed and index:
            found += [_assigned(value, one, resolution) for one in _assigns(index, value)[:1]]
    return found


def go_definitions(view: View, names: Go, values: Sequence[Value]) -> list[Found]:
    """Every declaration of Go values; ambiguous where a package has several or there may be others."""
    found = []
    for value in values:
        declared = names.packages.declared(value.path, value.qualname)
        sure = value.sure and _one_place(values) and len({one.symbol.params for one in declared}) == 1
        resolution = Resolution.RESOLVED if sure else Resolution.AMBIGUOUS
        for one in declared:
            index = view.index(one.path)
            whole = names.method_set(value.path, value.qualname)[1] if one.symbol.kind == "struct" else True
            if index:
                fact = _fact(index, one.symbol, resolution, value.why, one.symbol.bases, closed=whole)
                found.append(_found(one.path, one.symbol, fact))
    return found


def _one_place(values: Sequence[Value]) -> bool:
    return len({(one.path, one.qualname) for one in values}) == 1


def _found(path: str, symbol: Symbol, fact: DefinitionFact) -> Found:
    end = symbol.end if symbol.kind in ("constant", "variable", "field") else max(symbol.header_end, symbol.name_line)
    return Found(path, symbol.start, end, (fact,), in_test(path))


def _python_fact(
    view: View, names: Python, path: str, symbol: Symbol, resolution: Resolution, why: str
) -> DefinitionFact:
    index = view.index(path)
    assert index is not None
    if symbol.kind != "class":
        return _fact(index, symbol, resolution, why, symbol.bases, closed=True)
    lineage = list(names.lineage(path, symbol.qualname))
    source = view.source(path)
    header = " ".join(source.lines[symbol.start - 1 : max(symbol.header_end, symbol.start)]) if source else ""
    meta = [f"metaclass={one}" for one in _METACLASS.findall(header)]
    above = [base for _, at, qualname in lineage[1:] for base in _bases_of(view, at, qualname)]
    closed = all(one[0] == "class" for one in lineage) and "__getattr__" not in symbol.members
    return _fact(index, symbol, resolution, why, (*symbol.bases, *meta, *above), closed=closed)


def _bases_of(view: View, path: str, qualname: str) -> tuple[str, ...]:
    index = view.index(path) if path else None
    return tuple(base for symbol in (index.types(qualname) if index else ()) for base in symbol.bases)


def _fact(
    index: Index, symbol: Symbol, resolution: Resolution, why: str, bases: Sequence[str], *, closed: bool
) -> DefinitionFact:
    outline = index.outline
    return DefinitionFact(
        resolution=resolution,
        reason=why or f"`{symbol.qualname}` is defined here",
        symbol=symbol.kind if symbol.kind != "type" else "class",
        qualname=symbol.qualname,
        parameters=tuple(
            ParameterFact(name=one.name, default=one.default, kind=one.kind, type=one.type) for one in symbol.params
        ),
        results=symbol.results,
        bases=tuple(dict.fromkeys(bases)),
        decorators=symbol.decorators,
        members=tuple(dict.fromkeys(symbol.members)),
        raises=tuple(dict.fromkeys(one.type for one in outline.raises if one.scope == symbol.qualname and one.type)),
        returns=tuple(dict.fromkeys(one.shape for one in index.returns.get(symbol.qualname, ()))),
        value=symbol.value,
        is_async=symbol.is_async,
        closed=closed,
    )


def doubtful(doubt: Doubt) -> Found:
    """A line that may bind the name, as an ambiguous definition."""
    fact = plain_definition(Resolution.AMBIGUOUS, doubt.why, symbol="module", qualname=doubt.qualname, closed=False)
    return Found(doubt.path, doubt.line, doubt.line, (fact,), in_test(doubt.path))


def plain_definition(
    resolution: Resolution,
    reason: str,
    *,
    symbol: str,
    qualname: str,
    members: tuple[str, ...] = (),
    value: str | None = None,
    closed: bool = True,
) -> DefinitionFact:
    """The definition of something that has no signature and no body."""
    return DefinitionFact(
        resolution=resolution,
        reason=reason,
        symbol=symbol,
        qualname=qualname,
        parameters=(),
        results=(),
        bases=(),
        decorators=(),
        members=members,
        raises=(),
        returns=(),
        value=value,
        is_async=False,
        closed=closed,
    )


def _assigns(index: Index, value: Value) -> list[Assign]:
    scope, _, name = value.qualname.rpartition(".")
    own = [one for one in index.outline.assigns if one.scope == scope and name in one.targets]
    inside = [
        one
        for one in index.outline.assigns
        if scope and one.scope.startswith(f"{scope}.") and any(_is_own(target, name) for target in one.targets)
    ]
    return own or inside


def _is_own(target: str, name: str) -> bool:
    """Whether a target is the attribute on the object itself, by whatever name its method calls it."""
    return target.count(".") == 1 and target.endswith(f".{name}")


def _assigned(value: Value, assign: Assign, resolution: Resolution) -> Found:
    fact = plain_definition(
        resolution,
        value.why or f"`{value.qualname}` is assigned here",
        symbol="field" if "." in value.qualname else "variable",
        qualname=value.qualname,
        value=assign.value,
    )
    return Found(value.path, assign.start, assign.end, (fact,), in_test(value.path))
