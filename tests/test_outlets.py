"""What a stream refuses fails nothing midway: it is remembered, nothing follows it, and it is told once."""

from __future__ import annotations

import errno
import io
import os
import sys

import pytest

from review_agent import outlets
from review_agent.outlets import Outlet, guarded, refusal


def _over(descriptor: int) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BufferedWriter(Outlet(descriptor)), encoding="utf-8")


def test_what_has_no_room_is_remembered_and_nothing_follows_it() -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    stream = _over(full)
    stream.write("a" * 100_000)
    stream.flush()
    stream.write("b")
    found = refusal(stream)
    assert found is not None
    assert found.errno == errno.ENOSPC
    stream.close()
    os.close(full)


def test_a_reader_that_has_left_is_no_refusal() -> None:
    reading, writing = os.pipe()
    stream = _over(writing)
    stream.write("a")
    assert refusal(stream) is None
    assert os.read(reading, 10) == b"a"
    os.close(reading)
    stream.write("b")
    assert refusal(stream) is None
    stream.close()
    os.close(writing)


def test_a_pipe_that_does_not_wait_is_waited_for() -> None:
    import threading

    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    taken: list[bytes] = []

    def read() -> None:
        while len(b"".join(taken)) < 1_000_000:
            taken.append(os.read(reading, 65_536))

    reader = threading.Thread(target=read)
    stream = _over(writing)
    reader.start()
    stream.write("a" * 1_000_000)
    assert refusal(stream) is None
    reader.join(timeout=30)
    assert len(b"".join(taken)) == 1_000_000
    os.close(reading)
    os.close(writing)


def test_only_the_streams_of_the_process_are_guarded(tmp_path) -> None:
    memory = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    assert guarded(memory) is memory
    memory.write("●")
    assert refusal(memory) is None
    assert memory.buffer.getvalue() == b"\\u25cf"
    with (tmp_path / "x").open("w") as other:
        assert guarded(other) is other
    assert guarded(None) is None
    assert refusal(None) is None


def test_a_stream_of_the_process_is_guarded_once_and_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    own = io.TextIOWrapper(io.BufferedWriter(io.FileIO(1, "w", closefd=False)), encoding="ascii", line_buffering=True)
    monkeypatch.setattr(sys, "stdout", own)
    monkeypatch.setattr(sys, "stderr", None)
    outlets.guard()
    first = sys.stdout
    assert isinstance(first.buffer.raw, Outlet)
    assert (first.encoding, first.errors, first.line_buffering) == ("ascii", "backslashreplace", True)
    outlets.guard()
    assert sys.stdout is first
    assert sys.stderr is None
