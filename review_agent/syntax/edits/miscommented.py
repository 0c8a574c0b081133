"""Edits of comments that came with a function and are about another: they begin with the other's name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from review_agent.syntax.edits.frame import Frame, Sighting, Spot
from review_agent.syntax.edits.scopes import CALLABLES, CLASSES, Scopes
from review_agent.syntax.model import Symbol
from review_agent.syntax.roles import words_of
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]

# Go's comments begin with the name of what they are about; other languages have no such rule.
_LANGUAGES = frozenset({"go"})
# "Name does …": a name and what it does, and no sentence that merely begins with a word.
_OPENS = re.compile(r"^//\s*([A-Za-z]\w+)\s+(?:\w+s|will|can|does|may|must|is|has|was|are|return|represent)\b")


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """comment_of_another."""
    if frame.language not in _LANGUAGES:
        return
    for symbol in scopes.added_within():
        line = _first_comment(frame, symbol)
        said = _OPENS.match(frame.new_lines[line - 1]) if line else None
        if said is None or symbol.kind not in CALLABLES | CLASSES or symbol.is_test or not _alike(said[1], symbol.name):
            continue
        spot = frame.spot((Side.NEW, (line, line)))
        if spot is not None and symbol.name_line in frame.new:
            yield _sight(frame, symbol, spot, said[1], line)


def _sight(frame: Frame, symbol: Symbol, spot: Spot, named: str, line: int) -> Sighting:
    facts: dict[str, FactValue] = {
        "named": named,
        "symbolKind": symbol.kind,
        "qualname": symbol.qualname,
        "exported": symbol.exported,
        "beside": any(
            one.name == named and one.kind in CALLABLES and one.qualname.rpartition(".")[0] == _owner(symbol)
            for one in frame.new_outline.symbols
        ),
    }
    text = frame.new_lines[line - 1].strip()[:200]
    return Sighting(EditOp.COMMENT_OF_ANOTHER, spot, symbol.qualname, symbol.name, None, text, facts)


def _owner(symbol: Symbol) -> str:
    return symbol.qualname.rpartition(".")[0]


def _first_comment(frame: Frame, symbol: Symbol) -> int:
    """The first line of the comment right above a function; 0 where there is none."""
    line = symbol.start
    while line > 1 and frame.new_lines[line - 2].startswith("//"):
        line -= 1
    return line if line < symbol.start else 0


def _alike(named: str, own: str) -> bool:
    """Whether two names are of one family: they share a word at either end, and are not the same but for case."""
    one, other = words_of(named), words_of(own)
    if named.lower() == own.lower() or not one or not other:
        return False
    return one[0] == other[0] or one[-1] == other[-1]
