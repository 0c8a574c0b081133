"""A chat-completions endpoint on this machine that can misbehave in every way that one can, over real HTTP.

``BEHAVIOURS`` names each way, with what a call that meets it comes to. What the server tells of usage is added up, and
so is, at every moment, the most that the calls it has seen can come to: neither may differ from the engine's record.
"""

from __future__ import annotations

import gzip
import json
import random
import socket
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from review_agent.vocabulary import CallError

__all__ = ["BEHAVIOURS", "GOOD", "ModelServer", "Totals"]

NO_FINDING = {"code": "no_candidate", "detail": "it stands", "missing": [], "defeatedBy": []}
DRAFT = {
    "claim": "`src/none.py` line 1 calls `invented` with 77",
    "effect": {"op": "removed", "subject": "invented", "to": None},
    "severity": "important",
    "supporting": ["E1", "E9:999"],
    "impactCondition": "always",
    "counterEvidence": [],
    "uncertainty": [],
    "confidence": "high",
}
QUESTION = {
    "path": "src/none.py",
    "side": "new",
    "startLine": 1,
    "endLine": 1,
    "changeKind": "other",
    "change": "x",
    "precondition": "x",
    "consequence": "x",
    "refutedIf": ["x"],
    "plan": [{"kind": "callers", "name": "x", "path": "", "scope": "", "side": "new"}],
}
GOOD: dict[str, dict[str, Any]] = {
    "questions": {"questions": []},
    "synthesis": {"drafts": [], "noFinding": NO_FINDING},
    "refutation": {"verdict": "stands", "cited": None, "quote": None, "why": "nothing", "counterEvidence": []},
}


@dataclass
class Totals:
    prompt: int = 0
    completion: int = 0
    cached: int = 0
    replies: int = 0


@dataclass
class Seen:
    """One request as the server saw it. ``name``: the schema's, as far as the request tells."""

    body: dict[str, Any]
    headers: dict[str, str]
    behaviour: str
    name: str


@dataclass
class _Turn:
    """One request on its way to its reply."""

    server: ModelServer
    handler: BaseHTTPRequestHandler
    body: dict[str, Any]
    name: str
    usage: dict[str, Any] = field(default_factory=dict)

    def status(self, code: int, headers: dict[str, str] | None = None, **error: Any) -> None:
        self.server.settle(self.body, charged=False)
        self.raw(json.dumps({"error": {"message": f"told {code}", **error}}).encode(), code, headers)

    def says(self, content: Any, *, finish: str = "stop", told: bool = True, **message: Any) -> None:
        text = content if isinstance(content, str) or content is None else json.dumps(content)
        choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}
        whole = {"id": "c", "object": "chat.completion", "choices": [choice]}
        self.server.settle(self.body, charged=True, usage=self.usage if told else None)
        self.raw(json.dumps({**whole, **({"usage": self.usage} if told else {})}).encode())

    def raw(self, data: bytes, code: int = 200, headers: dict[str, str] | None = None) -> None:
        out = self.handler
        out.send_response(code)
        for name, value in {
            "Content-Type": "application/json",
            "Content-Length": str(len(data)),
            **(headers or {}),
        }.items():
            out.send_header(name, value)
        out.end_headers()
        out.wfile.write(data)

    def untold(self) -> None:
        """The call may have cost all that it could: nobody learns what."""
        self.server.settle(self.body, charged=True)

    def bytes(self, data: bytes) -> None:
        self.handler.wfile.write(data)
        self.handler.wfile.flush()

    def drip(self, data: bytes) -> None:
        """A byte at a time, until the other side has had enough."""
        for at in range(len(data)):
            self.bytes(data[at : at + 1])
            if self.server.ending.wait(0.05):
                return

    def reset(self) -> None:
        connection = self.handler.connection
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
        self.handler.close_connection = True


_COMPRESSED = gzip.compress(b" " * 3_000_000)
Behaviour = Callable[[_Turn], None]


def _good(turn: _Turn) -> None:
    turn.says(turn.server.good(turn.name, turn.body))


def _status(code: int, **error: Any) -> Behaviour:
    return lambda turn: turn.status(code, **error)


def _server_error(turn: _Turn, code: int = 503) -> None:
    turn.untold()
    turn.raw(b"<html>busy</html>", code, {"Content-Type": "text/html"})


def _coded(charset: str) -> Behaviour:
    """An error in a text of a codec that Python knows and no text is in."""

    def behave(turn: _Turn) -> None:
        turn.untold()
        turn.raw(b"\xff\xfe{}busy\xe9", 500, {"Content-Type": f"text/plain; charset={charset}"})

    return behave


