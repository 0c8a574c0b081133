"""What all readers give and share."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["DEEPEST", "ENVIRONMENTS", "LONGEST", "VARIABLE", "Key", "key_of", "uncommented", "unquoted"]

LONGEST = 200
DEEPEST = 60


@dataclass(frozen=True)
class Key:
    """``key`` is dotted with what it stands in; an environment variable is named alone, wherever it is set.

    ``value`` is source text without quotes around it, cut at 200 characters; ``block`` is what the key stands in.
    """

    key: str
    value: str
    line: int
    block: str


VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*$")
# Blocks whose keys become environment variables: compose, Kubernetes, GitHub, GitLab, ConfigMap and Secret.
ENVIRONMENTS = frozenset({"environment", "env", "variables", "data", "stringData"})


def key_of(block: str, name: str, value: str, line: int) -> Key:
    alone = block.rpartition(".")[2] in ENVIRONMENTS and VARIABLE.match(name)
    key = name if alone or not block else f"{block}.{name}"
    return Key(key, unquoted(value)[:LONGEST], line, block)


def unquoted(value: str) -> str:
    value = value.strip()
    if value.startswith(('"""', "'''")):
        return value
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value


def uncommented(line: str, marks: str = "#") -> str:
    """The line without a comment that stands behind white space and outside quotes."""
    quote = ""
    for index, sign in enumerate(line):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'" and (index == 0 or line[index - 1] in " \t:=[{,("):
            quote = sign
        elif sign in marks and (index == 0 or line[index - 1] in " \t"):
            return line[:index].rstrip()
    return line.rstrip()
