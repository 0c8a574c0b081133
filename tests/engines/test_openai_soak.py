"""Five hundred questions to an endpoint that misbehaves at random: the record says what the server served, no budget is
exceeded at any moment, and every question ends."""

import random
from collections import defaultdict
from itertools import cycle

import pytest
from model_requests import heard, policy, prompt_tokens, synthesize
from model_server import BEHAVIOURS, ModelServer

from review_agent.engines.failures import CAUSES
from review_agent.engines.openai import OpenAI
from review_agent.vocabulary import UnansweredCause

pytestmark = pytest.mark.slow

QUESTIONS, CONCURRENCY, GOOD_SHARE = 500, 8, 0.7
AMPLE = {"prompt_tokens": 10**8, "completion_tokens": 10**8}
SPENT = {UnansweredCause.TOKENS_SPENT}


def chooser(seed: int):
    """At random, each way as often as any other; the first is good, as it finds the form in which JSON is asked for."""
    names, chance = list(BEHAVIOURS), random.Random(seed)
    chance.shuffle(names)
    bad = cycle(names)
    return lambda n, body: "good" if n == 0 or chance.random() < GOOD_SHARE else next(bad)


def asked_of(server: ModelServer, budget: dict[str, int]) -> OpenAI:
    limits = policy(budget=budget, concurrency=CONCURRENCY, retries=2, seconds_per_call=3)
    return OpenAI(limits, model="m", base_url=server.base_url, backoff=0.02)


@pytest.mark.parametrize(
    ("seed", "budget"),
    [(1, AMPLE), (2, {**AMPLE, "completion_tokens": 400_000}), (3, {**AMPLE, "prompt_tokens": prompt_tokens(300)})],
    ids=["ample", "few reply tokens", "few prompt tokens"],
)
def test_the_record_says_what_was_served_and_no_budget_is_exceeded(seed: int, budget: dict[str, int]) -> None:
    questions = [synthesize(n) for n in range(QUESTIONS)]
    with ModelServer(chooser(seed), seed=seed, slowest=0.05) as server:
        engine = asked_of(server, budget)
        calls, answers = heard(engine, *questions)
    told = [call.usage for call in calls if call.usage is not None]
    assert len(calls) == len(server.seen)
    assert len(told) == server.told.replies
    assert sum(one.prompt_tokens for one in told) == server.told.prompt
    assert sum(one.completion_tokens for one in told) == server.told.completion
    assert sum(one.cached_tokens for one in told) == server.told.cached
    assert server.exposed.prompt <= budget["prompt_tokens"]
    assert engine.budget.spent.prompt <= budget["prompt_tokens"]
    assert server.exposed.completion <= budget["completion_tokens"]
    assert engine.budget.spent.completion <= budget["completion_tokens"]
    assert engine.budget.in_flight == 0
    assert CONCURRENCY // 2 <= server.most_at_once <= CONCURRENCY
    _each_call_is_told_by_what_came(server, calls, questions)
    _each_question_ends_by_its_last_call(calls, answers)
    spent = [one for one in answers.values() if one.failure in SPENT]
    assert bool(spent) == (budget != AMPLE)


def _each_call_is_told_by_what_came(server: ModelServer, calls, questions) -> None:
    """The server does not know our requests: a question's own text tells them apart."""
    came = defaultdict(list)
    for seen in server.seen:
        user = seen.body["messages"][1]["content"]
        question = next(one for one in user.split("\n") if one.startswith("place: "))
        came[question].append(seen.behaviour)
    by_request = defaultdict(list)
    for call in sorted(calls, key=lambda call: call.number):
        by_request[call.request_id].append(call)
    for n, request in enumerate(questions):
        behaviours = came[f"place: src/f{n}.py line {10 + n} · new side"]
        said = [call.error for call in by_request[request.request_id]]
        assert said == [BEHAVIOURS[name][1] for name in behaviours]
    assert {call.error for call in calls} >= {error for _, error in BEHAVIOURS.values()}


def _each_question_ends_by_its_last_call(calls, answers) -> None:
    last = {call.request_id: call for call in calls}  # calls of one request come in order
    for request_id, answer in answers.items():
        call = last.get(request_id)
        if call is None or answer.failure in SPENT:
            assert answer.failure in SPENT
        else:
            assert answer.failure == (CAUSES[call.error] if call.error else None)
