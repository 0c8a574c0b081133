"""A model whose drafts on a question the contract has refused is told why, and may write them anew, once.

Most refusals of a true draft are of its words: a line number that nobody read, a name from memory, a verb that the hunk
does not bear out. The contract judges what comes back as it judges any draft, so nothing passes that would not have
passed at once. What was refused stays in the record.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from review_agent.ground import Ground
from review_agent.stages import citing, folding, synthesis
from review_agent.vocabulary import (
    RULES_ENGINE,
    Answer,
    ContractReason,
    Question,
    RefusedDraft,
    Rejection,
    Request,
    ReviewEvidenceCard,
    UnansweredCause,
)

__all__ = ["Amendments"]

_REASONS, _LENGTH = 12, 300
_UNREADABLE = (UnansweredCause.MALFORMED, UnansweredCause.REFUSED)


class Amendments:
    """The second requests of a run, each known by the answer that it is about."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self._known: dict[str, tuple[Request | None, tuple[Rejection, ...]]] = {}

    def requests(self, asked: Mapping[str, Request]) -> Iterator[tuple[Request, tuple[Rejection, ...]]]:
        """What is asked again, with the refusals that it is about. ``asked``: first requests by question id."""
        for question in self.ground.questions:
            request = asked.get(question.question_id)
            again, refused = self._of(question, request) if request is not None else (None, ())
            if again is not None:
                yield again, refused

    def answer(self, question: Question, request: Request) -> Answer | None:
        """What counts as the answer to a question: the amended one, where the model was asked for it.

        Where it gave none that can be read, its first drafts and their refusals stand. Where it could not be asked
        (no endpoint, a budget or the time spent), there is no answer: what a clock ended is no verdict.
        """
        first = self.ground.answers.get(request.request_id)
        again, _ = self._of(question, request)
        amended = self.ground.answers.get(again.request_id) if again is not None else None
        return first if amended is None or amended.failure in _UNREADABLE else amended

    def _of(self, question: Question, request: Request) -> tuple[Request | None, tuple[Rejection, ...]]:
        answer = self.ground.answers.get(request.request_id)
        if answer is None or not answer.drafts or answer.engine.startswith(RULES_ENGINE):
            return None, ()
        if request.request_id not in self._known:
            self._known[request.request_id] = self._judged(question, request, answer)
        return self._known[request.request_id]

    def _judged(
        self, question: Question, request: Request, answer: Answer
    ) -> tuple[Request | None, tuple[Rejection, ...]]:
        bundle = self.ground.bundles[question.question_id]
        drafts = [citing.draft(one, question, bundle, self.ground.sources) for one in answer.drafts]
        mild = [self.ground.too_mild(answer, one) for one in answer.drafts]
        verdicts = [verdict for draft in drafts for verdict in self.ground.judge(question, [draft], set())]
        refused = tuple(one if why is None else _fallen(one, why) for one, why in zip(verdicts, mild, strict=True))
        # What is too mild is not asked for again: nothing invites a model to call it more.
        if None not in mild or not all(isinstance(one, Rejection) for one in refused):
            return None, ()
        fallen = [one for one in refused if isinstance(one, Rejection)]
        told = [
            RefusedDraft(draft=draft, reasons=tuple(map(_said, one.reasons[:_REASONS])))
            for draft, one in zip(answer.drafts, fallen, strict=True)
        ]
        return synthesis.amendment(request, told), tuple(fallen)


def _fallen(verdict: ReviewEvidenceCard | Rejection, why: ContractReason) -> Rejection:
    if isinstance(verdict, Rejection):
        return verdict.model_copy(update={"reasons": (why, *verdict.reasons)})
    return folding.rejection(verdict, 0, why)


def _said(reason: ContractReason) -> str:
    return f"{reason.code.value}: {reason.detail}"[:_LENGTH]
