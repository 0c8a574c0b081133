"""Outlines of untrusted text, made in a child that is killed when it hangs.

A grammar's scanner can loop for ever while it holds the interpreter's lock, and a parser written in C can crash: both
end the child, never this process.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from review_agent.counting import seconds
from review_agent.errors import ProcessError
from review_agent.process import Child
from review_agent.syntax.languages import LANGUAGES
from review_agent.syntax.model import NameUse, Outline, Tokens
from review_agent.syntax.wire import HEADER, frame, outline_of, tokens_of, uses_of

T = TypeVar("T")

# Answers that are kept, and the characters of the texts they are of: facts take some ten times the memory of a text.
_KEPT, _KEPT_CHARACTERS = 1_024, 3_000_000
_LARGEST_ANSWER = 256_000_000


class Parser:
    """``max_bytes`` bounds a text's UTF-8 form. Answers are kept by content.

    A verb gives None for a language without a grammar and for a text that could not be parsed; ``why`` then tells.
    What is parsed is a matter of size, nodes and depth alone: ``timeout``, in seconds for one text, only ends a scanner
    that loops. The largest text that is taken needs some ten seconds of a core to itself; a busy machine has less.
    """

    def __init__(self, *, timeout: float = 120.0, max_bytes: int = 1_000_000) -> None:
        self._timeout, self._max_bytes = timeout, max_bytes
        self._child: Child | None = None
        self._answers: OrderedDict[tuple[str, ...], tuple[int, Any]] = OrderedDict()
        self._characters = 0
        self._failures: dict[tuple[str, str], str] = {}
        self._given_up: set[tuple[str, str]] = set()

    @property
    def pid(self) -> int | None:
        """The process id of the running child, None where none runs."""
        return self._child.pid if self._child is not None else None

    def __enter__(self) -> Parser:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self) -> None:
        """Starts the child ahead of the first request: it loads its readers while the caller does other work."""
        self._running()

    def close(self) -> None:
        """Ends the child; a later request starts another."""
        if self._child is not None:
            self._child.close()
            self._child = None

    def outline(self, text: str, language: str) -> Outline | None:
        return self._ask("outline", text, language, (), outline_of)

    def uses(self, text: str, language: str, names: Iterable[str]) -> tuple[NameUse, ...] | None:
        """Every occurrence of the names as identifiers."""
        return self._ask("uses", text, language, tuple(sorted(set(names))), uses_of)

    def tokens(self, text: str, language: str) -> Tokens | None:
        return self._ask("tokens", text, language, (), tokens_of)

    def why(self, text: str, language: str) -> str:
        """Why a verb gave None for this text; "" where none did."""
        return self._refusal(text, language) or self._failures.get((_digest(text), language), "")

    def gave_up(self, text: str, language: str) -> bool:
        """Whether the child was late with this text or ended over it, which is no fact about the text."""
        return (_digest(text), language) in self._given_up

    def _refusal(self, text: str, language: str) -> str:
        if language not in LANGUAGES:
            return f"no grammar for {language}"
        if len(text) > self._max_bytes or len(text.encode("utf-8", "replace")) > self._max_bytes:
            return f"larger than {self._max_bytes} bytes"
        return ""

    def _ask(self, verb: str, text: str, language: str, names: tuple[str, ...], decode: Callable[[Any], T]) -> T | None:
        if self._refusal(text, language):
            return None
        digest = _digest(text)
        key = (verb, digest, language, *names)
        if key in self._answers:
            self._answers.move_to_end(key)
            kept: T = self._answers[key][1]
            return kept
        # A text that hung the child once is not sent again: it would cost the full time each time.
        if (digest, language) in self._failures:
            return None
        answer = self._exchange({"verb": verb, "text": text, "language": language, "names": names})
        if "given up" in answer:
            self._given_up.add((digest, language))
            answer = {"failed": answer["given up"]}
        if "facts" not in answer:
            self._failures[digest, language] = answer["failed"]
            return None
        facts = decode(answer["facts"])
        self._answers[key] = len(text), facts
        self._characters += len(text)
        while len(self._answers) > _KEPT or self._characters > _KEPT_CHARACTERS:
            self._characters -= self._answers.popitem(last=False)[1][0]
        return facts

    def _exchange(self, request: dict[str, Any]) -> dict[str, Any]:
        message = frame(request)
        # A child that someone else killed says nothing about the text: a fresh one gets it once more.
        for _ in range(2):
            deadline = time.monotonic() + self._timeout
            try:
                return self._answer(self._running(), message, deadline)
            except (ProcessError, ValueError):
                self._drop()
                if time.monotonic() >= deadline:
                    return {"given up": f"not parsed within {seconds(self._timeout)}"}
        return {"given up": "the parser ended while it parsed this text"}

    def _answer(self, child: Child, message: bytes, deadline: float) -> dict[str, Any]:
        child.send(message, self._timeout)
        size = HEADER.unpack(child.receive(HEADER.size, max(deadline - time.monotonic(), 0)))[0]
        if size > _LARGEST_ANSWER:
            raise ProcessError(f"an answer of {size} bytes")
        answer: dict[str, Any] = json.loads(child.receive(size, max(deadline - time.monotonic(), 0)))
        return answer

    def _drop(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child = None

    def _running(self) -> Child:
        if self._child is None or not self._child.alive:
            self.close()
            self._child = Child(command())
        return self._child


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def command() -> list[str]:
    """How the child is started.

    Isolated mode keeps the working directory, which may be the reviewed repository, off the import path. This very
    package comes before any other of its name that is installed: both sides of the pipe are one version.
    """
    modules = ("review_agent", "tree_sitter", *(one.module for one in LANGUAGES.values()))
    origins = [spec.origin for name in modules if (spec := find_spec(name)) is not None and spec.origin]
    places = list(dict.fromkeys(str(Path(origin).resolve().parent.parent) for origin in origins))
    first = "next((n for n, path in enumerate(sys.path) if path.endswith('-packages')), len(sys.path))"
    path = f"import sys; at = {first}; sys.path[at:at] = {places[:1]!r}; sys.path += {places[1:]!r}"
    start = f"{path}; from review_agent.syntax.worker import main; main()"
    return [sys.executable, "-I", "-c", start]
