"""pytest's fixtures: a test's parameter is given what the fixture of the same name returns or yields."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import basename, dirname

from review_agent.syntax.model import Symbol
from review_agent.syntax.resolution_world import World

__all__ = ["fixture_of", "yielded"]

_FIXTURE = re.compile(r"(^|\.)fixture(\(|$)")
_NAMED = re.compile(r"\bname\s*=\s*[\"'](\w+)[\"']")
_YIELD = re.compile(r"^\s+yield\s+(\S.*)$")


def fixture_of(world: World, path: str, symbol: Symbol, name: str) -> tuple[str, Symbol] | None:
    """(path, function) of the fixture that gives ``name`` to a test or fixture; the nearest conftest.py wins."""
    if not _is_injected(path, symbol):
        return None
    for place in (path, *_conftests(world, path)):
        index = world.index(place)
        for one in index.outline.symbols if index else ():
            if one != symbol and one.kind in ("function", "method") and name == _given_name(one):
                return place, one
    return None


def _is_injected(path: str, symbol: Symbol) -> bool:
    name = basename(path)
    is_test = symbol.name.startswith("test") and (name.startswith("test_") or name.endswith("_test.py"))
    return is_test or _given_name(symbol) is not None


def _given_name(symbol: Symbol) -> str | None:
    decorator = next((one for one in symbol.decorators if _FIXTURE.search(one)), None)
    if decorator is None:
        return None
    named = _NAMED.search(decorator)
    return named[1] if named else symbol.name


def _conftests(world: World, path: str) -> Iterator[str]:
    folder = dirname(path)
    while True:
        conftest = f"{folder}/conftest.py" if folder else "conftest.py"
        if conftest != path and world.has(conftest):
            yield conftest
        if not folder:
            return
        folder = dirname(folder)


def yielded(world: World, path: str, symbol: Symbol) -> list[str]:
    """The expressions that a generator's body yields, as far as they stand on one line."""
    lines = (world.text(path) or "").split("\n")[symbol.header_end : symbol.end]
    return [match[1] for line in lines if (match := _YIELD.match(line))]
