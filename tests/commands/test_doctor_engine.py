"""``doctor`` asks a chosen endpoint one small thing, and says what a review there would meet."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from review_agent.commands._doctor_engine import checks
from review_agent.commands._engine import EngineOptions
from review_agent.commands.doctor import State
from review_agent.policy.load import load

USAGE = {"prompt_tokens": 9, "completion_tokens": 3}


@pytest.fixture(autouse=True)
def no_environment(monkeypatch):
    for name in ("ENGINE", "MODEL", "BASE_URL", "API_KEY"):
        monkeypatch.delenv(f"REVIEW_AGENT_{name}", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.fixture
def endpoint():
    """An endpoint that says what ``replies`` holds, in order; ``asked`` are the bodies and keys it was sent."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.server.asked.append((body, self.headers.get("Authorization")))
            self._say(*self.server.replies.pop(0))

        def do_GET(self):
            self._say(200, {"data": [{"id": "known\x1b[31m"}, {"id": "other"}]})

        def _say(self, status, data):
            raw = json.dumps(data).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        server.asked, server.replies = [], []
        server.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def said(content='{"ok": true}', usage=USAGE, finish="stop", message=None):
    told = {"content": content, **(message or {})}
    return 200, {"choices": [{"message": told, "finish_reason": finish}], "usage": usage}


def found(**options):
    told = {one.check: one for one in checks(None, None, EngineOptions(**options))}
    assert all(one.next for one in told.values() if one.state is State.BROKEN)
    return told


def at(endpoint, *replies, **options):
    endpoint.replies += replies
    return found(engine="openai", model="m", base_url=endpoint.url, **options)


def test_of_rules_there_is_nothing_to_say_and_a_batch_reaches_nobody():
    assert found() == {}
    assert found(engine="batch")["engine"].state is State.OK


def test_an_endpoint_that_answers_by_schema_takes_one_call_without_code_of_ours(endpoint, monkeypatch):
    monkeypatch.setenv("REVIEW_AGENT_API_KEY", "sk-secret-key")
    told = at(endpoint, said())
    assert {name: one.state for name, one in told.items()} == {
        "engine": State.OK,
        "model": State.OK,
        "price": State.NOTE,
    }
    ((body, key),) = endpoint.asked
    assert key == "Bearer sk-secret-key"
    assert (body["model"], len(body["messages"]), body["response_format"]["type"]) == ("m", 1, "json_schema")
    assert "sk-secret-key" not in str(told)


def test_one_that_knows_no_schema_is_told_apart_by_a_second_call(endpoint):
    refused = 400, {"error": {"message": "response_format is not supported"}}
    told = at(endpoint, refused, said("hello"))
    assert told["model"].state is State.NOTE
    assert "not supported" in told["model"].detail
    assert [("response_format" in body) for body, _ in endpoint.asked] == [True, False]


@pytest.mark.parametrize(
    ("reply", "words"),
    [(said("hello"), "did not keep to the schema"), (said(None), "gave no text"), (said("{", finish="length"), "cut")],
)
def test_a_poor_answer_is_a_note(endpoint, reply, words):
    told = at(endpoint, reply)
    assert told["model"].state is State.NOTE
    assert words in told["model"].detail


def test_untold_tokens_are_noted(endpoint):
    assert at(endpoint, said(usage=None))["usage"].state is State.NOTE


@pytest.mark.parametrize(
    ("status", "hint"), [(401, "--key-command"), (404, "known, other"), (429, "wait"), (503, "--base-url")]
)
def test_what_the_endpoint_refuses_is_broken_with_the_next_step(endpoint, status, hint):
    told = at(endpoint, (status, {"error": {"message": "no\x1b[31m"}}))
    assert told["model"].state is State.BROKEN
    assert hint in told["model"].next.replace("known\\x1b[31m", "known")
    assert "\x1b" not in told["model"].detail + told["model"].next


def test_nobody_there_and_nobody_named(endpoint):
    assert found(engine="openai", model="m", base_url="http://127.0.0.1:9/v1")["model"].state is State.BROKEN
    assert "--model" in found(engine="openai", base_url=endpoint.url)["engine"].next
    assert "--base-url" in found(engine="openai", model="m")["engine"].next
    assert found(engine="openai", model="m", base_url="nonsense")["engine"].state is State.BROKEN
    assert endpoint.asked == []


def test_a_price_is_named_by_its_entry(endpoint, tmp_path):
    (tmp_path / "prices.yml").write_text('- {model: m, from: "2026-01-01", prompt: 1.5, completion: 6}\n')
    endpoint.replies.append(said())
    options = EngineOptions(engine="openai", model="m", base_url=endpoint.url)
    told = {one.check: one for one in checks(None, tmp_path, options)}
    assert load(tmp_path).prices
    assert told["price"].detail == "m@2026-01-01: $1.5 in, $6.0 out a million tokens"


def test_a_key_with_blanks_and_line_ends_round_it_is_the_key(endpoint, monkeypatch):
    monkeypatch.setenv("REVIEW_AGENT_API_KEY", "  sk-secret-key \r\n")
    told = at(endpoint, said())
    assert told["model"].state is State.OK
    assert endpoint.asked[0][1] == "Bearer sk-secret-key"


@pytest.mark.parametrize("key", ["sk-secret\nkey", "sk-sécret", "sk-\x1bsecret", "sk-secret\udcff", "sk-\u2028secret"])
@pytest.mark.parametrize("headers", [None, ["key: x"]])
def test_a_key_that_no_header_holds_is_said_and_never_shown(endpoint, monkeypatch, key, headers):
    monkeypatch.setenv("REVIEW_AGENT_API_KEY", key)
    told = at(endpoint, said(), header=headers)
    assert told["engine"].state is State.BROKEN
    assert "REVIEW_AGENT_API_KEY" in told["engine"].detail
    assert "secret" not in ascii(told).replace("as secrets", "")
    assert endpoint.asked == []


def test_what_a_server_repeats_of_the_key_is_hidden_however_it_is_written(endpoint, monkeypatch):
    monkeypatch.setenv("REVIEW_AGENT_API_KEY", "sk/secret-key")
    told = at(endpoint, (404, {"error": {"message": "no model for sk/secret-key"}}))
    refused = at(endpoint, said(message={"refusal": "I do not talk to sk/secret-key"}))
    assert "[masked:key]" in told["model"].detail
    assert "[masked:key]" in refused["model"].detail
    assert "secret" not in str(told) + str(refused)
