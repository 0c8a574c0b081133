"""Fixtures shared by all rooms: a builder of real, deterministic git repositories."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import drawn
import pytest
from hypothesis import settings

# The same examples on every run; `pytest --hypothesis-profile explore` looks for new ones.
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.register_profile("quick", derandomize=True, deadline=None, max_examples=25)
settings.register_profile("explore", deadline=None)
settings.load_profile("fixed")

_SLOW = "\npytestmark = pytest.mark.slow\n"


def _is_quick(config: pytest.Config) -> bool:
    """Whether this is the run of ``make check``, which has a minute."""
    return bool(config.option.markexpr == "not slow")


def pytest_configure(config: pytest.Config) -> None:
    # A shell starts what it puts into the background deaf to Ctrl-C, and all that this starts inherits that.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if _is_quick(config) and not config.getoption("--hypothesis-profile"):
        settings.load_profile("quick")
        drawn.fewer()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A module that is slow as a whole is not even imported for the fast tests: importing all took longer than they."""
    if _is_quick(config) and collection_path.suffix == ".py":
        return _SLOW in collection_path.read_text(encoding="utf-8") or None
    return None


FIRST_COMMIT = 1_700_000_000
pytest_plugins = ["panels"]


class Repo:
    """A temporary git repository. The same calls give the same commit ids on every machine.

    Nothing of the user's or the system's git configuration is read. Each commit is dated one minute after the last.
    """

    def __init__(self, root: Path, *init: str) -> None:
        self.root = root
        self._commits = 0
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main", "--template=", *init)
        for folder in ("info", "hooks") if (root / ".git").is_dir() else ():
            (root / ".git" / folder).mkdir()

    def write(self, path: str, content: str | bytes) -> Path:
        """Write a file below the root, with the bytes given; folders are made."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        return target

    def commit(self, message: str) -> str:
        """Stage everything, commit (an empty commit too) and return the full commit id."""
        self.git("add", "-A")
        self._commits += 1
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self._head() or self.git("rev-parse", "HEAD")

    def _head(self) -> str:
        """The commit of the branch that is checked out, read where git has just written it; empty where it is not."""
        folder = self.root / ".git"
        head = (folder / "HEAD").read_text(encoding="utf-8") if (folder / "HEAD").is_file() else ""
        branch = folder / head.removeprefix("ref: ").strip()
        return branch.read_text(encoding="utf-8").strip() if head.startswith("ref: ") and branch.is_file() else ""

    def git(self, *args: str) -> str:
        """Run git in the repository; its output as text without the last line end. Fails the test on an error."""
        done = subprocess.run(
            ["git", *args], cwd=self.root, env=self.environment(), capture_output=True, check=False, timeout=60
        )
        assert done.returncode == 0, f"git {' '.join(args)}: {done.stderr.decode(errors='replace')}"
        return done.stdout.decode(errors="surrogateescape").removesuffix("\n")

    def environment(self) -> dict[str, str]:
        """Variables under which git reads nobody's configuration and dates the next commit."""
        date = f"{FIRST_COMMIT + 60 * self._commits} +0000"
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.root),
            "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            # Thousands of commits are made: none looks for something to pack, and none waits for the disk.
            "GIT_CONFIG_COUNT": "2",
            "GIT_CONFIG_KEY_0": "maintenance.auto",
            "GIT_CONFIG_VALUE_0": "false",
            "GIT_CONFIG_KEY_1": "core.fsync",
            "GIT_CONFIG_VALUE_1": "none",
            "GIT_AUTHOR_NAME": "Ada Author",
            "GIT_AUTHOR_EMAIL": "ada@example.com",
            "GIT_COMMITTER_NAME": "Carl Committer",
            "GIT_COMMITTER_EMAIL": "carl@example.com",
            "GIT_AUTHOR_DATE": date,
            "GIT_COMMITTER_DATE": date,
        }


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """An empty repository on branch ``main``, in its own folder below ``tmp_path``."""
    return Repo(tmp_path / "repo")
