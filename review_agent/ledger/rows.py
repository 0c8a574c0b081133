"""Run log to ledger rows: pure, so that the live ledger and a rebuilt one cannot differ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from review_agent.errors import RecordError
from review_agent.runlog import RunState, fold
from review_agent.vocabulary import Event, Phase

__all__ = ["Row", "decision_rows", "run_rows"]

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


def decision_rows(records: Iterable[Mapping[str, Any]], first: int) -> list[Row]:
    """Rows of the journal's decisions from position ``first`` on; other records are not the ledger's yet."""
    return [
        {
            "position": position,
            "decided_at": record.get("at"),
            **_picked(record, "decisionId", "cardId", "cardVersion", "fingerprint", "act"),
            **_picked(record, "reasonCode", "comment", "reviewer"),
            "data": record,
        }
        for position, record in enumerate(records)
        if position >= first and record.get("kind") == "decision"
    ]


def _numbered(run_file: str, placed: Iterable[_Placed]) -> dict[str, list[Row]]:
    tables: dict[str, list[Row]] = defaultdict(list)
    for table, row in placed:
        tables[table].append({"run_file": run_file, "position": len(tables[table]), **row})
    return dict(tables)


def _all_rows(events: Sequence[Event]) -> Iterator[_Placed]:
    state = fold(events)
    yield "runs", _run(state, events)
    yield from (("attempts", row) for row in _attempts(events))
    for phase in Phase:
        for event in state.records.get(phase, ()):
            yield from _event_rows(event)
    yield from (("answers", row) for row in _answers(state, events))


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


def _answers(state: RunState, events: Iterable[Event]) -> Iterator[Row]:
    asked = {event.data.get("requestId"): event.data for event in events if event.type == "request"}
    for request_id, answer in state.answers.items():
        request = asked.get(request_id, {})
        yield {**_picked(answer.wire(), "requestId", "engine", "failure"), **_asked(request), "data": answer.wire()}


def _asked(request: Mapping[str, Any]) -> Row:
    return {"question_id": request.get("questionId"), "role": request.get("role")}


def _event_rows(event: Event) -> Iterator[_Placed]:
    data = event.data
    if event.type == "file":
        yield "files", _row(data, "path", "oldPath", "status")
        yield from (("hunks", _row(hunk, "hunkId", "path")) for hunk in data["hunks"])
    elif event.type == "bundle":
        yield from _bundle_rows(data)
    elif event.type == "card":
        anchor = {"path": data["diffAnchor"]["path"], "line": data["diffAnchor"]["startLine"]}
        yield "cards", {**_row(data, *_CARD), **anchor}
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
    return {"".join(f"_{c.lower()}" if c.isupper() else c for c in name): data.get(name) for name in names}
