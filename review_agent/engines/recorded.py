"""Plays earlier answers by request: from run logs alone, with no network; what was never answered is unanswered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from review_agent.errors import RecordError, UsageError
from review_agent.runlog import read_events
from review_agent.vocabulary import (
    Answer,
    Call,
    ContextItem,
    EngineRole,
    Event,
    Pending,
    Record,
    Request,
    UnansweredCause,
    digest,
    only_rules,
)

__all__ = ["OF_HEAD", "Recorded"]

R = TypeVar("R", bound=Record)
OF_HEAD = ("commits", "instructions")
"""What of the context the head says itself: it is read from there anew, and the same."""

_MISSING = "no answer to this request is in the run logs given: change, policy or product differ from those recorded"
_SHOWN = 5


class Recorded:
    """Answers as the engine did whose runs are played, under its identity: so ids and outcomes are the same.

    A request that is in none of the logs ends as ``not_recorded``.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        """``paths`` are run logs, or folders of them. Raises UsageError where they are no runs of one engine, and
        RecordError where one cannot be read."""
        self._answers: dict[str, Answer] = {}
        self._said: dict[tuple[str, str], tuple[ContextItem, ...]] = {}
        engines: dict[str, Path] = {}
        for log in _logs(paths):
            engines.setdefault(self._read(log), log)
        if len(engines) > 1:
            raise UsageError(
                f"these are runs of {len(engines)} engines: {', '.join(list(engines)[:_SHOWN])}",
                where=", ".join(str(path) for path in list(engines.values())[:_SHOWN]),
                hint="play runs of one engine: name their run logs one by one",
            )
        self._identity = next(iter(engines))

    @property
    def identity(self) -> str:
        """That of the engine whose answers are played."""
        return self._identity

    @property
    def roles(self) -> frozenset[EngineRole]:
        """Those of the engine whose answers are played: the rules take one, what asks a model takes all."""
        return frozenset({EngineRole.SYNTHESIZE} if only_rules(self._identity) else EngineRole)

    def said(self, merge_base: str, head: str) -> tuple[ContextItem, ...]:
        """What people and tools had said about the change between these commits: it is a part of what was asked."""
        return self._said.get((merge_base, head), ())

    def begin(self, calls: Sequence[Call], *, torn: Sequence[int]) -> None:
        """Nothing is spent here."""

    def answer(self, requests: Sequence[Request]) -> Iterator[Answer | Pending | Call]:
        for request in requests:
            yield self._answers.get(request.request_id) or self._missing(request)

    def _missing(self, request: Request) -> Answer:
        return Answer(
            request_id=request.request_id,
            engine=self._identity,
            failure=UnansweredCause.NOT_RECORDED,
            detail=f"{request.role.value} request {request.request_id[:12]}: {_MISSING}",
        )

    def _read(self, log: Path) -> str:
        """Takes in the first answer to each request; returns the engine. What answers cost was spent then, not now."""
        events = read_events(log)
        started = _started(next(events, None), log)
        said: dict[str, ContextItem] = {}  # an attempt that was killed may have written an item twice
        for event in events:
            if event.type == "answer":
                answer = _record(Answer, event, log).model_copy(update={"usage": None})
                self._answers.setdefault(answer.request_id, answer)
            elif event.type == "context" and event.data.get("label") not in OF_HEAD:
                said[digest(event.data)] = _record(ContextItem, event, log)
        self._said.setdefault((str(started.get("mergeBase")), str(started.get("head"))), tuple(said.values()))
        return str(started["engine"])


def _record(kind: type[R], event: Event, log: Path) -> R:
    try:
        return kind.model_validate(event.data)
    except ValidationError as error:
        hint = "the file was written by another version, or edited"
        message = f"a record of type {event.type} has another shape"
        raise RecordError(message, where=f"{log}:{event.seq + 1}", hint=hint) from error


def _started(first: Event | None, log: Path) -> dict[str, Any]:
    if first is None or first.type != "run_started" or not isinstance(first.data.get("engine"), str):
        raise UsageError("this is no run log", where=str(log), hint="name files of .review-agent/runs, or a folder")
    return first.data


def _logs(paths: Iterable[Path]) -> list[Path]:
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(one for one in path.rglob("*.jsonl") if not one.name.startswith("."))
            if not inside:
                raise UsageError("the folder holds no run log", where=str(path), hint="run logs are files *.jsonl")
            found += inside
        elif path.is_file():
            found.append(path)
        else:
            raise UsageError("there is no such file or folder", where=str(path), hint="name a run log to play")
    if not found:
        raise UsageError("no run log is named to play", hint="give --recorded FILE, or a folder of run logs")
    return found
