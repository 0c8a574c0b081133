"""Definitions as facts: signatures, bases, members and the shapes of what a body returns and raises."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from review_agent.stages.evidence_gather import Found
from review_agent.stages.readers.base import Names
from review_agent.syntax.model import Symbol
from review_agent.syntax.resolution_definitions import Doubt
from review_agent.syntax.resolution_world import Index, Value
from review_agent.syntax.surroundings import ACQUIRES, LEAVING, RUNS_HELD
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import DefinitionFact, ImplementerFact, ParameterFact, Resolution

__all__ = [
    "definition_fact",
    "definition_found",
    "doubtful",
    "implementer_found",
    "module_fact",
    "one_place",
    "plain_definition",
]

# Characters of an SQL statement that tell what it does.
_SQL = 200
# Callees and guards that a definition is told by.
_LISTED = 60


def one_place(values: Sequence[Value]) -> bool:
    """Whether all values stand in one place."""
    return len({(one.path, one.qualname) for one in values}) == 1


def definition_found(path: str, symbol: Symbol, fact: DefinitionFact) -> Found:
    """A definition cited by its head, or whole where it is a value."""
    end = symbol.end if symbol.kind in ("constant", "variable", "field") else max(symbol.header_end, symbol.name_line)
    return Found(path, symbol.start, end, (fact,), in_test(path))


def implementer_found(path: str, symbol: Symbol, fact: ImplementerFact) -> Found:
    """A type cited by the head of its definition."""
    return Found(path, symbol.start, max(symbol.header_end, symbol.name_line), (fact,), in_test(path))


def definition_fact(
    index: Index, symbol: Symbol, resolution: Resolution, why: str, bases: Sequence[str], *, closed: bool
) -> DefinitionFact:
    """A symbol of an outline; ``closed`` is false where it can have members that are not seen."""
    outline = index.outline
    return DefinitionFact(
        resolution=resolution,
        reason=why or f"`{symbol.qualname}` is defined here",
        symbol=symbol.kind if symbol.kind != "type" else "class",
        qualname=symbol.qualname,
        parameters=tuple(
            ParameterFact(name=one.name, default=one.default, kind=one.kind, type=one.type, notes=one.notes)
            for one in symbol.params
        ),
        results=symbol.results,
        bases=tuple(dict.fromkeys(bases)),
        decorators=symbol.decorators,
        members=tuple(dict.fromkeys(symbol.members)),
        raises=tuple(dict.fromkeys(one.type for one in outline.raises if one.scope == symbol.qualname and one.type)),
        returns=tuple(dict.fromkeys(one.shape for one in index.returns.get(symbol.qualname, ()))),
        value=symbol.value,
        is_async=symbol.is_async,
        modifiers=symbol.modifiers,
        calls=tuple(dict.fromkeys(one.callee for one in outline.calls if _inside(one.scope, symbol)))[:_LISTED],
        guards=tuple(one.test for one in outline.guards if _inside(one.scope, symbol) and one.action in LEAVING)[
            :_LISTED
        ],
        sqls=tuple(one.text[:_SQL] for one in outline.sqls if _inside(one.scope, symbol))[:_LISTED],
        takes=tuple(dict.fromkeys(_taken(index, symbol)))[:_LISTED],
        closed=closed,
    )


def _taken(index: Index, symbol: Symbol) -> Iterator[str]:
    if "synchronized" in symbol.modifiers:
        yield "synchronized"
    yield from (one.subject for one in index.outline.blocks if one.subject and _inside(one.scope, symbol))
    inside = (one for one in index.outline.calls if _inside(one.scope, symbol))
    yield from (one.callee for one in inside if one.name in ACQUIRES or RUNS_HELD.match(one.name))


def _inside(scope: str, symbol: Symbol) -> bool:
    return scope == symbol.qualname or scope.startswith(f"{symbol.qualname}.")


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


def module_fact(value: Value, names: Names) -> DefinitionFact:
    """A module as a definition: its names are its members."""
    return plain_definition(
        Resolution.RESOLVED if value.sure else Resolution.AMBIGUOUS,
        (not value.sure and value.why) or f"`{value.qualname}` is `{value.path}`",
        symbol="module",
        qualname=value.qualname,
        members=names.names,
        closed=names.closed,
    )
