"""What a review remembers as it begins, and which run it goes on with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from review_agent import diff
from review_agent.errors import RecordError
from review_agent.git import Git
from review_agent.journal import JOURNAL_FILE, Journal, fault
from review_agent.memory.telling import Run, card_ids, heads
from review_agent.memory.verdicts import Memory, recall
from review_agent.runlog import fold, has_begun, is_from_elsewhere, newest_unfinished, read_events
from review_agent.stages.snapshot import Choice
from review_agent.vocabulary import Act, Answer, RunStatus, digest

__all__ = ["journal_records", "remembered", "standing_answers", "unfinished"]

_IDENTITY = ("base", "head", "mergeBase", "policyHash", "engine", "product", "options", "forgets")
"""What two runs have in common of which one may go on as the other: all that identifies a review but its memory."""


def remembered(state_dir: Path, git: Git, choice: Choice, identity: Mapping[str, Any], today: date) -> Memory:
    """The rejections in force that could matter to the change, and the review's round.

    ``identity`` is what identifies the review but for its memory. Raises RecordError where the journal is damaged.
    """
    records = journal_records(state_dir)
    memory = recall(records, today)
    if memory.rejections:
        memory = recall(records, today, diff.paths(git.raw_diff(choice.merge_base, choice.head)))
    stale = {one["cardId"] for one in records if one.get("kind") == "decision" and one["act"] == Act.MARK_STALE}
    while stale and _has_been(state_dir / "runs", digest({**identity, "memory": memory.digest}), stale):
        memory = replace(memory, round=memory.round + 1)
    return memory


def journal_records(state_dir: Path) -> list[dict[str, Any]]:
    """The journal's records, those left out that are damaged. Raises RecordError where a line is no record at all."""
    return [record for record in Journal(state_dir / JOURNAL_FILE).read() if not fault(record)]


def _has_been(runs: Path, review_id: str, stale: set[str]) -> bool:
    """Whether a card of this very review has gone stale, out of which nothing leads."""
    return any(not stale.isdisjoint(card_ids(path)) for path in runs.glob(f"*-{review_id[:12]}.jsonl"))


def unfinished(runs: Path, started: Mapping[str, Any]) -> Path | None:
    """The newest unfinished run of the review, which it goes on with; else of the same review with another memory.

    What plays a record begins anew each time, as its outcomes follow from the record alone. Raises RecordError where
    the run is live.
    """
    if started.get("plays"):
        return None
    own = newest_unfinished(runs, started["reviewId"])
    other = _begun(runs, started) if own is None else None
    return own if other is None else newest_unfinished(runs, other)


def _begun(runs: Path, started: Mapping[str, Any]) -> str | None:
    for run in _same(runs, started):
        if not run.ended:
            return str(run.started.get("reviewId"))
    return None


def standing_answers(runs: Path, started: Mapping[str, Any]) -> tuple[Answer, ...]:
    """The answers that stand of the newest run of the same review, where that ended incomplete: what it has no answer
    to is asked by a new run, and nothing else. What they cost was spent in that run."""
    newest = next((run for run in _same(runs, started) if not is_from_elsewhere(run.path)), None)
    if newest is None or not newest.ended or started.get("plays"):
        return ()
    try:
        state = fold(read_events(newest.path))
    except RecordError:
        return ()
    if state.ended is None or state.ended.get("status") != RunStatus.INCOMPLETE:
        return ()
    stands = (answer for answer in state.answers.values() if answer.failure is None)
    return tuple(answer.model_copy(update={"usage": None}) for answer in stands)


def _same(runs: Path, started: Mapping[str, Any]) -> Iterator[Run]:
    """The runs of the same review, newest first, whatever they remembered: none that plays what others have, and none
    that was killed before it had begun."""
    for run in reversed(heads(runs)):
        is_same = all(run.started.get(name) == started.get(name) for name in _IDENTITY)
        if is_same and not run.started.get("plays") and has_begun(run.path):
            yield run
