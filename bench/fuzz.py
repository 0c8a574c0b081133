"""Fuzz what reads untrusted bytes, and add the executions up.

    python bench/fuzz.py [--target NAME ...] [--seconds 60] [--jobs 1] [--output bench/results]
    python bench/fuzz.py --one NAME [libFuzzer options]      # one target, in this process; a crash can be run again

Each target runs in a process of its own under atheris (coverage-guided), at most 5 s an input and 500 MB. Inputs worth
keeping stay in ``.fuzz/NAME`` for the next run. Totals are kept in ``fuzz-total.json`` of the output folder and written
as a dated table. Exits 1 when a target crashed, hung or grew too large.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fuzz_targets import TARGETS, seeds, where

SECONDS_AN_INPUT = 5
MIB = 500
LONGEST = {"policy": 400, "contract": 200, "journal": 1000, "runlog": 3000, "diff": 3000}
STAT = re.compile(r"stat::(\w+):\s+(\d+)")


def main() -> None:
    if sys.argv[1:2] == ["--one"]:
        one(sys.argv[2], sys.argv[3:])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", choices=sorted(TARGETS), action="append")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    names = options.target or list(TARGETS)
    if options.output:
        options.output.mkdir(parents=True, exist_ok=True)
    faults = False
    with ThreadPoolExecutor(options.jobs) as pool:
        for result in pool.map(lambda name: fuzzed(name, options.seconds), names):
            print(result, flush=True)
            faults |= bool(result["fault"])
            if options.output:  # target by target: what a long run has done is kept, however it ends
                write(options.output, [result])
    sys.exit(faults)


def one(name: str, arguments: list[str]) -> None:
    """Run one target in this process until libFuzzer's options say stop."""
    import atheris

    modules, build = TARGETS[name]
    with atheris.instrument_imports(include=list(modules), enable_loader_override=False):
        target = build()
    atheris.Setup([f"fuzz-{name}", *arguments], target)
    atheris.Fuzz()


def fuzzed(name: str, seconds: int) -> dict[str, Any]:
    """One target for so long: executions, peak MiB, and in words what went wrong."""
    kept = Path(where()) / name
    kept.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds(name)):
        (kept / f"seed-{number}").write_bytes(seed)
    options = [f"-max_total_time={seconds}", f"-timeout={SECONDS_AN_INPUT}", f"-rss_limit_mb={MIB}"]
    options += ["-print_final_stats=1", f"-max_len={LONGEST[name]}", f"-artifact_prefix={kept.parent}/{name}-"]
    command = [sys.executable, __file__, "--one", name, *options, str(kept)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    stats = dict(STAT.findall(done.stderr))
    fault = "" if done.returncode == 0 else done.stderr[-2000:]
    return {
        "target": name,
        "executions": int(stats.get("number_of_executed_units", 0)),
        "slowest": int(stats.get("slowest_unit_time_sec", 0)),
        "peak": int(stats.get("peak_rss_mb", 0)),
        "seconds": seconds,
        "fault": fault,
    }


def write(folder: Path, results: list[dict[str, Any]]) -> None:
    """Add the results to the totals, and write the totals as a table with today's date."""
    total_file = folder / "fuzz-total.json"
    total: dict[str, dict[str, int]] = json.loads(total_file.read_text()) if total_file.exists() else {}
    for result in results:
        held = total.setdefault(result["target"], {"executions": 0, "seconds": 0, "slowest": 0, "peak": 0, "faults": 0})
        held["executions"] += result["executions"]
        held["seconds"] += result["seconds"]
        held["slowest"] = max(held["slowest"], result["slowest"])
        held["peak"] = max(held["peak"], result["peak"])
        held["faults"] += bool(result["fault"])
    total_file.write_text(json.dumps(total, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    lines = [
        "# Fuzzing, in total so far",
        "",
        "`python bench/fuzz.py`; a fault is a run that ended by one; none stays open.",
        "",
    ]
    lines += ["| target | executions | seconds | slowest input s | peak MB | faults met |", "|" + "---|" * 6]
    for name, held in sorted(total.items()):
        cells = [f"{held['executions']:,}", held["seconds"], held["slowest"], held["peak"], held["faults"]]
        lines.append(f"| {name} | {' | '.join(map(str, cells))} |")
    lines.append(f"| all | {sum(held['executions'] for held in total.values()):,} | | | | |")
    (folder / f"{datetime.now(UTC):%Y-%m-%d}-fuzz.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
