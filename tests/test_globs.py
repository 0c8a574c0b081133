"""Globs as in a .gitignore: what is none is an error of one type, and how it becomes an expression shows nowhere."""

from __future__ import annotations

import re
import subprocess
import time
import warnings

import pytest

from review_agent import globs


@pytest.mark.parametrize("glob", ["[z-a]", "a/[b--]", "!", "\\"])
def test_what_is_no_glob_is_a_value_error(glob: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        globs.spec([glob])


@pytest.mark.parametrize("glob", ["[[.a.]]", "[[a]", "[a&&b]", "[a||b]", "[[:punct:]]"])
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


def test_a_glob_of_more_stars_than_the_limit_is_none() -> None:
    assert globs.spec(["*a*b*c*d"]).match_file("a-b-c-d")
    assert globs.spec(["**/****/a/*/*"])
    with pytest.raises(globs.StarsError, match=r"^it has more than 4 runs of stars$"):
        globs.spec(["a", "*a*b*c*d*"])


_SIGNS = [chr(code) for code in range(1, 127) if chr(code) not in "/\n:"]


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(globs._CLASSES))
@pytest.mark.parametrize(
    "glob",
    ["[[:{}:]]x", "[![:{}:]]x", "[[:{}:]-w]x", "[^a[:{}:]z]x", "[[:{}:]_[:digit:]]x", "[][:{}:]]x", "\\[[:{}:]]x"],
)
def test_a_class_fits_what_git_says(tmp_path, name: str, glob: str) -> None:
    glob = glob.format(name)
    (tmp_path / ".gitignore").write_text(f"{glob}\n")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    names = [*(f"{sign}x" for sign in _SIGNS), "x", "[ax", "xx"]
    command = ["git", "check-ignore", "-z", "--no-index", "--stdin"]
    told = subprocess.run(command, cwd=tmp_path, input="\0".join(names).encode(), stdout=subprocess.PIPE)
    spec = globs.spec([glob])
    assert [one for one in names if spec.match_file(one)] == told.stdout.decode().split("\0")[:-1]


@pytest.mark.parametrize(
    ("glob", "fits"),
    [
        ("[[:alpha:]]*", ["a1", "Z", "Z.py", "a", "a/b"]),
        ("[[:digit:][:upper:]].py", ["1.py", "Z.py"]),
        ("[:alpha:]", ["a", "a/b"]),
        ("#[[:nothing:]]", []),
        ("[[:al pha:]", ["a", "a/b"]),
    ],
)
def test_classes_count_within_brackets_alone(glob: str, fits: list[str]) -> None:
    spec = globs.spec([glob])
    assert [one for one in ["a1", "Z", "1.py", "Z.py", "a", "_", "a/b"] if spec.match_file(one)] == fits


@pytest.mark.parametrize(("glob", "said"), [("[[:letters:]]", "no class [:letters:]"), ("a[[:alpha:]", "not closed")])
def test_a_class_that_git_does_not_know_or_does_not_close_is_no_glob(glob: str, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        globs.spec([glob])


@pytest.mark.parametrize("glob", ["[", "[:", "[[:", "[]", "\\[", "[[:a"])
def test_a_hostile_glob_is_read_in_one_pass(glob: str) -> None:
    started = time.process_time()
    globs._plain(glob * (250_000 // len(glob)))
    assert time.process_time() - started < 2
