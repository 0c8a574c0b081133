"""Places that have the lines of a change too: the functions around them, with what is remarked above.

What ties two like places, or keeps them apart, stands around the lines that are alike and not in them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from review_agent.stages.evidence_view import View
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import EditOp, Evidence, Question, Side, UseFact

__all__ = ["Alike", "alike"]

_ABOUT = frozenset({EditOp.LINES_INSERTED, EditOp.BLOCK_ADDED})
# Lines of the change that must stand in one function, and functions that are read.
_LEAST, _MOST = 3, 2
# Lines at the top of a file that say where it comes from; lines around a place in no function; of a long function,
# those before and after the place.
_HEAD, _AROUND, _WINDOW = 12, 10, 60
_REMARK = re.compile(r"^\s*(?:#|//|/?\*|@|\"\"\"|<!--)")
_ABOVE = 30


@dataclass(frozen=True)
class Alike:
    """Lines worth reading on the head side, and a hit that led there; null for the place of the change itself."""

    path: str
    start: int
    end: int
    hit: Evidence | None


def alike(question: Question, view: View, hits: Sequence[Evidence]) -> Iterator[Alike]:
    """The functions around the likest places, and of code that was copied both beginnings too."""
    if not question.edits:  # a model's question
        return
    edit, anchor = question.edits[0], question.anchor
    if edit.op not in _ABOUT or anchor.side is not Side.NEW:
        return
    copied = edit.op is EditOp.BLOCK_ADDED
    own = _around(view, anchor.path, anchor.start_line, anchor.end_line, copied)
    outer = min(own[0], anchor.start_line), max(own[1], anchor.end_line)
    told = [one for one in hits if _is_key(question, one)]
    likest = list(_likest(view, told, (anchor.path, outer)))
    if copied and likest:
        yield Alike(anchor.path, *own, None)
    for path, found in likest:
        lines = [one.ref.start_line for one in found]
        yield Alike(path, *_around(view, path, lines[0], lines[-1], copied), found[0])
        if copied:
            yield Alike(path, 1, _head(view, path), found[0])
    if copied and likest:
        yield Alike(anchor.path, 1, _head(view, anchor.path), None)


def _is_key(question: Question, one: Evidence) -> bool:
    """Whether a hit is of a line that both places have, and not of a name that is looked for beside."""
    asked = question.plan[one.query].name if 0 <= one.query < len(question.plan) else ""
    keys = question.edits[0].facts.get("keys")
    return isinstance(keys, tuple) and asked in keys


def _head(view: View, path: str) -> int:
    source = view.source(path)
    return min(_HEAD, len(source.lines)) if source else 1


def _likest(
    view: View, hits: Sequence[Evidence], own: tuple[str, tuple[int, int]]
) -> Iterator[tuple[str, list[Evidence]]]:
    """Hits of product code by the function that they stand in, where most lines of the change do."""
    groups: dict[tuple[str, int], dict[int, Evidence]] = defaultdict(dict)
    for one in hits:
        named = one.ref.side is Side.NEW and any(isinstance(fact, UseFact) and fact.use == "text" for fact in one.facts)
        line, (start, end) = one.ref.start_line, own[1]
        if not named or in_test(one.ref.path) or (one.ref.path == own[0] and start <= line <= end):
            continue
        groups[one.ref.path, _function(view, one.ref.path, line)[0]].setdefault(one.query, one)
    best = sorted(groups.items(), key=lambda one: (-len(one[1]), one[0][0] != own[0], one[0]))
    for (path, _), found in best[:_MOST]:
        if len(found) >= _LEAST:
            yield path, sorted(found.values(), key=lambda one: one.ref.start_line)


def _function(view: View, path: str, line: int) -> tuple[int, int]:
    """First and last line of the innermost function around a line; zeros where there is none."""
    index = view.index(path)
    around = [
        (one.start, one.end)
        for one in (index.outline.symbols if index else ())
        if one.kind in ("function", "method") and one.start <= line <= one.end
    ]
    return max(around, default=(0, 0))


def _around(view: View, path: str, first: int, last: int, remarks: bool) -> tuple[int, int]:
    """The function around lines of a file, with the remarks above it where they are asked for."""
    source = view.source(path)
    lines = source.lines if source else ()
    start, end = _function(view, path, first)
    if not start:
        start, end = first - _AROUND, last + _AROUND
    elif end - start > 2 * _WINDOW:
        start, end = max(start, first - _WINDOW), min(end, last + _WINDOW)
    start, lowest = max(start, 1), max(1, start - _ABOVE)
    while remarks and start > lowest and _REMARK.match(lines[start - 2]):
        start -= 1
    return start, max(start, min(end, len(lines)))
