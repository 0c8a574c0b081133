"""The words of a line of code: its tokens and literals, and the call that stands around a place in it."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["TOKEN", "Occurrence", "Told", "callee_of", "content", "is_text", "last_name", "shape"]

TOKEN = re.compile(r"""[A-Za-z_$]\w*|\d[\w.]*|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|\S""")
_HOLE = re.compile(r"\$?\{[^{}]*\}|%[-+0# ]*\d*(?:\.\d+)?[a-zA-Z]|:\w+(?=/|$)")
_NAME = re.compile(r"[A-Za-z_$][\w$]*")

# Slot, act, and whether the word is a key: see Occurrence.
Told = tuple[str, str, bool] | None


@dataclass(frozen=True)
class Occurrence:
    """``act``: write, read, or "" where the line does not tell; ``slot``: what the word goes with, "" for nothing.

    ``frame``: the innermost call around the word, with a hole in its place. ``key``: the word names a place in the
    slot, not a value that is put there.
    """

    slot: str
    act: str
    frame: str
    key: bool = False


def is_text(token: str) -> bool:
    """Whether a token is a string literal."""
    return token[:1] in ("'", '"', "`")


def content(token: str) -> str:
    """What stands between a literal's quotes; a name as it is."""
    return token[1:-1] if is_text(token) else token


def shape(token: str) -> str:
    """A literal's fixed text, each hole as ``{}``."""
    return _HOLE.sub("{}", content(token)) if is_text(token) else token


def last_name(expression: str) -> str:
    """The last name of an expression: of ``row.get("status")`` and ``x["status"]`` the key."""
    expression = re.sub(r"(?:,[^,()]*)?\)\s*$", ")", expression.strip())
    quoted = re.search(r"""[\[(]\s*["'](\w+)["']\s*[\])]$""", expression)
    if quoted:
        return quoted[1]
    names = _NAME.findall(re.sub(r"\([^()]*\)$", "", expression))
    return _accessed(names[-1]) if names else ""


def _accessed(name: str) -> str:
    """The member that a getter's name speaks of."""
    found = re.match(r"(?:get|is|set)_?([A-Z]\w*|(?<=_)\w+)$", name)
    return found[1] if found else name


def callee_of(before: str) -> str | None:
    """The callee of the innermost call that a line has opened and not closed."""
    depth = 0
    for at in range(len(before) - 1, -1, -1):
        sign = before[at]
        depth += (sign in ")]}") - (sign in "([{")
        if depth < 0 and sign == "(":
            found = re.search(r"([\w.$@]+)\s*$", before[:at])
            return found[1].lstrip("@") if found else None
        if depth < 0 and sign == "[":
            return None
        if depth < 0:
            depth = 0
    return None
