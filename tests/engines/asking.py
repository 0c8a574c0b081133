"""Requests made by hand, and an engine that does as it is told, for tests of engines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from made_runs import bundle, question

from review_agent.vocabulary import (
    Answer,
    Call,
    CompilePayload,
    DiffGroup,
    EngineRole,
    Pending,
    Request,
    SynthesizePayload,
    digest,
)

GROUP = DiffGroup(group_id="g" * 12, paths=("src/f1.py",), text="src/f1.py\n 11 + key = ...")


def synthesize(n: int, *, rule: str = "key_component_removed", risk: int = 70) -> Request:
    asked = question(n).model_copy(update={"rule": rule, "risk": risk})
    payload = SynthesizePayload(question=asked, bundle=bundle(n), group=GROUP)
    said = {"role": EngineRole.SYNTHESIZE, "questionId": asked.question_id, "payload": payload.wire()}
    return Request(request_id=digest(said), role=EngineRole.SYNTHESIZE, question_id=asked.question_id, payload=payload)


def compile_() -> Request:
    payload = CompilePayload(group=GROUP, questions=(), context=(), most=6)
    said = {"role": EngineRole.COMPILE, "questionId": GROUP.group_id, "payload": payload.wire()}
    return Request(request_id=digest(said), role=EngineRole.COMPILE, question_id=GROUP.group_id, payload=payload)


class Scripted:
    """Answers by question id; ``heard`` are the ids it was asked, in order. A question without words is pending."""

    def __init__(self, words: dict[str, dict[str, Any]] | None = None, name: str = "scripted") -> None:
        self.words, self.name, self.heard, self.began = words or {}, name, list[str](), list[tuple[int, ...]]()

    @property
    def identity(self) -> str:
        return self.name

    @property
    def roles(self) -> frozenset[EngineRole]:
        return frozenset(EngineRole)

    def begin(self, calls: Sequence[Call], *, torn: Sequence[int]) -> None:
        self.began.append(tuple(torn))

    def answer(self, requests: Sequence[Request]) -> Iterator[Answer | Pending | Call]:
        for request in requests:
            self.heard.append(request.question_id)
            words = self.words.get(request.question_id)
            if words is None:
                yield Pending(request_id=request.request_id)
            else:
                yield Answer(request_id=request.request_id, engine=self.name, **words)
