"""The built-in engine: each change kind settles its own questions. No key, no network, the same answer every time."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

from review_agent import __version__
from review_agent.kinds import KINDS
from review_agent.kinds.base import Settled, Unsettled, unsettled
from review_agent.kinds.triggers import is_team_rule, settle
from review_agent.vocabulary import (
    RULES_ENGINE,
    Answer,
    Bundle,
    Call,
    Draft,
    EngineRole,
    NoFindingCode,
    Pending,
    QueryStatus,
    Request,
    SynthesizePayload,
    UnansweredCause,
)

__all__ = ["Rules"]

_log = logging.getLogger(__name__)
_INSIDE = unsettled(
    NoFindingCode.INSUFFICIENT_EVIDENCE,
    "all that would bear the finding stands in the change itself or in its lines of context",
    missing=("a place outside the change that shows the same",),
)


class Rules:
    """Answers every request at once, in the order given.

    A question that its kind fails on is answered with ``engine_failed`` and what went wrong; no other is touched.
    """

    @property
    def identity(self) -> str:
        return f"{RULES_ENGINE}{__version__}"

    @property
    def roles(self) -> frozenset[EngineRole]:
        return frozenset({EngineRole.SYNTHESIZE})

    def begin(self, calls: Sequence[Call], *, torn: Sequence[int]) -> None:
        """Nothing that was spent before matters here."""

    def answer(self, requests: Sequence[Request]) -> Iterator[Answer | Pending | Call]:
        for request in requests:
            yield self._answer(request)

    def _answer(self, request: Request) -> Answer:
        payload = request.payload
        if not isinstance(payload, SynthesizePayload):
            return self._failed(request, f"rules answer no {request.role.value} request")
        question, bundle = payload.question, payload.bundle
        if bundle.queries and all(one.status is QueryStatus.UNSUPPORTED for one in bundle.queries):
            return Answer(request_id=request.request_id, engine=self.identity, no_finding=_nothing_known(bundle).wire())
        if is_team_rule(question.rule):
            return self._said(request, payload, settle(question, bundle))
        kind = KINDS.get(question.kind)
        if kind is None:
            return self._failed(request, f"rules settle no questions of kind {question.kind.value}")
        try:
            settled = kind.settle(question, bundle)
        except Exception as error:  # noqa: BLE001  # one rule's bug costs its own question only, and says so
            _log.debug("rule %s failed on question %s", question.rule, question.question_id, exc_info=True)
            return self._failed(request, f"rule {question.rule}: {type(error).__name__}: {error}")
        return self._said(request, payload, settled)

    def _said(self, request: Request, payload: SynthesizePayload, settled: Settled) -> Answer:
        if isinstance(settled, Unsettled):
            return Answer(request_id=request.request_id, engine=self.identity, no_finding=settled.wire())
        if not settled:
            return self._failed(request, f"rule {payload.question.rule} gave neither a draft nor a reason")
        drafts = tuple(draft.wire() for draft in settled if not _rests_on_the_change_alone(draft, payload.bundle))
        if not drafts:
            return Answer(request_id=request.request_id, engine=self.identity, no_finding=_INSIDE.wire())
        return Answer(request_id=request.request_id, engine=self.identity, drafts=drafts)

    def _failed(self, request: Request, detail: str) -> Answer:
        return Answer(
            request_id=request.request_id, engine=self.identity, failure=UnansweredCause.ENGINE_FAILED, detail=detail
        )


def _nothing_known(bundle: Bundle) -> Unsettled:
    """No rule may conclude from the absence of what nobody could look for."""
    asked = tuple(f"{one.query.kind.value} of `{one.query.name}`" for one in bundle.queries)
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE, f"nothing was searched: {bundle.queries[0].note}", missing=asked
    )


def _rests_on_the_change_alone(draft: Draft, bundle: Bundle) -> bool:
    outside = {evidence.ref for evidence in bundle.evidence if not evidence.near_change}
    return not outside & set(draft.supporting_refs)
