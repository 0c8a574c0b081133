"""Edits that leave statements which no way leads to: a plain exit was put in front of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from review_agent.syntax.edits.frame import Frame, Sighting
from review_agent.syntax.edits.scopes import CALLABLES, Scopes
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]

_EXIT = re.compile(r"^\s*(?:return\b|raise\b|throw\b|continue\b|break\b|panic\()")
_ENDS = re.compile(
    r"^\s*(?:[})\]]|else\b|elif\b|except\b|finally\b|case\b|default\b|@|def\b|async def\b|class\b|func\b|"
    r"end\b|#|//|\w+:$)"
)
_OPEN = re.compile(r"[(\[{,=+]\s*(?:#.*|//.*)?$")


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """rest_cut_off."""
    for run in frame.runs:
        for line in run.new:
            text = frame.new_lines[line - 1]
            if _EXIT.match(text) and not _OPEN.search(text):
                yield from _cut(frame, scopes, line)


def _cut(frame: Frame, scopes: Scopes, line: int) -> Iterator[Sighting]:
    indent = _indent(frame.new_lines[line - 1])
    rest = _rest(frame.new_lines, line, indent)
    around = [one for one in frame.new_outline.symbols if one.kind in CALLABLES and one.start < line <= one.end]
    if not rest or not around or _depends(frame.new_lines, line, indent) or any(one in frame.new for one in rest[:1]):
        return
    scope = max(around, key=lambda one: one.start)
    if rest[-1] > scope.end:
        return
    dead = [
        one.callee
        for one in frame.new_outline.calls
        if rest[0] <= one.start <= rest[-1] and one.scope == scope.qualname
    ]
    spot = frame.spot((Side.NEW, (line, line)))
    if spot is not None and dead:
        facts: dict[str, FactValue] = {
            "dead": tuple(dict.fromkeys(dead)),
            "restStart": rest[0],
            "restEnd": rest[-1],
            "function": scopes.function(scope.qualname),
        }
        text = frame.new_lines[line - 1].strip()[:200]
        yield Sighting(EditOp.REST_CUT_OFF, spot, scope.qualname, dead[0], None, text, facts)


def _rest(lines: Sequence[str], line: int, indent: int) -> list[int]:
    """The lines of the same block behind a line; none where the block ends with it."""
    found: list[int] = []
    for number, text in enumerate(lines[line:], line + 1):
        if not text.strip():
            continue
        if _indent(text) < indent or (not found and (_indent(text) > indent or _ENDS.match(text))):
            break
        found.append(number)
    return found


def _depends(lines: Sequence[str], line: int, indent: int) -> bool:
    """Whether the line is the one statement of a condition written on two lines without braces."""
    before = next((text for text in reversed(lines[: line - 1]) if text.strip()), "")
    return _indent(before) < indent and re.search(r"\)\s*$|\belse\s*$", before) is not None and "{" not in before


def _indent(line: str) -> int:
    text = line.expandtabs(4)
    return len(text) - len(text.lstrip())
