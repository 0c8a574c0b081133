"""``doctor`` on the engine that is chosen: for an endpoint its address, model, key, schema support and price, by one
small call. Rules need nothing, and are not spoken of."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from review_agent.commands._engine import EngineOptions, wanted
from review_agent.commands.doctor import Finding, State
from review_agent.errors import PolicyError, ReviewAgentError

if TYPE_CHECKING:
    from review_agent.engines.building import Wanted
    from review_agent.engines.endpoint import Endpoint
    from review_agent.engines.wire import Got
    from review_agent.git import Git
    from review_agent.policy.model import Policy

__all__ = ["checks"]

_SECONDS = 60.0
_SCHEMA = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}},
    "required": ["ok"],
    "additionalProperties": False,
}
_ASKED = 'Answer with the JSON object {"ok": true} and nothing else.'
_MOST_TOKENS = 256
_NAMED = 5


def checks(git: Git | None, folder: Path | None, options: EngineOptions) -> Iterator[Finding]:
    """What is to be said of the engine; nothing where policy is broken, which is said already."""
    from review_agent.policy.load import load

    try:
        policy = load(folder, git=git)
    except PolicyError:
        return
    try:
        asked = wanted(options, policy)
        if asked.name == "openai":
            yield from _endpoint(asked, policy)
        elif asked.name != "rules":
            yield Finding("engine", State.OK, f"{asked.name}: nothing to reach")
    except ReviewAgentError as error:
        said = f"{error.message} ({error.where})" if error.where else error.message
        yield Finding("engine", State.BROKEN, said, error.hint)


def _endpoint(asked: Wanted, policy: Policy) -> Iterator[Finding]:
    import os
    from importlib.util import find_spec

    from review_agent.engines.building import endpoint
    from review_agent.engines.tokens import missing
    from review_agent.engines.wire import ready

    if find_spec("openai") is None:
        raise missing("openai")
    model, place = endpoint(asked, policy, os.environ)
    ready(place)
    key = "with a key" if place.key else "without a key"
    yield Finding("engine", State.OK, f"openai: {model} at {place.base_url}, {key}")
    # In a thread: whoever calls this may have an event loop of its own in this one.
    with ThreadPoolExecutor(1) as pool:
        told = pool.submit(lambda: asyncio.run(_asked(place, model, policy))).result()
    yield from told
    yield _price(model, policy)


async def _asked(endpoint: Endpoint, model: str, policy: Policy) -> list[Finding]:
    """One call with a schema; a second one without only where the server refuses the first."""
    from review_agent.engines.failures import Fault
    from review_agent.engines.wire import Wire
    from review_agent.vocabulary import CallError

    async with Wire(endpoint) as wire:
        started = time.monotonic()
        got = await wire.chat(_body(model, policy, schema=True), _SECONDS)
        took = time.monotonic() - started
        if not isinstance(got.body, Fault):
            return [*_answered(got, took, endpoint)]
        if got.body.error is CallError.BAD_REQUEST:
            plain = await wire.chat(_body(model, policy, schema=False), _SECONDS)
            if not isinstance(plain.body, Fault):
                return [_without_schema(got.body.detail)]
        known = await wire.models(_SECONDS) if got.body.error is CallError.NOT_FOUND else None
        return [
            Finding(
                "model", State.BROKEN, f"{got.body.error.value}: {got.body.detail}", _next(got.body, known, endpoint)
            )
        ]


def _body(model: str, policy: Policy, *, schema: bool) -> dict[str, Any]:
    told = {"type": "json_schema", "json_schema": {"name": "ok", "schema": _SCHEMA, "strict": True}}
    body: dict[str, Any] = {"model": model, "messages": [{"role": "user", "content": _ASKED}]}
    if schema:
        # What a review sends besides; a server that does not know one of them says so, and is asked without.
        body |= {"max_tokens": _MOST_TOKENS, "temperature": policy.engine.temperature, "response_format": told}
    return body


def _without_schema(said: str) -> Finding:
    detail = f"it answers, but not as it was asked first ({said}); a review asks in a plainer form then"
    return Finding("model", State.NOTE, detail, "expect more answers that cannot be read")


def _answered(got: Got, took: float, endpoint: Endpoint) -> Iterator[Finding]:
    from review_agent.engines.taking import taken

    said = taken(got.body, endpoint.hidden_data)
    when = f"answered in {took:.1f} s"
    if isinstance(said.said, str):
        kept = _is_ok(said.said)
        state = State.OK if kept else State.NOTE
        how = "by the schema that it was given" if kept else "but did not keep to the schema that it was given"
        yield Finding("model", state, f"{when}, {how}", "" if kept else "expect more answers that cannot be read")
    else:
        detail = f"{when}, but gave no text: {said.said.error.value}: {said.said.detail}"
        yield Finding("model", State.NOTE, detail, "a review allows longer replies: see maxTokens in engine.yml")
    if not said.tokens.told:
        yield Finding(
            "usage", State.NOTE, "the endpoint does not tell tokens: cost is unknown, the budget is estimated"
        )


def _is_ok(text: str) -> bool:
    try:
        return isinstance(json.loads(text)["ok"], bool)
    except (ValueError, KeyError, TypeError, RecursionError):
        return False


def _next(fault: Any, known: Got | None, endpoint: Endpoint) -> str:
    from review_agent.vocabulary import CallError

    if known is not None and isinstance(known.body, bytes):
        names = _names(known.body, endpoint)
        return f"name a model that it knows: {', '.join(names)}" if names else "does the address end in /v1?"
    return {
        CallError.UNAUTHORIZED: "give the key: --key-command COMMAND, or REVIEW_AGENT_API_KEY",
        CallError.NOT_FOUND: "check --model, and whether --base-url ends in /v1",
        CallError.RATE_LIMITED: "wait, or ask for a higher limit",
        CallError.BAD_REQUEST: "check --model and the endpoint's own documentation",
    }.get(fault.error, "check that the server runs, and --base-url")


def _names(body: bytes, endpoint: Endpoint) -> list[str]:
    """Names of models that a list holds, as far as it is one."""
    from review_agent.engines.failures import plain, words

    try:
        listed = json.loads(body)["data"]
        return [plain(endpoint.hidden(words(one["id"])))[:80] for one in listed[:_NAMED]]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []


def _price(model: str, policy: Policy) -> Finding:
    from datetime import UTC, datetime

    from review_agent.engines.prices import price_of, version

    price = price_of(policy.prices, model, datetime.now(UTC).date())
    if price is None:
        hint = "add it to the policy's prices.yml; until then costUsd of engine.yml bounds nothing"
        return Finding("price", State.NOTE, f"{model} has none: what it costs is unknown", hint)
    return Finding("price", State.OK, f"{version(price)}: ${price.prompt} in, ${price.completion} out a million tokens")
