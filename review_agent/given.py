"""Files that a person names by an option: read up to a bound, and never waited for without end."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from review_agent.errors import UsageError

__all__ = ["read_up_to"]

_INHERITED = (Path("/dev/fd"), Path("/proc/self/fd"))


def read_up_to(path: Path, most: int, what: str) -> bytes:
    """The file's bytes, at most one more than ``most``, by which the caller knows that there are more.

    Raises OSError where it cannot be read, and UsageError where it is no file but a device or a pipe that has a name:
    nobody may ever write to it. What a shell hands over (``<(command)``, ``/dev/stdin``) is one that somebody writes.
    """
    mode = os.stat(path).st_mode
    inherited = path.parent in _INHERITED or path == Path("/dev/stdin")
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode) and not (inherited and not stat.S_ISCHR(mode)):
        message = f"{what} is no file, but a device, a pipe or a socket"
        raise UsageError(message, where=str(path), hint="name a file; what a command prints can be given as <(command)")
    with path.open("rb") as file:
        return file.read(most + 1)
