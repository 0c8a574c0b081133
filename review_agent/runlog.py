"""The run log: one append-only JSONL file a run, the portable record of everything that happened.

docs/run-log.md lists the events. A live run log is locked by its writer; readers need no lock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from review_agent import appendlog
from review_agent.errors import RecordError
from review_agent.runstate import Following, RunState, fold, read_events
from review_agent.vocabulary import Answer, Phase

__all__ = [
    "Following",
    "RunLog",
    "RunState",
    "fold",
    "has_begun",
    "is_from_elsewhere",
    "is_live",
    "newest_unfinished",
    "read_events",
    "run_file_name",
]

_LOCK_SECONDS = 0.5
"""Long enough for a reader's passing probe of the lock, too short for a writer's hold."""


def run_file_name(review_id: str, now: datetime | None = None) -> str:
    """Name of a new run's file: UTC time to the microsecond, so that names sort by age, and the review it is of."""
    moment = (now or datetime.now(UTC)).strftime("%Y%m%dT%H%M%S.%fZ")
    return f"{moment}-{review_id[:12]}.jsonl"


def is_from_elsewhere(path: Path) -> bool:
    """Whether the run log was ingested, by its name: a word more than a run of this clone has, the digest of its start.

    A review never goes on with one, and it may say less of the cards that are here.
    """
    return path.stem.count("-") > 1


def is_live(path: Path) -> bool:
    """Whether a process holds the run log for writing just now."""
    lock = _lock_path(path)
    if not lock.exists():
        return False
    probe = appendlog.Lock(lock)
    if not probe.acquire(shared=True, wait=0):
        return True
    probe.release()
    return False


def newest_unfinished(runs_dir: Path, review_id: str) -> Path | None:
    """The newest run log of the review that has no ``run_ended``; null when there is none.

    One that plays a record is none to go on with: what it has no answer to was never asked. A log that cannot be read
    is passed over: there is nothing in it to go on from, and the ledger names it. Raises RecordError when that run is
    live: its writer must end before another can go on with it.
    """
    for path in sorted(runs_dir.glob(f"*-{review_id[:12]}.jsonl"), reverse=True):
        if not _unfinished(path, review_id):
            continue
        if is_live(path):
            raise _in_use(path)
        return path
    return None


def _unfinished(path: Path, review_id: str) -> bool:
    events = read_events(path)
    try:
        first = next(events, None)
        if first is None or first.data.get("reviewId") != review_id or first.data.get("plays"):
            return False
        types = {event.type for event in events}
    except RecordError:
        return False
    # Without an attempt it may lack answers that stand of an earlier run; while it is live they are on their way.
    return "run_ended" not in types and ("attempt_started" in types or is_live(path))


def has_begun(path: Path) -> bool:
    """Whether an attempt has started in the run log: with it, all is there that the run began with."""
    try:
        return any(event.type == "attempt_started" for event in read_events(path))
    except RecordError:
        return False


def _lock_path(path: Path) -> Path:
    return path.with_name(path.name + ".lock")


def _in_use(path: Path) -> RecordError:
    pid = appendlog.Lock(_lock_path(path)).holder()
    return RecordError(
        f"this review is running already, in {'another process' if pid is None else f'process {pid}'}",
        where=str(path),
        hint="wait for it to end, or end it; then run the same command again to go on with it",
    )


class RunLog:
    """A run log open for writing. Its lock is held until ``close``; it is a context manager."""

    def __init__(self, path: Path, attempt: str) -> None:
        """Takes the lock; use ``create`` or ``open``.

        Raises RecordError when another process holds it, or when the lock file cannot be had.
        """
        self.path = path
        self.attempt = attempt
        self._seq = 0
        self._buffer: list[dict[str, Any]] = []
        self._log = appendlog.AppendLog(path, transient_lock=True)
        self._held = ExitStack()
        try:
            self._held.enter_context(self._log.lock(wait=_LOCK_SECONDS))
        except appendlog.InUseError as error:
            raise _in_use(path) from error

    @classmethod
    def create(cls, path: Path, run_started: Mapping[str, Any], attempt: str, answers: Sequence[Answer] = ()) -> RunLog:
        """Starts a run log at a path that does not exist yet; ``run_started`` and ``attempt_started`` are on disk, and
        between them the ``answers`` that stand of an earlier run."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise appendlog.refused(error, path) from error
        log = cls(path, attempt)
        if path.exists():
            log.close()
            raise RecordError("there is a run log of that name already", where=str(path))
        log.event("run_started", run_started, None)
        for answer in answers:
            log.event("answer", answer.wire(), None)
        return log._begun()

    @classmethod
    def open(cls, path: Path, attempt: str) -> RunLog:
        """Goes on in an existing run log as a new attempt; a torn tail is moved aside and ``seq`` goes on."""
        if not path.exists():
            raise RecordError("there is no such run log", where=str(path))
        log = cls(path, attempt)
        try:
            log._log.repair()
            log.realign()
        except BaseException:
            log.close()
            raise
        return log._begun()

    def _begun(self) -> RunLog:
        try:
            self.event("attempt_started", {}, None)
            self.flush()
        except BaseException:
            self.close()
            raise
        return self

    def event(self, type: str, data: Mapping[str, Any], phase: Phase | None) -> None:
        """Adds one event to the buffer; ``flush`` puts it on disk."""
        self._buffer.append(
            {
                "seq": self._seq,
                "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
                "attempt": self.attempt,
                "phase": phase,
                "type": type,
                "data": dict(data),
            }
        )
        self._seq += 1

    def flush(self) -> None:
        """Returns once everything buffered is on disk.

        Raises StorageFullError or RecordError; the file is as before then and the buffer is kept for a second try.
        """
        if self._buffer:
            self._log.append(self._buffer)
            self._buffer.clear()

    def realign(self) -> None:
        """Forgets what is not known to be on disk and goes on after the last whole line.

        For a writer that was interrupted while it wrote: its buffer may be on disk already, wholly or in part.
        """
        self._buffer.clear()
        self._seq = 1 + max((event.seq for event in read_events(self.path)), default=-1)

    def close(self) -> None:
        """Gives the lock back. What was not flushed is not written."""
        self._held.close()

    def __enter__(self) -> RunLog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
