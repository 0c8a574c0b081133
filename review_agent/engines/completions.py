"""The body of a chat completion: what was said, how it ended, and what it cost by the server's own words."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from review_agent.engines.failures import Fault, of_status, plain, words
from review_agent.engines.json_text import check
from review_agent.engines.replies import MOST_BYTES
from review_agent.vocabulary import CallError, canonical

__all__ = ["Completion", "Tokens", "completion"]

_MOST_USAGE = 4_000
_MOST_TOKENS = 1_000_000_000


@dataclass(frozen=True)
class Tokens:
    """What a server says it counted; null where it does not say."""

    prompt: int | None = None
    completion: int | None = None
    cached: int | None = None

    @property
    def told(self) -> bool:
        return any(one is not None for one in (self.prompt, self.completion, self.cached))


@dataclass(frozen=True)
class Completion:
    """``said`` is the reply's text, or why there is none; what it cost is told either way.

    ``rawUsage``: as the server wrote it, null where it wrote none, or more or deeper than a record should
    hold; what it counted is told all the same.
    """

    said: str | Fault
    tokens: Tokens = Tokens()
    raw_usage: dict[str, Any] | None = None


def completion(body: bytes | dict[str, Any], hide: Callable[[Any], Any] = lambda data: data) -> Completion:
    """What a body says. Never raises for anything that a server can send.

    ``hide`` takes secrets out of usage and of what went wrong; the text of a reply is data yet to be read.
    """
    if isinstance(body, bytes):
        if len(body) > MOST_BYTES:
            return Completion(Fault(CallError.TOO_LARGE, f"the reply has more than {MOST_BYTES} bytes"))
        try:
            body = _object(body)
        except ValueError as error:
            return Completion(Fault(CallError.NOT_JSON, plain(f"what the server sent is not JSON: {error}")))
    usage = body.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    raw = usage if usage and _fits(usage) else None
    said = _said(body)
    if isinstance(said, Fault):
        said = Fault(said.error, plain(hide(said.detail)))
    return Completion(said, _tokens(usage), hide(raw))


def _object(body: bytes) -> dict[str, Any]:
    if not body.strip():
        raise ValueError("it is empty")
    try:
        data = json.loads(body)  # only usage and text are taken from it, and the text is read strictly
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(data, dict):
        raise ValueError("it is no object")
    return data


def _fits(usage: dict[str, Any]) -> bool:
    try:
        check(usage)
        return len(canonical(usage)) <= _MOST_USAGE
    except (ValueError, TypeError, RecursionError):
        return False


def _said(body: dict[str, Any]) -> str | Fault:
    choices = body.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(first, dict):
        return _without_choice(body)
    message = first.get("message")
    message = message if isinstance(message, dict) else {}
    finish = first.get("finish_reason")
    if message.get("refusal"):
        return Fault(CallError.REFUSED, f"the model refused: {words(message['refusal'])}")
    if finish == "content_filter":
        return Fault(CallError.REFUSED, "the server's content filter kept the reply back")
    if finish == "length":
        return Fault(CallError.TRUNCATED, "the reply was cut: it needs more than maxTokens allows")
    return _text(message.get("content")) or Fault(CallError.EMPTY, "the reply has no content")


def _text(content: Any) -> str:
    """The words of a content, which some servers send in parts."""
    if isinstance(content, list):
        return "".join(words(part.get("text")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) and content.strip() else ""


def _without_choice(body: dict[str, Any]) -> Fault:
    """An error that came with the status of a success, as gateways send it; else there is just nothing."""
    error = body.get("error")
    if not error:
        return Fault(CallError.EMPTY, "the reply has no choices")
    code = error.get("code") if isinstance(error, dict) else None
    known = isinstance(code, int) and 400 <= code <= 599
    told = f"an error in a success: {words(error)}"
    return Fault(of_status(code) if known else CallError.SERVER_ERROR, told)  # type: ignore[arg-type]


def _tokens(usage: dict[str, Any]) -> Tokens:
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    cached = usage.get("prompt_cache_hit_tokens") if cached is None else cached
    return Tokens(_count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens")), _count(cached))


def _count(value: Any) -> int | None:
    """A number of tokens; what is none, or no sane one, is unknown and never zero."""
    sane = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS
    return value if sane else None
