"""How the panel says times, counts, places and states."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

__all__ = ["ago", "count", "day", "duration", "label", "moment", "place", "short", "span", "standing_word", "when"]

_SHORT = 8
_STEPS = ((60, "s"), (3600, "min"), (86_400, "h"))


def short(identity: str) -> str:
    """An id by its first characters."""
    return identity[:_SHORT]


def moment(at: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(at)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def ago(at: str | None, now: datetime | None = None) -> str:
    """How long ago a UTC time was: ``now``, ``5 min``, ``3 h``, ``2 d``."""
    found = moment(at or "")
    if found is None:
        return "—"
    seconds = ((now or datetime.now(UTC)) - found).total_seconds()
    if seconds < 60:
        return "now"
    return _in_units(seconds)


def duration(start: str | None, end: str | None) -> str:
    """The time between two UTC times, ``—`` where one is not known."""
    first, last = moment(start or ""), moment(end or "")
    if first is None or last is None:
        return "—"
    seconds = max(0.0, (last - first).total_seconds())
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else _in_units(seconds)


def span(seconds: float) -> str:
    """A number of seconds, to a tenth where it is short."""
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s" if seconds < 600 else f"{seconds / 60:.0f} min"


def _in_units(seconds: float) -> str:
    size = 1
    for limit, unit in _STEPS:
        if seconds < limit:
            return f"{seconds / size:.1f} {unit}" if size == 1 and seconds < 10 else f"{int(seconds // size)} {unit}"
        size = limit
    return f"{int(seconds // 86_400)} d"


def when(at: str | None) -> str:
    """A UTC time to the minute."""
    return (at or "—")[:16].replace("T", " ")


def day(at: str | None) -> str:
    return (at or "—")[:10]


def count(number: int, one: str, many: str = "") -> str:
    """``1 card``, ``3 cards``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def label(word: str) -> str:
    """A word of the vocabulary as a person reads it."""
    return word.replace("_", " ").replace("-", " ")


def standing_word(state: str) -> str:
    """A card's state in one or two words."""
    return "open" if state == "hidden" else label(state)


def place(ref: Mapping[str, Any]) -> str:
    """Path and lines of a reference."""
    last = f"–{ref['endLine']}" if ref["endLine"] != ref["startLine"] else ""
    return f"{ref['path']}:{ref['startLine']}{last}"
