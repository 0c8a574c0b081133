"""Edits of files of code that came without a test file of their own, where nearly all beside them have one."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from posixpath import basename, dirname, splitext

from review_agent.syntax.edits import as_edits
from review_agent.syntax.edits.frame import Sighting, Spot
from review_agent.syntax.languages import PARSED, language_of
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import Edit, EditOp, FactValue, FileChange, FileStatus, Side

__all__ = ["untried"]

# Files that hold no acts of their own, or that a tool finds by their name.
_PLAIN = re.compile(
    r"(?i)^(?:_|index$|main$|app$|types?$|constants?$|consts$|enums?$|errors?$|exceptions$|models?$|schemas?$|config$"
    r"|settings$|version$|doc$|docs$|interfaces?$|mod$|setup$|conftest$|package-info|module-info)|[._-](?:gen|generated|pb|mock|stories|d)$"
)
_ACTS = re.compile(
    r"^\s*(?:(?:export |default |public |private |protected |static |async )*(?:def|func|function)\b|.*=>"
    r"|.*\)\s*(?:throws [\w, .]+)?\{$)"
)
_AFFIX = re.compile(r"(?i)^test_|[._-]?(?:tests?|spec|it)$")
_SHORTEST = 3
# A file of fewer lines has little that could be tested.
_LINES = 20
# Files beside it that have a test: so many, and so large a part of all.
_LEAST, _PART = 3, 0.7
_LISTED = 4


def untried(change: FileChange, paths: Collection[str]) -> tuple[Edit, ...]:
    """file_untested: of a file of code that was added. ``paths`` are those at head."""
    stem, suffix = splitext(basename(change.path))
    if change.status is not FileStatus.ADDED or not _is_telling(change, stem):
        return ()
    beside = [one for one in paths if _is_beside(one, change.path, suffix)]
    if len(beside) < _LEAST:
        return ()
    tests = _tests(paths, suffix)
    tested = {one: tests[_stem(one)] for one in beside if _stem(one) in tests}
    if stem.lower() in tests or len(tested) < max(_LEAST, _PART * len(beside)):
        return ()
    facts: dict[str, FactValue] = {
        "tested": tuple(tested)[:_LISTED],
        "tests": tuple(tested.values())[:_LISTED],
        "every": len(tested) == len(beside),
        "function": "",
    }
    sighting = Sighting(EditOp.FILE_UNTESTED, Spot(0, Side.NEW, 1, 1), "", change.path, None, change.path, facts)
    return as_edits(change, language_of(change.path) or "text", [sighting])


def _is_telling(change: FileChange, stem: str) -> bool:
    lines = [line.text for hunk in change.hunks for line in hunk.lines if line.tag == "+" and line.text.strip()]
    plain = language_of(change.path) in PARSED and not in_test(change.path) and not _PLAIN.search(stem)
    return plain and len(stem) >= _SHORTEST and len(lines) >= _LINES and any(_ACTS.match(line) for line in lines)


def _is_beside(path: str, own: str, suffix: str) -> bool:
    other = splitext(basename(path))
    named = other[1] == suffix and not _PLAIN.search(other[0]) and len(other[0]) >= _SHORTEST
    return named and path != own and dirname(path) == dirname(own) and not in_test(path)


def _stem(path: str) -> str:
    return splitext(basename(path))[0].lower()


def _tests(paths: Collection[str], suffix: str) -> Mapping[str, str]:
    """By the name of what it tests, in lower case: the first test file of a language that has this name in its own."""
    found: dict[str, str] = {}
    for path in paths:
        if path.endswith((suffix[:3], suffix)):
            stem = splitext(basename(path))[0]
            bare = _AFFIX.sub("", stem).lower()
            if in_test(path) and bare:
                found.setdefault(bare, path)
    return found
