"""External lists: a TSV with a header names projects, commits and where a defect is; repositories lie in a folder.

Columns: ``id``, ``project``, ``base``, ``head``, ``locations`` (``path:start-end`` joined by ``;``, head-side lines,
``old:`` before one of the base); ``kind``, ``language``, ``evidence``, ``expect`` (defect, clean, unknown) may be left
out; other columns are ignored. A kind there is the list's own word: it groups the figures and is not asked of a hit.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import ValidationError

from review_agent.errors import SnapshotError, UsageError
from review_agent.git import Git
from review_agent.replay.records import CLEAN, DEFECT, UNKNOWN, Expected, Job, Place, Range
from review_agent.vocabulary import Side, digest

__all__ = ["SLACK", "jobs_of_list"]

SLACK = 5
"""Lines beside a location that still hit: what reviewers' words on real commits are worth."""

_NEEDED = ("id", "project", "base", "head")
_LOCATION = re.compile(r"(?P<old>old:)?(?P<path>.+):(?P<start>\d+)(?:-(?P<end>\d+))?")
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_HINT = "docs/replay.md tells the columns"
Row = Mapping[str, str | None]


def jobs_of_list(file: Path, repos: Path) -> list[Job]:
    """A job a row. Raises UsageError that names file and line.

    A repository that is not in the folder fails its rows when their turn comes, with the place it was looked for.
    """
    if not repos.is_dir():
        hint = "give --repos with the folder that holds the repositories"
        raise UsageError("there is no such folder of repositories", where=str(repos), hint=hint)
    rows = list(_rows(file))
    names = [str(row["id"]) for _, row in rows]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"two rows have the id {twice!r}", where=str(file), hint="give each row its own")
    return [_job(row, f"{file}:{line}", repos) for line, row in rows]


def _rows(file: Path) -> Iterator[tuple[int, Row]]:
    try:
        with file.open(encoding="utf-8", newline="") as lines:
            reader = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
            lacking = [name for name in _NEEDED if name not in (reader.fieldnames or ())]
            if lacking:
                raise UsageError(f"the header lacks {', '.join(lacking)}", where=f"{file}:1", hint=_HINT)
            for row in reader:
                yield reader.line_num, row
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the list cannot be read: {error}", where=str(file), hint=_HINT) from error


def _job(row: Row, where: str, repos: Path) -> Job:
    told = {name: (row.get(name) or "").strip() for name in (*row, "kind", "language", "evidence", "expect") if name}
    empty = [name for name in _NEEDED if not told[name]]
    if empty:
        raise UsageError(f"the row has no {', '.join(empty)}", where=where, hint=_HINT)
    expected = _expected(told, where)
    repository = _repository(told["project"], repos)
    commits = [_commit(told[side], repository) for side in ("base", "head")]
    return Job(
        unit=told["id"],
        case=told["id"],
        half="row",
        kind=told["kind"],
        language=told["language"],
        evidence=told["evidence"] if told["evidence"] in ("same_file", "elsewhere") else "",
        project=told["project"],
        origin=Range(repository=str(repository), base=commits[0], head=commits[1]),
        expected=expected,
        content=digest([told["project"], *commits, expected.wire()]),
    )


def _expected(told: Mapping[str, str], where: str) -> Expected:
    places = tuple(_place(part.strip(), where) for part in told.get("locations", "").split(";") if part.strip())
    expect = told["expect"] or (CLEAN if told["kind"].startswith("clean") else DEFECT)
    if expect == DEFECT and not places:
        hint = "give `locations`, or say `clean` or `unknown` under `expect`"
        raise UsageError("the row expects a defect and says no location", where=where, hint=hint)
    if expect not in (DEFECT, CLEAN, UNKNOWN):
        raise UsageError(f"expect is {expect!r}; it may be defect, clean or unknown", where=where, hint=_HINT)
    return Expected.model_validate({"answer": expect, "places": places if expect == DEFECT else (), "slack": SLACK})


def _place(text: str, where: str) -> Place:
    match = _LOCATION.fullmatch(text)
    try:
        if match is None:
            raise ValueError(text)
        side = Side.OLD if match["old"] else Side.NEW
        return Place(path=match["path"], side=side, start=int(match["start"]), end=int(match["end"] or match["start"]))
    except (ValueError, ValidationError) as error:
        raise UsageError(f"{text!r} is no location: path:start-end", where=where, hint=_HINT) from error


def _commit(name: str, repository: Path) -> str:
    """What a branch or tag points to now: it moves, and a kept result is of a commit. An unknown one stays as it is."""
    if _COMMIT.fullmatch(name):
        return name
    try:
        return Git(repository).resolve(name)
    except SnapshotError:
        return name


def _repository(project: str, repos: Path) -> Path:
    """``OWNER+NAME``, ``OWNER+NAME.git``, ``NAME`` … in the folder, bare or not; the first name where none is."""
    plus = project.replace("/", "+")
    names = [f"{plus}/repo", f"{plus}.git", plus, project]
    last = project.rsplit("/", 1)[-1]
    names += [f"{last}/repo", f"{last}.git", last]
    places = [repos / name for name in names]
    return next((one for one in places if (one / "objects").is_dir() or (one / ".git").exists()), repos / plus)
