"""The families of languages that names are followed in.

A further family is one module here with a class that satisfies :class:`base.Reader`, and one row below.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from review_agent.stages.evidence_view import View
from review_agent.stages.readers.base import Family, Reader
from review_agent.stages.readers.go import GoReader
from review_agent.stages.readers.java import JavaReader
from review_agent.stages.readers.javascript import JavaScriptReader
from review_agent.stages.readers.python import PythonReader
from review_agent.syntax.languages import family_of
from review_agent.syntax.resolution_world import Target

__all__ = ["declares", "mentions", "reader"]

_FAMILIES = {
    "python": Family(PythonReader, PythonReader.declares, PythonReader.mentions),
    "go": Family(GoReader, GoReader.declares, GoReader.mentions),
    "javascript": Family(JavaScriptReader, JavaScriptReader.declares, JavaScriptReader.mentions),
    "java": Family(JavaReader, JavaReader.declares, JavaReader.mentions),
}


def reader(view: View, path: str) -> Reader:
    """The reader of a path's family. Raises KeyError for a path of none."""
    return _FAMILIES[family_of(path)].reader(view)


def declares(path: str, words: Iterable[str]) -> re.Pattern[str]:
    """Finds a line of this path's language that may declare a type below one of the words."""
    return _FAMILIES[family_of(path)].declares(words)


def mentions(target: Target) -> re.Pattern[str]:
    """Finds an import line that names a target's module, package or class."""
    return _FAMILIES[family_of(target.path)].mentions(target)
