"""Whether a model's evidence bears load: it is asked again without each supporting ref.

A model says the same where a draft of its second answer has the same effect on the same subject.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from review_agent.stages.contract_text import folded
from review_agent.vocabulary import (
    Answer,
    Bundle,
    ContextItem,
    DiffGroup,
    EngineRole,
    Question,
    Request,
    ReviewEvidenceCard,
    SourceRef,
    SynthesizePayload,
    digest,
)

__all__ = ["decorative", "is_sampled", "requests"]


def is_sampled(card: ReviewEvidenceCard, percent: int) -> bool:
    """Whether the card is among the share that is ablated: by its id, so that a resumed run takes the same ones."""
    return int(card.card_id[:8], 16) % 100 < percent


def requests(
    card: ReviewEvidenceCard,
    question: Question,
    bundle: Bundle,
    group: DiffGroup,
    context: tuple[ContextItem, ...],
) -> dict[SourceRef, Request]:
    """For each supporting ref the question asked again over the bundle without what meets it."""
    return {ref: _request(question, _without(bundle, ref), group, context) for ref in card.supporting_refs}


def _without(bundle: Bundle, ref: SourceRef) -> Bundle:
    left = tuple(one for one in bundle.evidence if not _meet(one.ref, ref))
    return bundle.model_copy(update={"evidence": left})


def _meet(one: SourceRef, other: SourceRef) -> bool:
    same = (one.path, one.side, one.commit) == (other.path, other.side, other.commit)
    return same and one.start_line <= other.end_line and other.start_line <= one.end_line


def _request(question: Question, bundle: Bundle, group: DiffGroup, context: tuple[ContextItem, ...]) -> Request:
    payload = SynthesizePayload(question=question, bundle=bundle, group=group, context=context)
    said = {"role": EngineRole.ABLATE, "questionId": question.question_id, "payload": payload.wire()}
    return Request(request_id=digest(said), role=EngineRole.ABLATE, question_id=question.question_id, payload=payload)


def decorative(
    card: ReviewEvidenceCard, asked: Mapping[SourceRef, Request], answers: Mapping[str, Answer]
) -> tuple[SourceRef, ...]:
    """The supporting refs without which the same was said. A question that got no second answer tells of none."""
    answered = ((ref, answers.get(request.request_id)) for ref, request in asked.items())
    return tuple(ref for ref, answer in answered if answer is not None and _same(card, answer.drafts))


def _same(card: ReviewEvidenceCard, drafts: Iterable[Mapping[str, object]]) -> bool:
    wanted = (card.effect.op.value, folded(card.effect.subject))
    return any(_effect(one) == wanted for one in drafts)


def _effect(draft: Mapping[str, object]) -> tuple[object, str]:
    effect = draft.get("effect")
    return (effect.get("op"), folded(str(effect.get("subject")))) if isinstance(effect, dict) else (None, "")
