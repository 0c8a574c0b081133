"""The rules answer first; a model is asked only what they cannot settle, and what they do not ask.

Where code settles a question from facts, no model may settle it otherwise, and none is paid for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from review_agent.kinds.triggers import is_team_rule
from review_agent.vocabulary import (
    COMPILED,
    AmendPayload,
    Answer,
    Call,
    Engine,
    EngineRole,
    NoFindingCode,
    Pending,
    Question,
    Request,
    SynthesizePayload,
)

__all__ = ["RulesFirst"]


class RulesFirst:
    """``inner`` with ``rules`` in front of it.

    The rules' drafts stand, and so does what they refute, and what they say where no query found anything: there is
    nothing to read for a model either. Of the questions of rules that stay open, the ``most`` of highest risk go to
    ``inner``; the others keep what the rules said. Questions of a team's own triggers and of a compiler always go to
    ``inner``, as no rule settles them.
    """

    def __init__(self, inner: Engine, rules: Engine, most: int) -> None:
        self._inner, self._rules, self._most = inner, rules, most

    @property
    def identity(self) -> str:
        return f"{self._rules.identity}+{self._inner.identity}"

    @property
    def roles(self) -> frozenset[EngineRole]:
        return self._inner.roles | {EngineRole.SYNTHESIZE}

    def begin(self, calls: Sequence[Call], *, torn: Sequence[int]) -> None:
        self._inner.begin(calls, torn=torn)

    def answer(self, requests: Sequence[Request]) -> Iterator[Answer | Pending | Call]:
        """All that the rules say comes before anything of ``inner``: a run that goes on finds the same questions open
        as the first attempt did, less those that were answered, and so makes the same choice."""
        ours = [(request, question) for request in requests if (question := _of_rules(request)) is not None]
        said = {one.request_id: one for one in self._rules.answer([request for request, _ in ours])}
        still_open = [one for one in ours if not _settled(said.get(one[0].request_id), one[0])]
        chosen = {request.request_id for request, _ in sorted(still_open, key=_rank)[: self._most]}
        mine = [request.request_id for request, _ in ours]
        yield from (said[one] for one in mine if one in said and one not in chosen)
        rest = [one for one in requests if one.request_id in chosen or one.request_id not in mine]
        if rest:
            yield from self._inner.answer(rest)


def _of_rules(request: Request) -> Question | None:
    """The question of a request that the rules may settle; what a model is to amend, they left to it before."""
    if isinstance(request.payload, AmendPayload):
        return None
    if request.role is not EngineRole.SYNTHESIZE or not isinstance(request.payload, SynthesizePayload):
        return None
    question = request.payload.question
    return None if question.rule.startswith(COMPILED) or is_team_rule(question.rule) else question


def _settled(said: Answer | Pending | Call | None, request: Request) -> bool:
    """Whether what the rules said stands, whoever else could be asked."""
    if not isinstance(said, Answer):
        return False
    if said.drafts or (said.no_finding or {}).get("code") == NoFindingCode.REFUTED:
        return True
    payload = request.payload
    return isinstance(payload, SynthesizePayload) and not any(one.hits for one in payload.bundle.queries)


def _rank(one: tuple[Request, Question]) -> tuple[int, str]:
    request, question = one
    return -question.risk, request.request_id
