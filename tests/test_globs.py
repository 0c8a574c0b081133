"""Globs as in a .gitignore: what is none is an error of one type, and how it becomes an expression shows nowhere."""

from __future__ import annotations

import warnings

import pytest

from review_agent import globs


@pytest.mark.parametrize("glob", ["[z-a]", "a/[b--]", "!", "\\"])
def test_what_is_no_glob_is_a_value_error(glob: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        globs.spec([glob])


@pytest.mark.parametrize("glob", ["a[[:foo:]]", "[[a]", "[a&&b]", "[a||b]"])
def test_no_warning_of_an_expression_reaches_who_wrote_a_glob(glob: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        globs.spec([glob])


def test_a_glob_fits_as_in_a_gitignore() -> None:
    spec = globs.spec(["docs/", "*.md"])
    assert [spec.match_file(path) for path in ("docs/a.py", "src/docs/b.py", "a.md", "a.py")] == [
        True,
        True,
        True,
        False,
    ]


@pytest.mark.parametrize(("glob", "many"), [("a.py", 0), ("**/*.py", 2), ("*a*b*", 3), ("***", 1)])
def test_runs_of_stars_are_counted(glob: str, many: int) -> None:
    assert globs.stars(glob) == many
