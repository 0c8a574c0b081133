"""Plays earlier answers by request: from run logs alone, with no network; what was never answered is unanswered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pydantic import ValidationError

from review_agent.errors import RecordError, UsageError
from review_agent.runlog import read_events
from review_agent.vocabulary import Answer, Call, EngineRole, Event, Pending, Request, UnansweredCause

__all__ = ["Recorded"]

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
        only_rules = self._identity.startswith("rules/") and "+" not in self._identity
        return frozenset({EngineRole.SYNTHESIZE} if only_rules else EngineRole)

    def begin(self, calls: Sequence[Call], *, torn: bool) -> None:
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
        engine = _engine(next(events, None), log)
        for event in events:
            if event.type == "answer":
                answer = _answer(event, log).model_copy(update={"usage": None})
                self._answers.setdefault(answer.request_id, answer)
        return engine


def _answer(event: Event, log: Path) -> Answer:
    try:
        return Answer.model_validate(event.data)
    except ValidationError as error:
        hint = "the file was written by another version, or edited"
        raise RecordError("an answer has another shape", where=f"{log}:{event.seq + 1}", hint=hint) from error


def _engine(first: Event | None, log: Path) -> str:
    if first is None or first.type != "run_started" or not isinstance(first.data.get("engine"), str):
        raise UsageError("this is no run log", where=str(log), hint="name files of .review-agent/runs, or a folder")
    return str(first.data["engine"])


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
