"""How long a review takes beside the git commands it cannot do without, and what it holds in memory.

    python bench/review.py --repo DIR [--repo DIR ...] [--commits 6] [--runs 3] [--doubled 3] [--output bench/results]

For each of N recent commits that change code, in one run: the wall time of ``review-agent review`` as a whole process,
less that of an empty-diff review of the same repository; beside it the floor: ``git diff --raw``, ``git diff -p``, one
``git grep -wF`` at head of the asked names (of the first names of the changed lines where none is asked), one
``git cat-file --batch`` of the changed blobs, and ``git blame`` of the touched ranges. Each time is the median of
``--runs``, floor and review in turn. The median over commits is the figure to quote.

For ``--doubled`` commits of each repository the whole tree is put a second time beside itself in a folder, by git's
plumbing: once unchanged on both sides (the repository doubled), once with the same change in the copy (repository and
diff doubled). Memory is the highest PSS of our processes, and of git's beside it, sampled through one review.
Last come the times of an empty-diff review and of ``--help``, medians of ten.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dated
from replay import pss, tree

import refs

CODE = ("*.py", "*.go", "*.java", "*.js", "*.jsx", "*.ts", "*.tsx")
COLUMNS = (
    *("commit", "files", "hunks", "questions", "review s", "empty s", "floor s", "beyond empty / floor"),
    *("our PSS MiB", "git's"),
)
PAUSE = 0.02
"""Seconds between two samples of memory."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", type=Path, required=True, action="append")
    parser.add_argument("--commits", type=int, default=6)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--doubled", type=int, default=3)
    parser.add_argument("--output", type=dated.folder)
    options = parser.parse_args()
    lines, ratios = ["# Review beside the git floor", ""], []
    for repo in options.repo:
        with Bench(repo, options.runs) as bench:
            lines += bench.table(options.commits, options.doubled)
            ratios += bench.ratios
        print("\n".join(lines[-3:]), flush=True)
    lines += [f"Median over all {len(ratios)} changes: **{statistics.median(ratios):.2f}** times the floor.", ""]
    lines += starts(options.repo[0])
    table = "\n".join(lines) + "\n"
    print(table)
    dated.keep(options.output, "review", table)