def _answers_by(data: bytes) -> Behaviour:
    """These bytes and no others; then the connection ends."""

    def behave(turn: _Turn) -> None:
        turn.untold()
        turn.bytes(data)
        turn.handler.close_connection = True

    return behave


def _reset_at_once(turn: _Turn) -> None:
    turn.untold()
    turn.reset()


def _reset_in_the_middle(turn: _Turn) -> None:
    turn.untold()
    turn.bytes(b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"choices": [')
    turn.reset()


def _cut_short(turn: _Turn) -> None:
    turn.untold()
    turn.bytes(b'HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"choices": [')
    turn.handler.close_connection = True


def _silent(turn: _Turn) -> None:
    turn.untold()
    turn.server.ending.wait(20)


def _dripped_headers(turn: _Turn) -> None:
    turn.untold()
    turn.drip(b"HTTP/1.1 200 OK\r\n" + b"X-Slow: 1\r\n" * 1000)


def _dripped_body(turn: _Turn) -> None:
    turn.untold()
    turn.bytes(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n")
    turn.drip(b" " * 5000)


def _large(turn: _Turn) -> None:
    turn.untold()
    turn.bytes(b"HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n")
    turn.bytes(b"[" + b" " * 9_999_999)


def _large_without_length(turn: _Turn) -> None:
    turn.untold()
    turn.bytes(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in range(100):
        turn.bytes(b"%x\r\n%s\r\n" % (100_000, b" " * 100_000))


def _large_error(turn: _Turn) -> None:
    turn.untold()
    turn.bytes(b"HTTP/1.1 500 Oh\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in range(100):
        turn.bytes(b"%x\r\n%s\r\n" % (100_000, b" " * 100_000))


def _compressed(turn: _Turn) -> None:
    turn.untold()
    turn.raw(_COMPRESSED, headers={"Content-Encoding": "gzip"})


def _raw(data: bytes) -> Behaviour:
    def behave(turn: _Turn) -> None:
        turn.untold()
        turn.raw(data)

    return behave


def _elsewhere(turn: _Turn) -> None:
    turn.status(307, {"Location": turn.server.base_url + "/elsewhere"})


def _deepseek(turn: _Turn) -> None:
    cached = turn.usage.pop("prompt_tokens_details")["cached_tokens"]
    turn.usage = {**turn.usage, "prompt_cache_hit_tokens": cached}
    _good(turn)


def _nonsense_usage(turn: _Turn) -> None:
    turn.untold()
    turn.usage = {"prompt_tokens": -5, "completion_tokens": "many", "total_tokens": True}
    whole = {"choices": [{"message": {"content": json.dumps(GOOD[turn.name])}}], "usage": turn.usage}
    turn.raw(json.dumps(whole).encode())


def _nested_usage(turn: _Turn) -> None:
    turn.usage = {**turn.usage, "x": json.loads("[" * 400 + "]" * 400)}
    _good(turn)


def _text(change: Callable[[str], Any]) -> Behaviour:
    return lambda turn: turn.says(change(json.dumps(GOOD[turn.name])))


def _nonsense(turn: _Turn) -> None:
    """What has its shape and means nothing: an unknown word, an invented path."""
    said = {
        "questions": {"questions": [{**QUESTION, "changeKind": "miracle"}]},
        "synthesis": {"drafts": [{**DRAFT, "severity": "catastrophic"}], "noFinding": None},
        "refutation": {**GOOD["refutation"], "verdict": "certainly"},
    }
    turn.says(said[turn.name])


def _limited(turn: _Turn) -> None:
    turn.status(429, {"Retry-After": "0"})


def _limited_long(turn: _Turn) -> None:
    turn.status(429, {"Retry-After": "86400"})


BEHAVIOURS: dict[str, tuple[Behaviour, CallError | None]] = {
    "good": (_good, None),
    "400": (_status(400), CallError.BAD_REQUEST),
    "401": (_status(401), CallError.UNAUTHORIZED),
    "403": (_status(403), CallError.UNAUTHORIZED),
    "404": (_status(404), CallError.NOT_FOUND),
    "408": (lambda turn: _server_error(turn, 408), CallError.REQUEST_TIMEOUT),
    "409": (_status(409), CallError.CONFLICT),
    "418": (_status(418), CallError.OTHER_STATUS),
    "422": (_status(422), CallError.BAD_REQUEST),
    "429": (_limited, CallError.RATE_LIMITED),
    "429 for a day": (_limited_long, CallError.RATE_LIMITED),
    "500": (lambda turn: _server_error(turn, 500), CallError.SERVER_ERROR),
    "503": (_server_error, CallError.SERVER_ERROR),
    "500 in rot13": (_coded("rot13"), CallError.SERVER_ERROR),
    "500 in idna": (_coded("idna"), CallError.SERVER_ERROR),
    "500 in no charset": (_coded('"\xff'), CallError.SERVER_ERROR),
    "no HTTP": (_answers_by(b"\x00\xff\x16\x03 nothing\r\n\r\n"), CallError.RESET),
    "another HTTP": (_answers_by(b"HTTP/2 200\r\n\r\n"), CallError.RESET),
    "a length that is none": (_answers_by(b"HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\n{}"), CallError.RESET),
    "a length without end": (
        _answers_by(b"HTTP/1.1 200 O\r\nContent-Length: %s\r\n\r\n{}" % (b"9" * 5000)),
        CallError.RESET,
    ),
    "two lengths": (
        _answers_by(b"HTTP/1.1 200 O\r\nContent-Length: 2\r\nContent-Length: 5\r\n\r\n{}"),
        CallError.RESET,
    ),
    "headers without end": (_answers_by(b"HTTP/1.1 200 OK\r\nX: " + b"a" * 2_000_000), CallError.RESET),
    "another protocol": (_answers_by(b"HTTP/1.1 101 S\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"), CallError.RESET),
    "307": (_elsewhere, CallError.OTHER_STATUS),
    "reset at once": (_reset_at_once, CallError.RESET),
    "reset in the middle": (_reset_in_the_middle, CallError.RESET),
    "cut short": (_cut_short, CallError.RESET),
    "silent": (_silent, CallError.TOO_SLOW),
    "drips headers": (_dripped_headers, CallError.TOO_SLOW),
    "drips the body": (_dripped_body, CallError.TOO_SLOW),
    "truncated": (lambda turn: turn.says('{"drafts": [', finish="length"), CallError.TRUNCATED),
    "refusal": (lambda turn: turn.says(None, refusal="I would rather not"), CallError.REFUSED),
    "filtered": (lambda turn: turn.says("", finish="content_filter"), CallError.REFUSED),
    "empty content": (lambda turn: turn.says(""), CallError.EMPTY),
    "no content": (lambda turn: turn.says(None), CallError.EMPTY),
    "no choices": (_raw(b'{"choices": []}'), CallError.EMPTY),
    "empty body": (_raw(b""), CallError.NOT_JSON),
    "a page": (_raw(b"<html>welcome</html>"), CallError.NOT_JSON),
    "deep body": (_raw(b"[" * 200_000), CallError.NOT_JSON),
    "an error in a success": (_raw(b'{"error": {"code": 502, "message": "upstream"}}'), CallError.SERVER_ERROR),
    "a nested error": (_raw(b'{"error": ' + b"[" * 900 + b"]" * 900 + b"}"), CallError.SERVER_ERROR),
    "a nested refusal": (
        _raw(b'{"choices": [{"message": {"refusal": ' + b"[" * 600 + b"]" * 600 + b"}}]}"),
        CallError.REFUSED,
    ),
    "prose": (_text(lambda good: "I could not find anything of note."), CallError.NOT_JSON),
    "duplicate keys": (_text(lambda good: good[:-1] + ", " + good[1:]), CallError.NOT_JSON),
    "lone surrogate": (_text(lambda good: good[:-1] + ', "x": "\\ud800"}'), CallError.NOT_JSON),
    "not a number": (_text(lambda good: good[:-1] + ', "x": NaN}'), CallError.NOT_JSON),
    "deep": (_text(lambda good: good[:-1] + ', "x": ' + "[" * 5000 + "]" * 5000 + "}"), CallError.NOT_JSON),
    "blanks after a fence": (lambda turn: turn.says("```" + " " * 300_000 + "x"), CallError.NOT_JSON),
    "brackets in a string": (lambda turn: turn.says('{"a":"' + "{" * 300_000), CallError.NOT_JSON),
    "a list": (_text(lambda good: f"[{good}]"), CallError.NOT_SCHEMA),
    "other fields": (_text(lambda good: '{"answer": "yes"}'), CallError.NOT_SCHEMA),
    "10 MB": (_large, CallError.TOO_LARGE),
    "10 MB without a length": (_large_without_length, CallError.TOO_LARGE),
    "10 MB error": (_large_error, CallError.TOO_LARGE),
    "compressed": (_compressed, CallError.NOT_JSON),
    "nonsense": (_nonsense, None),
    "fenced": (_text(lambda good: f"Here you are:\n```json\n{good}\n```\nDone."), None),
    "trailing comma": (_text(lambda good: good[:-1] + ",}"), None),
    "unclosed": (_text(lambda good: good[:-1]), None),
    "thinks first": (_text(lambda good: f"<think>{{maybe}} {{</think>{good}"), None),
    "no usage": (lambda turn: turn.says(GOOD[turn.name], told=False), None),
    "nonsense usage": (_nonsense_usage, None),
    "nested usage": (_nested_usage, None),
    "deepseek": (_deepseek, None),
}


class ModelServer:
    """Listens on a port of this machine while it is entered. ``choose(n, body)`` names the behaviour of the n-th
    request, from 0; without it all are good. ``slowest``: seconds that it thinks at the most.
    ``good``: what a good reply says to a request, by the schema's name."""

    def __init__(
        self,
        choose: Callable[[int, dict[str, Any]], str] = lambda n, body: "good",
        *,
        good: Callable[[str, dict[str, Any]], Any] = lambda name, body: GOOD[name],
        seed: int = 1,
        slowest: float = 0.0,
    ) -> None:
        self.slowest, self.good = slowest, good
        self._choose, self._random = choose, random.Random(seed)
        self._lock = threading.Lock()
        self.ending = threading.Event()
        self.seen: list[Seen] = []
        self.told = Totals()
        self.exposed = Totals()  # the most at any moment: what was told, what was not, what is in flight at its most
        self.most_at_once = 0
        self._spent, self._open, self._at_once = Totals(), Totals(), 0

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def __enter__(self) -> ModelServer:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                data = json.dumps({"object": "list", "data": [{"id": "m", "object": "model"}]}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def do_POST(self) -> None:
                data = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                try:
                    server._answer(self, data)
                except OSError:
                    self.close_connection = True

            def log_message(self, *_: object) -> None:
                pass

        self._http = _Quiet(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ending.set()
        self._http.shutdown()
        self._http.server_close()

    def _answer(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        name = _name(body)
        with self._lock:
            behaviour = self._choose(len(self.seen), body)
            self.seen.append(Seen(body, dict(handler.headers), behaviour, name))
            usage = self._usage(body)
            self._open.prompt += _prompt(body)
            self._open.completion += _most(body)
            self._at_once += 1
            self._watch()
            thinks = self._random.uniform(self.slowest / 2, self.slowest)
        time.sleep(thinks)
        BEHAVIOURS[behaviour][0](_Turn(self, handler, body, name, usage))

    def settle(self, body: dict[str, Any], *, charged: bool, usage: dict[str, Any] | None = None) -> None:
        """Called before a reply is sent: what the call comes to, by what the reply will tell."""
        with self._lock:
            self._at_once -= 1
            self._open.prompt -= _prompt(body)
            self._open.completion -= _most(body)
            if usage is not None:
                details = usage.get("prompt_tokens_details") or {}
                cached = details.get("cached_tokens", usage.get("prompt_cache_hit_tokens", 0))
                self.told.prompt += usage["prompt_tokens"]
                self.told.completion += usage["completion_tokens"]
                self.told.cached += cached
                self.told.replies += 1
                self._spent.prompt += usage["prompt_tokens"]
                self._spent.completion += usage["completion_tokens"]
            elif charged:
                self._spent.prompt += _prompt(body)
                self._spent.completion += _most(body)
            self._watch()

    def _watch(self) -> None:
        self.exposed.prompt = max(self.exposed.prompt, self._spent.prompt + self._open.prompt)
        self.exposed.completion = max(self.exposed.completion, self._spent.completion + self._open.completion)
        self.most_at_once = max(self.most_at_once, self._at_once)

    def _usage(self, body: dict[str, Any]) -> dict[str, Any]:
        prompt, completion = _prompt(body), self._random.randint(1, _most(body))
        return {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "prompt_tokens_details": {"cached_tokens": self._random.randint(0, prompt)},
        }


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_: object) -> None:
        """A connection that we broke, or that was given up, is no error of the test."""


def _name(body: dict[str, Any]) -> str:
    """The schema's name; where JSON is asked for otherwise, by the last words of the prompt."""
    schema = body.get("response_format", {}).get("json_schema")
    if schema is not None:
        return str(schema["name"])
    last = body["messages"][-1]["content"].rpartition("# Your task")[2]
    return next(name for name, word in _WORDS.items() if word in last)


_WORDS = {"questions": "compiler", "synthesis": "synthesizer", "refutation": "refuter"}


def _most(body: dict[str, Any]) -> int:
    return int(body.get("max_tokens") or body["max_completion_tokens"])


def _prompt(body: dict[str, Any]) -> int:
    """Tokens as this server counts them: about what a tokenizer would."""
    return sum(len(one["content"]) for one in body["messages"]) // 5


def patience(seconds: float, done: Callable[[], bool]) -> bool:
    """Waits until something holds, at most so long."""
    deadline = time.monotonic() + seconds
    while not done() and time.monotonic() < deadline:
        time.sleep(0.01)
    return done()
