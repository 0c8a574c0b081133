"""The protocol between pipeline and engines: requests, answers, pending answers, and the calls they cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, Protocol, Self

from pydantic import Field, model_validator

from review_agent.vocabulary.base import Record
from review_agent.vocabulary.change import SourceRef
from review_agent.vocabulary.codes import CallError, ChangeKind, EngineRole, Role, UnansweredCause
from review_agent.vocabulary.evidence import Bundle, Evidence
from review_agent.vocabulary.outcomes import Effect
from review_agent.vocabulary.question import Question

__all__ = [
    "RULES_ENGINE",
    "AmendPayload",
    "Answer",
    "AskedQuestion",
    "Call",
    "CompilePayload",
    "ContextItem",
    "DiffGroup",
    "Engine",
    "Pending",
    "RefusedDraft",
    "RefutePayload",
    "Request",
    "SynthesizePayload",
    "Usage",
    "only_rules",
]

RULES_ENGINE = "rules/"
"""How the built-in engine names itself, before the product's version. One that stands behind it adds ``+`` and its own
name to the review's engine, not to its answers."""


def only_rules(engine: str) -> bool:
    """Whether an engine, as a review or an answer names it, is the built-in one alone: no model has any part in it."""
    return engine.startswith(RULES_ENGINE) and "+" not in engine


class ContextItem(Record):
    """What somebody says about the change: never obeyed, masked, cut to size. ``source`` is where it came from."""

    label: Literal["title", "description", "commits", "background", "instructions", "ci_summary", "sarif"]
    role: Literal[Role.INSTRUCTION, Role.LOG]
    source: str
    text: str
    cut: bool = False


class DiffGroup(Record):
    """Some files' examined hunks as a model sees them, with both sides' line numbers. ``groupId`` is their digest."""

    group_id: str
    paths: tuple[str, ...]
    text: str


class AskedQuestion(Record):
    """A question of the rules as a compiler sees it, so that it does not ask the same."""

    kind: ChangeKind
    path: str
    line: int
    change: str
    consequence: str


class CompilePayload(Record):
    """``most``: how many questions may be proposed."""

    group: DiffGroup
    questions: tuple[AskedQuestion, ...]
    context: tuple[ContextItem, ...]
    most: int


class SynthesizePayload(Record):
    """One question and its bundle; ``group`` and ``context`` where a model is asked."""

    question: Question
    bundle: Bundle
    group: DiffGroup | None = None
    context: tuple[ContextItem, ...] = ()


class RefusedDraft(Record):
    """A model's draft as it wrote it, and why the contract refused it."""

    draft: dict[str, Any]
    reasons: tuple[str, ...]


class AmendPayload(SynthesizePayload):
    """The same question over again, asked once, of whom the contract has refused every draft on it."""

    refused: tuple[RefusedDraft, ...]


class RefutePayload(Record):
    """A draft's claim and all the evidence of its question, without the reasoning that led to it."""

    claim: str
    effect: Effect
    impact_condition: str
    anchor: SourceRef
    supporting_refs: tuple[SourceRef, ...]
    evidence: tuple[Evidence, ...]
    group: DiffGroup


class Request(Record):
    """``requestId`` is the digest of role, questionId and payload: the same request has the same id in every run.

    ``questionId`` is that of the question, of a compile request the group's id.
    """

    request_id: str
    role: EngineRole
    question_id: str
    payload: AmendPayload | SynthesizePayload | CompilePayload | RefutePayload


class Usage(Record):
    """Tokens and US dollars; null where the server did not say, or no price is known."""

    prompt_tokens: int | None
    completion_tokens: int | None
    cached_tokens: int | None
    cost_usd: float | None


class Call(Record):
    """One try at one request over the network, or one answer brought by hand; ``number`` counts from 1 a request.

    ``error`` is null where the reply could be read. ``usage`` as told by the server, ``rawUsage`` its own words,
    with ``countedHere`` where it told none and tokens were counted here.
    ``milliseconds`` until the reply was whole. ``priceVersion`` names the entry of prices.yml the cost is by.
    ``form`` is how JSON was asked for.
    """

    request_id: str
    number: int
    model: str
    error: CallError | None
    status: int | None
    detail: str = ""
    usage: Usage | None = None
    raw_usage: dict[str, Any] | None = None
    milliseconds: int | None = None
    price_version: str | None = None
    form: Literal["schema", "json", "text", "by_hand"]


class Answer(Record):
    """An engine's answer, untrusted: all it holds is raw data until a stage has read it.

    Exactly one is set of ``drafts`` (not empty) and ``noFinding`` (to synthesize and ablate), ``questions`` (to
    compile, may be empty), ``refutation`` (to refute) and ``failure``.
    """

    request_id: str
    engine: str
    drafts: tuple[dict[str, Any], ...] = ()
    no_finding: dict[str, Any] | None = None
    questions: tuple[dict[str, Any], ...] | None = None
    refutation: dict[str, Any] | None = None
    failure: UnansweredCause | None = None
    detail: str = ""
    notes: str = Field(default="", description="what a model thought on its way, for people; counts for nothing")
    usage: Usage | None = Field(default=None, description="of all calls of the request; null where none is known")

    @model_validator(mode="after")
    def _one_of_these(self) -> Self:
        others = (self.no_finding, self.questions, self.refutation, self.failure)
        if bool(self.drafts) + sum(one is not None for one in others) != 1:
            raise ValueError("an answer is drafts, a no-finding, questions, a refutation or a failure: exactly one")
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

    def begin(self, calls: Sequence[Call], *, torn: Sequence[int]) -> None:
        """Told once, before anything is asked: the calls that earlier attempts of the run recorded, which count against
        its budgets. ``torn``: of each attempt that was killed, how many requests it left open: calls in flight then are
        in no record, and count in every later attempt."""
        ...

    def answer(self, requests: Sequence[Request]) -> Iterator[Answer | Pending | Call]:
        """Yield one Answer or Pending for each request, in any order, as they come; before it each Call it took."""
        ...
