"""Where an unchecked value hurts: lines of a body, and what a caller does with what a checking function let pass."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from review_agent.kinds.base import Found, found
from review_agent.kinds.failures import body_of, excerpt_around
from review_agent.kinds.inflow_sources import Source
from review_agent.kinds.outside import Hurt, hurts, mentions
from review_agent.vocabulary import Bundle, DefinitionFact, QueryKind, SourceRef

__all__ = ["Sink", "hurting", "sinks_behind", "split_arguments"]


@dataclass(frozen=True)
class Sink:
    """Where it hurts. ``ref`` is null where that lies within the change."""

    ref: SourceRef | None
    line: str
    hurt: Hurt
    function: str


def sinks_behind(bundle: Bundle, source: Source) -> Iterator[Sink]:
    """Places behind the call in the caller, and in functions beside that it hands the value on to."""
    around = excerpt_around(bundle, source.ref) if source.ref is not None and source.names else None
    if around is None or source.ref is None:
        return
    lines = around.text.splitlines()[source.ref.end_line - around.ref.start_line + 1 :]
    for name in source.names:
        for line in lines:
            for definition, parameter in _taken(bundle, line, name):
                body = body_of(bundle, definition)
                for hurt, hit in hurting(body.text, parameter, source.number) if body is not None else ():
                    yield Sink(definition.ref, hit, hurt, definition.fact.qualname)
        for hurt, hit in hurting("\n".join(lines), name, source.number):
            yield Sink(around.ref, hit, hurt, source.scope)


def _taken(bundle: Bundle, line: str, name: str) -> Iterator[tuple[Found[DefinitionFact], str]]:
    """(definition, parameter) of each function beside that a line hands the name to, and that tests it nowhere."""
    for one in found(bundle, DefinitionFact, QueryKind.SIBLINGS):
        if one.fact.symbol not in ("function", "method") or one.evidence.near_change:
            continue
        called = re.search(rf"(?<!\w){re.escape(one.fact.qualname.rpartition('.')[2])}\((.*)\)", line)
        given = split_arguments(called[1]) if called else []
        parameters = [p.name for p in one.fact.parameters if p.name not in ("self", "cls")]
        for parameter, argument in zip(parameters, given, strict=False):
            if name in (argument, argument.partition("=")[2]) and not any(
                mentions(test, parameter) for test in one.fact.guards
            ):
                yield one, parameter


def split_arguments(arguments: str) -> list[str]:
    """The arguments of a call, taken apart at their commas."""
    parts, depth, start = [], 0, 0
    for at, sign in enumerate(arguments):
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and not depth:
            parts.append(arguments[start:at].strip())
            start = at + 1
    return [*parts, arguments[start:].strip()]


def hurting(source: str, name: str, number: bool) -> Iterator[tuple[Hurt, str]]:
    """(how, line) of each line of a source that hurts with a name unchecked."""
    for line in source.splitlines():
        hurt = hurts(line, name, number)
        if hurt is not None:
            yield hurt, line.strip()
