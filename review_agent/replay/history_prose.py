"""Lines of a file that document it: block comments, and strings that stand by themselves in Python."""

from __future__ import annotations

import re

__all__ = ["prose_lines"]

_QUOTED = re.compile(r"\"\"\"|'''")
_OPENS = re.compile(r"^\s*[rRuUbB]{0,2}(\"\"\"|''')")
_COMMENT = re.compile(r"^\s*/\*")


def prose_lines(path: str, text: str) -> frozenset[int]:
    """Numbers of the lines, from 1, that a docstring or a block comment holds, its first and last ones with it."""
    lines = text.split("\n")
    return frozenset(_docstrings(lines) if path.endswith((".py", ".pyi")) else _blocks(lines))


def _docstrings(lines: list[str]) -> set[int]:
    """A string that is given to something is none; where it ends is followed all the same."""
    found: set[int] = set()
    until, documents = "", False
    for number, line in enumerate(lines, 1):
        if not until:
            documents = _OPENS.match(line) is not None
        if until or _QUOTED.search(line):
            found.update([number] if documents else [])
            until = _left_open(line, until)
    return found


def _left_open(line: str, until: str) -> str:
    """The quotes that a line leaves open, which began with these ones open."""
    for quotes in _QUOTED.findall(line):
        if not until:
            until = quotes
        elif quotes == until:
            until = ""
    return until


def _blocks(lines: list[str]) -> set[int]:
    found: set[int] = set()
    inside = False
    for number, line in enumerate(lines, 1):
        begins = not inside and _COMMENT.match(line) is not None
        if inside or begins:
            found.add(number)
            inside = "*/" not in line
    return found
