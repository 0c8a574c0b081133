"""Compare our hunks with git's own diff on real commits, line for line.

    python bench/hunks.py --repos DIR [--only NAME ...] [--commits 40]

DIR holds repositories, or folders with a repository called ``repo``. For each of the newest commits: the patch that
plain ``git diff`` prints must be the one our hunks spell, the hunks must turn the old file's lines into the new one's,
and added and removed lines must be numstat's. Prints a table; exits 1 when anything differs.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from review_agent.git import Git
from review_agent.sources import Sources
from review_agent.stages.snapshot import take
from review_agent.vocabulary import FileChange, Hunk, Side, Snapshot

NUMBERS = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
LARGE = 50_000_000


def same(text: str) -> str:
    return text


def plain_git(repo: Path, *args: str) -> bytes:
    quiet = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    return subprocess.run(["git", "-C", str(repo), *args], env=quiet, capture_output=True, check=True).stdout


def spelled(hunk: Hunk) -> list[str]:
    head = f"{hunk.old_start},{hunk.old_count} {hunk.new_start},{hunk.new_count}"
    return [head, *(line.tag + line.text for line in hunk.lines)]


def bodies(patch: bytes) -> Iterator[str]:
    """The hunks of a patch: outside of them no line starts with a sign, inside every line does."""
    inside = False
    for raw in patch.split(b"\n"):
        line = raw.decode("utf-8", "replace")
        if numbers := NUMBERS.match(line):
            inside = True
            start, count, new_start, new_count = (number or "1" for number in numbers.groups())
            yield f"{start},{count} {new_start},{new_count}"
        elif inside and line[:1] in (" ", "+", "-") and line:
            yield line
        elif not line.startswith("\\"):
            inside = False


def numstat(repo: Path, base: str, head: str) -> list[tuple[str, str]]:
    items = plain_git(repo, "diff", "--numstat", "-z", base, head).split(b"\0")
    rows = (item.decode("utf-8", "replace").split("\t") for item in items if item.count(b"\t") >= 2)
    return [(row[0], row[1]) for row in rows]


def counts(change: FileChange) -> tuple[str, str]:
    if change.binary:
        return ("-", "-")
    added, removed = (sum(len(hunk.changed(side)) for hunk in change.hunks) for side in (Side.NEW, Side.OLD))
    return (str(added), str(removed))


def applies(change: FileChange, old: Sources, new: Sources) -> bool:
    before, after = old.get(change.old_path), new.get(change.path)
    if change.binary or before is None or after is None:
        return True
    result: list[str] = []
    at = 0
    for hunk in change.hunks:
        start = hunk.old_start - 1 if hunk.old_count else hunk.old_start
        result += before.lines[at:start]
        at = start + hunk.old_count
        result += (line.text for line in hunk.lines if line.tag != "-")
    return tuple(result) + before.lines[at:] == after.lines


def differences(git: Git, taken: Snapshot) -> list[str]:
    base, head = taken.merge_base, taken.head
    found = []
    ours = [text for change in taken.files for hunk in change.hunks for text in spelled(hunk)]
    if ours != list(bodies(plain_git(git.git_dir, "diff", base, head))):
        found.append("patch")
    if [counts(change) for change in taken.files] != numstat(git.git_dir, base, head):
        found.append("numstat")
    old = Sources(git, base, same, side=Side.OLD, max_bytes=LARGE)
    new = Sources(git, head, same, side=Side.NEW, max_bytes=LARGE)
    found += [f"applied to {change.path}" for change in taken.files if not applies(change, old, new)]
    return [f"{head[:12]}: {what}" for what in found]


def measure(name: str, git: Git, limit: int) -> list[str]:
    ids = plain_git(git.git_dir, "rev-list", f"--max-count={limit}", "HEAD").decode().split()
    started = time.monotonic()
    snapshots = [take(git, commit=one, mask=same) for one in ids]
    seconds = time.monotonic() - started
    wrong = [text for taken in snapshots for text in differences(git, taken)]
    changes = [change for taken in snapshots for change in taken.files]
    hunks = [hunk for change in changes for hunk in change.hunks]
    lines = sum(len(hunk.lines) for hunk in hunks)
    print(f"{name:40} {len(ids):7} {len(changes):7} {len(hunks):7} {lines:8} {seconds:8.2f} {len(wrong):6}")
    return wrong


def repositories(folder: Path, only: list[str]) -> Iterator[tuple[str, Path]]:
    for child in sorted(folder.iterdir()):
        place = child / "repo" if (child / "repo").is_dir() else child
        if ((place / ".git").exists() or (place / "HEAD").is_file()) and (not only or child.name in only):
            yield child.name, place


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repos", type=Path, required=True, help="folder of repositories")
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="names below it; all when left out")
    parser.add_argument("--commits", type=int, default=40, help="newest commits of each (default 40)")
    asked = parser.parse_args()
    print(f"{'repository':40} {'commits':>7} {'files':>7} {'hunks':>7} {'lines':>8} {'seconds':>8} {'wrong':>6}")
    wrong = [
        text for name, path in repositories(asked.repos, asked.only) for text in measure(name, Git(path), asked.commits)
    ]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
