"""A reply is read only so far as to know what it fills; what has its shape is an answer, however little it means."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_requests import compiling, refuting, synthesize
from model_server import DRAFT, GOOD, NO_FINDING, QUESTION

from review_agent.engines.failures import Fault
from review_agent.engines.replies import MOST_BYTES, read
from review_agent.engines.schemas import shape, strict
from review_agent.vocabulary import Answer, CallError, EngineRole

ROLES = {"questions": compiling(), "synthesis": synthesize(), "refutation": refuting()}


def said(request, data) -> Answer | Fault:
    return read(request, data if isinstance(data, str) else json.dumps(data), "openai:m/1")


@pytest.mark.parametrize("name", ROLES)
def test_a_good_reply_fills_the_field_of_its_role(name: str) -> None:
    answer = said(ROLES[name], GOOD[name])
    fields = {"questions": answer.questions, "synthesis": answer.no_finding, "refutation": answer.refutation}
    assert [key for key, value in fields.items() if value is not None] == [name]
    assert answer.engine == "openai:m/1"


@pytest.mark.parametrize(
    "change",
    [
        {"severity": "catastrophic"},
        {"confidence": "certain"},
        {"effect": {"op": "obliterated", "subject": "x", "to": None}},
        {"supporting": ["E999", "nowhere"]},
        {"claim": ""},
        {"modelMayPost": True},
    ],
)
def test_words_that_nobody_knows_are_for_the_contract(change) -> None:
    draft = {**DRAFT, **change}
    assert said(synthesize(), {"drafts": [draft], "noFinding": None}).drafts == (draft,)


@pytest.mark.parametrize(
    "data",
    [
        [],
        "{}",
        {"drafts": [], "noFinding": None},
        {"drafts": [DRAFT], "noFinding": NO_FINDING},
        {"drafts": DRAFT, "noFinding": None},
        {"drafts": ["a claim"], "noFinding": None},
        {"drafts": [{**DRAFT, "claim": 7}]},
        {"drafts": [{key: value for key, value in DRAFT.items() if key != "confidence"}]},
        {"noFinding": "none"},
    ],
)
def test_another_shape_is_a_fault(data) -> None:
    fault = said(synthesize(), data)
    assert isinstance(fault, Fault)
    assert fault.error is CallError.NOT_SCHEMA
    assert fault.detail


def test_what_may_be_null_may_be_left_out() -> None:
    assert said(synthesize(), {"noFinding": NO_FINDING}).no_finding == NO_FINDING
    assert said(synthesize(), {"drafts": [DRAFT]}).drafts == (DRAFT,)
    assert said(refuting(), {"verdict": "stands", "why": "x"}).refutation["cited"] is None


@pytest.mark.parametrize("name", ROLES)
@given(text=st.text(max_size=50))
def test_no_text_makes_it_raise(name: str, text: str) -> None:
    assert isinstance(said(ROLES[name], text + " "), Answer | Fault)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", CallError.EMPTY),
        (" \n", CallError.EMPTY),
        ("no", CallError.NOT_JSON),
        ("x" * (MOST_BYTES + 1), CallError.TOO_LARGE),
        ("é" * (MOST_BYTES // 2 + 1), CallError.TOO_LARGE),
        ('{"a": 1, "a": 1}', CallError.NOT_JSON),
    ],
)
def test_what_is_none_is_told_by_its_class(text: str, error: CallError) -> None:
    fault = said(synthesize(), text)
    assert fault.error is error
    assert len(fault.detail) < 400


def test_a_fault_says_no_more_than_a_line_of_what_the_model_wrote() -> None:
    fault = said(synthesize(), {"drafts": [{**DRAFT, "claim": ["\x1b[2J\n" * 1000]}]})
    assert fault.detail.isprintable()
    assert len(fault.detail) < 400


@pytest.mark.parametrize("role", EngineRole)
def test_a_strict_schema_leaves_nothing_open(role: EngineRole) -> None:
    def objects(schema):
        if isinstance(schema, dict):
            if "properties" in schema:
                yield schema
            for value in schema.values():
                yield from objects(value)
        elif isinstance(schema, list):
            for value in schema:
                yield from objects(value)

    found = list(objects(strict(role)))
    assert found
    for one in found:
        assert one["additionalProperties"] is False
        assert one["required"] == list(one["properties"])
    assert not any(word in json.dumps(strict(role)) for word in ('"title":', '"default":', '"description":'))


def test_what_the_strict_schema_allows_has_the_shape() -> None:
    assert shape(EngineRole.COMPILE).is_valid({"questions": [QUESTION]})
    assert shape(EngineRole.SYNTHESIZE).is_valid({"drafts": [DRAFT], "noFinding": None})
    assert shape(EngineRole.REFUTE).is_valid(GOOD["refutation"])
