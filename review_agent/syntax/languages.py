"""Which language a path is in, and the one way to a parser or a query of it.

A further language is one row here, its query file, its adapter (``outline.ADAPTERS``) and its reader of names
(``stages.evidence_languages.READERS``).
"""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tree_sitter import Language, Parser, Query


@dataclass(frozen=True)
class Grammar:
    """``module`` and ``function`` give the grammar; ``queries`` are the ``.scm`` files, read one after the other.

    ``family`` names the languages that import from one another: their names are resolved together.
    """

    module: str
    suffixes: tuple[str, ...]
    queries: tuple[str, ...]
    family: str
    function: str = "language"


LANGUAGES = {
    "python": Grammar("tree_sitter_python", (".py", ".pyi", ".pyw"), ("python",), "python"),
    "go": Grammar("tree_sitter_go", (".go",), ("go",), "go"),
    "java": Grammar("tree_sitter_java", (".java",), ("java",), "java"),
    "javascript": Grammar("tree_sitter_javascript", (".js", ".mjs", ".cjs", ".jsx"), ("javascript",), "javascript"),
    "typescript": Grammar(
        "tree_sitter_typescript",
        (".ts", ".mts", ".cts"),
        ("javascript", "typescript"),
        "javascript",
        "language_typescript",
    ),
    "tsx": Grammar("tree_sitter_typescript", (".tsx",), ("javascript", "typescript"), "javascript", "language_tsx"),
}
PARSED = tuple(LANGUAGES)
CONFIG = ("yaml", "toml", "json", "ini", "env")

_NEW = re.compile(rb"\bnew\((?!\[|(?:map|struct|func|chan|interface)\b)")
_SUFFIXES = {
    **{suffix: name for name, grammar in LANGUAGES.items() for suffix in grammar.suffixes},
    ".yaml": "yaml",
    ".yml": "yaml",
    ".toml": "toml",
    ".json": "json",
    ".ini": "ini",
    ".cfg": "ini",
    ".conf": "ini",
    ".properties": "ini",
    ".env": "env",
}


def language_of(path: str) -> str | None:
    """The language of a repository path by its name: one of ``PARSED`` or ``CONFIG``, None for anything else."""
    name = path.rsplit("/", 1)[-1].lower()
    if name == ".env" or name.startswith(".env."):
        return "env"
    dot = name.rfind(".")
    return _SUFFIXES.get(name[dot:]) if dot > 0 else None


def family_of(path: str) -> str:
    """The family of languages that a path is written in, "" for one that is not parsed."""
    grammar = LANGUAGES.get(language_of(path) or "")
    return grammar.family if grammar else ""


def suffixes_of(family: str) -> tuple[str, ...]:
    """The endings of the files of a family."""
    return tuple(suffix for one in LANGUAGES.values() if one.family == family for suffix in one.suffixes)


@cache
def get_language(language: str) -> Language:
    grammar = LANGUAGES[language]
    return Language(getattr(importlib.import_module(grammar.module), grammar.function)())


def get_parser(language: str) -> Parser:
    """A fresh parser; raises KeyError for a language without a grammar."""
    return Parser(get_language(language))


def other_reading(data: bytes, language: str) -> bytes:
    """Text of the same length for what the grammar could not read; the same text where nothing else is to be tried.

    tree-sitter-go 0.25 takes the argument of ``new`` for a type, Go 1.26 allows any expression: as a call of another
    name it is read right.
    """
    return _NEW.sub(b"nev(", data) if language == "go" else data


@cache
def get_query(language: str) -> Query:
    files = [Path(__file__).with_name(f"{name}.scm") for name in LANGUAGES[language].queries]
    return Query(get_language(language), "\n".join(one.read_text(encoding="utf-8") for one in files))
