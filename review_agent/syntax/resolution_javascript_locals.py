"""Which binding of a name is in force at a line, told from the layout of the text.

An outline has no blocks: what is declared in one holds until a line stands less deep than the declaration.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from review_agent.syntax.words import whole_name

__all__ = ["Bound", "in_force", "is_plain"]

# A longer line is made by a program: its layout tells nothing.
_LONGEST = 1_000


@dataclass(frozen=True)
class Bound:
    """A line that binds a name. ``declares``: by ``const``, ``let``, ``var``, a parameter, a loop or a handler."""

    line: int
    declares: bool
    is_head: bool
    """Whether it is bound for what the line opens: a parameter, a loop's or handler's name."""


def bound(lines: Sequence[str], name: str, line: int, use: str) -> Bound:
    """What a line that writes a name, or has it as a parameter, does."""
    text = lines[line - 1] if line <= len(lines) else ""
    word = re.escape(name)
    if use == "parameter" or re.search(rf"\b(?:for|catch)\s*(?:await\s*)?\([^)]*{whole_name(name)}", text):
        return Bound(line, True, True)
    declared = re.search(rf"\b(?:const|let|var|using)\b[^=;]*(?<![\w$.]){word}(?![\w$])", text)
    # A line of a pattern that is taken apart over several lines.
    return Bound(
        line, bool(declared) or re.match(rf"\s*(?:[\w$]+\s*:\s*)?{word}\s*(?:=[^=].*)?,?\s*$", text) is not None, False
    )


def is_plain(lines: Sequence[str], name: str, line: int) -> bool:
    """Whether a line sets the name to a value as a whole, and does not take the value apart."""
    text = lines[line - 1] if line <= len(lines) else ""
    start = r"(?:^|[;{(,]|=>)\s*(?:export\s+)?(?:(?:const|let|var|using)\s+)?"
    return (
        re.search(rf"(?:{start}|\b(?:const|let|var)\b[^{{\[]*,\s*){re.escape(name)}\s*(?::[^=]+)?=(?![=>])", text)
        is not None
    )


def in_force(lines: Sequence[str], found: Sequence[Bound], line: int) -> list[Bound]:
    """The nearest declarations that hold at a line; all of them for line 0."""
    if not line:
        return [one for one in found if one.declares]
    holding = [one for one in found if one.declares and one.line <= line and _holds(lines, one, line)]
    nearest = max((one.line for one in holding), default=0)
    return [one for one in holding if one.line == nearest]


def _holds(lines: Sequence[str], one: Bound, line: int) -> bool:
    depth, is_head = _indent(lines[one.line - 1]), one.is_head
    for text in lines[one.line : line]:
        bare = text.strip()
        if not bare or len(text) > _LONGEST or bare.startswith(("//", "*", "/*")):
            continue
        here = _indent(text)
        if is_head and here <= depth:
            if bare[0] in ")}]" and bare.endswith(("{", "=>", "(")):
                depth = here
                continue
            return False
        if here < depth:
            return False
    return True


def _indent(text: str) -> int:
    expanded = text.expandtabs(4)
    return len(expanded) - len(expanded.lstrip(" "))
