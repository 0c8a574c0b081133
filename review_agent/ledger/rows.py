"""Run log and journal to ledger rows: pure, so that the live ledger and a rebuilt one cannot differ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from pydantic import ValidationError

from review_agent.errors import RecordError
from review_agent.journal import fault
from review_agent.runlog import RunState, fold
from review_agent.vocabulary import Event, Phase

__all__ = ["Row", "journal_rows", "run_rows"]

Row = dict[str, Any]
_Placed = tuple[str, Row]


def run_rows(run_file: str, events: Sequence[Event]) -> dict[str, list[Row]]:
    """The rows of one run by table. Of a phase only what counts is taken: see docs/run-log.md.

    Raises RecordError when the events are not those of a run.
    """
    try:
        return _numbered(run_file, _all_rows(events))
    except (KeyError, TypeError, AttributeError, ValidationError) as error:
        raise RecordError(
            f"the run log holds a record of another shape: {error!r}", where=run_file, hint="was it edited by hand?"
        ) from error


def journal_rows(records: Iterable[tuple[int, Mapping[str, Any]]]) -> dict[str, list[Row]]:
    """The rows of journal records by table, each record with its place; one that is none is a row of the faults."""
    tables: dict[str, list[Row]] = defaultdict(list)
    for position, record in records:
        if text := fault(record):
            tables["journal_faults"].append({"position": position, "detail": text})
        elif record["kind"] in _JOURNAL:
            table, row = _JOURNAL[record["kind"]]
            tables[table].append({"position": position, **row(record), "data": record})
    return dict(tables)


def _decision(record: Mapping[str, Any]) -> Row:
    names = ("decisionId", "cardId", "cardVersion", "fingerprint", "act", "reasonCode", "comment", "reviewer")
    later = ("layer", "evidence", "seconds", "until", "batch", "successor", "proof")
    return {"decided_at": record["at"], **_picked(record, *names, *later)}


def _sample(record: Mapping[str, Any]) -> Row:
    names = ("sampleId", "runFile", "questionId", "source", "share")
    return {"sampled_at": record["at"], **_picked(record, *names), "card_id": record["card"].get("cardId")}


def _displaced(record: Mapping[str, Any]) -> Row:
    return {"displaced_at": record["at"], **_picked(record, "day", "minutes", "shown", "displaced")}


def _replay(record: Mapping[str, Any]) -> Row:
    names = ("replayId", "engine", "policyHash", "product", "source", "found", "defects", "silent", "clean", "failed")
    return {"replayed_at": record["at"], **_picked(record, *names)}


_JOURNAL: Mapping[str, tuple[str, Callable[[Mapping[str, Any]], Row]]] = {
    "decision": ("decisions", _decision),
    "sample": ("samples", _sample),
    "displaced": ("displaced", _displaced),
    "replay": ("replays", _replay),
}


def _numbered(run_file: str, placed: Iterable[_Placed]) -> dict[str, list[Row]]:
    tables: dict[str, list[Row]] = defaultdict(list)
    for table, row in placed:
        tables[table].append({"run_file": run_file, "position": len(tables[table]), **row})
    return dict(tables)


def _all_rows(events: Sequence[Event]) -> Iterator[_Placed]:
    state = fold(events)
    yield "runs", _run(state, events)
    yield from (("attempts", row) for row in _attempts(events))
    yield from (("phases", row) for row in _phases(events))
    risks = {event.data["questionId"]: event.data["risk"] for event in _counted(state) if event.type == "question"}
    for event in _counted(state):
        yield from _event_rows(event, risks)
    yield from (("answers", row) for row in _answers(state, events))
    yield from (("calls", row) for row in _calls(events))


def _counted(state: RunState) -> Iterator[Event]:
    for phase in Phase:
        yield from state.records.get(phase, ())


def _run(state: RunState, events: Sequence[Event]) -> Row:
    ended = state.ended or {}
    status = (state.ended or state.stopped or {}).get("status")
    names = ("reviewId", "engine", "policyHash", "policySource", "product", "base", "head", "mergeBase", "chosen")
    return {
        **_picked(state.started, *names, "options"),
        "started_at": events[0].at,
        "ended_at": next((event.at for event in events if event.type == "run_ended"), None),
        "attempts": len(state.attempts),
        "status": status,
        **_picked(ended, "coverage", "spend"),
    }


def _attempts(events: Iterable[Event]) -> list[Row]:
    found: dict[str, Row] = {}
    for event in events:
        row = found.setdefault(event.attempt, {"attempt": event.attempt, "started_at": event.at, "phases": []})
        row["last_at"] = event.at
        if event.type == "phase_ended":
            row["phases"].append(event.phase)
    return list(found.values())


def _phases(events: Iterable[Event]) -> list[Row]:
    """Each phase of each attempt: when it began, when it ended (null where it did not), and what it wrote."""
    found: dict[tuple[str, Phase], Row] = {}
    for event in events:
        if event.phase is None:
            continue
        key = (event.attempt, event.phase)
        empty = {"attempt": event.attempt, "phase": event.phase, "started_at": event.at, "ended_at": None, "events": 0}
        row = found.setdefault(key, empty)
        if event.type == "phase_ended":
            row["ended_at"] = event.at
        elif event.type != "phase_started":
            row["events"] += 1
    return list(found.values())


def _calls(events: Sequence[Event]) -> Iterator[Row]:
    """Every call of every attempt: what was spent is spent, however the attempt ended."""
    asked = _requests(events)
    for event in events:
        if event.type == "call":
            data = event.data
            row = _row(data, "requestId", "number", "model", "form", "error", "status", "priceVersion", "milliseconds")
            usage = _picked(data.get("usage") or {}, "promptTokens", "completionTokens", "cachedTokens", "costUsd")
            request = _asked(asked.get(data.get("requestId"), {}))
            yield {**request, "called_at": event.at, "attempt": event.attempt, **usage, **row}


def _requests(events: Iterable[Event]) -> Mapping[Any, Mapping[str, Any]]:
    return {event.data.get("requestId"): event.data for event in events if event.type == "request"}


def _answers(state: RunState, events: Iterable[Event]) -> Iterator[Row]:
    asked = _requests(events)
    for request_id, answer in state.answers.items():
        request = asked.get(request_id, {})
        yield {**_picked(answer.wire(), "requestId", "engine", "failure"), **_asked(request), "data": answer.wire()}


def _asked(request: Mapping[str, Any]) -> Row:
    return {"question_id": request.get("questionId"), "role": request.get("role")}


def _event_rows(event: Event, risks: Mapping[str, int]) -> Iterator[_Placed]:
    data = event.data
    if event.type == "file":
        yield "files", _row(data, "path", "oldPath", "status")
        yield from (("hunks", _row(hunk, "hunkId", "path")) for hunk in data["hunks"])
    elif event.type == "bundle":
        yield from _bundle_rows(data)
    elif event.type == "card":
        if not isinstance(data["cardId"], str):
            raise TypeError("cardId is no word")
        anchor = {"path": data["diffAnchor"]["path"], "line": data["diffAnchor"]["startLine"]}
        yield "cards", {**_row(data, *_CARD), **anchor, "risk": risks.get(data["questionId"])}
    elif event.type == "rejection":
        codes = [reason["code"] for reason in data["reasons"]]
        yield "rejections", {**_row(data, "questionId", "ordinal", "changeKind"), "codes": codes}
    elif event.type == "failed_file":
        yield "failed_files", _picked(data, "path", "detail")
    elif event.type == "failure":
        yield "failures", _picked(data, "what", "name", "path", "detail")
    elif event.type in _PLAIN:
        table, names = _PLAIN[event.type]
        yield table, _row(data, *names)


def _bundle_rows(data: Mapping[str, Any]) -> Iterator[_Placed]:
    question = {"question_id": data["questionId"]}
    yield "bundles", {**question, **_picked(data, "leftOut", "spent")}
    for result in data["queries"]:
        row = _row(result, "status", "hits", "resolved", "ambiguous", "unresolved", "truncated")
        yield "queries", {**question, **_picked(result["query"], "kind", "name"), **row}
    for evidence in data["evidence"]:
        place = _picked(evidence["ref"], "role", "path", "startLine", "endLine")
        yield "evidence", {**question, **place, **_row(evidence, "query", "origin")}


_CARD = (
    "cardId",
    "cardVersion",
    "fingerprint",
    "questionId",
    "rule",
    "changeKind",
    "severity",
    "confidence",
    "modelMayPost",
    "claim",
)
_PLAIN = {
    "edit": ("edits", ("editId", "hunkId", "op", "path", "scope", "subject")),
    "question": ("questions", ("questionId", "kind", "rule", "hunkId", "path", "risk")),
    "no_finding": ("no_findings", ("questionId", "rule", "changeKind", "code", "path", "line")),
    "unanswered": ("unanswered", ("questionId", "cause")),
    "suppressed": ("suppressed", ("questionId", "fingerprint", "decisionId")),
    "skipped": ("skipped", ("path", "hunkId", "questionId", "rule")),
}


def _row(data: Mapping[str, Any], *names: str) -> Row:
    """The named fields as columns, beside the whole record."""
    return {**_picked(data, *names), "data": data}


def _picked(data: Mapping[str, Any], *names: str) -> Row:
    return {_column(name): data.get(name) for name in names}


@cache
def _column(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)
