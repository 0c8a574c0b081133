"""Reviewer minutes: so many cards a day as the policy has room for; the others are recorded as displaced, never lost.

The order is the queue's: severity, then the question's risk weighed with the share of its rule's cards accepted so far.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from review_agent.journal import JOURNAL_FILE, Journal
from review_agent.ledger.store import Ledger
from review_agent.memory.appending import appended
from review_agent.memory.telling import card_ids
from review_agent.policy.model import Queue
from review_agent.vocabulary import Displaced

__all__ = ["record", "room"]


def room(queue: Queue) -> int:
    """How many cards a day has room for; one at least."""
    return max(1, queue.minutes_per_day * 60 // queue.seconds_per_card)


def record(state_dir: Path, queue: Queue, today: date) -> Displaced | None:
    """Records which open cards the UTC date's minutes do not reach, once a day; null where there is nothing to record.

    Raises StorageFullError or RecordError where it cannot be written.
    """
    before = list(Journal(state_dir / JOURNAL_FILE).read())
    if _is_recorded(before, today) or not _could_be_more(state_dir / "runs", before, room(queue)):
        return None
    ids = Ledger(state_dir).open_cards()
    shown, displaced = ids[: room(queue)], ids[room(queue) :]
    if not displaced:
        return None
    made = Displaced(
        kind="displaced",
        at=datetime.now(UTC).isoformat(timespec="milliseconds"),
        day=today.isoformat(),
        minutes=float(queue.minutes_per_day),
        shown=tuple(shown),
        displaced=tuple(displaced),
    )
    told = appended(state_dir, lambda before: [] if _is_recorded(before, today) else [made.wire()])
    return made if told else None


def _could_be_more(runs: Path, records: Sequence[Mapping[str, Any]], room: int) -> bool:
    """Whether there may be more open cards than there is room for: told without the ledger, which takes longer."""
    seen = {str(one["card"].get("cardId")) for one in records if one.get("kind") == "sample"}
    for path in runs.glob("*.jsonl"):
        with suppress(OSError):
            seen |= card_ids(path).keys()
        if len(seen) > room:
            return True
    return False


def _is_recorded(records: Sequence[Mapping[str, Any]], today: date) -> bool:
    return any(one.get("kind") == "displaced" and one.get("day") == today.isoformat() for one in records)
