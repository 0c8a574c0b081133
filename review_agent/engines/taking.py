"""A reply taken in: whatever it does to what reads it is that call's failure alone, recorded by its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from review_agent.engines.completions import Completion, completion
from review_agent.engines.failures import Fault
from review_agent.engines.replies import read
from review_agent.vocabulary import Answer, CallError, Request

__all__ = ["answered", "taken"]


def taken(body: bytes | Fault, hide: Callable[[Any], Any]) -> Completion:
    """What a body says and cost; ``hide`` takes secrets out of it."""
    if isinstance(body, Fault):
        return Completion(body)
    try:
        return completion(body, hide)
    except Exception as error:  # noqa: BLE001 - the other calls go on
        return Completion(_unreadable(error))


def answered(request: Request, said: str | Fault, engine: str, hide: Callable[[Any], Any]) -> Answer | Fault:
    """The answer that a reply's text holds, recorded under the identity ``engine``, or why it holds none."""
    if isinstance(said, Fault):
        return said
    try:
        return read(request, said, engine, hide)
    except Exception as error:  # noqa: BLE001 - the other calls go on
        return _unreadable(error)


def _unreadable(error: Exception) -> Fault:
    return Fault(CallError.NOT_JSON, f"the reply cannot be read: {type(error).__name__}")
