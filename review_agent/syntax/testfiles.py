"""Which files are tests, by the names that test runners go by and the folders that hold tests; and which none loads."""

from __future__ import annotations

import re
from posixpath import basename, dirname

__all__ = ["in_test", "is_unloaded"]

_FOLDERS = frozenset({"test", "tests", "testdata", "__tests__", "spec", "specs", "e2e"})
_NAMES = re.compile(
    r"^conftest\.py$|^test_.*|_test\.(py|go)$"
    r"|\.(test|spec)\.[cm]?[jt]sx?$"
    r"|^(Test\w+|\w+(Test|Tests|TestCase|IT))\.java$"
)


def in_test(path: str) -> bool:
    """Whether a path is of a test."""
    return _NAMES.search(basename(path)) is not None or not _FOLDERS.isdisjoint(dirname(path).lower().split("/"))


# Folders of what is read as text: by the tests of a linter, by a generator of pages, by people.
_AS_TEXT = frozenset(
    {"testdata", "fixtures", "__fixtures__", "__testfixtures__", "_build", "_site", "apidoc", "apidocs", "javadoc"}
)
# Hidden folders whose code a tool runs together with the product's.
_RUN = frozenset({".storybook", ".vitepress", ".erb"})
# Where a file of Python is run by its path, whatever its name.
_SCRIPTS = ("script", "bin", "tool", "hack", "ci", "util", "contrib", "bench", "dev", "build")


def is_unloaded(path: str) -> bool:
    """Whether nothing loads a file of code: it lies where files are only read, or no import can name it."""
    folders = dirname(path).lower().split("/")
    hidden = any(re.match(r"\.\w", one) and one not in _RUN for one in folders)
    if hidden or not _AS_TEXT.isdisjoint(folders):
        return True
    if path.endswith(".go"):
        return any(one.startswith("_") for one in (*folders, basename(path)))
    named = path.endswith((".py", ".java")) and not re.fullmatch(r"\w+", basename(path).rpartition(".")[0])
    run = path.endswith(".py") and (folders == [""] or any(one.startswith(_SCRIPTS) for one in folders))
    return named and not run and basename(path) not in ("package-info.java", "module-info.java")
