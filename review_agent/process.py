"""The only place that starts a process of any kind: minimal environment, bounded time and output, kill by group.

POSIX only. Every child leads a session of its own, so that Ctrl-C reaches this process alone and a kill takes the
child's own children along. A child is expected to end when its standard input does; so nothing is left behind when
this process dies without a chance to clean up. One that works on, in a thread that nobody waits for, is killed as this
process ends.
"""

from __future__ import annotations

import atexit
import os
import selectors
import signal
import subprocess
import time
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import IO

from review_agent.counting import seconds
from review_agent.errors import ProcessError

__all__ = ["Child", "Completed", "run", "search_path"]

_NO_VARIABLES: Mapping[str, str] = MappingProxyType({})
_CHUNK = 65_536
_MAX_STDERR = 65_536
_running: weakref.WeakSet[subprocess.Popen[bytes]] = weakref.WeakSet()


@dataclass(frozen=True, slots=True)
class Completed:
    """A process that ended. ``truncated``: stdout went past its bound, the process was stopped, its code is moot."""

    returncode: int
    stdout: bytes
    stderr: bytes
    truncated: bool


def run(
    argv: Sequence[str | bytes],
    *,
    cwd: Path | None = None,
    stdin: bytes = b"",
    timeout: float,
    max_output: int,
    environment: Mapping[str, str] = _NO_VARIABLES,
) -> Completed:
    """Run a command to its end with ``stdin`` as its whole input; ``timeout`` in seconds, ``max_output`` in bytes.

    The command sees PATH (see ``search_path``), an empty home, LC_ALL=C.UTF-8 and ``environment``, nothing else. At
    most ``max_output`` bytes of stdout and 64 KiB of stderr are kept; further stdout stops the command, further stderr
    is dropped.
    Raises ProcessError when the command cannot be started or does not end in time; its whole group is killed then.
    """
    deadline = time.monotonic() + timeout
    process = _start(argv, cwd, environment, stderr=subprocess.PIPE)
    try:
        stdout, stderr, truncated = _exchange(process, stdin, max_output, deadline)
        if not truncated:
            process.wait(max(deadline - time.monotonic(), 0.01))
    except (TimeoutError, subprocess.TimeoutExpired):
        raise _late(argv, timeout) from None
    finally:
        _stop(process)
    return Completed(process.returncode, stdout, stderr, truncated)


class Child:
    """A long-lived child that is written to and read from in turns. stderr is discarded.

    A child that is dropped without ``close`` is killed and reaped. ``receive`` and ``send`` raise ProcessError when the
    child ends or keeps them waiting longer than their timeout; the conversation is then out of step: kill the child.
    """

    def __init__(
        self,
        argv: Sequence[str | bytes],
        *,
        environment: Mapping[str, str] = _NO_VARIABLES,
        cwd: Path | None = None,
    ) -> None:
        self._argv = argv
        self._process = _start(argv, cwd, environment, stderr=subprocess.DEVNULL)
        self._stdin, self._stdout = _pipe(self._process.stdin), _pipe(self._process.stdout)
        self._unread = bytearray()
        self._finalizer = weakref.finalize(self, _stop, self._process)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the child has neither ended by itself nor been killed."""
        return self._process.poll() is None

    def send(self, data: bytes, timeout: float = 30.0) -> None:
        """Write all of ``data``; ``timeout`` in seconds is for the whole of it."""
        deadline = time.monotonic() + timeout
        rest = memoryview(data)
        while rest:
            self._wait(self._stdin, selectors.EVENT_WRITE, deadline, timeout)
            try:
                rest = rest[os.write(self._stdin.fileno(), rest[:_CHUNK]) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise self._ended() from error

    def receive(self, n: int, timeout: float) -> bytes:
        """Exactly ``n`` bytes of the child's output; ``timeout`` in seconds is for the whole of them."""
        deadline = time.monotonic() + timeout
        while len(self._unread) < n:
            self._fill(deadline, timeout)
        return self._take(n)

    def receive_line(self, timeout: float, limit: int = _CHUNK) -> bytes:
        """The child's output up to and with the next line feed, at most ``limit`` bytes."""
        deadline = time.monotonic() + timeout
        while (end := self._unread.find(b"\n")) < 0:
            if len(self._unread) > limit:
                raise ProcessError(f"{_name(self._argv)} sent a line of more than {limit} bytes")
            self._fill(deadline, timeout)
        return self._take(end + 1)

    def kill(self) -> None:
        """End the child and its group at once. Harmless when it has ended."""
        self._finalizer()

    def end(self) -> None:
        """Kill the child and its group and leave the rest to the thread that talks to it, which meets the end at once.

        From another thread only this may be called: a pipe that is closed under a waiting reader never wakes it.
        """
        _kill_group(self._process)

    def close(self, grace: float = 2.0) -> None:
        """End the child's input, wait up to ``grace`` seconds for it to finish, then kill it."""
        if self._finalizer.alive:
            self._stdin.close()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(grace)
        self.kill()

    def _take(self, n: int) -> bytes:
        taken = bytes(self._unread[:n])
        del self._unread[:n]
        return taken

    def _fill(self, deadline: float, timeout: float) -> None:
        self._wait(self._stdout, selectors.EVENT_READ, deadline, timeout)
        data = os.read(self._stdout.fileno(), _CHUNK)
        if not data:
            raise self._ended()
        self._unread += data

    def _wait(self, pipe: IO[bytes], event: int, deadline: float, timeout: float) -> None:
        if pipe.closed:
            raise self._ended()
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, event)
            if not selector.select(max(deadline - time.monotonic(), 0)):
                raise _late(self._argv, timeout)

    def _ended(self) -> ProcessError:
        return ProcessError(f"{_name(self._argv)} ended before it had answered")


