"""What follows from runs that have ended, here or elsewhere: cards settled, samples drawn, minutes cut."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import date
from pathlib import Path

from review_agent.counting import counted
from review_agent.errors import RecordError
from review_agent.memory import audit, minutes
from review_agent.memory.lines import IsAncestor
from review_agent.memory.settle import REOPENED, settle
from review_agent.policy.model import Policy

__all__ = ["after"]


def after(
    state_dir: Path,
    runs: Sequence[Path],
    policy: Policy,
    today: date,
    *,
    is_ancestor: IsAncestor = lambda older, newer: False,
) -> list[str]:
    """Writes to the journal what ended runs say of earlier cards, which samples they give, and which cards the day's
    minutes do not reach; the same runs a second time add nothing. ``today`` is the UTC date.

    Returns, in words, what is asked about again, what is displaced, and what could not be written: the runs are
    recorded all the same, and the next call makes up for it.
    """
    try:
        decided = settle(state_dir, runs, today, is_ancestor=is_ancestor)
        audit.draw(state_dir, runs, policy)
    except RecordError as error:
        return [f"earlier cards are not settled yet, the next review does it: {error.message}: {error.where}"]
    again = [one for one in decided if (one.comment or "").startswith(REOPENED)]
    told = [f"{(one.successor or one.card_id)[:8]} {one.comment}" for one in again]
    # A ledger that cannot be had is told of by whoever takes the runs in; the minutes can wait for it.
    with suppress(RecordError):
        displaced = minutes.record(state_dir, policy.queue, today)
        if displaced is not None:
            number = counted(len(displaced.displaced), "card")
            told.append(f"{number} more than today's {displaced.minutes:g} reviewer minutes reach: displaced, not lost")
    return told
