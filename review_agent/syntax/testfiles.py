"""Which files are tests, by the names that test runners go by and the folders that hold tests."""

from __future__ import annotations

import re
from posixpath import basename, dirname

__all__ = ["in_test"]

_FOLDERS = frozenset({"test", "tests", "testdata", "__tests__", "spec", "specs", "e2e"})
_NAMES = re.compile(
    r"^conftest\.py$|^test_.*|_test\.(py|go)$"
    r"|\.(test|spec)\.[cm]?[jt]sx?$"
    r"|^(Test\w+|\w+(Test|Tests|TestCase|IT))\.java$"
)


def in_test(path: str) -> bool:
    """Whether a path is of a test."""
    return _NAMES.search(basename(path)) is not None or not _FOLDERS.isdisjoint(dirname(path).lower().split("/"))
