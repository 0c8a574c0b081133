"""How long the shipped patterns take on real source text.

    python bench/masking.py --repo DIR [--repo DIR ...] [--output bench/results]

Masks every text file at HEAD, file by file as a review does, and prints processor seconds a MB and how many masks: a
mask that is no secret is a false one, so the places are listed to be read.
"""

from __future__ import annotations

import argparse
import re
import time
from pathlib import Path

import dated

from review_agent.git import Git
from review_agent.policy.load import load


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", type=Path, required=True, action="append")
    parser.add_argument("--list", type=int, default=0, help="masked lines to print a repository")
    parser.add_argument("--output", type=dated.folder)
    options = parser.parse_args()
    lines = [
        "# Masking real source",
        "",
        "| repository | files | MB | CPU s a MB | slowest file CPU s | masks |",
        "|" + "---|" * 6,
    ]
    for repo in options.repo:
        lines.append(measure(repo, options.list))
        print(lines[-1], flush=True)
    dated.keep(options.output, "masking", "\n".join(lines) + "\n")


def measure(repo: Path, shown: int) -> str:
    git, mask = Git(repo), load().masker()
    tree = git.tree(git.resolve("HEAD"))
    size = masks = files = 0
    spent = slowest = 0.0
    for path, data in zip(tree, git.blobs([one.blob for one in tree.values()]), strict=True):
        if data[1] is None or b"\0" in data[1][:8000]:
            continue
        text = data[1].decode("utf-8", "replace")
        start = time.process_time()
        masked = mask(text)
        took = time.process_time() - start
        spent, slowest, size, files = spent + took, max(slowest, took), size + len(data[1]), files + 1
        found = [line for line in masked.split("\n") if re.search(r"\[masked:\w+\]", line)]
        masks += len(found)
        for line in found[: max(0, shown)]:
            print(f"    {path}: {line.strip()[:160]}")
            shown -= 1
    name = repo.parent.name if repo.name in ("repo", "git") else repo.resolve().name
    return f"| {name} | {files} | {size / 1e6:.1f} | {spent / (size / 1e6):.2f} | {slowest:.2f} | {masks} |"


if __name__ == "__main__":
    main()
