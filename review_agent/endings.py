"""How questions end: an engine is asked, its drafts are looked at again, and the contract decides.

The phases synthesize, refute, contract and verify. What an engine sends after a draft cannot add to it or raise it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

from review_agent.amending import Amendments
from review_agent.ground import Found, Ground, Look
from review_agent.kinds import auth_steering
from review_agent.memory.verdicts import Memory, by_team, evidence_of, suppressed
from review_agent.stages import citing, folding, listening, refuting, synthesis
from review_agent.vocabulary import (
    Answer,
    EngineRole,
    Phase,
    Question,
    Rejection,
    Request,
    ReviewEvidenceCard,
    Suppressed,
)

if TYPE_CHECKING:
    from review_agent.second_look import SecondLook

__all__ = ["Endings"]

_LATER_ROLES = {EngineRole.REFUTE, EngineRole.ABLATE}


class Endings:
    """The later phases of one attempt, over its ground."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground

    @cached_property
    def _look(self) -> SecondLook | None:
        if not self.ground.setup.engine.roles & _LATER_ROLES:
            return None
        from review_agent.second_look import SecondLook

        return SecondLook(self.ground)

    @cached_property
    def _amendments(self) -> Amendments | None:
        setup = self.ground.setup
        return Amendments(self.ground) if setup.is_modelled and setup.policy.engine.amend else None

    @cached_property
    def _asked(self) -> dict[str, Request]:
        """The synthesize request of each question, by the question's id; known once evidence is collected."""
        ground = self.ground
        context = ground.context if ground.setup.is_modelled else ()
        found = synthesis.requests(ground.questions, tuple(ground.bundles.values()), ground.group, context)
        return {request.question_id: request for request in found}

    def _answer(self, question: Question) -> Answer | None:
        request = self._asked.get(question.question_id)
        if request is None:
            return None
        if self._amendments is not None:
            return self._amendments.answer(question, request)
        return self.ground.answers.get(request.request_id)

    def synthesize(self) -> Found:
        """All questions are asked; then, once, those again whose every draft the contract refuses."""
        yield from self.ground.ask(tuple(self._asked.values()), Phase.SYNTHESIZE)
        if self.ground.pending or self._amendments is None:
            return
        due = list(self._amendments.requests(self._asked))
        for _, refused in due:
            yield from (("refused_draft", one) for one in refused)
        yield from self.ground.ask(tuple(request for request, _ in due), Phase.SYNTHESIZE)

    def refute(self) -> Found:
        """A second look at each draft that would pass, where engine and policy have one."""
        if self._look is None:
            return
        requests: dict[str, Request] = {}
        for question in self.ground.questions:
            answer = self._answer(question)
            if answer is not None and answer.drafts:
                requests |= {one.request_id: one for one in self._look.requests(question, answer)}
        yield from self.ground.ask(tuple(requests.values()), Phase.REFUTE)

    def contract(self) -> Found:
        seen: set[str] = set()
        yield from folding.folded(
            end
            for question in self.ground.questions
            if question.rule not in auth_steering.STEERING
            for end in self._end(question, seen)
        )

    def verify(self) -> Found:
        """Each card gets its verification, and is judged again from the start with it."""
        passed = self.ground.of(Phase.CONTRACT, "passed", ReviewEvidenceCard)
        if not passed:
            return
        from review_agent.stages import verification

        setup, by_id = self.ground.setup, {question.question_id: question for question in self.ground.questions}
        seen: set[str] = set()
        for card in passed:
            question = by_id[card.question_id]
            steps = verification.plan(card, question, setup.policy, setup.asked.named_by_git)
            whole = verification.attach(card, steps, setup.policy)
            (verdict,) = self.ground.judge(question, [whole.wire()], seen, again=True)
            rejected = self._remembered(verdict) if isinstance(verdict, ReviewEvidenceCard) else None
            yield (verdict.kind, verdict) if rejected is None else ("suppressed", rejected)

    def _end(self, question: Question, seen: set[str]) -> Found:
        """How one question ends, drafts still without their verification."""
        answer, bundle = self._answer(question), self.ground.bundles[question.question_id]
        if answer is not None and answer.drafts:
            plain = [Look(one, against=self.ground.too_mild(answer, one)) for one in answer.drafts]
            looks = self._look.of(question, answer) if self._look else plain
            yield from self._ended(question, looks, seen)
        elif answer is not None and answer.no_finding is not None:
            shows = partial(self.ground.shows, question)
            cited = citing.defeating(answer.no_finding, bundle, shows, self.ground.sources)
            outcome = synthesis.no_finding(question, bundle, answer.no_finding, cited)
            yield outcome.kind, outcome
        else:
            failed = self.ground.state.records.get(Phase.SYNTHESIZE, ())
            why = next((str(event.data["detail"]) for event in failed if event.type == listening.FAILED), "")
            yield "unanswered", synthesis.unanswered(question, answer, why)

    def _ended(self, question: Question, looks: Sequence[Look], seen: set[str]) -> Found:
        """The ends of a question with drafts: a card or a rejection each; no finding where all of them were refuted."""
        for ordinal, look in enumerate(looks):
            if look.idle:
                yield (
                    "refused_refutation",
                    {"questionId": question.question_id, "ordinal": ordinal, "detail": look.idle},
                )
        silent = next((look.silent for look in looks if look.silent is not None), None)
        defeated = [look.defeated for look in looks if look.defeated is not None]
        if silent is not None:
            # The policy wants each draft looked at twice: one that was not is nothing to show, nor is it nothing.
            yield "unanswered", synthesis.unlooked(question, silent.cause, silent.detail)
        elif len(defeated) == len(looks):
            bundle = self.ground.bundles[question.question_id]
            yield "no_finding", refuting.refuted(question, bundle, defeated[0])
        else:
            fallen = [ordinal for ordinal, look in enumerate(looks) if look.against is not None]
            verdicts = self.ground.judge(question, [look.draft for look in looks], seen, fallen=fallen)
            for ordinal, (look, verdict) in enumerate(zip(looks, verdicts, strict=True)):
                if look.against is not None and isinstance(verdict, ReviewEvidenceCard):
                    verdict = folding.rejection(verdict, ordinal, look.against)
                elif look.against is not None and isinstance(verdict, Rejection):
                    verdict = verdict.model_copy(update={"reasons": (*verdict.reasons, look.against)})
                yield ("rejection" if isinstance(verdict, Rejection) else "passed"), verdict

    def _remembered(self, card: ReviewEvidenceCard) -> Suppressed | None:
        """The card set aside, where a person has rejected the finding on the same evidence before this run began."""
        memory = Memory.of(self.ground.state.started.get("remembered", {}))
        mark = evidence_of(card.wire())
        rejected = memory.verdict(card.fingerprint, mark) or by_team(self.ground.setup.policy, card.fingerprint, mark)
        return suppressed(card, rejected) if rejected is not None else None
