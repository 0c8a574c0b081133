"""Which files are tests, by the names that test runners go by and the folders that hold tests; and which none loads."""

from __future__ import annotations

import re
from collections.abc import Sequence
from posixpath import basename, dirname

__all__ = ["in_test", "is_unloaded", "run_line"]

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
    {"testdata", "__fixtures__", "__testfixtures__", "_build", "_site", "apidoc", "apidocs", "javadoc"}
)
# Of a linter what is read, of others what is run.
_MAY_RUN = frozenset({"fixtures"})
# Hidden folders whose code a tool runs together with the product's, or a service that builds it.
_RUN_NAMES = """
    .storybook .vitepress .erb .github .circleci .buildkite .gitlab .ci .azure .azure-pipelines .azuredevops .jenkins
    .teamcity .travis .semaphore .woodpecker .drone .forgejo .gitea .tekton .kokoro .evergreen .husky .devcontainer
"""
_RUN = frozenset(_RUN_NAMES.split())
# Where a file of Python is run by its path, whatever its name.
_SCRIPTS = ("script", "bin", "tool", "hack", "ci", "util", "contrib", "bench", "dev", "build", "job", "cron", "task")
_MAIN = re.compile(r"if\s+__name__\s*==\s*[\"']__main__[\"']")


def run_line(lines: Sequence[str]) -> int:
    """The line of a file by which it is run by its path: its interpreter's, or the test for that; 0 for none."""
    if lines and lines[0].startswith("#!"):
        return 1
    return next((number for number, line in enumerate(lines, 1) if _MAIN.match(line)), 0)


def is_unloaded(path: str, *, runs: bool = False) -> bool:
    """Whether nothing loads a file of code: it lies where files are only read, or no import can name it and it does
    not say that it is run by its path (``runs``)."""
    folders = dirname(path).lower().split("/")
    if not _AS_TEXT.isdisjoint(folders):
        return True
    if path.endswith(".go"):
        hidden = any(one.startswith("_") or _is_hidden(one) for one in (*folders, basename(path)))
        return hidden or not _MAY_RUN.isdisjoint(folders)
    if runs:
        return False
    if any(_is_hidden(one) for one in folders) or not _MAY_RUN.isdisjoint(folders):
        return True
    named = path.endswith((".py", ".java")) and not re.fullmatch(r"\w+", basename(path).rpartition(".")[0])
    by_path = path.endswith(".py") and any(one.lstrip(".").startswith(_SCRIPTS) for one in folders)
    run = by_path or (path.endswith(".py") and (folders == [""] or not _RUN.isdisjoint(folders)))
    return named and not run and basename(path) not in ("package-info.java", "module-info.java")


def _is_hidden(folder: str) -> bool:
    return re.match(r"\.\w", folder) is not None and folder not in _RUN
