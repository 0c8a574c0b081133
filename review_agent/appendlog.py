"""Append, fsync, lock, and the torn-tail rule: what run log and journal share.

After a kill at any moment a reader finds every record whose ``append`` returned, whole and in order, and at most one
unterminated last line, which readers leave out and the next writer moves aside to ``<name>.torn-<offset>``.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from review_agent.errors import RecordError
from review_agent.locking import LOCK_SECONDS, InUseError, Lock, RefusedError, refused

__all__ = [
    "LOCK_SECONDS",
    "AppendLog",
    "InUseError",
    "Lock",
    "RefusedError",
    "encode",
    "fsync_folder",
    "has_state_folder",
    "parsed",
    "read",
    "read_on",
    "refused",
    "state_folder",
    "unreadable",
]


_READ_BYTES = 65536


def encode(record: Mapping[str, Any]) -> bytes:
    """One line of JSON in ASCII, so that any string (lone surrogates too) can be written; its newline included.

    Raises RecordError for what JSON has no word for.
    """
    try:
        return json.dumps(record, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"
    except (TypeError, ValueError) as error:
        raise RecordError(
            f"a record is not JSON: {error}", where=str(record.get("type") or record.get("kind"))
        ) from error


def fsync_folder(folder: Path) -> None:
    """Makes a name created, replaced or removed in the folder last through a crash."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def has_state_folder(folder: Path) -> bool:
    """Whether there is a state folder yet.

    Raises RecordError where something else has its name. A symlink is one such thing: it may come with the change under
    review and would lead out of the repository.
    """
    if folder.is_symlink():
        raise RecordError(
            "the state folder is a symbolic link, which is not followed",
            where=str(folder),
            hint="remove the link and run the same command again",
        )
    if folder.exists() and not folder.is_dir():
        raise RecordError(
            "something that is not a folder has the state folder's name",
            where=str(folder),
            hint="move it away and run the same command again",
        )
    return folder.is_dir()


def state_folder(folder: Path) -> Path:
    """Makes the state folder where it is missing, with an ignore file that keeps it out of the repository.

    Raises RecordError where something else has its name, or where it cannot be written.
    """
    has_state_folder(folder)
    ignore = folder / ".gitignore"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not ignore.exists() or not ignore.stat().st_size:
            ignore.write_text("*\n", encoding="ascii")
    except OSError as error:
        raise refused(error, ignore) from error
    return folder


def read(path: Path, *, together: bool = False) -> Iterator[dict[str, Any]]:
    """The whole records of a log, in order; an unterminated last line is left out.

    With ``together`` a line may be an array of records that were appended together. Raises RecordError for a missing
    file, and for a terminated line that is something else, naming its number.
    """
    yield from (record for record, _ in read_on(path, 0, 0, together=together))


def read_on(path: Path, start: int, lines: int, *, together: bool = False) -> Iterator[tuple[dict[str, Any], int]]:
    """As ``read``, from the byte ``start`` that ``lines`` lines end at; with each record the byte its line ends at."""
    try:
        with path.open("rb") as file:
            file.seek(start)
            for number, line in enumerate(file, lines + 1):
                if not line.endswith(b"\n"):
                    return
                start += len(line)
                for record in parsed(line, path, number, together=together):
                    yield record, start
    except OSError as error:
        raise unreadable(error, path) from error


def unreadable(error: OSError, path: Path) -> RecordError:
    """The error to raise where the system did not let a log be read."""
    folder = error.errno == errno.EISDIR
    hint = "move the folder away: a file belongs there" if folder else "check the file and its permissions"
    return RecordError(f"cannot read: {error.strerror}", where=str(path), hint=hint)


