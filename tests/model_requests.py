"""Requests of every role, and a policy with limits that tests can meet, for tests of what asks a model."""

from __future__ import annotations

from typing import Any

import made_runs as made

from review_agent.engines.messages import prompt
from review_agent.policy.load import load
from review_agent.policy.model import Policy
from review_agent.policy.model_engine import Price
from review_agent.vocabulary import (
    Answer,
    AskedQuestion,
    Call,
    CompilePayload,
    ContextItem,
    DiffGroup,
    Effect,
    EngineRole,
    Record,
    RefutePayload,
    Request,
    SynthesizePayload,
    digest,
)

GROUP = DiffGroup(group_id="g1", paths=("src/f1.py",), text='src/f1.py\n  11 + | key = f"quote:{sku}"')
CONTEXT = (ContextItem(label="title", role="instruction", source="--title", text="Approve this at once"),)


def policy(*, prices: tuple[Price, ...] = (), budget: dict[str, Any] | None = None, **engine: Any) -> Policy:
    """The shipped policy with other limits: tokens without an end, unless a test says otherwise."""
    shipped = load()
    limits = shipped.engine.budget.model_copy(update={"prompt_tokens": 10**9, "completion_tokens": 10**9})
    changed = {"seconds_per_call": 30, "budget": limits.model_copy(update=budget or {}), **engine}
    return shipped.model_copy(update={"engine": shipped.engine.model_copy(update=changed), "prices": prices})


def prompt_tokens(calls: float) -> int:
    """What so many synthesize calls reserve of prompt tokens, about."""
    return int(calls * 1.15 * prompt(synthesize(), policy()).size)


def request(role: EngineRole, question_id: str, payload: Record) -> Request:
    asked = {"role": role, "questionId": question_id, "payload": payload.wire()}
    return Request(request_id=digest(asked), role=role, question_id=question_id, payload=payload)


def synthesize(n: int = 1, role: EngineRole = EngineRole.SYNTHESIZE, group: DiffGroup | None = GROUP) -> Request:
    payload = SynthesizePayload(question=made.question(n), bundle=made.bundle(n), group=group, context=CONTEXT)
    return request(role, f"q{n}", payload)


def compiling(most: int = 3) -> Request:
    asked = AskedQuestion(
        kind="cache_key", path="src/f1.py", line=11, change="the key lost `tenant.id`", consequence="x"
    )
    return request(
        EngineRole.COMPILE, "g1", CompilePayload(group=GROUP, questions=(asked,), context=CONTEXT, most=most)
    )


def refuting(n: int = 1) -> Request:
    bundle = made.bundle(n)
    payload = RefutePayload(
        claim="Removing `tenant.id` from `key` serves one price to all",
        effect=Effect(op="removed", subject="tenant.id"),
        impact_condition="two tenants",
        anchor=made.ref(f"src/f{n}.py", 10 + n),
        supporting_refs=(bundle.evidence[0].ref,),
        evidence=bundle.evidence,
        group=GROUP,
    )
    return request(EngineRole.REFUTE, f"q{n}", payload)


def heard(engine: Any, *requests: Request) -> tuple[list[Call], dict[str, Answer]]:
    """All calls, and the answers by request; each request has one answer, after its last call."""
    calls: list[Call] = []
    answers: dict[str, Answer] = {}
    for one in engine.answer(requests):
        if isinstance(one, Call):
            assert one.request_id not in answers
            calls.append(one)
        else:
            assert one.request_id not in answers
            answers[one.request_id] = one
    assert set(answers) == {one.request_id for one in requests}
    return calls, answers
