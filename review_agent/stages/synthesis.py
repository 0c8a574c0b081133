"""Questions and their bundles become requests; an engine's answers become proposals for the contract."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pydantic import ValidationError

from review_agent.kinds.auth_steering import STEERING
from review_agent.vocabulary import (
    AmendPayload,
    Answer,
    Bundle,
    ContextItem,
    DiffGroup,
    EngineRole,
    NoFinding,
    NoFindingCode,
    Question,
    Record,
    RefusedDraft,
    Request,
    SourceRef,
    SynthesizePayload,
    Unanswered,
    UnansweredCause,
    digest,
)

__all__ = ["amendment", "no_finding", "requests", "unanswered", "unlooked"]

_LONGEST, _MOST_MISSING = 4_000, 16


def requests(
    questions: Iterable[Question],
    bundles: Sequence[Bundle],
    group: Callable[[Question], DiffGroup | None] = lambda question: None,
    context: tuple[ContextItem, ...] = (),
) -> tuple[Request, ...]:
    """One synthesize request a question, in question order. The id is the digest of what is asked.

    ``group`` and ``context`` are for an engine that reads the change itself. None for a question on what steers
    reviewers: how it ends is not for an engine that may have been steered.
    """
    by_question = {bundle.question_id: bundle for bundle in bundles}
    return tuple(
        _request(question, by_question[question.question_id], group(question), context)
        for question in questions
        if question.rule not in STEERING
    )


def _request(question: Question, bundle: Bundle, group: DiffGroup | None, context: tuple[ContextItem, ...]) -> Request:
    payload = SynthesizePayload(question=question, bundle=bundle, group=group, context=context)
    asked = {"role": EngineRole.SYNTHESIZE, "questionId": question.question_id, "payload": payload.wire()}
    return Request(
        request_id=digest(asked), role=EngineRole.SYNTHESIZE, question_id=question.question_id, payload=payload
    )


def amendment(request: Request, refused: Sequence[RefusedDraft]) -> Request:
    """A synthesize request over again, with what came of it: the drafts that the contract refused, and why."""
    assert isinstance(request.payload, SynthesizePayload)
    payload = AmendPayload(**dict(request.payload), refused=tuple(refused))
    asked = {"role": EngineRole.SYNTHESIZE, "questionId": request.question_id, "payload": payload.wire()}
    return request.model_copy(update={"request_id": digest(asked), "payload": payload})


class _NoFindingWord(Record):
    """What an engine may say of a question it finds nothing for; everything else comes from the question."""

    code: NoFindingCode
    detail: str
    missing: tuple[str, ...] = ()
    refs: tuple[SourceRef, ...] = ()


def no_finding(
    question: Question, bundle: Bundle | None, data: dict[str, Any], cited: tuple[SourceRef, ...] | None = None
) -> NoFinding | Unanswered:
    """The engine's no-finding as an outcome; an unreadable one, or one with an unknown code, is unanswered.

    ``bundle`` is null where nothing was searched for the question. ``cited``: what a model cites against the question,
    looked up; null where the engine is none that cites. Who cites no line that was shown has refuted nothing.
    """
    try:
        word = _NoFindingWord.model_validate({name: value for name, value in data.items() if name != "defeatedBy"})
    except ValidationError as error:
        return _unanswered(question.question_id, UnansweredCause.MALFORMED, f"no-finding unreadable: {_first(error)}")
    if word.code is NoFindingCode.REFUTED and cited == ():
        missing = ("the line that refutes it: the answer cites none that it was shown", *word.missing)
        word = word.model_copy(update={"code": NoFindingCode.INSUFFICIENT_EVIDENCE, "missing": missing})
    retrieved = {evidence.ref for evidence in bundle.evidence} if bundle else set()
    refs = tuple(ref for ref in word.refs if ref in retrieved) if cited is None else cited
    return NoFinding(
        kind="no_finding",
        question_id=question.question_id,
        rule=question.rule,
        change_kind=question.kind,
        path=question.path,
        line=question.anchor.start_line,
        code=word.code,
        detail=_cut(word.detail),
        missing=tuple(map(_cut, word.missing[:_MOST_MISSING])),
        searched=tuple(result.searched for result in bundle.queries if result.searched) if bundle else (),
        refs=refs,
    )


def _cut(text: str) -> str:
    """What an outcome tells is read by a person; the log has all of it."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


def unanswered(question: Question, answer: Answer | None, why: str = "") -> Unanswered:
    """The outcome of a question that got no usable answer; ``why``: how the engine failed, where it did."""
    if answer is None:
        said = f"the engine gave no answer{f': {why}' if why else ''}"
        return _unanswered(question.question_id, UnansweredCause.ENGINE_FAILED, said)
    return _unanswered(question.question_id, answer.failure or UnansweredCause.MALFORMED, _cut(answer.detail))


def unlooked(question: Question, cause: UnansweredCause, detail: str) -> Unanswered:
    """The outcome of a question whose draft the refuter did not look at, and why; ``detail`` may be empty."""
    why = f"{cause.value}: {detail}" if detail else cause.value
    return _unanswered(question.question_id, cause, _cut(f"the refuter gave no answer: {why}"))


def _unanswered(question_id: str, cause: UnansweredCause, detail: str) -> Unanswered:
    return Unanswered(kind="unanswered", question_id=question_id, cause=cause, detail=detail)
