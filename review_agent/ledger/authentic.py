"""Whether a run log is whole in itself: every record of its kind, every identity as its content says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from review_agent.errors import RecordError
from review_agent.runlog import fold
from review_agent.runstate import review_id
from review_agent.vocabulary import (
    Answer,
    Bundle,
    Call,
    ContextItem,
    Coverage,
    Edit,
    Event,
    FailedFile,
    Failure,
    FileChange,
    NoFinding,
    Phase,
    Question,
    Record,
    Rejection,
    Remembered,
    ReviewEvidenceCard,
    RunStatus,
    Skipped,
    Spend,
    Suppressed,
    Unanswered,
    digest,
)

__all__ = ["check", "outcomes_of"]

_MODELS: Mapping[str, type[Record]] = {
    "file": FileChange,
    "edit": Edit,
    "question": Question,
    "skipped": Skipped,
    "failed_file": FailedFile,
    "failure": Failure,
    "bundle": Bundle,
    "answer": Answer,
    "call": Call,
    "passed": ReviewEvidenceCard,
    "card": ReviewEvidenceCard,
    "rejection": Rejection,
    "no_finding": NoFinding,
    "unanswered": Unanswered,
    "suppressed": Suppressed,
    "context": ContextItem,
    "refused_draft": Rejection,
}
_MOST_DRAFTS = 2
_OUTCOMES = ("card", "no_finding", "rejection", "suppressed", "skipped")
_WORDS: Mapping[str, tuple[str, ...]] = {
    "request": ("requestId", "questionId"),
    "line_facts_only": ("path",),
    "engine_failed": ("detail",),
}
"""The words that an event without a record of its own must have."""


def check(events: Sequence[Event]) -> None:
    """Raises RecordError, with the line at fault where it is one, for a run log that does not hold together."""
    if not events:
        raise RecordError("it holds no whole event")
    state = fold(events)
    _check_identity(state.started)
    for number, event in enumerate(events, 1):
        try:
            _check_event(event, str(state.started["reviewId"]))
        except (ValidationError, ValueError, KeyError, TypeError) as error:
            raise RecordError(f"{event.type}: {_said(error)}", where=f"event:{number}") from error
    _check_whole(state.records)
    _check_no_findings(events)


def outcomes_of(events: Sequence[Event]) -> dict[str, list[str]] | None:
    """Digests of how a run's questions ended, by the name of the outcome; null where the run did not end complete."""
    if not any(event.type == "run_ended" and event.data.get("status") == RunStatus.COMPLETE for event in events):
        return None
    records = fold(events).records
    every = [event for phase in Phase for event in records.get(phase, ())]
    return {name: sorted(digest(event.data) for event in every if event.type == name) for name in _OUTCOMES}


def _said(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return f"it lacks {error}" if isinstance(error, KeyError) else str(error)


def _check_identity(started: Mapping[str, Any]) -> None:
    try:
        expected = review_id(started)
    except KeyError as error:
        raise RecordError(f"run_started lacks {error}", where="event:1") from error
    if started.get("reviewId") != expected:
        message = "its reviewId is not that of the commits, policy, engine and options that it names"
        raise RecordError(message, where="event:1")
    texts = [started[name] for name in ("base", "head", "mergeBase", "policyHash", "engine", "product")]
    texts += [started.get(name) for name in ("policySource", "chosen")]
    texts += _line_words(started.get("line", {}))
    _check_memory(started.get("remembered", {}))
    if not all(isinstance(text, str) for text in texts) or not isinstance(started["options"], dict):
        raise RecordError("run_started is of another shape", where="event:1")


def _check_memory(remembered: object) -> None:
    """What a run says it remembered as it began: whoever goes on with it, or explains it, reads that."""
    try:
        if not isinstance(remembered, dict) or not isinstance(remembered.get("round", 0), int):
            raise ValueError("it is no memory")
        for one in remembered.get("rejections", ()):
            Remembered.model_validate(one)
    except (ValueError, TypeError) as error:
        raise RecordError(f"remembered: {_said(error)}", where="event:1") from error


def _line_words(line: object) -> list[object]:
    """What a run says of its line of development: words, one of them null where nothing has a name."""
    return [line.get("of") or "", line.get("scope", "")] if isinstance(line, dict) else [line]


def _check_event(event: Event, review: str) -> None:
    if event.type in _MODELS:
        _MODELS[event.type].model_validate(event.data)
    if event.type in ("card", "passed"):
        _check_card(event.data, review)
    elif event.type == "suppressed":
        _check_card(event.data["card"], review)
    elif event.type == "kinds":
        _check_kinds(event.data["asked"])
    elif event.type in _WORDS:
        for name in _WORDS[event.type]:
            if not isinstance(event.data[name], str):
                raise ValueError(f"{name} is no word")
    elif event.type == "run_stopped":
        RunStatus(event.data["status"])
    elif event.type == "run_ended":
        RunStatus(event.data["status"])
        Coverage.model_validate(event.data["coverage"])
        Spend.model_validate(event.data["spend"])


def _check_kinds(asked: object) -> None:
    if not isinstance(asked, list) or not all(isinstance(kind, str) for kind in asked):
        raise ValueError("asked is no list of change kinds")


def _check_card(card: Mapping[str, Any], review: str) -> None:
    ids = {
        digest({"reviewId": review, "questionId": card["questionId"], "ordinal": n})[:32] for n in range(_MOST_DRAFTS)
    }
    if card["cardId"] not in ids:
        raise ValueError("its cardId is not that of a card of this review and question")
    content = {name: value for name, value in card.items() if name != "cardVersion"}
    if card["cardVersion"] != digest(content)[:16]:
        raise ValueError("its cardVersion is not that of its content: it was edited")


def _check_whole(records: Mapping[Phase, Sequence[Event]]) -> None:
    """A card, also one that was kept silent, comes with question, bundle and hunk, or it could not be shown."""
    every = [event for phase in Phase for event in records.get(phase, ())]
    questions = {event.data["questionId"]: event.data["hunkId"] for event in every if event.type == "question"}
    bundles = {event.data["questionId"] for event in every if event.type == "bundle"}
    hunks = {hunk["hunkId"] for event in every if event.type == "file" for hunk in event.data["hunks"]}
    for event in every:
        if event.type in ("card", "suppressed"):
            asked = event.data["questionId"]
            if asked not in questions or asked not in bundles or questions[asked] not in hunks:
                card = event.data if event.type == "card" else event.data["card"]
                raise RecordError(f"the card {card['cardId'][:12]} lacks its question, bundle or hunk")


def _check_no_findings(events: Sequence[Event]) -> None:
    """A question that ended without a finding is told with its own rule and place, and what was searched for it."""
    questions = {event.data["questionId"]: event.data for event in events if event.type == "question"}
    bundles = {event.data["questionId"]: event.data for event in events if event.type == "bundle"}
    for number, event in enumerate(events, 1):
        asked = event.data.get("questionId", "")
        if event.type == "no_finding" and not (
            asked in questions and _fits(event.data, questions[asked], bundles.get(asked))
        ):
            message = "no_finding: it is not of the question and the evidence that this run has for it"
            raise RecordError(message, where=f"event:{number}")


def _fits(told: Mapping[str, Any], question: Mapping[str, Any], bundle: Mapping[str, Any] | None) -> bool:
    place = (question["rule"], question["kind"], question["path"], question["anchor"]["startLine"])
    searched = [one["searched"] for one in bundle["queries"]] if bundle else []
    said = (told["rule"], told["changeKind"], told["path"], told["line"])
    return said == place and all(one in searched for one in told["searched"])
