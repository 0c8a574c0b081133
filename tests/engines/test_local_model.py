"""The engine against a real model: whatever it says is handled and its cost recorded. Nothing is asked of its wits."""

import pytest
from local_model import in_few_words, local_model
from model_requests import compiling, heard, policy, refuting, synthesize

from review_agent.engines.openai import OpenAI
from review_agent.policy.model_engine import Price
from review_agent.vocabulary import CallError, UnansweredCause

pytestmark = pytest.mark.slow

PRICE = Price(model="local", from_="2020-01-01", prompt=1.0, cached=0.1, completion=2.0)
# What a model of its size can come to, which is a reply cut short, of no shape, or of any.
HANDLED = {None, CallError.TRUNCATED, CallError.NOT_JSON, CallError.NOT_SCHEMA, CallError.EMPTY}


def test_whatever_a_real_model_says_is_handled_and_what_it_cost_is_recorded() -> None:
    requests = [compiling(), synthesize(1), synthesize(2), refuting(3)]
    with local_model() as url:
        engine = OpenAI(in_few_words(policy(prices=(PRICE,))), model="local", base_url=url)
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
