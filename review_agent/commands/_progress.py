"""Progress on stderr, only where that is a terminal."""

from __future__ import annotations

import sys
from types import TracebackType

from review_agent.vocabulary import Phase

__all__ = ["Progress"]


class Progress:
    """One line that says which phase works and how far it is; gone when the work is done."""

    def __init__(self) -> None:
        self._shown = sys.stderr is not None and sys.stderr.isatty()

    def at(self, phase: Phase, done: int, total: int) -> None:
        if self._shown:
            count = f" {done}/{total}" if total else ""
            sys.stderr.write(f"\r\x1b[2K{phase}{count} …")
            sys.stderr.flush()

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
