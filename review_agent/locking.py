"""An advisory lock on a file, and how the system's refusal of a write is told: what all that is written shares."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import threading
import time
from pathlib import Path

from review_agent.errors import RecordError, StorageFullError

__all__ = ["LOCK_SECONDS", "InUseError", "Lock", "RefusedError", "is_full", "refused"]

LOCK_SECONDS = 60.0
"""How long a writer waits for a lock. Locks are held for one append or one ingest, which take well under a second."""
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


class InUseError(RecordError):
    """Another process holds the lock."""


class RefusedError(RecordError):
    """The system does not let this process write there: permissions, a read-only file system, a thing in the way."""


def is_full(error: OSError) -> bool:
    """Whether the system refused a write for want of room."""
    return error.errno in _FULL


def refused(error: OSError, path: Path) -> RecordError:
    """The error to raise where the system refused a write to ``path``: StorageFullError when space is the cause."""
    if not is_full(error):
        return RefusedError(
            f"cannot write: {error.strerror}", where=str(path), hint="check the folder and its permissions"
        )
    with contextlib.suppress(OSError):
        free = shutil.disk_usage(path.parent).free
        return StorageFullError(
            f"the disk refused a write ({error.strerror}; {free // 1024} kB free there)",
            where=str(path),
            hint="free some space and run the same command again; everything acknowledged before is intact",
        )
    return StorageFullError(f"the disk refused a write ({error.strerror})", where=str(path), hint="free some space")


class Lock:
    """An advisory POSIX lock on a file of its own; the exclusive holder's process id is written in it.

    A shared lock needs no right to write where the file exists already.

    ``transient`` removes the lock file on release; an acquirer that held a removed file tries again on the new one.
    """

    def __init__(self, path: Path, *, transient: bool = False) -> None:
        self.path = path
        self.transient = transient
        self.exclusive = False
        self._descriptor: int | None = None

    def acquire(self, *, shared: bool = False, wait: float = LOCK_SECONDS) -> bool:
        """Takes the lock; false when another process still holds it after ``wait`` seconds.

        Raises RefusedError or StorageFullError where the lock file cannot be had at all.
        """
        deadline = time.monotonic() + wait
        while not self._try(shared):
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            if self._in_line(shared, left):
                break
        self.exclusive = not shared
        if self.exclusive:
            self._write_pid(str(os.getpid()))
        return True

    def release(self) -> None:
        if self._descriptor is None:
            return
        if self.exclusive and self.transient:
            self.path.unlink(missing_ok=True)
        elif self.exclusive:
            self._write_pid("")
        os.close(self._descriptor)
        self._descriptor, self.exclusive = None, False

    def holder(self) -> int | None:
        """Process id of the exclusive holder, if it wrote one."""
        with contextlib.suppress(OSError, ValueError):
            return int(self.path.read_text(encoding="ascii"))
        return None

    def _try(self, shared: bool) -> bool:
        descriptor = self._opened(shared)
        try:
            fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        except OSError as error:
            os.close(descriptor)
            raise refused(error, self.path) from error
        return self._kept(descriptor)

    def _in_line(self, shared: bool, wait: float) -> bool:
        """Waits up to ``wait`` seconds for its turn, first come, first served; whether it has the lock then."""
        turn = _Turn(self._opened(shared), fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        return turn.came(wait) and self._kept(turn.descriptor)

    def _kept(self, descriptor: int) -> bool:
        """Keeps a descriptor that has the lock; not one of a lock file that its holder has removed meanwhile."""
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(descriptor), os.stat(self.path)):
                self._descriptor = descriptor
                return True
        os.close(descriptor)
        return False

    def _opened(self, shared: bool) -> int:
        access = os.O_RDONLY if shared else os.O_RDWR
        try:
            return os.open(self.path, access | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise refused(error, self.path) from error

    def _write_pid(self, text: str) -> None:
        assert self._descriptor is not None
        # The id only serves messages: a full disk must not cost the lock.
        with contextlib.suppress(OSError):
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, text.encode("ascii"), 0)


class _Turn:
    """A place in the system's line for a lock. Only a call that blocks stands in it, and only one from a thread of its
    own can be given up; with many waiting, whoever asks again and again instead may never be the one in time."""

    def __init__(self, descriptor: int, how: int) -> None:
        self.descriptor = descriptor
        self._over = threading.Event()
        self._settling = threading.Lock()
        self._has, self._given_up = False, False
        threading.Thread(target=self._stand, args=(how,), daemon=True).start()

    def came(self, wait: float) -> bool:
        """Whether the lock came within so many seconds; the descriptor is the caller's then, and closed otherwise."""
        try:
            self._over.wait(wait)
        except BaseException:
            self._settled(wanted=False)
            raise
        return self._settled(wanted=True)

    def _settled(self, *, wanted: bool) -> bool:
        with self._settling:
            taken = wanted and self._has
            self._given_up = not taken
            if self._given_up and self._over.is_set():
                os.close(self.descriptor)
            return taken

    def _stand(self, how: int) -> None:
        has = False
        with contextlib.suppress(OSError):
            fcntl.flock(self.descriptor, how)
            has = True
        with self._settling:
            self._has = has
            self._over.set()
            if self._given_up:
                os.close(self.descriptor)