def parsed(line: bytes, path: Path, number: int, *, together: bool = False) -> list[dict[str, Any]]:
    """The record, or with ``together`` the records, of a whole line. Raises RecordError, naming path and line number,
    where it holds something else."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, dict):
        return [found]
    if together and isinstance(found, list) and found and all(isinstance(one, dict) for one in found):
        return found
    raise RecordError(
        "a line is damaged: it is terminated but not a JSON object",
        where=f"{path}:{number}",
        hint="restore the file from a copy, or take the line out by hand after keeping one",
    )


class AppendLog:
    """One append-only JSONL file and the lock that its writers take: ``lock_path``, or ``<name>.lock`` beside it."""

    def __init__(self, path: Path, lock_path: Path | None = None, *, transient_lock: bool = False) -> None:
        self.path = path
        self._lock = Lock(lock_path or path.with_name(path.name + ".lock"), transient=transient_lock)

    @contextlib.contextmanager
    def lock(self, *, shared: bool = False, wait: float = LOCK_SECONDS) -> Iterator[None]:
        """Holds the lock.

        Raises InUseError, with the holder's process id if known, when another process holds it; RefusedError or
        StorageFullError when the lock file cannot be had.
        """
        if not self._lock.acquire(shared=shared, wait=wait):
            raise InUseError(
                f"{self.path.name} is in use by {self.holder()}",
                where=str(self._lock.path),
                hint="wait for it to end, or end it, and run the same command again",
            )
        try:
            yield
        finally:
            self._lock.release()

    def holder(self) -> str:
        """The lock's exclusive holder in words."""
        pid = self._lock.holder()
        return "another process" if pid is None else f"process {pid}"

    def append(self, records: Iterable[Mapping[str, Any]], *, together: bool = False) -> None:
        """Writes the records and returns once they are on disk; all or, after an error, none of them.

        After a kill in the midst of it the first of them may stand, each on a line of its own; with ``together`` they
        are one line, so that none does. The exclusive lock must be held. Raises StorageFullError when there is no room,
        RecordError for any other refusal; the file then ends where it ended before.
        """
        lines = list(map(encode, records))
        data = b"[" + b",".join(line.rstrip() for line in lines) + b"]\n" if together else b"".join(lines)
        with self._opened() as descriptor:
            end = self._end_after_repair(descriptor)
            try:
                _write_all(descriptor, data)
                os.fsync(descriptor)
            except OSError as error:
                with contextlib.suppress(OSError):
                    os.ftruncate(descriptor, end)
                    os.fsync(descriptor)
                raise refused(error, self.path) from error

    def repair(self) -> Path | None:
        """Moves a torn tail aside and says where it lies now; null when there was none. Needs the exclusive lock."""
        with self._opened() as descriptor:
            size = os.fstat(descriptor).st_size
            end = _whole_end(descriptor, size)
            return None if end == size else self._move_tail(descriptor, end)

    def _end_after_repair(self, descriptor: int) -> int:
        size = os.fstat(descriptor).st_size
        end = _whole_end(descriptor, size)
        if end != size:
            self._move_tail(descriptor, end)
        return end

    def _move_tail(self, descriptor: int, end: int) -> Path:
        tail = os.pread(descriptor, os.fstat(descriptor).st_size - end, end)
        aside = _free_name(self.path.with_name(f"{self.path.name}.torn-{end}"), tail)
        try:
            _write_file(aside, tail)
            os.ftruncate(descriptor, end)
            os.fsync(descriptor)
        except OSError as error:
            raise refused(error, aside) from error
        return aside

    @contextlib.contextmanager
    def _opened(self) -> Iterator[int]:
        if not self._lock.exclusive:
            raise RuntimeError(f"{self.path}: a writer must hold the exclusive lock")
        try:
            new = not self.path.exists()
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
            descriptor = os.open(self.path, flags, 0o644)
        except OSError as error:
            raise refused(error, self.path) from error
        try:
            if new:
                fsync_folder(self.path.parent)
            yield descriptor
        finally:
            os.close(descriptor)


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _write_file(path: Path, data: bytes) -> None:
    try:
        with path.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        path.unlink(missing_ok=True)
        raise
    fsync_folder(path.parent)


def _free_name(wanted: Path, tail: bytes) -> Path:
    """The wanted name, or a numbered one where another tail was torn at the same offset before."""
    name, number = wanted, 2
    while name.exists() and name.read_bytes() != tail:
        name, number = wanted.with_name(f"{wanted.name}-{number}"), number + 1
    return name


def _whole_end(descriptor: int, size: int) -> int:
    """Offset just after the last newline of a file of ``size`` bytes; 0 where there is none."""
    end = size
    while end:
        start = max(0, end - _READ_BYTES)
        found = os.pread(descriptor, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0
