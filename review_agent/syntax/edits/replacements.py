"""Edits in which one word was put in another's place, the same way wherever the change met it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from review_agent.syntax.edits.frame import Frame, Run, Sighting, Spot
from review_agent.syntax.edits.scopes import Scopes
from review_agent.syntax.matching import Matcher
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]

_TOKEN = re.compile(r"""[A-Za-z_]\w*|\d[\w.]*|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|\S""")
_WORDLIKE = re.compile(r"""^(?:[A-Za-z_]\w{2,}|["'`].+["'`])$""")
_QUOTES = frozenset("\"'`")
LONGEST = 300
# Places of one replacement that are told, and how much of each line.
MOST = 20
SHOWN = 200


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """text_replaced: names or strings that were replaced by others, in lines otherwise the same."""
    places: dict[tuple[str, str], list[Spot]] = defaultdict(list)
    for run in frame.runs:
        for before, after, line in _pairs(frame, run):
            places[before, after].append(Spot(run.hunk, Side.NEW, line, line))
    for (before, after), spots in places.items():
        facts: dict[str, FactValue] = {
            "places": len(spots),
            "lines": tuple(str(spot.start) for spot in spots[:40]),
            "left": sum(1 for line in frame.new_lines if _holds(line, before)),
            "texts": tuple(frame.text(Side.NEW, spot.start, spot.start).strip()[:SHOWN] for spot in spots[:MOST]),
            "scopes": tuple(_scope(frame, spot.start) for spot in spots[:MOST]),
        }
        yield Sighting(EditOp.TEXT_REPLACED, spots[0], _scope(frame, spots[0].start), before, before, after, facts)


def _pairs(frame: Frame, run: Run) -> Iterator[tuple[str, str, int]]:
    if len(run.old) != len(run.new) or len(run.old) > LONGEST:
        return
    for old, new in zip(run.old, run.new, strict=True):
        one, other = (_TOKEN.findall(frame.text(side, n, n)) for side, n in ((Side.OLD, old), (Side.NEW, new)))
        if len(one) != len(other) or len(one) > LONGEST:
            continue
        different = {(a, b) for a, b in zip(one, other, strict=True) if a != b}
        same = Matcher(one, other).ratio()
        if len(different) == 1 and same >= 0.5:
            before, after = next(iter(different))
            if _WORDLIKE.match(before) and _WORDLIKE.match(after):
                yield before, after, new
                yield from ((*inner, new) for inner in _inside(before, after))


def _inside(before: str, after: str) -> Iterator[tuple[str, str]]:
    """The one word or literal by which two longer literals differ: the value in the text of an SQL statement."""
    if before[0] not in _QUOTES or after[0] not in _QUOTES or " " not in before:
        return
    one, other = _TOKEN.findall(before[1:-1]), _TOKEN.findall(after[1:-1])
    if len(one) != len(other):
        return
    different = {(a, b) for a, b in zip(one, other, strict=True) if a != b}
    if len(different) == 1:
        pair = next(iter(different))
        if _WORDLIKE.match(pair[0]) and _WORDLIKE.match(pair[1]):
            yield pair


def _holds(line: str, token: str) -> bool:
    return token in line and token in _TOKEN.findall(line)


def _scope(frame: Frame, line: int) -> str:
    around = [one for one in frame.new_outline.symbols if one.start <= line <= one.end]
    return max(around, key=lambda one: one.start).qualname if around else ""
