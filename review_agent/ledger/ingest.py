"""Run logs from elsewhere: checked line by line, then put among one's own under a name made of what they hold.

A run is told by its first line (review, time, attempt). Of two logs of one run from elsewhere the longer takes the
place of the shorter where it goes on from it; where they part, the one that was here first stays and the other is
refused. A run of this clone is never replaced: a review here would go on with it. Nobody signs a run log: what is
checked is that it is whole in itself and agrees with what is recorded.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from review_agent.appendlog import AppendLog, InUseError, fsync_folder, refused
from review_agent.errors import RecordError, UsageError
from review_agent.ledger.authentic import cards_of, check
from review_agent.runlog import is_from_elsewhere, read_events, run_file_name
from review_agent.vocabulary import Event, digest

__all__ = ["Ingested", "Intake", "Refused", "sources"]

MOST_BYTES = 512 * 1_048_576
_AHEAD = timedelta(days=1)
_PARTIAL = ".ingest.partial"
_LOCK_SECONDS = 0.5


@dataclass(frozen=True)
class Refused:
    """An artifact that was not taken in, and why."""

    source: str
    reason: str


@dataclass
class Ingested:
    """Names of run logs: new ones, ones whose longer version took their place, and known ones; what was refused."""

    added: list[str] = field(default_factory=list)
    grown: list[str] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)


_Key = tuple[str, str, str]


class _RefusalError(Exception):
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


class Intake:
    """The run logs that are here, by their first line, and what comes to them; nothing else is written.

    ``locked`` holds the state folder's lock. It is taken to put a run log in its place, not while one is checked.
    ``request``: only runs that name this pull or merge request are taken.
    """

    def __init__(
        self, runs_dir: Path, locked: Callable[[], AbstractContextManager[object]], request: str | None = None
    ) -> None:
        self.runs_dir, self._locked, self._request = runs_dir, locked, request
        self._here = {key: path for path in sorted(runs_dir.glob("*.jsonl")) if (key := _key_of(path)) is not None}

    def take(self, source: Path, found: Ingested) -> None:
        """Takes in one artifact, or says in ``found`` why not.

        Raises StorageFullError or RecordError where it cannot be kept.
        """
        try:
            self._take(source, found)
        except _RefusalError as error:
            found.refused.append(Refused(str(source), str(error)))

    def _take(self, source: Path, found: Ingested) -> None:
        data = _read(source)
        key = _key(data)
        if self._request is not None and (of := _line_of(data)) != f"request {self._request}":
            raise _RefusalError(f"it is of {of or 'no request'}, not of request {self._request}")
        path = self._here.get(key) or self.runs_dir / _name(key)
        if self._is_known(data, path):
            found.known.append(path.name)
            return
        partial = self.runs_dir / f"{_PARTIAL}-{os.getpid()}"
        try:
            self._agree(self._checked(data, partial), key)
            with self._locked():
                self._place(data, partial, path, found)
            self._here[key] = path
        except OSError as error:
            raise refused(error, path) from error
        finally:
            partial.unlink(missing_ok=True)

    def _is_known(self, data: bytes, path: Path) -> bool:
        """Whether as much of the run is here. Raises _RefusalError where the two logs of it part."""
        before = _whole_lines(path.read_bytes()) if path.exists() else b""
        if before.startswith(data):
            return True
        if not data.startswith(before):
            raise _RefusalError(_parted(before, data, path))
        return False

    def _checked(self, data: bytes, partial: Path) -> list[Event]:
        self.runs_dir.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        return _checked(partial)

    def _place(self, data: bytes, partial: Path, path: Path, found: Ingested) -> None:
        """Under the lock, as another process may have brought the same run meanwhile."""
        if self._is_known(data, path):
            found.known.append(path.name)
            return
        if path.exists() and not is_from_elsewhere(path):
            raise _RefusalError(f"{path.name} is a run of this clone, which goes on here or not at all")
        try:
            with AppendLog(path, transient_lock=True).lock(wait=_LOCK_SECONDS):
                (found.grown if path.exists() else found.added).append(path.name)
                os.replace(partial, path)
                fsync_folder(self.runs_dir)
        except InUseError as error:
            message = f"a review is writing {path.name} just now; ingest it again when it has ended"
            raise _RefusalError(message) from error

    def _agree(self, events: Sequence[Event], key: _Key) -> None:
        """An engine that is deterministic comes to the same cards each time it runs the same review to its end."""
        mine = cards_of(events)
        if mine is None or not str(events[0].data["engine"]).startswith("rules"):
            return
        for other, path in self._here.items():
            if other != key and other[0] == key[0]:
                theirs = cards_of(_events_here(path))
                if theirs is not None and theirs != mine:
                    raise _RefusalError(f"{path.name} is of the same review, and the rules came to other cards there")


def _events_here(path: Path) -> list[Event]:
    try:
        return list(read_events(path))
    except RecordError:
        return []


def _read(source: Path) -> bytes:
    """The whole lines of an artifact; what is no file, or behind a link, is not opened."""
    if source.is_symlink() or not source.is_file():
        raise _RefusalError("it is a link or no file")
    try:
        with source.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise _RefusalError(f"it cannot be read: {error.strerror}") from error
    if len(data) > MOST_BYTES:
        raise _RefusalError(f"it is larger than {MOST_BYTES // 1_048_576} MiB")
    return _whole_lines(data)


def _whole_lines(data: bytes) -> bytes:
    """Without the torn line that a kill may have left at the end."""
    return data[: data.rfind(b"\n") + 1]


def _key_of(path: Path) -> _Key | None:
    try:
        with path.open("rb") as file:
            return _key(file.readline())
    except (OSError, _RefusalError):
        return None


def _key(data: bytes) -> _Key:
    """What tells a run: its review, its start and its first attempt."""
    try:
        event = json.loads(data[: data.find(b"\n") + 1] or b"null")
        if event["type"] == "run_started":
            return str(event["data"]["reviewId"]), str(event["at"]), str(event["attempt"])
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    raise _RefusalError("it is no run log: its first line is not a whole run_started event")


def _line_of(data: bytes) -> str:
    """What the run says that it is of: a request or a branch; empty where it says none."""
    line = json.loads(data[: data.find(b"\n")])["data"].get("line")
    return str(line.get("of") or "") if isinstance(line, dict) else ""


def _name(key: _Key) -> str:
    """A name that sorts by the run's start. It does not end as those do that a review here goes on with: a run from
    elsewhere is read, never resumed."""
    try:
        moment = datetime.fromisoformat(key[1]).astimezone(UTC)
    except (ValueError, OverflowError):
        raise _RefusalError(f"the run starts at {key[1]!r}, which is no time") from None
    if moment > datetime.now(UTC) + _AHEAD:
        raise _RefusalError(f"the run starts in the future: {key[1]}")
    if not (len(key[0]) == 64 and set(key[0]) <= set("0123456789abcdef")):
        raise _RefusalError("its reviewId is none")
    return f"{Path(run_file_name(key[0], moment)).stem}-{digest(list(key))[:8]}.jsonl"


def _checked(path: Path) -> list[Event]:
    try:
        events = list(read_events(path))
        check(events)
    except RecordError as error:
        line = error.where.rpartition(":")[2]
        raise _RefusalError(f"line {line}: {error.message}" if line.isdigit() else error.message) from error
    return events


def _parted(before: bytes, data: bytes, here: Path) -> str:
    pairs = zip(before.split(b"\n"), data.split(b"\n"), strict=False)
    line = next((n for n, (old, new) in enumerate(pairs, 1) if old != new), 0)
    return f"it is of the run in {here.name} and differs from it at line {line}: one of them was edited"
