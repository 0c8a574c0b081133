"""Moments as people type them: a date, a time, or an age."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from review_agent.errors import UsageError

__all__ = ["HELP", "moment"]

HELP: Final = "a date (2026-11-30), a time, or an age (7d, 12h)"
_AGE = re.compile(r"(\d{1,5})([dh])")


def moment(text: str | None, option: str, now: datetime | None = None) -> str | None:
    """The moment in UTC, ISO 8601 to the millisecond, as records have it. Raises UsageError for what is none."""
    if text is None:
        return None
    age = _AGE.fullmatch(text.strip())
    try:
        if age is not None:
            back = timedelta(**{"days" if age[2] == "d" else "hours": int(age[1])})
            found = (now or datetime.now(UTC)) - back
        else:
            found = datetime.fromisoformat(text.strip())
        found = found.replace(tzinfo=found.tzinfo or UTC)
        return found.astimezone(UTC).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError):
        raise UsageError(f"{option} {text!r} is no date", hint=f"write {HELP}") from None
