"""What a run log establishes: its events read, and folded to the state that a new attempt goes on from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from review_agent import appendlog
from review_agent.errors import RecordError
from review_agent.vocabulary import Answer, Call, CallError, Event, Phase, RunStatus, digest

__all__ = ["IDENTITY", "Following", "RunState", "fold", "read_events", "review_id"]


IDENTITY = ("base", "head", "mergeBase", "policyHash", "engine", "product", "options", "memory")
"""What of ``run_started`` a review is told apart by."""


def review_id(started: Mapping[str, Any]) -> str:
    """The reviewId that what ``run_started`` says comes to. Raises KeyError where it lacks a part of the identity."""
    return digest({name: started[name] for name in IDENTITY})


@dataclass
class Left:
    """What one attempt asked and has no answer to, by request id. ``told``: its last call is recorded as cut off, and
    so is each that was in flight beside it."""

    requests: set[str] = field(default_factory=set)
    told: bool = False


@dataclass
class RunState:
    """What a run log establishes: the state a new attempt goes on from.

    ``records`` holds, for each phase that ended, the events of the attempt that ended it first. ``answers`` are those
    of all attempts, by request id, the first one of each; ``taken`` are the requests whose answers stand of an earlier
    run; ``asked`` is the question of every request, ``roles`` its role, ``calls`` what
    each try came to, of all attempts. ``stopped`` is null once a later attempt has started. ``torn``: of each attempt
    before the newest that was killed, or stopped so that calls in flight may be in no record, how many requests it left
    open; ``left``: what the newest leaves open so far.
    """

    started: dict[str, Any]
    completed: set[Phase] = field(default_factory=set)
    records: dict[Phase, list[Event]] = field(default_factory=dict)
    answers: dict[str, Answer] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    asked: dict[str, str] = field(default_factory=dict)
    roles: dict[str, str] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    attempts: list[str] = field(default_factory=list)
    torn: list[int] = field(default_factory=list)
    left: Left = field(default_factory=Left)
    ended: dict[str, Any] | None = None
    stopped: dict[str, Any] | None = None
    last_seq: int = -1

    @property
    def open(self) -> dict[str, list[str]]:
        """The requests that have no answer, by role, in the order they were asked."""
        found: dict[str, list[str]] = {}
        for request_id, role in self.roles.items():
            if request_id not in self.answers:
                found.setdefault(role, []).append(request_id)
        return found


def read_events(path: Path) -> Iterator[Event]:
    """The events of a run log, a torn tail left out.

    Raises RecordError for a line that is no event or whose ``seq`` does not follow on the line before, naming it.
    """
    yield from (_event_at(path, seq, record) for seq, record in enumerate(appendlog.read(path)))


def _event_at(path: Path, seq: int, record: dict[str, Any]) -> Event:
    event = _event(record, f"{path}:{seq + 1}")
    if event.seq != seq:
        raise RecordError(
            f"events are missing or out of order: this line has seq {event.seq}, {seq} comes next",
            where=f"{path}:{seq + 1}",
            hint="restore the file from a copy, or move it out of the folder and run the review again",
        )
    return event


def _event(record: dict[str, Any], where: str) -> Event:
    try:
        return Event.model_validate(record)
    except ValidationError as error:
        raise RecordError(
            f"a line is not a run log event: {error.errors()[0]['msg']}",
            where=where,
            hint="the file was written by another product or version, or edited",
        ) from error


def fold(events: Iterable[Event]) -> RunState:
    """Folds events, in order, to the resumable state. Raises RecordError when the first is not ``run_started``."""
    folding = _Folding()
    for event in events:
        folding.take(event)
    return folding.state


class Following:
    """The state of a run log that grows: each ``state`` reads on from where the last one ended."""

    def __init__(self, path: Path) -> None:
        self._path, self._end, self._lines = path, 0, 0
        self._folding = _Folding()

    def state(self) -> RunState:
        """The state now; the one given before is brought up to date. Raises RecordError."""
        for record, end in appendlog.read_on(self._path, self._end, self._lines):
            self._folding.take(_event_at(self._path, self._lines, record))
            self._end, self._lines = end, self._lines + 1
        return self._folding.state


class _Folding:
    """Events on their way to a state."""

    def __init__(self) -> None:
        self._state: RunState | None = None
        self._open: dict[tuple[str, Phase], list[Event]] = {}

    @property
    def state(self) -> RunState:
        if self._state is None:
            raise RecordError("the run log holds no whole event", hint="delete the file; the run can be started again")
        return self._state

    def take(self, event: Event) -> None:
        if self._state is None:
            self._state = RunState(started=_started(event))
        self._state.last_seq = event.seq
        try:
            _take_run_event(self._state, event)
        except (KeyError, TypeError, ValidationError) as error:
            message = f"event {event.seq} is no {event.type} of this version: {type(error).__name__}"
            raise RecordError(message, hint="the file was written by another version, or edited") from error
        if event.phase is not None:
            _take_phase_event(self._state, self._open, event, event.phase)


def _started(event: Event) -> dict[str, Any]:
    if event.type != "run_started":
        raise RecordError(f"a run log starts with run_started, not {event.type}")
    return event.data


def _take_run_event(state: RunState, event: Event) -> None:
    if event.type == "attempt_started":
        state.torn += [len(state.left.requests)] if _may_lack_calls(state) else []
        state.attempts.append(event.attempt)
        state.stopped, state.left = None, Left()
    elif event.type == "run_stopped":
        state.stopped = event.data
    elif event.type == "run_ended":
        state.ended = event.data
    elif event.type == "request":
        state.asked[event.data["requestId"]] = event.data["questionId"]
        state.roles[event.data["requestId"]] = str(event.data.get("role", ""))
        if event.data["requestId"] not in state.taken:
            state.left.requests.add(event.data["requestId"])
    elif event.type == "answer":
        answer = Answer.model_validate(event.data)
        state.answers.setdefault(answer.request_id, answer)
        if event.phase is None:
            state.taken.add(answer.request_id)
        state.left.requests.discard(answer.request_id)
    elif event.type == "call":
        state.calls.append(Call.model_validate(event.data))
        state.left.told = state.calls[-1].error is CallError.INTERRUPTED


def _may_lack_calls(state: RunState) -> bool:
    """Whether the last attempt may have had calls in flight that are in no record: it was killed, or Ctrl-C met it
    while it wrote."""
    if not state.left.requests:
        return False
    if state.stopped is None:
        return True
    return state.stopped.get("status") == RunStatus.INTERRUPTED and not state.left.told


def _take_phase_event(
    state: RunState, open_phases: dict[tuple[str, Phase], list[Event]], event: Event, phase: Phase
) -> None:
    key = (event.attempt, phase)
    if event.type == "phase_started":
        open_phases[key] = []
    elif event.type == "phase_ended":
        written = open_phases.pop(key, [])
        if phase not in state.completed:
            state.completed.add(phase)
            state.records[phase] = written
    else:
        open_phases.setdefault(key, []).append(event)
