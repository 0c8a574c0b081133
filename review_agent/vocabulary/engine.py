"""The protocol between pipeline and engines: requests, answers and pending answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol, Self

from pydantic import model_validator

from review_agent.vocabulary.base import Record
from review_agent.vocabulary.codes import EngineRole, UnansweredCause
from review_agent.vocabulary.evidence import Bundle
from review_agent.vocabulary.question import Question

__all__ = [
    "Answer",
    "Engine",
    "Pending",
    "Request",
    "SynthesizePayload",
    "Usage",
]


class SynthesizePayload(Record):
    question: Question
    bundle: Bundle


class Request(Record):
    """``requestId`` is the digest of role, questionId and payload: the same request has the same id in every run."""

    request_id: str
    role: EngineRole
    question_id: str
    payload: SynthesizePayload


class Usage(Record):
    prompt_tokens: int | None
    completion_tokens: int | None
    cached_tokens: int | None
    cost_usd: float | None


class Answer(Record):
    """An engine's answer, untrusted: drafts and no-finding are raw data until the contract has read them.

    Exactly one of ``drafts`` (non-empty), ``noFinding`` and ``failure`` is set.
    """

    request_id: str
    engine: str
    drafts: tuple[dict[str, Any], ...] = ()
    no_finding: dict[str, Any] | None = None
    failure: UnansweredCause | None = None
    detail: str = ""
    usage: Usage | None = None

    @model_validator(mode="after")
    def _one_of_three(self) -> Self:
        said = (bool(self.drafts), self.no_finding is not None, self.failure is not None)
        if sum(said) != 1:
            raise ValueError("an answer is drafts, a no-finding or a failure: exactly one of them")
        return self


class Pending(Record):
    """The request was taken and its answer will come later; the run stops as ``waiting``."""

    request_id: str


class Engine(Protocol):
    """Answers requests. ``identity`` names engine and everything that changes its answers (model, prompt version)."""

    @property
    def identity(self) -> str: ...

    @property
    def roles(self) -> frozenset[EngineRole]: ...

    def answer(self, requests: Sequence[Request]) -> Iterator[Answer | Pending]:
        """Yield one Answer or Pending for each request, in any order, as they come."""
        ...
