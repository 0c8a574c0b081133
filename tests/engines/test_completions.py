"""The body of a completion: its text, or why there is none, and what it cost in the server's own words."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from review_agent.engines.completions import Tokens, completion
from review_agent.engines.failures import Fault
from review_agent.vocabulary import Call, CallError

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "message", "content", "usage", "error", "code", "prompt_tokens", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


def body(content="x", finish="stop", usage=None, **message):
    choice = {"message": {"content": content, **message}, "finish_reason": finish}
    return {"choices": [choice], **({"usage": usage} if usage is not None else {})}


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": 5, "completion_tokens": 3}, Tokens(5, 3, None)),
        ({"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": 4}}, Tokens(5, None, 4)),
        ({"prompt_tokens": 5, "prompt_tokens_details": None, "prompt_cache_hit_tokens": 2}, Tokens(5, None, 2)),
        ({"prompt_tokens": 0, "completion_tokens": 0, "prompt_cache_hit_tokens": 0}, Tokens(0, 0, 0)),
        ({"prompt_tokens": -1, "completion_tokens": True, "prompt_cache_hit_tokens": "3"}, Tokens()),
        ({"prompt_tokens": 10**30, "completion_tokens": 1.5}, Tokens()),
        ({"x": "y" * 5000, "prompt_tokens": 5}, Tokens(5)),
        ([], Tokens()),
        (None, Tokens()),
    ],
)
def test_usage_is_what_the_server_tells_and_unknown_otherwise(usage, tokens: Tokens) -> None:
    assert completion(body(usage=usage)).tokens == tokens


def test_the_cost_is_told_where_the_text_is_no_good() -> None:
    found = completion(json.dumps(body(refusal="no", usage={"prompt_tokens": 5})).encode())
    assert found.said.error is CallError.REFUSED
    assert found.tokens.prompt == 5
    assert found.raw_usage == {"prompt_tokens": 5}


def test_content_in_parts_is_one_text() -> None:
    assert completion(body([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}, "c"])).said == "ab"


@pytest.mark.parametrize(
    ("error", "known"),
    [
        ({"code": 429}, CallError.RATE_LIMITED),
        ({"code": 404}, CallError.NOT_FOUND),
        ({"code": "x"}, CallError.SERVER_ERROR),
        ("oh", CallError.SERVER_ERROR),
        (None, CallError.EMPTY),
    ],
)
def test_an_error_in_a_success_is_an_error(error, known: CallError) -> None:
    assert completion({"error": error}).said.error is known


@pytest.mark.parametrize("depth", [63, 64, 254, 256, 260, 400, 900])
@pytest.mark.parametrize("name", ["x", "prompt_tokens_details"])
def test_usage_is_recorded_no_deeper_than_a_record_can_be(depth: int, name: str) -> None:
    nested = json.loads("[" * depth + "]" * depth)
    found = completion(body(usage={"prompt_tokens": 5, name: nested}))
    assert found.tokens == Tokens(5)
    assert (found.raw_usage is None) == (depth > 63)
    Call(
        request_id="r",
        number=1,
        model="m",
        error=None,
        status=200,
        usage=None,
        raw_usage=found.raw_usage,
        form="schema",
    ).wire()


@pytest.mark.parametrize("depth", [100, 300, 990])
@pytest.mark.parametrize("place", ["refusal", "content", "error"])
def test_words_may_be_nested_as_they_like(depth: int, place: str) -> None:
    nested = "[" * depth + "]" * depth
    said = {"refusal": f'"refusal": {nested}', "content": f'"content": [{{"text": {nested}}}]'}
    text = f'{{"choices": [{{"message": {{{said.get(place)}}}}}]}}' if place in said else f'{{"error": {nested}}}'
    assert isinstance(completion(text.encode()).said, str | Fault)


@given(JSON)
def test_no_body_is_too_strange(data) -> None:
    found = completion(data if isinstance(data, dict) else json.dumps(data).encode())
    assert isinstance(found.said, str | Fault)
    assert completion(json.dumps(data).encode()) == completion(data) if isinstance(data, dict) else True


@given(st.binary(max_size=40))
def test_no_bytes_are(data: bytes) -> None:
    assert isinstance(completion(data).said, Fault)
