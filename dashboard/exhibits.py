"""Code as a reviewer reads it: line numbers, colours, the lines that matter marked, what is far from them folded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

from dashboard.colours import Piece, pieces
from dashboard.tree import Node, el, fold

__all__ = ["Marks", "excerpt", "hunk"]

_AROUND_ANCHOR = 6
_AROUND_REF = 4
_LEAST_FOLDED = 4
"""Fewer lines than this are shown rather than hidden behind a summary that takes as much room."""

Marks = Sequence[tuple[int, int]]
"""Ranges of lines, inclusive."""


@dataclass(frozen=True)
class _Line:
    numbers: tuple[str, ...]
    sign: str
    source: Sequence[Piece]
    marked: bool
    near: bool


def hunk(changed: Mapping[str, Any], side: str, marks: Marks) -> Node:
    """A hunk (wire data) with both sides' line numbers; ``marks`` are the anchor's lines on its side."""
    lines = changed["lines"]
    new = pieces(changed["path"], "\n".join(line["text"] for line in lines if line["tag"] != "-"))
    old = pieces(changed["oldPath"], "\n".join(line["text"] for line in lines if line["tag"] != "+"))
    sources, at_old, at_new = [], 0, 0
    for line in lines:
        sources.append(old[at_old] if line["tag"] == "-" else new[at_new])
        at_old += line["tag"] != "+"
        at_new += line["tag"] != "-"
    anchors = [_within(line["old" if side == "old" else "new"], marks) for line in lines]
    near = _near(anchors, _AROUND_ANCHOR)
    changes = _changes(lines)
    return _block(
        _Line(
            (_number(line["old"]), _number(line["new"])),
            line["tag"],
            _split(source, changes.get(index)),
            marked,
            close,
        )
        for index, (line, source, marked, close) in enumerate(zip(lines, sources, anchors, near, strict=True))
    )


def excerpt(path: str, first: int, text: str, marks: Marks) -> Node:
    """Lines of a file from ``first`` on, those in ``marks`` marked."""
    sources = pieces(path, text)
    numbers = range(first, first + len(sources))
    marked = [_within(number, marks) for number in numbers]
    near = _near(marked, _AROUND_REF)
    return _block(
        _Line((_number(number),), "", source, mark, close)
        for number, source, mark, close in zip(numbers, sources, marked, near, strict=True)
    )


def _block(lines: Iterable[_Line]) -> Node:
    parts: list[Node] = []
    for near, group in groupby(lines, key=lambda line: line.near):
        rows = list(map(_row, group))
        if near or len(rows) < _LEAST_FOLDED:
            parts += rows
        else:
            parts.append(fold(f"{len(rows)} more lines", rows))
    return el("div.code", parts)


def _row(line: _Line) -> Node:
    kind = {"+": ".add", "-": ".del"}.get(line.sign, "")
    numbers = [el("span.no", number) for number in line.numbers]
    sign = [el("span.sign", line.sign)] if len(line.numbers) > 1 else []
    source = [el(f"span.{name.replace(' ', '.')}", part) if name else part for name, part in line.source]
    return el(f"div.ln{kind}{'.mark' * line.marked}", numbers, sign, el("span.src", source))


def _number(number: int | None) -> str:
    return "" if number is None else str(number)


def _within(number: int | None, marks: Marks) -> bool:
    return number is not None and any(start <= number <= end for start, end in marks)


def _near(marked: Sequence[bool], reach: int) -> list[bool]:
    """Which lines are within ``reach`` of a marked one; all of them where none is."""
    at = [index for index, one in enumerate(marked) if one]
    if not at:
        return [True] * len(marked)
    return [any(abs(index - one) <= reach for one in at) for index in range(len(marked))]


def _changes(lines: Sequence[Mapping[str, Any]]) -> dict[int, tuple[int, int]]:
    """For removed lines answered by as many added ones: which part of each line is another, by the line's index."""
    found: dict[int, tuple[int, int]] = {}
    runs = [
        (tag, [index for index, _ in group]) for tag, group in groupby(enumerate(lines), key=lambda one: one[1]["tag"])
    ]
    for (before, removed), (after, added) in pairwise(runs):
        if (before, after) == ("-", "+") and len(removed) == len(added):
            for one, other in zip(removed, added, strict=True):
                found |= _changed(one, lines[one]["text"], other, lines[other]["text"])
    return found


def _changed(one: int, before: str, other: int, after: str) -> dict[int, tuple[int, int]]:
    shorter = min(len(before), len(after))
    start = next((index for index in range(shorter) if before[index] != after[index]), shorter)
    end = next((index for index in range(shorter - start) if before[-1 - index] != after[-1 - index]), shorter - start)
    same = len(before[:start].strip()) + len(before[len(before) - end :].strip())
    if same * 3 < len(before.strip()):
        return {}
    return {one: (start, len(before) - end), other: (start, len(after) - end)}


def _split(source: Sequence[Piece], part: tuple[int, int] | None) -> Sequence[Piece]:
    """The pieces, cut so that the changed part has a class of its own."""
    if part is None or part[0] >= part[1]:
        return source
    found: list[Piece] = []
    at = 0
    for name, value in source:
        cuts = sorted({0, len(value), *(min(max(edge - at, 0), len(value)) for edge in part)})
        for start, end in pairwise(cuts):
            inside = part[0] <= at + start < part[1]
            found.append((f"{name} x".strip() if inside else name, value[start:end]))
        at += len(value)
    return found
