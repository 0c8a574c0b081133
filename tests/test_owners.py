"""CODEOWNERS as GitHub reads it: the examples of its own page, and what it leaves out."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from review_agent.git import Git
from review_agent.owners import Owners, owners_at

EXAMPLE = """\
# This is a comment.
*       @global-owner1 @global-owner2
*.js    @js-owner #This is an inline comment.
*.go docs@example.com
*.txt @octo-org/octocats
/build/logs/ @doctocat
docs/*  docs@example.com
apps/ @octocat
/docs/ @doctocat
/scripts/ @doctocat @octocat
**/logs @octocat
/apps/ @octocat
/apps/github
with\\ space/ @spacer
"""


@pytest.mark.parametrize(
    ("path", "owners"),
    [
        ("README.md", ("@global-owner1", "@global-owner2")),
        ("src/a.js", ("@js-owner",)),
        ("a.go", ("docs@example.com",)),
        ("deep/down/a.txt", ("@octo-org/octocats",)),
        ("docs/a.txt", ("@doctocat",)),
        ("scripts/x", ("@doctocat", "@octocat")),
        ("src/scripts/x", ("@global-owner1", "@global-owner2")),
        ("build/logs/x", ("@octocat",)),
        ("deeply/nested/logs/x.md", ("@octocat",)),
        ("src/apps/x", ("@octocat",)),
        ("apps/other/x", ("@octocat",)),
        ("apps/github/x", ()),
        ("with space/x", ("@spacer",)),
    ],
)
def test_the_page_of_github(path: str, owners: tuple[str, ...]) -> None:
    assert Owners.parse(EXAMPLE)(path) == owners


@pytest.mark.parametrize(
    ("line", "path", "owned"),
    [
        ("docs/* @a", "docs/getting-started.md", True),
        ("docs/* @a", "docs/build-app/troubleshooting.md", False),
        ("/* @a", "README", True),
        ("/* @a", "src/README", False),
        ("docs/** @a", "docs/build-app/x.md", True),
        ("* @a", "deep/down/x", True),
        ("foo @a", "x/foo/y", True),
        ("FOO @a", "foo", False),
        ("!foo @a", "foo", False),
        ("fo[o] @a", "foo", False),
        ("*a*b*c*d* @a", "abcd", False),
        ("*a*b*c*d @a", "abcd", True),
        ("\\#foo @a", "#foo", False),
        ("foo nobody", "foo", False),
        ("foo @a and-no-owner", "foo", False),
        ("foo a@b.c", "foo", True),
        ("# foo @a", "foo", False),
        ("/ @a", "foo", False),
        ("", "foo", False),
    ],
)
def test_patterns(line: str, path: str, owned: bool) -> None:
    assert bool(Owners.parse(line)(path)) is owned


def test_a_line_that_is_not_understood_leaves_the_one_before() -> None:
    owners = Owners.parse("* @a\n* not-an-owner\n[ @b\n")
    assert (owners("x"), owners.names) == (("@a",), ("@a",))


@pytest.mark.slow
def test_the_file_is_read_from_git_and_not_from_the_work_tree(tmp_path: Path) -> None:
    def run(*words: str) -> None:
        names = ("-c", "user.name=a", "-c", "user.email=a@b.c")
        subprocess.run(["git", "-C", str(tmp_path), *names, *words], check=True, capture_output=True)

    run("init", "-q", "-b", "main")
    assert owners_at(Git(tmp_path)) is None
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "CODEOWNERS").write_text("* @docs\n")
    run("add", ".")
    run("commit", "-q", "-m", "one")
    (tmp_path / "CODEOWNERS").write_text("* @root\n")
    found = owners_at(Git(tmp_path))
    assert found is not None
    assert (found("x"), found.source) == (("@docs",), "docs/CODEOWNERS at main")
    run("add", ".")
    run("commit", "-q", "-m", "two")
    later = owners_at(Git(tmp_path))
    assert later is not None
    assert later("x") == ("@root",)