def search_path() -> str:
    """The caller's PATH without what is relative: a file of the folder a command runs in is never its program."""
    parts = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(part for part in parts if os.path.isabs(part)) or os.defpath


def _start(
    argv: Sequence[str | bytes], cwd: Path | None, environment: Mapping[str, str], *, stderr: int
) -> subprocess.Popen[bytes]:
    variables = {"PATH": search_path(), "HOME": "/nonexistent", "LC_ALL": "C.UTF-8", **environment}
    try:
        process = subprocess.Popen(
            argv,
            cwd=cwd,
            env=variables,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        hint = f"install {_name(argv)}, or check PATH" if isinstance(error, FileNotFoundError) else ""
        raise ProcessError(f"{_name(argv)} could not be started: {error}", hint=hint) from error
    os.set_blocking(_pipe(process.stdin).fileno(), False)
    _running.add(process)
    return process


@atexit.register
def _end_all() -> None:
    for process in list(_running):
        _kill_group(process)


def _exchange(
    process: subprocess.Popen[bytes], stdin: bytes, max_output: int, deadline: float
) -> tuple[bytes, bytes, bool]:
    """Feed stdin and collect both outputs until they end, stdout overflows, or TimeoutError."""
    source, out, err = _pipe(process.stdin), _pipe(process.stdout), _pipe(process.stderr)
    kept = {out: bytearray(), err: bytearray()}
    rest = memoryview(stdin)
    with selectors.DefaultSelector() as selector:
        selector.register(source, selectors.EVENT_WRITE)
        selector.register(out, selectors.EVENT_READ)
        selector.register(err, selectors.EVENT_READ)
        while selector.get_map() and len(kept[out]) <= max_output:
            for key, _ in _ready(selector, deadline):
                pipe = key.fileobj
                if pipe is source:
                    rest = _feed(source, rest)
                    over = not rest
                else:
                    data = os.read(key.fd, _CHUNK)
                    kept[out if pipe is out else err] += data
                    del kept[err][_MAX_STDERR:]
                    over = not data
                if over:
                    selector.unregister(pipe)
                    if pipe is source:
                        source.close()
    return bytes(kept[out][:max_output]), bytes(kept[err]), len(kept[out]) > max_output


def _ready(selector: selectors.BaseSelector, deadline: float) -> list[tuple[selectors.SelectorKey, int]]:
    ready = selector.select(max(deadline - time.monotonic(), 0))
    if not ready and time.monotonic() >= deadline:
        raise TimeoutError
    return ready


def _feed(source: IO[bytes], rest: memoryview) -> memoryview:
    """What is left to write. A process that does not want its input is no error; its exit code tells."""
    try:
        return rest[os.write(source.fileno(), rest[:_CHUNK]) :]
    except BlockingIOError:
        return rest
    except BrokenPipeError:
        return rest[len(rest) :]


def _stop(process: subprocess.Popen[bytes]) -> None:
    # Until it is reaped, the process's id cannot belong to anyone else; asking poll() first would reap a leader
    # whose children live on.
    if process.returncode is None:
        _kill_group(process)
        process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    if process.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe


def _name(argv: Sequence[str | bytes]) -> str:
    return os.fsdecode(argv[0])


def _late(argv: Sequence[str | bytes], timeout: float) -> ProcessError:
    return ProcessError(f"{_name(argv)} did not answer within {seconds(timeout)} and was given up")
