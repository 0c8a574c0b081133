"""Standard output and standard error, which fail no command midway: what they refuse is told once, at its end."""

from __future__ import annotations

import io
import select
import sys
from contextvars import ContextVar
from typing import TextIO

__all__ = ["KEPT", "Outlet", "guard", "guarded", "refusal"]

KEPT: ContextVar[str] = ContextVar("KEPT", default="")
"""What the command has recorded or written by now, in words for a message about output that could not be had."""


class Outlet(io.FileIO):
    """A descriptor that takes what it can. What it refuses is remembered and not raised, and nothing is written after
    it, so that what came through has no gap."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(descriptor, "w", closefd=False)
        self.refused: OSError | None = None

    def write(self, data: object) -> int:
        """How much of it is dealt with: what is taken, and all of it once something was refused."""
        while self.refused is None:
            try:
                taken = super().write(data)  # type: ignore[arg-type]
            except OSError as error:
                self.refused = error
                break
            if taken is not None:
                return taken
            # Another process has made the pipe one that does not wait.
            select.select([], [self.fileno()], [])
        return memoryview(data).nbytes  # type: ignore[arg-type]


def guarded(stream: TextIO | None) -> TextIO | None:
    """The stream over an :class:`Outlet`, in whose place it is to be put; one that is no descriptor's as it is.

    A character that the stream's encoding lacks is written as its number: no review fails on the reader's locale.
    """
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    raw = getattr(stream.buffer, "raw", stream.buffer)
    if type(raw) is not io.FileIO or raw.fileno() not in (1, 2):
        stream.reconfigure(errors="backslashreplace")
        return stream
    return io.TextIOWrapper(
        io.BufferedWriter(Outlet(raw.fileno())),
        encoding=stream.encoding,
        errors="backslashreplace",
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def refusal(stream: TextIO | None) -> OSError | None:
    """Why the stream took less than it was given; null where it took all, or its reader has left (``| head``)."""
    if not isinstance(stream, io.TextIOWrapper):
        return None
    stream.flush()
    raw = getattr(stream.buffer, "raw", None)
    refused = raw.refused if isinstance(raw, Outlet) else None
    return None if isinstance(refused, BrokenPipeError) else refused


def guard() -> None:
    """Puts guarded streams in the place of the process's own."""
    sys.stdout, sys.stderr = guarded(sys.stdout), guarded(sys.stderr)
