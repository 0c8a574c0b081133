"""Replay past commits: does each end, does memory stay flat, is a killed replay resumed, do two processes help?

    python bench/replay.py --repo DIR [--repo DIR ...] [--commits 200] [--pair 40] [--output bench/results]

For each repository: its last N non-merge commits are replayed in two processes, which are killed with SIGKILL after a
third of the commits and once more after two thirds; each time the same command goes on. Memory is the PSS of the whole
process tree, sampled each second; the figure for flatness is the highest of the last half of the run over the highest
of the first half. Then the last ``--pair`` commits are replayed afresh in one process and in two, in turn, in this run.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dated

import refs

PAUSE = 1.0
"""Seconds between two samples of memory."""

COLUMNS = (
    *("repository", "commits", "failed", "kills", "kept at the last start", "reviewed twice"),
    *("PSS MiB, first half", "PSS MiB, last half", "1 process s", "2 processes s", "ratio"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", type=Path, required=True, action="append")
    parser.add_argument("--commits", type=int, default=200)
    parser.add_argument("--pair", type=int, default=40)
    parser.add_argument("--output", type=dated.folder)
    options = parser.parse_args()
    lines = ["# Replay of past commits", "", f"| {' | '.join(COLUMNS)} |", "|" + "---|" * len(COLUMNS)]
    for repo in options.repo:
        lines.append(measure(repo, options.commits, options.pair))
        print(lines[-1], flush=True)
    table = "\n".join(lines) + "\n"
    print(table)
    dated.keep(options.output, "replay", table)


def measure(repo: Path, most: int, pair: int) -> str:
    with tempfile.TemporaryDirectory(prefix="review-agent-bench-") as folder:
        clone = Path(folder) / "repo"
        refs.git(repo, "clone", "-q", "--bare", "--shared", str(repo.resolve()), str(clone))
        state = Path(folder) / "state"
        memory: list[float] = []
        written = [killed(command(clone, most, state, 2), state, goal, memory) for goal in (most // 3, 2 * most // 3)]
        document = finished(command(clone, most, state, 2), memory)
        failed = document["figures"]["failed"]
        units = [row["unit"] for row in rows(state)]
        twice = len(units) - len(set(units))
        half = len(memory) // 2
        one, two = (timed(clone, pair, Path(folder) / f"pair{jobs}", jobs) for jobs in (1, 2))
        name = repo.parent.name if repo.name in ("repo", "git") else repo.resolve().name
        cells: list[Any] = [name, len(set(units)), failed, len(written), document["kept"], twice]
        cells += [
            f"{max(memory[:half]):.0f}",
            f"{max(memory[half:]):.0f}",
            f"{one:.0f}",
            f"{two:.0f}",
            f"{one / two:.2f}",
        ]
        return f"| {' | '.join(map(str, cells))} |"


def command(clone: Path, most: int, state: Path, jobs: int) -> list[str]:
    base = refs.git(clone, "rev-list", "--max-parents=0", "HEAD").decode().split()[-1]
    arguments = ["--commits", f"{base}..HEAD", "--limit", str(most), "--repo", str(clone)]
    arguments += ["--state", str(state), "--format", "json", "-j", str(jobs)]
    return [sys.executable, "-m", "review_agent.cli", "replay", *arguments]


def killed(arguments: list[str], state: Path, goal: int, memory: list[float]) -> int:
    """Kill the replay and all its workers once so many results are on disk. Returns how many are."""
    child = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    while child.poll() is None and len(rows(state)) < goal:
        memory.append(held(child.pid))
        time.sleep(PAUSE)
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    return len(rows(state))


def finished(arguments: list[str], memory: list[float]) -> dict[str, Any]:
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        child = subprocess.Popen(arguments, stdout=output, stderr=subprocess.DEVNULL)
        while child.poll() is None:
            memory.append(held(child.pid))
            time.sleep(PAUSE)
        output.seek(0)
        document: dict[str, Any] = json.load(output)
        return document


def timed(clone: Path, most: int, state: Path, jobs: int) -> float:
    shutil.rmtree(state, ignore_errors=True)
    start = time.perf_counter()
    subprocess.run(command(clone, most, state, jobs), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def rows(state: Path) -> list[dict[str, Any]]:
    """The results on disk; an unterminated last line is none."""
    file = state / "replay.jsonl"
    lines = file.read_bytes().split(b"\n")[:-1] if file.exists() else []
    return [json.loads(line)["result"] for line in lines]


def held(pid: int) -> float:
    """PSS of a process and its descendants, in MiB; one that ended meanwhile counts nothing."""
    return sum(pss(one) for one in tree(pid)) / 1024


def tree(pid: int) -> Iterator[int]:
    yield pid
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        children = [int(one) for task in tasks for one in (task / "children").read_text().split()]
    except (OSError, ValueError):
        return
    for child in children:
        yield from tree(child)


def pss(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


if __name__ == "__main__":
    main()
