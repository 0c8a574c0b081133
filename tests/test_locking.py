"""A lock is waited for in line, first come, first served, and a wait that was given up leaves nothing behind."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

from review_agent.locking import Lock


def test_whoever_waits_gets_the_lock_as_soon_as_it_is_free(tmp_path: Path) -> None:
    first, second = Lock(tmp_path / "lock"), Lock(tmp_path / "lock")
    assert first.acquire()
    threading.Timer(0.1, first.release).start()
    assert second.acquire(wait=20)
    assert second.holder() == os.getpid()
    second.release()


def test_a_wait_that_was_given_up_does_not_take_the_lock_later(tmp_path: Path) -> None:
    first, second, third = (Lock(tmp_path / "lock") for _ in range(3))
    assert first.acquire()
    assert not second.acquire(wait=0.05)
    first.release()
    assert third.acquire(wait=20)
    third.release()
    for _ in range(5):
        assert first.acquire()
        assert not second.acquire(wait=0.01)
        first.release()
    deadline = time.monotonic() + 10
    while open_files(tmp_path / "lock") and time.monotonic() < deadline:
        time.sleep(0.01)
    assert open_files(tmp_path / "lock") == 0


def open_files(path: Path) -> int:
    """How often this process has the file open."""
    return sum(os.path.realpath(one) == str(path.resolve()) for one in Path("/proc/self/fd").iterdir())


def test_waiters_are_served_in_the_order_they_came(tmp_path: Path) -> None:
    holder = Lock(tmp_path / "lock")
    assert holder.acquire()
    served: list[int] = []

    def wait(n: int) -> None:
        lock = Lock(tmp_path / "lock")
        assert lock.acquire(wait=30)
        served.append(n)
        lock.release()

    threads = [threading.Thread(target=wait, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
        time.sleep(0.1)
    holder.release()
    for thread in threads:
        thread.join()
    assert served == list(range(6))


def test_one_who_waited_on_a_lock_file_that_was_removed_takes_the_new_one(tmp_path: Path) -> None:
    first, second = Lock(tmp_path / "lock", transient=True), Lock(tmp_path / "lock", transient=True)
    assert first.acquire()
    threading.Timer(0.1, first.release).start()
    assert second.acquire(wait=20)
    assert (tmp_path / "lock").exists()
    second.release()
    assert not (tmp_path / "lock").exists()
