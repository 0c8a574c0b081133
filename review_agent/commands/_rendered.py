"""A reviewed run as text, JSON or outcomes, and the exit code it deserves."""

from __future__ import annotations

from collections.abc import Mapping

from review_agent.commands._common import page
from review_agent.counting import counted
from review_agent.pipeline import Reviewed
from review_agent.publish.data import json_text, outcomes_text
from review_agent.publish.text import review_text
from review_agent.stages.account import records
from review_agent.vocabulary import Bundle, CardState, FileChange, Phase, Question, ReviewDocument, RunStatus, Severity

__all__ = ["exit_code", "rendered"]

_EXITS = {RunStatus.COMPLETE: 0, RunStatus.INCOMPLETE: 3, RunStatus.WAITING: 4, RunStatus.INTERRUPTED: 130}


def rendered(reviewed: Reviewed, format: str, states: Mapping[str, str] | None = None, *, details: bool = False) -> str:
    """The run in one of the formats ``text``, ``json``, ``outcomes``; ``details`` is of text alone."""
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
        details=details,
    )


def exit_code(document: ReviewDocument, fail_on: str | None, states: Mapping[str, str]) -> tuple[int, str]:
    """The exit code, and in words why it is 1: 0 complete, 1 where the gate that was asked for trips, else 3
    incomplete, 4 waiting, 130 interrupted. A card that a person has rejected trips no gate."""
    order = list(Severity)
    standing = [card for card in document.outcomes.cards if states.get(card.card_id) != CardState.REJECTED]
    if fail_on in list(map(str, order)):
        grave = [card for card in standing if order.index(card.severity) <= order.index(Severity(fail_on))]
        if grave:
            names = ", ".join(card.card_id[:8] for card in grave)
            return 1, f"gate --fail-on {fail_on}: {counted(len(grave), 'card')} of that severity or above: {names}"
    if fail_on == "incomplete" and document.run.status is not RunStatus.COMPLETE:
        return 1, f"gate --fail-on incomplete: this run is {document.run.status}"
    return _EXITS[document.run.status], ""
