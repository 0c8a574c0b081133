"""How long a review takes beside the git commands it cannot do without.

    python bench/review.py --repo DIR [--commits N] [--head REF] [--output bench/results]

For each of N recent commits that change code, in one run: the wall time of ``review-agent review`` as a whole process,
less that of an empty-diff review of the same repository; beside it the floor: ``git diff --raw``, ``git diff -p``, one
``git grep -wF`` of the asked names at head, one ``git cat-file --batch`` of the changed blobs, and ``git blame`` of the
touched ranges. Ratios are of one run on one machine; the median over commits is the figure to quote.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import refs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", type=Path, required=True, action="append")
    parser.add_argument("--commits", type=int, default=12)
    parser.add_argument("--head", default="HEAD")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    lines = ["# Review beside the git floor", ""]
    for repo in options.repo:
        lines += measure(repo, options.head, options.commits)
    table = "\n".join(lines) + "\n"
    print(table)
    if options.output:
        (options.output / f"{datetime.now(UTC):%Y-%m-%d}-review.md").write_text(table, encoding="utf-8")


def measure(repo: Path, head: str, most: int) -> list[str]:
    commits = refs.git(repo, "log", "--no-merges", "-n", str(most), "--format=%H", head, "--", "*.py", "*.go")
    files = refs.git(repo, "ls-tree", "-r", "--name-only", head).count(b"\n")
    names = repo.parent.name if repo.name == "repo" else repo.resolve().name
    lines = [f"## {names} ({files} files)", ""]
    lines += ["| commit | files | hunks | questions | review s | empty s | floor s | beyond empty / floor |"]
    lines += ["|---|---|---|---|---|---|---|---|"]
    ratios = []
    with tempfile.TemporaryDirectory(prefix="review-agent-bench-") as folder:
        clone = Path(folder) / "repo"
        refs.git(repo, "clone", "-q", "--bare", "--shared", str(repo.resolve()), str(clone))
        for commit in commits.decode().split():
            row, ratio = one(clone, commit)
            lines.append(row)
            ratios.append(ratio)
    return [*lines, "", f"Median of beyond empty / floor: **{statistics.median(ratios):.2f}**", ""]


def one(repo: Path, commit: str) -> tuple[str, float]:
    empty, _ = review(repo, "--base", commit, "--head", commit)
    wall, document = review(repo, "--commit", commit)
    names = asked_names(repo)
    floor = git_floor(repo, document["run"]["mergeBase"], commit, names)
    coverage = document["coverage"]
    ratio = (wall - empty) / floor
    cells = [commit[:10], coverage["files"], coverage["hunks"], document["spend"]["questions"]]
    return f"| {' | '.join(map(str, cells))} | {wall:.2f} | {empty:.2f} | {floor:.3f} | {ratio:.1f} |", ratio


def review(repo: Path, *arguments: str) -> tuple[float, dict[str, Any]]:
    """Wall seconds of a review with a fresh state folder, and its document."""
    shutil.rmtree(repo / ".review-agent", ignore_errors=True)
    command = [sys.executable, "-m", "review_agent.cli", "review", "--repo", str(repo), "--format", "json", *arguments]
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True)
    wall = time.perf_counter() - start
    if done.returncode not in (0, 3):
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    return wall, json.loads(done.stdout)


def asked_names(repo: Path) -> list[str]:
    """The names that the last review's plans ask for, from its run log."""
    log = max((repo / ".review-agent/runs").glob("*.jsonl"))
    names = set()
    for line in log.read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        if event["type"] == "question":
            names |= {query["name"].rsplit(".", 1)[-1] for query in event["data"]["plan"]}
    return sorted(filter(None, names))


def git_floor(repo: Path, base: str, head: str, names: list[str]) -> float:
    """Wall seconds of the git commands that any reviewer of this change has to wait for."""
    start = time.perf_counter()
    raw = refs.git(repo, "diff", "--raw", "-z", "--no-abbrev", "-M", base, head)
    patch = refs.git(repo, "diff", "-M", base, head)
    if names:
        words = [argument for name in names for argument in ("-e", name)]
        subprocess.run(
            ["git", "-C", str(repo), "grep", "-n", "-I", "-w", "-F", *words, head], capture_output=True, check=False
        )
    blobs = {field for entry in raw.split(b"\0") if entry.startswith(b":") for field in entry.split(b" ")[2:4]}
    subprocess.run(
        ["git", "-C", str(repo), "cat-file", "--batch"], input=b"\n".join(sorted(blobs)) + b"\n", capture_output=True
    )
    for path, first, count in touched(patch):
        subprocess.run(
            ["git", "-C", str(repo), "blame", "-p", "-L", f"{first},+{count}", base, "--", path], capture_output=True
        )
    return time.perf_counter() - start


def touched(patch: bytes) -> list[tuple[str, int, int]]:
    """Old-side ranges with removed or context lines, by path."""
    found, path = [], ""
    for line in patch.split(b"\n"):
        if line.startswith(b"--- "):
            path = line[6:].decode(errors="replace") if line.startswith(b"--- a/") else ""
        elif line.startswith(b"@@ ") and path:
            first, _, count = line.split(b" ")[1][1:].partition(b",")
            if int(count or 1):
                found.append((path, int(first), int(count or 1)))
    return found


if __name__ == "__main__":
    main()
