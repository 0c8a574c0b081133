"""The files that answers to a batch come in: OpenAI's batch output, or a line of request id and content.

What is wrong with a file is told to the person who brought it, by file and line, before anything is asked; what is
wrong with an answer is the answer's own failure.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from review_agent.engines.completions import Tokens, completion
from review_agent.engines.failures import Fault, of_status, plain, words
from review_agent.errors import UsageError
from review_agent.given import read_up_to
from review_agent.vocabulary import CallError

__all__ = ["Brought", "brought"]

_MOST_BYTES = 512 * 1_048_576
_HINT = "docs/assistants.md shows what a line of answers looks like"
_SUCCESS = 200


@dataclass(frozen=True)
class Brought:
    """One line of answers. ``said`` is what was answered, or why nothing was.

    ``model``, ``tokens`` and ``rawUsage`` are by the server's own words, where it says any; ``form`` is by hand where
    no server answered.
    """

    request_id: str
    where: str
    said: str | Fault
    form: Literal["schema", "by_hand"] = "by_hand"
    model: str = ""
    status: int | None = None
    tokens: Tokens = field(default_factory=Tokens)
    raw_usage: dict[str, Any] | None = None


def brought(paths: Sequence[Path]) -> Iterator[Brought]:
    """The lines of answer files, or of all ``*.jsonl`` in a folder, in order. Raises UsageError for what is none."""
    for path in paths:
        for file in _files(path):
            for number, line in enumerate(_lines(file), 1):
                if line.strip():
                    yield _read(line, f"{file}:{number}")


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        found = sorted(path.glob("*.jsonl"))
        if not found:
            raise UsageError("the folder holds no answers", where=str(path), hint="answers are in files *.jsonl")
        return found
    return [path]


def _lines(file: Path) -> list[str]:
    try:
        raw = read_up_to(file, _MOST_BYTES, "--answers")
        if len(raw) > _MOST_BYTES:
            message = f"the answers are larger than {_MOST_BYTES // 1_048_576} MiB"
            raise UsageError(message, where=str(file), hint="give them in several files: --answers may be repeated")
        text = raw.decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"the answers cannot be read: {error.strerror}", where=str(file), hint=_HINT) from error
    except UnicodeDecodeError as error:
        raise UsageError("the answers are no UTF-8 text", where=str(file), hint="save the file as UTF-8") from error
    return text.split("\n")


def _read(line: str, where: str) -> Brought:
    try:
        data = json.loads(line, object_pairs_hook=_once, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        said = str(error).split(":")[0] if not isinstance(error, RecursionError) else "nested too deep"
        raise UsageError(f"a line of answers is no JSON: {said}", where=where, hint=_HINT) from error
    if not isinstance(data, dict):
        raise UsageError("a line of answers is no JSON object", where=where, hint=_HINT)
    request_id = data.get("custom_id", data.get("requestId"))
    if not isinstance(request_id, str) or not request_id:
        raise UsageError("a line of answers does not say which request it answers", where=where, hint=_HINT)
    if "content" in data:
        return _by_hand(request_id, where, data)
    if "response" in data or "error" in data:
        return _by_server(request_id, where, data)
    if "body" in data:
        message = "this line is a request, no answer to one"
        raise UsageError(message, where=where, hint="give the file with the answers, not the one with the requests")
    raise UsageError("a line of answers has no content", where=where, hint=_HINT)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is no JSON number")


def _by_hand(request_id: str, where: str, data: dict[str, Any]) -> Brought:
    content = data["content"]
    try:
        said: str | Fault = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    except RecursionError:
        said = Fault(CallError.NOT_JSON, "the answer is nested too deeply")
    return Brought(request_id, where, said, model=_word(data.get("model")))


def _by_server(request_id: str, where: str, data: dict[str, Any]) -> Brought:
    response = data.get("response")
    if not isinstance(response, dict):
        return Brought(request_id, where, Fault(CallError.OTHER_STATUS, _failure(data)), "schema")
    body, status = response.get("body"), response.get("status_code")
    body = body if isinstance(body, dict) else {}
    status = status if isinstance(status, int) and not isinstance(status, bool) else None
    found = completion(body)
    failed = status is not None and status != _SUCCESS
    said = Fault(of_status(status), _failure(body)) if failed and status is not None else found.said
    model = _word(body.get("model"))
    return Brought(request_id, where, said, "schema", model, status, found.tokens, found.raw_usage)


def _failure(data: dict[str, Any]) -> str:
    error = data.get("error")
    told = [error.get("code"), error.get("message")] if isinstance(error, dict) else [error]
    return plain(": ".join(words(one) for one in told if one)) or "the batch says no reason"


def _word(value: Any) -> str:
    return plain(value) if isinstance(value, str) else ""
