"""What becomes of a model's drafts after a second look: refuted, made milder, stripped of refs that carry nothing, or
countered.

A second look is made of drafts that would pass the contract, each judged for itself. It only takes away: a draft that
comes out of it is judged by the contract as any other. What the rules conclude is not looked at again: a model may have
been steered by what it read, and must not be able to take a finding of the rules away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from review_agent.ground import Ground, Look, Silence
from review_agent.stages import ablating, citing, refuting
from review_agent.vocabulary import (
    RULES_ENGINE,
    Answer,
    Bundle,
    ContractCode,
    ContractReason,
    EngineRole,
    Question,
    Request,
    ReviewEvidenceCard,
    Severity,
    SourceRef,
    UnansweredCause,
)

__all__ = ["SecondLook"]

_MOST_COUNTERS = 6
_IDLE = ContractReason(
    code=ContractCode.EVIDENCE_NOT_LOAD_BEARING,
    detail="asked again without each ref, the model says the same",
)


class SecondLook:
    """The later roles of the engine, as far as it and the policy have them."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        roles, policy = ground.setup.engine.roles, ground.setup.policy.engine
        self._refutes = policy.refuter and EngineRole.REFUTE in roles
        self._ablates = bool(policy.ablation_percent) and EngineRole.ABLATE in roles

    def requests(self, question: Question, answer: Answer) -> Iterator[Request]:
        """What is asked about the drafts that would pass."""
        if answer.engine.startswith(RULES_ENGINE):
            return
        for draft in self.drafts(question, answer):
            card = self._passing(question, draft)
            if card is not None and self.ground.too_mild(answer, draft) is None:
                again = self._refuter(question, card)
                yield from () if again is None else (again,)
                yield from self._ablation(question, card).values()

    def drafts(self, question: Question, answer: Answer) -> list[Any]:
        """The drafts of an answer with their citations looked up."""
        bundle = self.ground.bundles[question.question_id]
        return [citing.draft(one, question, bundle, self.ground.sources) for one in answer.drafts]

    def of(self, question: Question, answer: Answer) -> list[Look]:
        """Each draft with what was said of it."""
        if answer.engine.startswith(RULES_ENGINE):
            return [Look(draft) for draft in answer.drafts]
        return [self._look(question, answer, draft) for draft in self.drafts(question, answer)]

    def _look(self, question: Question, answer: Answer, draft: Any) -> Look:
        card, mild = self._passing(question, draft), self.ground.too_mild(answer, draft)
        if card is None or mild is not None:
            return Look(draft, against=mild)
        idle = ablating.decorative(card, self._ablation(question, card), self.ground.answers)
        if idle and set(idle) == set(card.supporting_refs):
            return Look(draft, against=_IDLE)
        if idle:
            draft = {**draft, "supportingRefs": [ref.wire() for ref in card.supporting_refs if ref not in idle]}
        again = self._refuter(question, card)
        return (
            Look(draft) if again is None else self._answered(question, draft, self.ground.answers.get(again.request_id))
        )

    def _answered(self, question: Question, draft: Any, answer: Answer | None) -> Look:
        bundle = self.ground.bundles[question.question_id]
        said = answer.refutation if answer is not None else None
        shows = partial(self.ground.shows, question)
        verdict = refuting.read(said, bundle, shows, self.ground.sources) if said is not None else None
        if verdict is None:
            return Look(draft, silent=_silence(answer))
        if verdict.defeated is not None:
            against = ContractReason(code=ContractCode.REFUTED, detail=verdict.why or "a line that was read defeats it")
            return Look(draft, defeated=verdict, against=against)
        allowed = self.ground.setup.policy.change_kinds.kinds[question.kind].severities
        draft = _lowered(draft, verdict.severity, allowed)
        return Look(self._countered(question, draft, verdict.counter), idle=verdict.idle)

    def _countered(self, question: Question, draft: Any, counters: Sequence[str]) -> Any:
        """The draft with the refuter's doubts on it, as far as the contract lets them be said."""
        for text in counters:
            listed = [*draft["counterEvidence"], text]
            candidate = {**draft, "counterEvidence": listed}
            if len(listed) <= _MOST_COUNTERS and self._passing(question, candidate) is not None:
                draft = candidate
        return draft

    def _passing(self, question: Question, draft: Any) -> ReviewEvidenceCard | None:
        """The card that a draft would be, whatever other questions have said."""
        (verdict,) = self.ground.judge(question, [draft], set())
        return verdict if isinstance(verdict, ReviewEvidenceCard) else None

    def _refuter(self, question: Question, card: ReviewEvidenceCard) -> Request | None:
        group = self.ground.group(question) if self._refutes else None
        return refuting.request(card, question, self._bundle(question), group) if group is not None else None

    def _ablation(self, question: Question, card: ReviewEvidenceCard) -> dict[SourceRef, Request]:
        """The requests that take a sampled card's refs away one by one."""
        percent = self.ground.setup.policy.engine.ablation_percent
        group = self.ground.group(question) if self._ablates and ablating.is_sampled(card, percent) else None
        if group is None:
            return {}
        return ablating.requests(card, question, self._bundle(question), group, self.ground.context)

    def _bundle(self, question: Question) -> Bundle:
        return self.ground.bundles[question.question_id]


def _lowered(draft: Any, severity: Severity | None, allowed: Sequence[Severity]) -> Any:
    """The draft with the milder of two severities, its own and that of the second look, as mild as its kind allows.

    That policy wants no suggestions of a model is about what its author calls one: nobody made this draft graver to
    pass, and a true finding is not dropped for the opinion of one who only reads it.
    """
    grave = [*Severity]
    own, second = grave.index(draft["severity"]), -1 if severity is None else grave.index(severity)
    milder = [one for one in grave[own + 1 : second + 1] if one in allowed]
    return {**draft, "severity": milder[-1].value} if milder else draft


def _silence(answer: Answer | None) -> Silence:
    """Why there is no refutation to read: the engine was heard no longer, said why, or wrote what nobody can read."""
    if answer is None:
        return Silence(UnansweredCause.ENGINE_FAILED, "")
    return Silence(answer.failure or UnansweredCause.MALFORMED, answer.detail)
