"""Which language a path is in, and the one way to a parser or a query of it.

A further language is one query file (``NAME.scm``), one adapter module and one line in each table here and in
``outline.ADAPTERS``.
"""

from __future__ import annotations

import importlib
import re
from functools import cache
from pathlib import Path

from tree_sitter import Language, Parser, Query

PARSED = ("python", "go")
CONFIG = ("yaml", "toml", "json", "ini", "env")

GRAMMARS = {"python": "tree_sitter_python", "go": "tree_sitter_go"}
_NEW = re.compile(rb"\bnew\((?!\[|(?:map|struct|func|chan|interface)\b)")
_SUFFIXES = {
    ".py": "python",
    ".pyi": "python",
    ".pyw": "python",
    ".go": "go",
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


@cache
def get_language(language: str) -> Language:
    return Language(importlib.import_module(GRAMMARS[language]).language())


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
    text = Path(__file__).with_name(f"{language}.scm").read_text(encoding="utf-8")
    return Query(get_language(language), text)
