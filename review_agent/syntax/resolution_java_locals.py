"""Declarations of Java's local variables, read from the lines of a method."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Local", "local"]

# A longer line is made by a program: what it declares is not read.
_LINE = 1_000
_NO_TYPES = frozenset(
    ("return", "throw", "new", "else", "case", "instanceof", "package", "import", "assert", "yield", "goto", "do",
     "break", "continue", "default", "final", "in", "extends", "implements")
)  # fmt: skip
# How many lines the head of a block is looked for on.
_HEAD = 6
_COMMENT = re.compile(r"\s*(?://|\*|/\*)")
_HEADER = re.compile(r"\s*(?:\}\s*)?(?:for|try|catch|while|if|else|switch|case)\b")


@dataclass(frozen=True)
class Local:
    """``type`` as written, "" for a lambda's parameter without one; ``over`` is what a ``for`` goes through."""

    type: str
    over: str
    line: int


def local(lines: Sequence[str], name: str, first: int, at: int) -> Local | None:
    """The declaration of a name in force at a line, the nearest before it from line ``first`` on; null for none."""
    typed = re.compile(
        rf"(?:^|[(;{{,]|\bfinal\s|\binstanceof\s)\s*(?:final\s+)?(?:@\w+\s+)?"
        rf"([A-Za-z_][\w.]*(?:\s*<[^;(){{}}=]*>)?(?:\s*\[\])*)\s+{re.escape(name)}\s*(?:\[\])*\s*(?=[=;:,)]|$|&&|\|\||\?|->)"
    )
    taken = re.compile(
        rf"(?<![\w.]){re.escape(name)}\s*->|\(\s*(?:\w+\s*,\s*)*{re.escape(name)}\s*(?:,\s*\w+\s*)*\)\s*->"
    )
    for number in range(min(at, len(lines)), first - 1, -1):
        text = lines[number - 1]
        if name not in text or len(text) > _LINE or _COMMENT.match(text):
            continue
        for found in typed.finditer(text):
            if found[1].split("<")[0].strip() not in _NO_TYPES and _reaches(lines, number, at):
                over = re.match(r"\s*:\s*(.+?)\)\s*\{?\s*$", text[found.end() :])
                return Local(" ".join(found[1].split()), over[1] if over else "", number)
        if taken.search(text) and _reaches(lines, number, at):
            return Local("", "", number)
    return None


def _reaches(lines: Sequence[str], declared: int, at: int) -> bool:
    """Whether the block that a line stands in, or opens, is still open at a later line, by the indentation."""
    depth = _depth(lines, declared)
    for number in range(declared + 1, at + 1):
        text = lines[number - 1]
        if not text.strip() or _COMMENT.match(text) or _indent(text) >= depth:
            continue
        if _indent(text) == depth - 1 and text.lstrip().startswith(("} else", "} catch", "} finally", ")", "{")):
            continue
        return False
    return True


def _depth(lines: Sequence[str], declared: int) -> int:
    """How far in the lines stand that a declaration reaches: those of the block whose head it is in, or its own."""
    for number in range(declared, max(declared - _HEAD, 0), -1):
        above = "".join(lines[number - 1 : declared - 1])
        if _HEADER.match(lines[number - 1]) and (number == declared or above.count("(") > above.count(")")):
            return _indent(lines[number - 1]) + 1
    return _indent(lines[declared - 1])


def _indent(text: str) -> int:
    bare = text.expandtabs(4)
    return len(bare) - len(bare.lstrip())
