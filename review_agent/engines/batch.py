"""Requests go out as a file and answers come back as one: a coding assistant, a person or a batch queue is the model.

The file is OpenAI's Batch API input. What is not answered yet is pending; the run stops and is gone on with when the
answers are there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from review_agent.appendlog import refused
from review_agent.counting import counted
from review_agent.engines.batch_lines import Brought, brought
from review_agent.engines.batch_room import PRICED, Room
from review_agent.engines.bodies import messages
from review_agent.engines.failures import CAUSES, Fault
from review_agent.engines.messages import prompt
from review_agent.engines.prices import price_of, version
from review_agent.engines.prices import usage as usage_at
from review_agent.engines.replies import read
from review_agent.engines.spend import Budget, no_room
from review_agent.policy.model import Policy
from review_agent.vocabulary import (
    Answer,
    Call,
    EngineRole,
    Pending,
    Request,
    UnansweredCause,
    Usage,
    digest,
)

__all__ = ["UNNAMED", "Batch"]

UNNAMED = "unnamed"
"""The model where nobody says which one answers."""


class Batch:
    """``folder`` is where request files go, ``answers`` the files that answers are read from.

    ``written`` names the request files of this attempt; ``notices`` says what of the answers was not used.
    """

    def __init__(self, policy: Policy, *, model: str, folder: Path, answers: Sequence[Path] = ()) -> None:
        """Raises UsageError, with file and line, for a file of answers that cannot be read."""
        self._policy, self._model, self._folder = policy, model or UNNAMED, folder
        self._room = Room(policy, self._model)
        self._brought: dict[str, Brought] = {}
        self._doubled = 0
        for one in brought(answers):
            self._doubled += one.request_id in self._brought
            self._brought.setdefault(one.request_id, one)
        self._unused = set(self._brought)
        self.written: list[Path] = []

    @property
    def identity(self) -> str:
        engine = self._policy.engine
        asked = [engine.temperature, engine.seed, engine.language, engine.max_tokens.wire()]
        return f"batch:{self._model}/{digest([*asked, self._policy.prompts.wire()])[:12]}"

    @property
    def roles(self) -> frozenset[EngineRole]:
        return frozenset(EngineRole)

    @property
    def notices(self) -> list[str]:
        """What a person who brought the answers has to know of those that were passed over."""
        found = []
        if self._doubled:
            found.append(f"{counted(self._doubled, 'answer')} to a request that another line answers: the first counts")
        if self._unused:
            said = "answered before, without room in the run's budget, or no request of this run"
            found.append(f"{counted(len(self._unused), 'answer')} not asked for now: {said}")
        return found

    def begin(self, calls: Sequence[Call], *, torn: Sequence[int]) -> None:
        """What earlier attempts read counts. ``torn`` counts for nothing: no call is in flight from here."""
        self._room.begin(calls)

    @property
    def budget(self) -> Budget:
        """What this run has spent."""
        return self._room.budget

    def answer(self, requests: Sequence[Request]) -> Iterator[Answer | Pending | Call]:
        """What the budget has no room for, then what is answered, then the others: their file is written before the
        first of them is pending.

        Room is given by size and order alone, to a request whose answer was brought as to any other, and what has
        none is told first, before an answer gives anything back: so the same requests are refused, and recorded so
        for good in this run, whichever answers come first, in one go or in several, and wherever a run was killed.
        """
        without = self._room.reserve(requests)
        yield from (self._refused(one, without[one.request_id]) for one in requests if one.request_id in without)
        open_ = []
        for request in requests:
            if request.request_id in without:
                continue
            if request.request_id in self._brought:
                self._unused.discard(request.request_id)
                yield from self._read(request, self._brought[request.request_id])
            else:
                open_.append(request)
        self.written += [self._write(role, [one for one in open_ if one.role is role]) for role in _roles(open_)]
        yield from (Pending(request_id=request.request_id) for request in open_)

    def _read(self, request: Request, line: Brought) -> Iterator[Answer | Call]:
        found = line.said if isinstance(line.said, Fault) else read(request, line.said, self.identity)
        price = price_of(self._policy.prices, f"{PRICED}{self._model}", datetime.now(UTC).date())
        usage = usage_at(price, line.tokens)
        error = found.error if isinstance(found, Fault) else None
        raw_usage = self._room.settle(request, line, error)
        yield Call(
            request_id=request.request_id,
            number=1,
            model=line.model or self._model,
            error=error,
            status=line.status,
            detail=found.detail,
            usage=usage,
            raw_usage=raw_usage,
            price_version=version(price),
            form=line.form,
        )
        yield (
            self._failed(request, found, usage)
            if isinstance(found, Fault)
            else found.model_copy(update={"usage": usage})
        )

    def _failed(self, request: Request, fault: Fault, usage: Usage | None) -> Answer:
        return Answer(
            request_id=request.request_id,
            engine=self.identity,
            failure=CAUSES[fault.error],
            detail=f"{fault.error.value}: {fault.detail}" if fault.detail else fault.error.value,
            usage=usage,
        )

    def _refused(self, request: Request, cause: UnansweredCause) -> Answer:
        return Answer(request_id=request.request_id, engine=self.identity, failure=cause, detail=no_room(cause))

    def _write(self, role: EngineRole, requests: Sequence[Request]) -> Path:
        """The requests as one file, named by what is in it: asked again, it is the same file.

        Raises StorageFullError or RecordError.
        """
        path = self._folder / f"{role.value}-{digest([one.request_id for one in requests])[:8]}.jsonl"
        partial = path.with_name(f".{path.name}.partial")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            partial.write_bytes("".join(map(self._line, requests)).encode("ascii"))
            partial.replace(path)
        except OSError as error:
            raise refused(error, path) from error
        return path

    def _line(self, request: Request) -> str:
        asked, engine = prompt(request, self._policy), self._policy.engine
        schema = {"name": asked.schema_name, "strict": True, "schema": asked.schema}
        body: dict[str, Any] = {
            "model": self._model,
            "messages": messages(asked, self._policy),
            "max_tokens": asked.max_tokens,
            "temperature": engine.temperature,
            "response_format": {"type": "json_schema", "json_schema": schema},
            **({} if engine.seed is None else {"seed": engine.seed}),
        }
        line = {"custom_id": request.request_id, "method": "POST", "url": "/v1/chat/completions", "body": body}
        # In ASCII, so that no character of the change is taken for a line's end by whoever reads the file.
        return json.dumps(line) + "\n"


def _roles(requests: Sequence[Request]) -> list[EngineRole]:
    return [role for role in EngineRole if any(one.role is role for one in requests)]
