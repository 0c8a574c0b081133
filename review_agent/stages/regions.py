"""Where a change is, as lines of both sides: what collecting marks and the contract asks about."""

from __future__ import annotations

from collections.abc import Iterator

from review_agent.vocabulary import Hunk, Side, Snapshot, SourceRef

__all__ = ["CONTEXT", "near_change"]

# git shows three lines of context around a change: who reads the diff has them before their eyes already.
CONTEXT = 3


def near_change(ref: SourceRef, snapshot: Snapshot) -> bool:
    """Whether a ref has a line in the change or in its lines of context, on the ref's own side."""
    for file in snapshot.files:
        if ref.path == (file.old_path if ref.side is Side.OLD else file.path):
            for hunk in file.hunks:
                windows = _windows(hunk, ref.side)
                if any(low <= ref.end_line and ref.start_line <= high for low, high in windows):
                    return True
    return False


def _windows(hunk: Hunk, side: Side) -> Iterator[tuple[int, int]]:
    """For each changed line of a hunk, the lines around its place on one side."""
    start, count = (hunk.old_start, hunk.old_count) if side is Side.OLD else (hunk.new_start, hunk.new_count)
    last = start - 1 if count else start
    for line in hunk.lines:
        here = line.old if side is Side.OLD else line.new
        last = last if here is None else here
        if line.tag != " ":
            # A line that this side does not have stands between `last` and the next.
            yield (last - CONTEXT, last + CONTEXT) if here is not None else (last - CONTEXT + 1, last + CONTEXT)
