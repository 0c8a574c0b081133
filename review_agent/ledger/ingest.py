"""Run logs from elsewhere: checked line by line, then put among one's own under a name made of what they hold.

A run is told by its first line (review, time, attempt). Of two logs of one run from elsewhere the longer takes the
place of the shorter where it goes on from it; where they part, the one that was here first stays and the other is
refused. A run of this clone is never replaced: a review here would go on with it. Nobody signs a run log: what is
checked is that it is whole in itself, agrees with what is recorded, and shows the lines that git has at its commits.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from review_agent.appendlog import AppendLog, InUseError, fsync_folder, refused
from review_agent.errors import RecordError
from review_agent.ledger.artifacts import (
    Key,
    RefusalError,
    key_of,
    key_of_data,
    line_of,
    name_of,
    read_artifact,
    sources,
    whole_lines,
)
from review_agent.ledger.authentic import check, outcomes_of
from review_agent.ledger.compared import Note, note, notes
from review_agent.ledger.comparing import Outcome
from review_agent.runlog import is_from_elsewhere, read_events
from review_agent.vocabulary import Event, only_rules

__all__ = ["Compare", "Ingested", "Intake", "Refused", "Uncompared", "sources"]

Compare = Callable[[Sequence[Event]], Outcome]
"""Holds a run log against git. Raises RecordError, with the line, where git has something else than it says."""

_PARTIAL = ".ingest.partial"
_LOCK_SECONDS = 0.5


@dataclass(frozen=True)
class Refused:
    """An artifact that was not taken in, and why."""

    source: str
    reason: str


@dataclass(frozen=True)
class Uncompared:
    """A run log that was taken in though its lines could not be compared with git, and what is missing."""

    run: str
    why: str


@dataclass
class Ingested:
    """Names of run logs: new ones, ones whose longer version took their place, and known ones; what was refused.

    ``uncompared``: those of them whose lines may not be git's. ``around``: those masked by another policy than the one
    in force, of which what stands around the masks was compared.
    """

    added: list[str] = field(default_factory=list)
    grown: list[str] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    uncompared: list[Uncompared] = field(default_factory=list)
    around: list[str] = field(default_factory=list)


class Intake:
    """The run logs that are here, by their first line, and what comes to them; nothing else is written.

    ``locked`` holds the state folder's lock. It is taken to put a run log in its place, not while one is checked.
    ``request``: only runs that name this pull or merge request are taken. ``compare``: null where there is no
    repository to compare with.
    """

    def __init__(
        self,
        runs_dir: Path,
        locked: Callable[[], AbstractContextManager[object]],
        request: str | None = None,
        compare: Compare | None = None,
    ) -> None:
        self.runs_dir, self._locked, self._request, self._compare = runs_dir, locked, request, compare
        self._here = {key: path for path in sorted(runs_dir.glob("*.jsonl")) if (key := key_of(path)) is not None}

    def take(self, source: Path, found: Ingested) -> None:
        """Takes in one artifact, or says in ``found`` why not.

        Raises StorageFullError or RecordError where it cannot be kept.
        """
        try:
            self._take(source, found)
        except RefusalError as error:
            found.refused.append(Refused(str(source), str(error)))

    def _take(self, source: Path, found: Ingested) -> None:
        data = read_artifact(source)
        key = key_of_data(data)
        if self._request is not None and (of := line_of(data)) != f"request {self._request}":
            raise RefusalError(f"it is of {of or 'no request'}, not of request {self._request}")
        path = self._here.get(key) or self.runs_dir / name_of(key)
        if self._is_known(data, path):
            self._compare_known(path, found)
            found.known.append(path.name)
            return
        partial = self.runs_dir / f"{_PARTIAL}-{os.getpid()}"
        try:
            events = self._checked(data, partial)
            outcome = self._compared(events)
            self._agree(events, key)
            with self._locked():
                self._place(data, partial, path, found)
            self._here[key] = path
            self._note(path, outcome, found)
        except OSError as error:
            raise refused(error, path) from error
        finally:
            partial.unlink(missing_ok=True)

    def _compared(self, events: Sequence[Event]) -> Outcome:
        if self._compare is None:
            return Outcome("there is no repository to compare them with")
        try:
            return self._compare(events)
        except RecordError as error:
            raise RefusalError(_with_line(error)) from error

    def _compare_known(self, path: Path, found: Ingested) -> None:
        """A run that was taken in without its commits is compared as soon as they are here."""
        if self._compare is None or not is_from_elsewhere(path):
            return
        before = notes(self.runs_dir.parent).get(path.name)
        if before is not None and before.bytes == path.stat().st_size and before.result in ("agrees", "around"):
            return
        events = _events_here(path)
        try:
            self._note(path, self._compared(events) if events else Outcome("it cannot be read here"), found)
        except RefusalError as error:
            note(self.runs_dir.parent, Note(path.name, path.stat().st_size, "differs", str(error)))
            message = f"it is here already as {path.name}, its cards are marked, and git shows that it lies: {error}"
            raise RefusalError(message) from error

    def _note(self, path: Path, outcome: Outcome, found: Ingested) -> None:
        """Keeps what came of a comparison, and says it where it was none or not of every word."""
        if not is_from_elsewhere(path):
            return
        result: Literal["missing", "around", "agrees"] = (
            "missing" if outcome.missing else "around" if outcome.around else "agrees"
        )
        new = Note(path.name, path.stat().st_size, result, outcome.missing)
        if notes(self.runs_dir.parent).get(path.name) != new:
            note(self.runs_dir.parent, new)
        if outcome.missing:
            found.uncompared.append(Uncompared(path.name, outcome.missing))
        elif outcome.around:
            found.around.append(path.name)

    def _is_known(self, data: bytes, path: Path) -> bool:
        """Whether as much of the run is here. Raises RefusalError where the two logs of it part."""
        before = whole_lines(path.read_bytes()) if path.exists() else b""
        if before.startswith(data):
            return True
        if not data.startswith(before):
            raise RefusalError(_parted(before, data, path))
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
            raise RefusalError(f"{path.name} is a run of this clone, which goes on here or not at all")
        try:
            with AppendLog(path, transient_lock=True).lock(wait=_LOCK_SECONDS):
                (found.grown if path.exists() else found.added).append(path.name)
                os.replace(partial, path)
                fsync_folder(self.runs_dir)
        except InUseError as error:
            message = f"a review is writing {path.name} just now; ingest it again when it has ended"
            raise RefusalError(message) from error

    def _agree(self, events: Sequence[Event], key: Key) -> None:
        """An engine that is deterministic ends the same review with the same outcomes each time."""
        mine = outcomes_of(events)
        if mine is None or not only_rules(str(events[0].data["engine"])):
            return
        for other, path in self._here.items():
            if other != key and other[0] == key[0]:
                theirs = outcomes_of(_events_here(path))
                if theirs is not None and theirs != mine:
                    what = "cards" if theirs.get("card") != mine.get("card") else "outcomes"
                    raise RefusalError(f"{path.name} is of the same review, and the rules came to other {what} there")


def _events_here(path: Path) -> list[Event]:
    try:
        return list(read_events(path))
    except RecordError:
        return []


def _checked(path: Path) -> list[Event]:
    try:
        events = list(read_events(path))
        check(events)
    except RecordError as error:
        raise RefusalError(_with_line(error)) from error
    return events


def _with_line(error: RecordError) -> str:
    line = error.where.rpartition(":")[2]
    return f"line {line}: {error.message}" if line.isdigit() else error.message


def _parted(before: bytes, data: bytes, here: Path) -> str:
    pairs = zip(before.split(b"\n"), data.split(b"\n"), strict=False)
    line = next((n for n, (old, new) in enumerate(pairs, 1) if old != new), 0)
    return f"it is of the run in {here.name} and differs from it at line {line}: one of them was edited"
