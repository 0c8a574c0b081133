"""An endpoint that misbehaves in every way: each is told by its class, and each question ends as it should."""

import pytest
from model_requests import heard, policy, synthesize
from model_server import BEHAVIOURS, ModelServer

from review_agent.engines.failures import CAUSES
from review_agent.engines.openai import OpenAI
from review_agent.vocabulary import CallError

pytestmark = pytest.mark.slow


def engine(server: ModelServer, name: str, **changes) -> OpenAI:
    """Patient, unless patience is what is tried."""
    seconds = 1 if BEHAVIOURS[name][1] is CallError.TOO_SLOW else 30
    return OpenAI(policy(seconds_per_call=seconds, **changes), model="m", base_url=server.base_url, backoff=0.01)


def in_turn(*behaviours: str):
    """These in turn, the last for all that come after."""
    return lambda n, body: behaviours[min(n, len(behaviours) - 1)]


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_each_way_to_misbehave_has_its_class_and_its_outcome(name: str) -> None:
    # The first request finds out by which form JSON is asked for, so that a refusal is about the second alone.
    with ModelServer(in_turn("good", name)) as server:
        asked = engine(server, name, retries=0)
        heard(asked, synthesize(0))
        (call, *more), answers = heard(asked, synthesize(1))
    error = BEHAVIOURS[name][1]
    (answer,) = answers.values()
    assert call.error == error, call.detail
    assert answer.failure == (CAUSES[error] if error else None)
    assert bool(call.detail) == bool(answer.detail)
    assert not more
    assert call.milliseconds is not None


@pytest.mark.parametrize("name", [name for name, (_, error) in BEHAVIOURS.items() if error in CAUSES])
def test_what_can_pass_is_tried_again_under_the_same_request(name: str) -> None:
    with ModelServer(in_turn("good", name, "good")) as server:
        asked = engine(server, name, retries=2)
        heard(asked, synthesize(0))
        calls, answers = heard(asked, synthesize(1))
    (answer,) = answers.values()
    final = BEHAVIOURS[name][1] in {
        CallError.BAD_REQUEST,
        CallError.UNAUTHORIZED,
        CallError.NOT_FOUND,
        CallError.OTHER_STATUS,
        CallError.REFUSED,
        CallError.TOO_LARGE,
    }
    stays = final or name == "429 for a day"
    assert [call.number for call in calls] == ([1] if stays else [1, 2])
    assert (answer.failure is None) != stays
