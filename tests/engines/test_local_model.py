"""The engine against a real model: whatever it says is handled and its cost recorded. Nothing is asked of its wits."""

import pytest
from local_model import local_model
from model_requests import compiling, heard, policy, refuting, synthesize

from review_agent.engines.openai import OpenAI
from review_agent.policy.model import Policy, Price
from review_agent.vocabulary import CallError, ChangeKind, UnansweredCause

pytestmark = pytest.mark.slow

PRICE = Price(model="local", from_="2020-01-01", prompt=1.0, cached=0.1, completion=2.0)
# What a model of its size can come to, which is a reply cut short, of no shape, or of any.
HANDLED = {None, CallError.TRUNCATED, CallError.NOT_JSON, CallError.NOT_SCHEMA, CallError.EMPTY}


def briefly() -> Policy:
    """A policy of few words: the model reads some hundred tokens a second."""
    made = policy(prices=(PRICE,), seconds_per_call=300, concurrency=2, retries=0)
    kinds = {kind: made.change_kinds.kinds[kind] for kind in (ChangeKind.CACHE_KEY, ChangeKind.OTHER)}
    prompts = made.prompts.model_copy(update=dict.fromkeys(type(made.prompts).model_fields, "Judge the change."))
    limits = made.engine.max_tokens.model_copy(update=dict.fromkeys(("compile", "synthesize", "refute"), 80))
    return made.model_copy(
        update={
            "text": "",
            "prompts": prompts,
            "change_kinds": made.change_kinds.model_copy(update={"kinds": kinds}),
            "engine": made.engine.model_copy(update={"max_tokens": limits}),
        }
    )


def test_whatever_a_real_model_says_is_handled_and_what_it_cost_is_recorded() -> None:
    requests = [compiling(), synthesize(1), synthesize(2), refuting(3)]
    with local_model() as url:
        engine = OpenAI(briefly(), model="local", base_url=url)
        calls, answers = heard(engine, *requests)
    assert {call.error for call in calls} <= HANDLED
    assert {one.failure for one in answers.values()} <= {None, UnansweredCause.MALFORMED}
    for call in calls:
        assert call.status == 200
        assert call.form == "schema"
        assert call.usage.prompt_tokens > 200
        assert 0 < call.usage.completion_tokens <= 80
        assert call.usage.cost_usd > 0
        assert call.raw_usage["prompt_tokens"] == call.usage.prompt_tokens
    # The server keeps what the last prompt began with: the second of a group finds most of itself there.
    assert max(call.usage.cached_tokens for call in calls) > 200
    assert engine.budget.spent.prompt == sum(call.usage.prompt_tokens for call in calls)
    for request in requests:
        answer = answers[request.request_id]
        known = sum(call.usage.completion_tokens for call in calls if call.request_id == request.request_id)
        assert answer.usage.completion_tokens == known
