"""Requests go out as a file; answers come back as one and meet the same reading as a server's."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from asking import GROUP, compile_, synthesize

from review_agent.engines.batch import Batch
from review_agent.errors import RecordError, UsageError
from review_agent.policy.load import load
from review_agent.policy.model_engine import Price
from review_agent.vocabulary import Answer, Call, CallError, EngineRole, Pending, UnansweredCause, Usage

DRAFT = {
    "claim": "Removing `tenant.id` serves one price to all.",
    "effect": {"op": "removed", "subject": "tenant.id", "to": None},
    "severity": "important",
    "supporting": ["E1"],
    "impactCondition": "two tenants ask within an hour",
    "counterEvidence": [],
    "uncertainty": [],
    "confidence": "high",
}
PRICES = {"m": 1.0, "batch:m": 0.5}
SAID = {"drafts": [DRAFT], "noFinding": None}


@pytest.fixture(scope="module")
def policy():
    return load()


def engine(policy, folder, *lines, model="m"):
    """A batch engine with one file of answers, of these lines."""
    files = []
    if lines:
        files = [folder / "answers.jsonl"]
        files[0].write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in lines) + "\n")
    return Batch(policy, model=model, folder=folder / "batch", answers=files)


def by_server(request, content=None, *, status=200, usage=None, **choice):
    message = {"role": "assistant", "content": content, **choice.pop("message", {})}
    body = {"model": "m-2026", "choices": [{"message": message, "finish_reason": "stop", **choice}], "usage": usage}
    return {"custom_id": request.request_id, "response": {"status_code": status, "body": body}, "error": None}


def test_requests_are_written_as_openais_batch_input_before_any_is_pending(policy, tmp_path):
    one, two = synthesize(1), synthesize(2)
    batch = engine(policy, tmp_path)
    sent = batch.answer([one, two])
    assert next(sent) == Pending(request_id=one.request_id)
    (file,) = batch.written
    assert list(sent) == [Pending(request_id=two.request_id)]
    assert file.name.startswith("synthesize-")
    first, second = map(json.loads, file.read_text().splitlines())
    assert (first["custom_id"], second["custom_id"]) == (one.request_id, two.request_id)
    assert (first["method"], first["url"]) == ("POST", "/v1/chat/completions")
    body = first["body"]
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert body["messages"][0] == second["body"]["messages"][0]
    assert "E1" in body["messages"][1]["content"]
    assert (body["model"], body["temperature"], body["seed"]) == ("m", 0.0, 7)
    assert body["max_tokens"] == policy.engine.max_tokens.synthesize
    assert body["response_format"]["json_schema"]["strict"] is True


def test_what_is_asked_again_is_the_same_file_and_a_file_holds_one_role(policy, tmp_path):
    requests = [compile_(), synthesize(1)]
    first, again = engine(policy, tmp_path), engine(policy, tmp_path)
    assert len(list(first.answer(requests))) == len(list(again.answer(requests))) == 2
    assert first.written == again.written
    assert [path.name.split("-")[0] for path in first.written] == ["compile", "synthesize"]
    assert sorted(path.name for path in (tmp_path / "batch").iterdir()) == sorted(path.name for path in first.written)


@pytest.mark.parametrize("content", [SAID, json.dumps(SAID), f"Here it is:\n```json\n{json.dumps(SAID)}\n```"])
@pytest.mark.parametrize("name", ["custom_id", "requestId"])
def test_an_answer_by_hand_is_an_object_or_a_text(policy, tmp_path, content, name):
    one = synthesize(1)
    call, answer = engine(policy, tmp_path, {name: one.request_id, "content": content}).answer([one])
    assert (call.form, call.model, call.error, call.usage) == ("by_hand", "m", None, None)
    assert answer.drafts == (DRAFT,)


def test_an_answer_of_a_server_brings_its_usage(policy, tmp_path):
    one = synthesize(1)
    usage = {"prompt_tokens": 900, "completion_tokens": 40, "prompt_tokens_details": {"cached_tokens": 512}}
    call, answer = engine(policy, tmp_path, by_server(one, json.dumps(SAID), usage=usage)).answer([one])
    told = Usage(prompt_tokens=900, completion_tokens=40, cached_tokens=512, cost_usd=None)
    assert (call.usage, answer.usage, call.raw_usage) == (told, told, usage)
    assert (call.form, call.model, call.status) == ("schema", "m-2026", 200)


def test_a_batch_has_a_price_of_its_own_and_costs_unknown_without_one(policy, tmp_path):
    one = synthesize(1)
    line = by_server(one, json.dumps(SAID), usage={"prompt_tokens": 1_000_000, "completion_tokens": 0})
    prices = [Price(model=name, **{"from": "2026-01-01"}, prompt=cost, completion=1) for name, cost in PRICES.items()]
    costs = []
    for listed in (prices, prices[:1]):
        call, _ = engine(policy.model_copy(update={"prices": tuple(listed)}), tmp_path, line).answer([one])
        costs.append((call.usage.cost_usd, call.price_version))
    assert costs == [(0.5, "batch:m@2026-01-01"), (None, None)]


@pytest.mark.parametrize(
    ("line", "error", "cause"),
    [
        (lambda r: by_server(r, None), CallError.EMPTY, UnansweredCause.MALFORMED),
        (lambda r: by_server(r, "{", finish_reason="length"), CallError.TRUNCATED, UnansweredCause.MALFORMED),
        (lambda r: by_server(r, message={"refusal": "no"}), CallError.REFUSED, UnansweredCause.REFUSED),
        (lambda r: by_server(r, "x", status=429), CallError.RATE_LIMITED, UnansweredCause.ENDPOINT_DOWN),
        (lambda r: by_server(r, "x", status=500), CallError.SERVER_ERROR, UnansweredCause.ENDPOINT_DOWN),
        (
            lambda r: {"custom_id": r.request_id, "response": None, "error": {"code": "batch_expired", "message": "m"}},
            CallError.OTHER_STATUS,
            UnansweredCause.ENDPOINT_DOWN,
        ),
        (lambda r: {"custom_id": r.request_id, "content": "no"}, CallError.NOT_JSON, UnansweredCause.MALFORMED),
        (lambda r: {"custom_id": r.request_id, "content": "  "}, CallError.EMPTY, UnansweredCause.MALFORMED),
        (lambda r: {"custom_id": r.request_id, "content": {"a": 1}}, CallError.NOT_SCHEMA, UnansweredCause.MALFORMED),
        (
            lambda r: {"custom_id": r.request_id, "content": "x" * 1_000_001},
            CallError.TOO_LARGE,
            UnansweredCause.MALFORMED,
        ),
    ],
)
def test_a_failure_is_recorded_by_its_class_and_ends_its_question_only(policy, tmp_path, line, error, cause):
    one, two = synthesize(1), synthesize(2)
    good = {"custom_id": two.request_id, "content": SAID}
    call, answer, _, other = engine(policy, tmp_path, line(one), good).answer([one, two])
    assert isinstance(call, Call)
    assert isinstance(answer, Answer)
    assert (call.error, answer.failure) == (error, cause)
    assert answer.detail.startswith(error.value)
    assert other.drafts


def test_the_first_of_two_answers_counts_and_what_nobody_asked_is_said(policy, tmp_path):
    one = synthesize(1)
    again = {**SAID, "drafts": [{**DRAFT, "claim": "second"}]}
    lines = [{"custom_id": one.request_id, "content": text} for text in (SAID, again)]
    batch = engine(policy, tmp_path, *lines, {"custom_id": "no such", "content": SAID})
    _, answer = batch.answer([one])
    assert answer.drafts == (DRAFT,)
    assert [text.split(":")[0] for text in batch.notices] == [
        "1 answer to a request that another line answers",
        "1 answer not asked for now",
    ]


def test_what_is_answered_comes_first_and_only_the_rest_is_written(policy, tmp_path):
    one, two = synthesize(1), synthesize(2)
    batch = engine(policy, tmp_path, {"custom_id": two.request_id, "content": SAID})
    sent = list(batch.answer([one, two]))
    assert [type(item) for item in sent] == [Call, Answer, Pending]
    assert [json.loads(line)["custom_id"] for line in batch.written[0].read_text().splitlines()] == [one.request_id]
    assert batch.notices == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "no JSON"),
        ("[1]", "no JSON object"),
        ('{"content": "x"}', "which request"),
        ('{"custom_id": 7, "content": "x"}', "which request"),
        ('{"custom_id": "r"}', "no content"),
        ('{"custom_id": "r", "content": {"a": 1, "a": 2}}', "a key stands twice"),
        ('{"custom_id": "r", "content": NaN}', "NaN is no JSON number"),
        ("[" * 100_000, "no JSON"),
        ('{"custom_id": "r", "method": "POST", "body": {}}', "is a request, no answer"),
    ],
)
def test_a_line_that_is_no_answer_is_named_before_anything_is_asked(policy, tmp_path, line, message):
    with pytest.raises(UsageError, match=message) as caught:
        engine(policy, tmp_path, {"custom_id": "fine", "content": SAID}, line)
    assert caught.value.where == f"{tmp_path / 'answers.jsonl'}:2"
    assert caught.value.hint


def test_files_that_are_none_are_named(policy, tmp_path):
    (tmp_path / "latin.jsonl").write_bytes(b'{"custom_id": "\xe9"}')
    (tmp_path / "empty").mkdir()
    for name, message in (("gone.jsonl", "cannot be read"), ("latin.jsonl", "no UTF-8"), ("empty", "holds no answers")):
        with pytest.raises(UsageError, match=message):
            Batch(policy, model="m", folder=tmp_path, answers=[tmp_path / name])


def test_a_folder_of_answers_a_byte_order_mark_and_foreign_line_ends_are_taken(policy, tmp_path):
    one = synthesize(1)
    (tmp_path / "in").mkdir()
    line = json.dumps({"custom_id": one.request_id, "content": SAID}, ensure_ascii=False)
    (tmp_path / "in" / "a.jsonl").write_bytes(b"\xef\xbb\xbf" + line.encode() + b"\r\n\r\n")
    _, answer = Batch(policy, model="m", folder=tmp_path, answers=[tmp_path / "in"]).answer([one])
    assert answer.drafts == (DRAFT,)


def test_a_lone_surrogate_in_an_answer_is_its_own_failure(policy, tmp_path):
    one = synthesize(1)
    line = f'{{"custom_id": "{one.request_id}", "content": "{{\\"drafts\\": [\\"\\ud800\\"]}}"}}'
    _, answer = engine(policy, tmp_path, line).answer([one])
    assert answer.failure is UnansweredCause.MALFORMED


def test_a_folder_that_cannot_be_written_is_said(policy, tmp_path):
    (tmp_path / "batch").write_text("")
    with pytest.raises(RecordError):
        list(engine(policy, tmp_path).answer([synthesize(1)]))


def test_its_identity_is_made_of_model_and_prompts_and_not_of_the_answers(policy, tmp_path):
    plain, answered = engine(policy, tmp_path), engine(policy, tmp_path, {"custom_id": "r", "content": SAID})
    other = policy.model_copy(update={"prompts": policy.prompts.model_copy(update={"refute": "another"})})
    assert plain.identity == answered.identity
    assert plain.identity.startswith("batch:m/")
    names = {one.identity for one in (plain, engine(policy, tmp_path, model="n"), engine(other, tmp_path))}
    assert len(names) == 3
    assert engine(policy, tmp_path, model="").identity.startswith("batch:unnamed/")
    assert plain.roles == frozenset(EngineRole)


def test_no_text_of_the_change_ends_a_line_or_reaches_a_terminal_by_the_file(policy, tmp_path):
    said = "x\u2028{}\x85\x1b[2J\u202e\ud800\r\ny"
    group = GROUP.model_copy(update={"text": said})
    one = synthesize(1)
    asked = one.model_copy(update={"payload": one.payload.model_copy(update={"group": group})})
    batch = engine(policy, tmp_path)
    list(batch.answer([asked]))
    raw = batch.written[0].read_bytes()
    assert raw.isascii()
    assert len(raw.decode().splitlines()) == 1
    assert b"\x1b" not in raw
    assert said.replace("\ud800", "?") in json.loads(raw)["body"]["messages"][1]["content"]


def test_what_a_server_calls_its_model_is_recorded_in_plain_signs(policy, tmp_path):
    one = synthesize(1)
    line = by_server(one, json.dumps(SAID))
    line["response"]["body"]["model"] = "m\x1b[31m\u202e" + "x" * 9000
    call, _ = engine(policy, tmp_path, line).answer([one])
    assert call.model.isascii()
    assert call.model.isprintable()
    assert len(call.model) < 400


@pytest.mark.parametrize("depth", [100, 300, 400, 900])
def test_a_line_may_be_nested_deeper_than_a_record(policy, tmp_path, depth):
    one, two, three = map(synthesize, range(3))
    nested = "[" * depth + "1" + "]" * depth
    usage = json.dumps(
        by_server(one, json.dumps(SAID), usage={"prompt_tokens": 5, "completion_tokens": 9, "x": 0})
    ).replace('"x": 0', f'"x": {nested}')
    error = json.dumps({"custom_id": three.request_id, "response": None, "error": 0}).replace("0}", f"{nested}}}")
    by_hand = f'{{"custom_id": "{two.request_id}", "content": {nested}}}'
    sent = list(engine(policy, tmp_path, usage, by_hand, error).answer([one, two, three]))
    calls = [call for call in sent if isinstance(call, Call)]
    assert calls[0].error is None
    assert (calls[0].usage.prompt_tokens, calls[0].raw_usage) == (5, None)
    assert [answer.failure for answer in sent if isinstance(answer, Answer)] == [
        None,
        UnansweredCause.MALFORMED,
        UnansweredCause.ENDPOINT_DOWN,
    ]
    assert all(len(one.wire()) for one in sent)


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_answers_are_read_from_files_and_nobody_waits_for_a_pipe(policy, tmp_path, kind):
    path = Path("/dev/zero") if kind == "device" else tmp_path / "x"
    if kind == "pipe":
        os.mkfifo(path)
    with pytest.raises(UsageError, match="is no file") as caught:
        Batch(policy, model="m", folder=tmp_path / "batch", answers=[path])
    assert caught.value.where == str(path)


def test_a_secret_in_the_name_of_a_file_is_in_no_file_of_requests(policy, tmp_path):
    secret = "ghp_" + "a1B2" * 9
    request = compile_()
    group = GROUP.model_copy(update={"text": f"src/{secret}.py\n 1 + x"})
    request = request.model_copy(update={"payload": request.payload.model_copy(update={"group": group})})
    batch = engine(policy, tmp_path)
    list(batch.answer([request]))
    assert secret not in batch.written[0].read_text()
    assert "src/[masked:github_token].py" in batch.written[0].read_text()
