"""Which language a path is in, and the one way to a parser or a query of it.

A further language is one query file (``NAME.scm``), one adapter module and one line in each table here and in
``outline.ADAPTERS``.
"""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path

from tree_sitter import Language, Parser, Query

PARSED = ("python", "go")
CONFIG = ("yaml", "toml", "json", "ini", "env")

GRAMMARS = {"python": "tree_sitter_python", "go": "tree_sitter_go"}
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


@cache
def get_query(language: str) -> Query:
    text = Path(__file__).with_name(f"{language}.scm").read_text(encoding="utf-8")
    return Query(get_language(language), text)
