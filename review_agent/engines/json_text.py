"""JSON out of what a model wrote: strict where two readers could read two things, patient with what is round it.

Repair is bounded to what leaves no doubt: text before and after, commas before a closing bracket, closing brackets
that are missing at the very end. What was repaired is said.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

__all__ = ["AmbiguousError", "check", "parsed", "parsed_whole"]

# No two parts that stand side by side take the same characters: else a long run of them would be tried in every split.
_FENCE = re.compile(r"```[ \t]*(?:(?:json|JSON)[ \t]*)?\r?\n(.*?)(?:\r?\n[ \t]*```|\Z)", re.DOTALL)
_THOUGHT = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_CLOSES = re.compile(r"\s*(?:[}\]]|\Z)")
_TOKEN = re.compile(r'(?P<string>"(?:[^"\\]|\\.)*")|(?P<open>"(?s:.*)\Z)|[{}\[\],]', re.DOTALL)
_MOST_STARTS, _MOST_SCANNED, _MOST_MENDED, _DEEPEST = 8, 500_000, 200_000, 64
_CLOSING = {"{": "}", "[": "]"}


class AmbiguousError(ValueError):
    """JSON that readers read differently, or that no record can hold: it is refused, never repaired."""


def parsed_whole(text: str | bytes) -> Any:
    """The data of one JSON text. Raises ValueError for what is none, and AmbiguousError."""
    try:
        data = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_number, parse_float=_finite)
    except RecursionError:
        raise AmbiguousError("it is nested too deeply") from None
    check(data)
    return data


def parsed(text: str) -> tuple[Any, tuple[str, ...]]:
    """The first JSON object in a text, and what was repaired. Raises ValueError where there is none."""
    for candidate, repairs in _candidates(text.lstrip("\ufeff")):
        for mend, more in ((str, ()), (_mended, ("commas or closing brackets",))):
            try:
                data = parsed_whole(mend(candidate))
            except AmbiguousError:
                raise
            except ValueError:
                continue
            if isinstance(data, dict) or not repairs:
                return data, repairs + more
    raise ValueError("it holds no JSON object")


def _candidates(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield text, ()
    spoken = _THOUGHT.sub("", text)
    round_it = ("text round it left out",)
    for fence in _FENCE.finditer(spoken):
        yield fence[1], round_it
    yield from ((one, round_it) for one in _objects(spoken))


def _objects(text: str) -> Iterator[str]:
    """From the first few opening brackets to where each is closed; fewer where much of the text was scanned for it."""
    start, left = -1, _MOST_SCANNED
    for _ in range(_MOST_STARTS):
        start = text.find("{", start + 1)
        if start < 0 or left < 0:
            return
        end = _end(text, start)
        left -= end - start
        yield text[start:end]


def _tokens(text: str, start: int = 0) -> Iterator[tuple[int, str]]:
    """The brackets and commas of a text that stand outside strings; a last ``"`` where a string is left open."""
    for found in _TOKEN.finditer(text, start):
        if found["open"] is not None:
            yield len(text), '"'
        elif found["string"] is None:
            yield found.start(), found[0]


def _end(text: str, start: int) -> int:
    """Where the object that begins at ``start`` ends; the end of the text where it is not closed."""
    depth = 0
    for at, char in _tokens(text, start):
        depth += (char in "{[") - (char in "}]")
        if depth == 0:
            return at + 1
    return len(text)


def _mended(text: str) -> str:
    """The text without commas before closing brackets, and closed; as it is where it ends inside a string."""
    if len(text) > _MOST_MENDED:
        return text
    out: list[str] = []
    opened: list[str] = []
    last = 0
    for at, char in _tokens(text):
        if char == '"':
            return text
        if char in "{[":
            opened.append(char)
        elif char in "}]" and opened:
            opened.pop()
        elif char == "," and _CLOSES.match(text, at + 1):
            out.append(text[last:at])
            last = at + 1
    closing = "".join(_CLOSING[char] for char in reversed(opened))
    return "".join(out) + text[last:].rstrip() + closing


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise AmbiguousError("an object has the same key twice")
    return found


def _no_number(word: str) -> Any:
    raise AmbiguousError(f"{word} is no number of JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise AmbiguousError("a number is too large")
    return number


def check(data: Any) -> None:
    """Raises AmbiguousError for half characters and depths that a record cannot hold; without recursion, as depth is
    what it looks for."""
    level = [data]
    for _ in range(_DEEPEST):
        inner: list[Any] = []
        for one in level:
            if isinstance(one, str) and not _whole(one):
                raise AmbiguousError("it holds half of a character (a lone surrogate)")
            inner += [*one.keys(), *one.values()] if isinstance(one, dict) else one if isinstance(one, list) else []
        if not inner:
            return
        level = inner
    raise AmbiguousError("it is nested too deeply")


def _whole(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)