class Bench:
    """One repository, borrowed by a bare clone in a temporary folder."""

    def __init__(self, repo: Path, runs: int) -> None:
        self.name = repo.resolve().parent.name if repo.name == "repo" else repo.resolve().name
        self.runs = runs
        self.ratios: list[float] = []
        self._folder = tempfile.TemporaryDirectory(prefix="review-agent-bench-")
        self.repo = Path(self._folder.name) / "repo"
        refs.git(repo, "clone", "-q", "--bare", "--shared", str(repo.resolve()), str(self.repo))

    def __enter__(self) -> Bench:
        return self

    def __exit__(self, *error: object) -> None:
        self._folder.cleanup()

    def table(self, most: int, doubled: int) -> list[str]:
        commits = refs.git(self.repo, "log", "--no-merges", "-n", str(most), "--format=%H", "HEAD", "--", *CODE)
        files = refs.git(self.repo, "ls-tree", "-r", "--name-only", "HEAD").count(b"\n")
        lines = [f"## {self.name} ({files} files)", "", f"| {' | '.join(COLUMNS)} |", "|" + "---|" * len(COLUMNS)]
        found = [self.row(commit) for commit in commits.decode().split()]
        lines += [line for line, _ in found]
        self.ratios = [ratio for _, ratio in found]
        lines += ["", f"Median of beyond empty / floor: **{statistics.median(self.ratios):.2f}**", ""]
        told = [self.doubled(commit) for commit in commits.decode().split()[:doubled]]
        if told:
            repository, diff = (statistics.median(one[n] for one in told) for n in (0, 1))
            lines += [f"Repository doubled: **{repository:.2f}** times as long, beyond the floor's growth."]
            lines += [f"Diff doubled: **{diff:.2f}** times as long. Medians of {len(told)} changes.", ""]
        return lines

    def row(self, commit: str) -> tuple[str, float]:
        base = refs.git(self.repo, "rev-parse", f"{commit}^").decode().strip()
        empty, wall, floor, document = self.times(base, commit)
        ours, gits = self.memory(base, commit)
        coverage = document["coverage"]
        ratio = (wall - empty) / floor
        cells = [commit[:10], coverage["files"], coverage["hunks"], document["spend"]["questions"]]
        times = f"{wall:.2f} | {empty:.2f} | {floor:.3f} | {ratio:.1f}"
        return f"| {' | '.join(map(str, cells))} | {times} | {ours:.0f} | {gits:.0f} |", ratio

    def times(self, base: str, head: str) -> tuple[float, float, float, dict[str, Any]]:
        """Median wall seconds of an empty review, of the review and of the floor; and the review's document."""
        kept: dict[str, list[float]] = {"empty": [], "review": [], "floor": []}
        document: dict[str, Any] = {}
        for _ in range(self.runs):
            kept["empty"].append(self.review(head, head)[0])
            wall, document = self.review(base, head)
            kept["review"].append(wall)
            names = self.asked_names() or changed_names(refs.git(self.repo, "diff", base, head))
            kept["floor"].append(git_floor(self.repo, base, head, names))
        empty, wall, floor = (statistics.median(values) for values in kept.values())
        return empty, wall, floor, document

    def review(self, base: str, head: str) -> tuple[float, dict[str, Any]]:
        """Wall seconds of a review with a fresh state folder, and its document."""
        command = self.command(base, head)
        start = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True)
        wall = time.perf_counter() - start
        if done.returncode not in (0, 3):
            raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
        return wall, json.loads(done.stdout)

    def command(self, base: str, head: str) -> list[str]:
        shutil.rmtree(self.repo / ".review-agent", ignore_errors=True)
        asked = ("--repo", str(self.repo), "--format", "json", "--base", base, "--head", head)
        return [sys.executable, "-m", "review_agent.cli", "review", *asked]

    def memory(self, base: str, head: str) -> tuple[float, float]:
        """The highest PSS of our processes and of git's through one review, in MiB."""
        ours = gits = 0.0
        with subprocess.Popen(self.command(base, head), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
            while run.poll() is None:
                sampled = [(is_git(pid), pss(pid)) for pid in tree(run.pid)]
                ours = max(ours, sum(size for git, size in sampled if not git) / 1024)
                gits = max(gits, sum(size for git, size in sampled if git) / 1024)
                time.sleep(PAUSE)
        return ours, gits

    def doubled(self, commit: str) -> tuple[float, float]:
        """How much longer the doubled repository takes beyond the floor's growth, and how much longer the diff does."""
        base = refs.git(self.repo, "rev-parse", f"{commit}^").decode().strip()
        empty, once, floor, _ = self.times(base, commit)
        # With the history that it had: without one a blame costs nothing, and the floor would shrink as the tree grows.
        twice_base = self.beside(base, base, base)
        empty_twice, twice, floor_twice, _ = self.times(twice_base, self.beside(commit, base, twice_base))
        empty_both, both, _, _ = self.times(twice_base, self.beside(commit, commit, twice_base))
        beyond, beyond_twice = once - empty, twice - empty_twice
        return beyond_twice / beyond / (floor_twice / floor), (both - empty_both) / beyond_twice

    def beside(self, commit: str, copied: str, parent: str = "") -> str:
        """A commit with one tree as it is and another in a folder beside it."""
        root = refs.git(self.repo, "ls-tree", commit)
        copy = refs.git(self.repo, "rev-parse", f"{copied}^{{tree}}").decode().strip()
        listing = root + f"040000 tree {copy}\tsecond_of_this\n".encode()
        made = self.plumbing(["mktree"], listing)
        return self.plumbing(["commit-tree", made, "-m", "Doubled", *(("-p", parent) if parent else ())], b"")

    def plumbing(self, command: list[str], given: bytes) -> str:
        who = ("-c", "user.name=bench", "-c", "user.email=bench@example.invalid")
        done = subprocess.run(
            ["git", "-C", str(self.repo), *who, *command], input=given, capture_output=True, check=True
        )
        return done.stdout.decode().strip()

    def asked_names(self) -> list[str]:
        """The names that the last review's plans ask for, from its run log."""
        log = max((self.repo / ".review-agent/runs").glob("*.jsonl"))
        names = set()
        for line in log.read_text(encoding="utf-8").splitlines():
            event = json.loads(line)
            if event["type"] == "question":
                names |= {query["name"].rsplit(".", 1)[-1] for query in event["data"]["plan"]}
        return sorted(filter(None, names))


def is_git(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/comm").read_text().startswith("git")
    except OSError:
        return False


def changed_names(patch: bytes) -> list[str]:
    """The first names on changed lines: what a reviewer without a question would look for."""
    lines = [line for line in patch.decode(errors="replace").splitlines() if re.match(r"[-+](?![-+])", line)]
    return list(dict.fromkeys(re.findall(r"[A-Za-z_]\w{3,}", " ".join(lines))))[:3]


def starts(repo: Path) -> list[str]:
    """The time of a review of nothing and of ``--help``, medians of ten."""
    with Bench(repo, 1) as bench:
        head = refs.git(bench.repo, "rev-parse", "HEAD").decode().strip()
        nothing = timed(lambda: bench.review(head, head))
    told = timed(lambda: subprocess.run([sys.executable, "-m", "review_agent.cli", "--help"], capture_output=True))
    return [f"An empty-diff review: **{nothing:.2f}** s. `--help`: **{told:.2f}** s.", ""]


def timed(act: Callable[[], object]) -> float:
    taken = []
    for _ in range(10):
        start = time.perf_counter()
        act()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


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
