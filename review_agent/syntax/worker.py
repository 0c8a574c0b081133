"""The child that parses: reads framed requests from stdin, answers on stdout, ends when its input does.

It runs with no way to the reviewed repository: text comes in by the pipe, facts go out by it.
"""

from __future__ import annotations

import gc
import json
import resource
import sys
from typing import Any

from review_agent.syntax import outline as verbs
from review_agent.syntax.tree import TooLargeError
from review_agent.syntax.wire import HEADER, frame

MEMORY = 1_500_000_000


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # A tree is one cycle; it is collected between two requests, not while one is answered.
    gc.disable()
    gc.freeze()
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    while header := source.read(HEADER.size):
        body = source.read(HEADER.unpack(header)[0])
        sink.write(answer(json.loads(body)))
        sink.flush()
        gc.collect()


def answer(request: dict[str, Any]) -> bytes:
    """The framed facts, or why there are none: a failure of one text must not end the worker."""
    try:
        return frame({"facts": _facts(request)})
    except (AssertionError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError) as error:
        reason = str(error) if isinstance(error, TooLargeError) else f"{type(error).__name__}: {error}"
        return frame({"failed": reason})


def _facts(request: dict[str, Any]) -> Any:
    text, language = request["text"], request["language"]
    if request["verb"] == "uses":
        return verbs.uses(text, language, request["names"])
    return verbs.tokens(text, language) if request["verb"] == "tokens" else verbs.outline(text, language)
