"""A reviewed run as text, JSON or outcomes, and the exit code it deserves."""

from __future__ import annotations

from review_agent.commands._common import page
from review_agent.pipeline import Reviewed
from review_agent.publish.data import json_text, outcomes_text
from review_agent.publish.text import review_text
from review_agent.stages.account import records
from review_agent.vocabulary import Bundle, FileChange, Phase, Question, ReviewDocument, RunStatus, Severity

__all__ = ["exit_code", "rendered"]

_EXITS = {RunStatus.COMPLETE: 0, RunStatus.INCOMPLETE: 3, RunStatus.WAITING: 4, RunStatus.INTERRUPTED: 130}


def rendered(reviewed: Reviewed, format: str, states: dict[str, str] | None = None) -> str:
    """The run in one of the formats ``text``, ``json``, ``outcomes``."""
    if format == "json":
        return json_text(reviewed.document)
    if format == "outcomes":
        return outcomes_text(reviewed.document)
    width, color = page()
    state = reviewed.state
    files = records(state, Phase.SNAPSHOT, "file", FileChange)
    return review_text(
        reviewed.document,
        questions={q.question_id: q for q in records(state, Phase.COMPILE, "question", Question)},
        bundles={b.question_id: b for b in records(state, Phase.COLLECT, "bundle", Bundle)},
        hunks={hunk.hunk_id: hunk for file in files for hunk in file.hunks},
        states=states or {},
        width=width,
        color=color,
    )


def exit_code(document: ReviewDocument, fail_on: str | None) -> int:
    """0 complete, 1 where the gate that was asked for trips, else 3 incomplete, 4 waiting, 130 interrupted."""
    order = list(Severity)
    if fail_on in list(map(str, order)):
        worst = [order.index(card.severity) for card in document.outcomes.cards]
        if worst and min(worst) <= order.index(Severity(fail_on)):
            return 1
    if fail_on == "incomplete" and document.run.status is not RunStatus.COMPLETE:
        return 1
    return _EXITS[document.run.status]
