"""The artifacts that paths name, their bytes, and what tells the run that one holds."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from review_agent.errors import UsageError
from review_agent.runlog import run_file_name
from review_agent.vocabulary import digest

__all__ = [
    "Key",
    "RefusalError",
    "key_of",
    "key_of_data",
    "line_of",
    "name_of",
    "read_artifact",
    "sources",
    "whole_lines",
]

MOST_BYTES = 512 * 1_048_576
_AHEAD = timedelta(days=1)

Key = tuple[str, str, str]
"""What tells a run: its review, its start and its first attempt."""


class RefusalError(Exception):
    """Why an artifact is not taken in."""


def sources(paths: Sequence[Path]) -> list[Path]:
    """The artifacts that files and folders hold. Raises UsageError for a path that is not there or holds no run log."""
    return list(_sources(paths))


def _sources(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            logs = sorted(Path(folder) / name for folder, _, names in os.walk(path) for name in names if _is_log(name))
            if not logs:
                raise UsageError("the folder holds no run log", where=str(path), hint="run logs are files *.jsonl")
            yield from logs
        elif path.exists():
            yield path
        else:
            raise UsageError("there is no such file or folder", where=str(path), hint="name what `check` kept")


def _is_log(name: str) -> bool:
    return name.endswith(".jsonl") and not name.startswith(".")


def read_artifact(source: Path) -> bytes:
    """The whole lines of an artifact; what is no file, or behind a link, is not opened."""
    if source.is_symlink() or not source.is_file():
        raise RefusalError("it is a link or no file")
    try:
        with source.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise RefusalError(f"it cannot be read: {error.strerror}") from error
    if len(data) > MOST_BYTES:
        raise RefusalError(f"it is larger than {MOST_BYTES // 1_048_576} MiB")
    return whole_lines(data)


def whole_lines(data: bytes) -> bytes:
    """Without the torn line that a kill may have left at the end."""
    return data[: data.rfind(b"\n") + 1]


def key_of(path: Path) -> Key | None:
    try:
        with path.open("rb") as file:
            return key_of_data(file.readline())
    except (OSError, RefusalError):
        return None


def key_of_data(data: bytes) -> Key:
    """What tells a run: its review, its start and its first attempt."""
    try:
        event = json.loads(data[: data.find(b"\n") + 1] or b"null")
        if event["type"] == "run_started":
            return str(event["data"]["reviewId"]), str(event["at"]), str(event["attempt"])
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    raise RefusalError("it is no run log: its first line is not a whole run_started event")


def line_of(data: bytes) -> str:
    """What the run says that it is of: a request or a branch; empty where it says none."""
    line = json.loads(data[: data.find(b"\n")])["data"].get("line")
    return str(line.get("of") or "") if isinstance(line, dict) else ""


def name_of(key: Key) -> str:
    """A name that sorts by the run's start. It does not end as those do that a review here goes on with: a run from
    elsewhere is read, never resumed."""
    try:
        moment = datetime.fromisoformat(key[1]).astimezone(UTC)
    except (ValueError, OverflowError):
        raise RefusalError(f"the run starts at {key[1]!r}, which is no time") from None
    if moment > datetime.now(UTC) + _AHEAD:
        raise RefusalError(f"the run starts in the future: {key[1]}")
    if not (len(key[0]) == 64 and set(key[0]) <= set("0123456789abcdef")):
        raise RefusalError("its reviewId is none")
    return f"{Path(run_file_name(key[0], moment)).stem}-{digest(list(key))[:8]}.jsonl"
