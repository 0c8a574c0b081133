"""Syntax colours: source text cut into lines of classed pieces. A language that is not on the list stays plain."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import PurePosixPath

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, _TokenType
from pygments.util import ClassNotFound

__all__ = ["Piece", "pieces"]

Piece = tuple[str, str]
"""A class (empty for plain text) and the text."""

MOST_CHARACTERS = 60_000
"""Longer texts stay plain: a page is for reading, and colouring it must not be what a reviewer waits for."""
MOST_A_LINE = 2_000

_BY_SUFFIX = {
    "bash": "sh bash zsh",
    "c": "c h",
    "cpp": "cc cpp cxx hh hpp",
    "csharp": "cs",
    "css": "css scss less",
    "go": "go",
    "html": "html htm vue svelte",
    "ini": "ini cfg conf properties editorconfig",
    "java": "java",
    "javascript": "js mjs cjs jsx",
    "json": "json",
    "kotlin": "kt kts",
    "php": "php",
    "python": "py pyi",
    "ruby": "rb",
    "rust": "rs",
    "sql": "sql",
    "swift": "swift",
    "toml": "toml",
    "typescript": "ts mts cts tsx",
    "xml": "xml",
    "yaml": "yml yaml",
}
_LANGUAGES = {suffix: language for language, suffixes in _BY_SUFFIX.items() for suffix in suffixes.split()}
_NAMES = {"dockerfile": "docker", "makefile": "make"}
_CLASSES: tuple[tuple[_TokenType, str], ...] = (
    (Comment, "c"),
    (String, "s"),
    (Number, "m"),
    (Keyword, "k"),
    (Operator.Word, "k"),
    (Name.Function, "f"),
    (Name.Class, "f"),
    (Name.Decorator, "d"),
    (Name.Tag, "k"),
    (Name.Attribute, "d"),
    (Name.Builtin, "b"),
    (Operator, "o"),
    (Punctuation, "o"),
)


@lru_cache(maxsize=256)
def pieces(path: str, source: str) -> tuple[tuple[Piece, ...], ...]:
    """The lines of ``source``, each as pieces that together are the line, coloured by what the path's name ends in."""
    lines = source.split("\n")
    lexer = _lexer(path) if len(source) <= MOST_CHARACTERS and max(map(len, lines)) <= MOST_A_LINE else None
    if lexer is None:
        return tuple((("", line),) for line in lines)
    coloured = tuple(map(tuple, _lines(lexer.get_tokens(source))))
    # A lexer that changes its text (a lone carriage return, a byte order mark) is not believed.
    same = len(coloured) >= len(lines) and all(
        "".join(part for _, part in got) == line for got, line in zip(coloured, lines, strict=False)
    )
    return coloured[: len(lines)] if same else tuple((("", line),) for line in lines)


def _lexer(path: str) -> Lexer | None:
    name = PurePosixPath(path).name.lower()
    language = _NAMES.get(name) or _LANGUAGES.get(name.rpartition(".")[2])
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False) if language else None
    except ClassNotFound:
        return None


def _lines(tokens: Iterable[tuple[_TokenType, str]]) -> list[list[Piece]]:
    lines: list[list[Piece]] = [[]]
    for kind, value in tokens:
        name = next((short for token, short in _CLASSES if kind in token), "")
        for number, part in enumerate(value.split("\n")):
            if number:
                lines.append([])
            if part:
                _add(lines[-1], name, part)
    return lines


def _add(line: list[Piece], name: str, part: str) -> None:
    """Neighbours of one class are one piece."""
    if line and line[-1][0] == name:
        line[-1] = (name, line[-1][1] + part)
    else:
        line.append((name, part))
