"""JavaScript's expressions and types as text: steps of a chain, alternatives, the parts of a written type."""

from __future__ import annotations

import re
from dataclasses import dataclass

from review_agent.syntax.resolution_chain import closing

__all__ = ["Step", "alternatives", "asserted", "chain", "split_top", "split_types", "stripped"]

_IDENTIFIER = re.compile(r"[#A-Za-z_$][\w$]*")
_MEMBER = re.compile(r"\s*(?:\?\.|\.)\s*([#A-Za-z_$][\w$]*)")
_BRACKET = re.compile(r"\s*(?:\?\.)?([(\[])")
_TYPE_ARGUMENTS = re.compile(r"<[\w$\s,.|\[\]<>]*>(?=\()")
_LEADING = re.compile(r"^(?:await|new|void|yield)\s+")
_OPEN, _CLOSE = "([{", ")]}"


@dataclass(frozen=True)
class Step:
    """One step of a chain: ``a`` (name), ``.b`` (member), ``(…)`` (call), ``[…]`` (index)."""

    act: str
    text: str


def stripped(text: str) -> str:
    """An expression without the parentheses, ``await`` and ``new`` around it."""
    bare = text.strip().rstrip(";!").strip()
    while True:
        shorter = _LEADING.sub("", bare)
        if shorter.startswith("(") and closing(shorter, 0) == len(shorter) - 1:
            shorter = shorter[1:-1].strip()
        if shorter == bare:
            return bare
        bare = shorter


def chain(text: str) -> list[Step] | None:
    """The steps of ``a.b(c).d[e]``; null where the text is another kind of expression."""
    start = _IDENTIFIER.match(text)
    if text.startswith("(") and (end := closing(text, 0)) > 0:
        return _rest(text, end + 1, [Step("group", text[1:end])])
    return _rest(text, start.end(), [Step("name", start[0])]) if start else None


def _rest(text: str, at: int, steps: list[Step]) -> list[Step] | None:
    while at < len(text):
        generic = _TYPE_ARGUMENTS.match(text, at)
        at = generic.end() if generic else at
        if text[at] == "!" and text[at + 1 : at + 2] != "=":
            at += 1
            continue
        member, bracket = _MEMBER.match(text, at), _BRACKET.match(text, at)
        if member:
            steps.append(Step("member", member[1]))
            at = member.end()
        elif bracket:
            end = closing(text, bracket.end() - 1)
            # A text that is cut inside a bracket is the beginning of a longer expression of the same kind.
            end = len(text) if end < 0 else end
            steps.append(Step("call" if bracket[1] == "(" else "index", text[bracket.end() : end].strip()))
            at = end + 1
        else:
            return None
    return steps


def split_top(text: str, signs: tuple[str, ...]) -> list[str]:
    """The parts between signs outside brackets and strings; the text itself where there are none."""
    parts, depth, quote, start, at = [], 0, "", 0, 0
    while at < len(text):
        one = text[at]
        if quote:
            at += one == "\\"
            quote = "" if text[at : at + 1] == quote and one != "\\" else quote
        elif one in "\"'`":
            quote = one
        elif one in _OPEN or one in _CLOSE:
            depth += 1 if one in _OPEN else -1
        elif depth == 0 and (sign := next((s for s in signs if text.startswith(s, at)), "")):
            parts.append(text[start:at].strip())
            at += len(sign) - 1
            start = at + 1
        at += 1
    return [*parts, text[start:].strip()]


def split_types(text: str) -> list[str]:
    """The parts between commas outside all brackets, those of type arguments too."""
    parts, depth, start = [], 0, 0
    for at, one in enumerate(text):
        depth += (one in "<([{") - (one in ">)]}" and text[at - 1 : at] != "=")
        if one == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return [*parts, text[start:].strip()]


def alternatives(text: str) -> list[str]:
    """What ``a || b``, ``a ?? b`` and ``t ? a : b`` can be; one text for all others."""
    parts = split_top(text, (" || ", " ?? "))
    if len(parts) > 1:
        return parts
    tested = split_top(text, (" ? ",))
    if len(tested) == 2:
        return split_top(tested[1], (" : ",))
    return parts


def asserted(text: str) -> tuple[str, str]:
    """(expression, type) of ``x as T``; no type for all others."""
    parts = split_top(text, (" as ", " satisfies "))
    return (parts[0], parts[-1]) if len(parts) > 1 else (text, "")
