"""Go's operand expressions as steps: a name, then members, calls, indexes, literals and assertions."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Step", "chain", "closing", "split_arguments"]

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_OPEN, _CLOSE = "([{", ")]}"


@dataclass(frozen=True)
class Step:
    """One step of a chain: ``a`` (name), ``.b`` (member), ``(…)`` (call), ``[…]`` (index), ``{…}`` (literal),
    ``.(T)`` (assertion)."""

    act: str
    text: str


def chain(text: str) -> list[Step] | None:
    """The steps of ``a.b(c).d[e].(T)``; null where the text is another kind of expression."""
    start = _IDENTIFIER.match(text)
    if not start:
        return None
    steps, at = [Step("name", start[0])], start.end()
    while at < len(text):
        rest = text[at:]
        member = re.match(r"\s*\.\s*([A-Za-z_]\w*)", rest)
        if member:
            steps.append(Step("member", member[1]))
            at += member.end()
            continue
        bracket = re.match(r"\s*(\.\s*)?([(\[{])", rest)
        if not bracket:
            return None
        end = closing(text, at + bracket.end() - 1)
        # A line that opens a bracket and ends is the beginning of a longer expression of the same kind.
        end = len(text) if end < 0 else end
        act = "assertion" if bracket[1] else {"(": "call", "[": "index", "{": "literal"}[bracket[2]]
        steps.append(Step(act, text[at + bracket.end() : end].strip()))
        at = end + 1
    return steps


def closing(text: str, start: int) -> int:
    """Where the bracket at ``start`` closes, strings and runes skipped; -1 where it does not."""
    depth, quote, at = 0, "", start
    while at < len(text):
        one = text[at]
        if quote:
            at += one == "\\" and quote != "`"
            quote = "" if one == quote else quote
        elif one in "\"'`":
            quote = one
        elif one in _OPEN or one in _CLOSE:
            depth += 1 if one in _OPEN else -1
            if depth == 0:
                return at
        at += 1
    return -1


def split_arguments(text: str) -> list[str]:
    """The parts between commas outside brackets; one empty part for empty text."""
    parts, depth, start = [], 0, 0
    for at, one in enumerate(text):
        depth += (one in _OPEN) - (one in _CLOSE)
        if one == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return [*parts, text[start:].strip()]
