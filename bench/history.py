"""Commits that history evidence would call fixes, for a person to read: a fixed random sample of a repository's past.

    python bench/history.py REPOSITORY COUNT [--last 1200]

Prints a line a commit: id, score, signs, subject. Verdicts of a reading stand in bench/results/<date>-history.md.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

from review_agent.git import Git
from review_agent.stages.history_signs import commit_diff, weigh


def main() -> None:
    told = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    told.add_argument("repository", type=Path)
    told.add_argument("count", type=int)
    told.add_argument("--last", type=int, default=1200)
    asked = told.parse_args()
    git = Git(asked.repository)
    commits = git.commits(git.resolve("HEAD"), limit=asked.last)
    random.Random(7).shuffle(commits)
    looked = weighed = found = 0
    for commit in commits:
        diff = commit_diff(git, commit)
        looked += 1
        one = weigh(diff) if diff is not None else None
        weighed += one is not None
        if diff is not None and one is not None and one.fixes:
            found += 1
            print(f"{commit[:12]} {one.score} {','.join(one.signs)} {diff.subject}")
        if found == asked.count:
            break
    print(f"# {looked} looked at, {weighed} weighed, {found} called fixes")


if __name__ == "__main__":
    main()
