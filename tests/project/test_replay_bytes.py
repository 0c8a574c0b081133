"""The outcomes document is byte-identical for the same snapshot, policy, engine and version, whatever is around it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from review_agent.demo import build

pytestmark = pytest.mark.slow

HOSTILE_CONFIG = """
[diff]
 noprefix = true
 algorithm = patience
 renames = false
 external = false
 context = 11
 interHunkContext = 9
 mnemonicPrefix = true
 orderFile = /dev/null
 submodule = log
[color]
 ui = always
[core]
 quotePath = false
 abbrev = 4
 attributesFile = /dev/null
 pager = false
[grep]
 lineNumber = false
 patternType = perl
 column = true
 fullName = false
[log]
 showSignature = true
[alias]
 diff = !false
"""


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    repo = tmp_path_factory.mktemp("demo") / "repo"
    return repo, *build(repo)


def outcomes(repo: Path, base: str, head: str, cwd: Path, **environment: str) -> bytes:
    command = [sys.executable, "-m", "review_agent.cli", "review", "--base", base, "--head", head]
    done = subprocess.run(
        [*command, "--format", "outcomes", "--repo", str(repo)],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


@pytest.fixture(scope="module")
def first(demo: tuple[Path, str, str]) -> bytes:
    repo, base, head = demo
    return outcomes(repo, base, head, repo)


def test_twice(demo: tuple[Path, str, str], first: bytes) -> None:
    repo, base, head = demo
    assert first == outcomes(repo, base, head, repo)
    assert b'"cards": [\n' in first


def test_from_a_subdirectory_with_refs_by_name(demo: tuple[Path, str, str], first: bytes) -> None:
    repo, base, _ = demo
    folder = next(path for path in sorted(repo.iterdir()) if path.is_dir() and not path.name.startswith("."))
    assert first == outcomes(Path(), base, "HEAD", folder)


def test_other_locale_and_time_zone(demo: tuple[Path, str, str], first: bytes) -> None:
    repo, base, head = demo
    around = {"LC_ALL": "tr_TR.UTF-8", "LANG": "C", "TZ": "Pacific/Kiritimati", "PYTHONHASHSEED": "77"}
    assert first == outcomes(repo, base, head, repo, **around)


def test_hostile_user_configuration(demo: tuple[Path, str, str], first: bytes, tmp_path: Path) -> None:
    repo, base, head = demo
    (tmp_path / ".gitconfig").write_text(HOSTILE_CONFIG)
    around = {
        "HOME": str(tmp_path),
        "GIT_CONFIG_GLOBAL": str(tmp_path / ".gitconfig"),
        "GIT_DIFF_OPTS": "--unified=0",
        "GIT_EXTERNAL_DIFF": "/bin/false",
        "GIT_PAGER": "/bin/false",
        "GREP_OPTIONS": "-v",
    }
    assert first == outcomes(repo, base, head, repo, **around)


def test_hostile_repository_configuration_and_second_clone(
    demo: tuple[Path, str, str], first: bytes, tmp_path: Path
) -> None:
    repo, base, head = demo
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(repo), str(clone)], check=True)
    with (clone / ".git/config").open("a") as config:
        config.write(HOSTILE_CONFIG)
    assert first == outcomes(clone, base, head, clone)
