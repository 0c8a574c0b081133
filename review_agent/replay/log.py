"""The replay log: one append-only JSONL file of results, so that a stopped replay goes on and nothing is done twice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from review_agent.appendlog import AppendLog, read, state_folder
from review_agent.replay.records import HalfResult

__all__ = ["RUNS", "ReplayLog", "opened"]

FILE, RUNS = "replay.jsonl", "runs"
_WAIT = 0.5


class ReplayLog:
    """Results by key. Failures are kept for the record and never taken for an answer."""

    def __init__(self, folder: Path, log: AppendLog) -> None:
        self._folder, self._log = folder, log
        self._kept: dict[str, HalfResult] = {}
        for record in read(log.path) if log.path.exists() else ():
            self._take(record)

    def _take(self, record: dict[str, object]) -> None:
        try:
            result = HalfResult.model_validate(record.get("result"))
        except ValidationError:
            return  # another version's record: the half is reviewed again
        if result.verdict != "failed":
            self._kept[str(record.get("key"))] = result

    def get(self, key: str) -> HalfResult | None:
        """A kept result whose run log is still there."""
        result = self._kept.get(key)
        return result if result is not None and (self._folder / result.run_log).is_file() else None

    def put(self, key: str, result: HalfResult) -> None:
        """Returns when the result is on disk. Raises StorageFullError or RecordError."""
        self._log.append([{"key": key, "result": result.wire()}])


@contextmanager
def opened(folder: Path, *, fresh: bool) -> Iterator[ReplayLog]:
    """The replay log of a state folder, held by this process alone; ``fresh`` forgets what it holds.

    Raises InUseError where another replay has it, RecordError where it cannot be read or written.
    """
    log = AppendLog(state_folder(folder) / FILE)
    with log.lock(wait=_WAIT):
        if fresh:
            log.path.unlink(missing_ok=True)
        log.repair()
        yield ReplayLog(folder, log)
