"""JSON in what a model wrote: found, mended where there is no doubt, refused where two readers could read two."""

import json
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from review_agent.engines.json_text import AmbiguousError, parsed, parsed_whole

ROUND, MENDED = "text round it left out", "commas or closing brackets"
DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("ab{}[],\":'\\", max_size=3), inner, max_size=3)
    ),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text("abc", min_size=1, max_size=3), DATA, max_size=4)


@given(OBJECTS, st.booleans())
def test_whole_json_is_read_as_it_is(data: dict, spaced: bool) -> None:
    assert parsed(json.dumps(data, indent=2 if spaced else None)) == (data, ())


@given(OBJECTS)
def test_a_fence_is_taken_off(data: dict) -> None:
    text = f"Sure:\n```json\n{json.dumps(data, indent=1)}\n```\nAnything else?"
    assert parsed(text) == (data, (ROUND,))


@given(
    OBJECTS, st.sampled_from(["Here: ", "I {think} so. ", '<think>{"a": 1}</think>']), st.sampled_from(["", " Done."])
)
def test_the_first_object_is_found_in_prose(data: dict, before: str, after: str) -> None:
    found, repairs = parsed(before + json.dumps(data) + after)
    assert found == data
    assert repairs == (ROUND,)


@given(OBJECTS.filter(bool), st.integers(1, 3))
def test_brackets_that_are_missing_at_the_end_are_added(data: dict, missing: int) -> None:
    text = json.dumps({"x": [{"y": data}]})
    cut = text[: -min(missing, 3)]
    found, repairs = parsed(cut)
    assert found == {"x": [{"y": data}]}
    assert MENDED in repairs


@pytest.mark.parametrize("text", ['{"a": [1, 2,],}', '{"a": [1, 2, ]\n, }', '{"a": [1, 2,'])
def test_commas_before_a_closing_bracket_go(text: str) -> None:
    assert parsed(text) == ({"a": [1, 2]}, (MENDED,))


@pytest.mark.parametrize(
    "text", ["", "no", '{"a": "cut in a str', '{"a" 1}', "{a: 1}", "{'a': 1}", "}{" + '"', '{"a": 1}}'[1:]]
)
def test_what_would_have_to_be_guessed_is_no_json(text: str) -> None:
    with pytest.raises(ValueError, match="holds no JSON object"):
        parsed(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 2}',
        '{"b": {"a": 1, "a": 1}}',
        '{"a": NaN}',
        '{"a": -Infinity}',
        '{"a": 1e999}',
        '{"a": "\\ud800"}',
        '{"\\udc00": 1}',
        '{"a":' * 70 + "1" + "}" * 70,
        '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}",
    ],
)
def test_what_readers_read_differently_is_refused_and_not_repaired(text: str) -> None:
    with pytest.raises(AmbiguousError):
        parsed_whole(text)
    with pytest.raises(AmbiguousError):
        parsed(f"Here:\n```json\n{text}\n```")


def test_a_pair_of_surrogates_is_a_character() -> None:
    assert parsed('{"a": "\\ud83d\\ude00"}') == ({"a": "😀"}, ())


@given(
    st.text(max_size=60)
    | st.lists(
        st.sampled_from(['{"a"', ":", "{", "}", "[", "]", ",", '"', "\\", "1", "```json\n", "\n```"]), max_size=30
    ).map("".join)
)
def test_no_text_is_too_strange(text: str) -> None:
    try:
        data, _ = parsed(text)
    except ValueError:
        return
    json.dumps(data, allow_nan=False)


@pytest.mark.parametrize(
    "text",
    [
        "{" * 1_000_000,
        '{"' * 500_000,
        "," * 1_000_000,
        '{"a": [' + "1," * 400_000,
        "```json\n" * 100_000,
        "```" + " " * 1_000_000 + "x",
        "```json" + "\t" * 1_000_000 + "x",
        "```\n" + "\n " * 500_000,
        "{," + " " * 190_000,
        '{"a":"' + "{" * 900_000,
        "{[]" * 300_000,
        "<think>" * 140_000,
        "{" + "\\" * 900_000,
    ],
    ids=lambda text: repr(text[:12]),
)
def test_a_megabyte_of_anything_is_read_in_time(text: str) -> None:
    began = time.thread_time()
    with suppress(ValueError):
        parsed(text)
    assert time.thread_time() - began < 5


@pytest.mark.parametrize("fence", ["```", "```json", "``` json", "```JSON  ", "```\t"])
def test_a_fence_may_be_named_and_spaced(fence: str) -> None:
    assert parsed(f'So:\n{fence}\r\n{{"a": 1}}\r\n  ```\n') == ({"a": 1}, (ROUND,))


def test_an_object_is_found_behind_a_bracket_that_nobody_closes() -> None:
    whole = {"a": ["x" * 60] * 500}
    assert parsed("if (x) { then: " + json.dumps(whole)) == (whole, (ROUND,))
