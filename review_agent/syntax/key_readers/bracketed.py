"""JSON, with or without comments and trailing commas."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from review_agent.syntax.key_readers.record import DEEPEST, Key, key_of

__all__ = ["read"]

OPENING, CLOSING = ("{", "["), ("}", "]")
JSON_TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/|[{}\[\]:,]|\n|[^\s{}\[\]:,"]+', re.DOTALL)


def read(lines: Sequence[str]) -> Iterator[Key]:
    """Keys with a scalar value, whatever is wrong around them; elements of lists are counted from 0."""
    tokens = list(_json_tokens("\n".join(lines)))
    names: list[str] = []
    counts: list[int] = []
    key: str | None = None
    for index, (piece, number) in enumerate(tokens):
        follower = tokens[index + 1][0] if index + 1 < len(tokens) else ""
        if piece in OPENING:
            inside_list = bool(counts) and counts[-1] >= 0
            names.append(str(counts[-1]) if inside_list and key is None else key or "")
            counts.append(0 if piece == "[" else -1)
            key = None
        elif piece in CLOSING:
            names, counts, key = names[:-1], counts[:-1], None
        elif piece == ",":
            counts[-1:] = [count + 1 if count >= 0 else count for count in counts[-1:]]
        elif piece[0] == '"' and follower == ":":
            key = piece[1:-1]
        elif key is not None and piece != ":":
            yield key_of(".".join(name for name in names if name), key, piece, number)
            key = None
        if len(names) > DEEPEST:
            return


def _json_tokens(text: str) -> Iterator[tuple[str, int]]:
    number = 1
    for match in JSON_TOKEN.finditer(text):
        piece = match.group()
        if piece != "\n" and not piece.startswith(("//", "/*")):
            yield piece, number
        number += piece.count("\n")
