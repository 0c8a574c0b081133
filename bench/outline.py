"""Lines a second of the outline: `python bench/outline.py FILE...` or `--repos DIR` for all Python and Go files below.

Each file is read once and outlined in this process; times are CPU time, without the pipe to the worker.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from review_agent.syntax.languages import PARSED, language_of
from review_agent.syntax.outline import outline
from review_agent.syntax.tree import TooLargeError

LARGEST = 1_000_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--repos", type=Path, action="append", default=[], help="a folder of checkouts")
    options = parser.parse_args()
    # As the worker does: a tree is collected between two files, not while one is read.
    gc.disable()
    totals: dict[str, list[float]] = {language: [0, 0, 0] for language in PARSED}
    slowest: list[tuple[float, int, Path]] = []
    for path in [*options.files, *(p for folder in options.repos for p in below(folder))]:
        measured = measure(path)
        if measured is not None:
            language, lines, seconds = measured
            totals[language] = [a + b for a, b in zip(totals[language], (1, lines, seconds), strict=True)]
            slowest.append((seconds, lines, path))
            gc.collect()
    for language, (files, lines, seconds) in totals.items():
        if lines:
            rate, share = lines / seconds, 2_000_000 * seconds / lines
            print(
                f"{language:8} {files:6.0f} files {lines:9.0f} lines {rate:9.0f} lines/s {share:6.1f} ms a 2,000 lines"
            )
    for seconds, lines, path in sorted(slowest, reverse=True)[:5]:
        print(f"  {1000 * seconds:8.1f} ms {lines:7} lines  {path}")


def below(folder: Path) -> Iterator[Path]:
    return (p for p in sorted(folder.rglob("*")) if language_of(p.name) in PARSED and p.is_file())


def measure(path: Path) -> tuple[str, int, float] | None:
    """Language, lines and CPU seconds of one file; None for one that the product would not parse."""
    language, data = language_of(path.name), path.read_bytes()
    if language not in PARSED or language is None or len(data) > LARGEST:
        return None
    text = data.decode("utf-8", "replace")
    start = time.process_time()
    try:
        found = outline(text, language)
    except TooLargeError as error:
        print(f"{path}: {error}")
        return None
    return language, max(found.lines, 1), time.process_time() - start


if __name__ == "__main__":
    main()
