"""One YAML file of a policy folder as plain data, with the line of every key and item.

Built from the parser's events in one pass without recursion, so that a hostile file costs no more than its bytes:
aliases, anchors and tags are refused, depth and size are bounded, and every duplicate key is found.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from ruamel.yaml.nodes import ScalarNode

__all__ = ["MAX_BYTES", "TOO_LARGE", "Document", "Problem", "parse"]

MAX_BYTES = 256 * 1024
TOO_LARGE = f"it is larger than a policy file may be ({MAX_BYTES} bytes)"
_MAX_DEPTH = 20
_ODD = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]")

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a policy file. ``line`` is 1-based, 0 where no line is to blame; ``key`` is dotted."""

    file: str
    line: int
    key: str
    message: str
    suggestion: str = ""

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else self.file
        key = f" {self.key}:" if self.key else ""
        hint = f" ({self.suggestion})" if self.suggestion else ""
        return f"{where}:{key} {self.message}{hint}"


@dataclass
class Document:
    """``lines`` gives the line of each path of keys and indexes into ``data``."""

    file: str
    data: Any = None
    lines: dict[Path, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def line(self, path: Path) -> int:
        """The line of a path, or of the nearest place above it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)

    def blame(self, path: Path, message: str, suggestion: str = "") -> None:
        """Add a problem at a path."""
        self.problems.append(Problem(self.file, self.line(path), dotted(path), message, suggestion))


def dotted(path: Path) -> str:
    """A path in words: ``kinds.auth.severities[0]``."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


def parse(file: str, raw: bytes) -> Document:
    """Read one file. Problems of form stand in the document; data that has any is not complete."""
    if len(raw) > MAX_BYTES:
        document = Document(file)
        document.problems.append(Problem(file, 0, "", TOO_LARGE))
        return document
    # The parser in C is some fifteen times as fast. Of some signs the two think otherwise, so those are for the one in
    # Python, which tells of problems, too.
    document = _parsed(file, raw, pure=_ODD.search(raw.decode("utf-8", "replace")) is not None)
    return document if not document.problems else _parsed(file, raw, pure=True)


def _parsed(file: str, raw: bytes, *, pure: bool) -> Document:
    document = Document(file)
    try:
        text = raw.decode("utf-8")
        _Builder(document).build(YAML(typ="safe", pure=pure).parse(text))
    except UnicodeDecodeError as error:
        document.blame((), f"not UTF-8: {error.reason} at byte {error.start}")
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        said = getattr(error, "problem", None) or str(error).splitlines()[0]
        document.problems.append(Problem(file, line, "", f"not YAML: {said}"))
    except ValueError as error:
        document.blame((), f"not YAML: {error}")
    return document


class _RefusedError(Exception):
    """Reading stops here; the problem is noted."""


@dataclass
class _Open:
    """A mapping or sequence still being read; ``key`` is the mapping's key that waits for its value."""

    value: Any
    path: Path
    key: str | None = None


class _Builder:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.open: list[_Open] = []
        self.resolver = YAML(typ="safe", pure=True).resolver

    def build(self, events: Iterator[Event]) -> None:
        documents = 0
        try:
            for event in events:
                documents += isinstance(event, DocumentStartEvent)
                if documents > 1:
                    self._refuse(event, "a second document; a policy file has one")
                self._take(event)
        except _RefusedError:
            return

    def _take(self, event: Event) -> None:
        if isinstance(event, AliasEvent) or getattr(event, "anchor", None):
            self._refuse(event, "anchors and aliases are refused; write the value out")
        if isinstance(event, (MappingEndEvent, SequenceEndEvent)):
            self.open.pop()
        elif isinstance(event, ScalarEvent):
            self._scalar(event)
        elif isinstance(event, (MappingStartEvent, SequenceStartEvent)):
            self._start(event)

    def _start(self, event: MappingStartEvent | SequenceStartEvent) -> None:
        self._refuse_tag(event)
        if len(self.open) >= _MAX_DEPTH:
            self._refuse(event, f"nested deeper than {_MAX_DEPTH}")
        if self.open and self.open[-1].key is None and isinstance(self.open[-1].value, dict):
            self._refuse(event, "a key that is itself a list or mapping")
        value: Any = {} if isinstance(event, MappingStartEvent) else []
        self.open.append(_Open(value, self._place(value, event)))

    def _scalar(self, event: ScalarEvent) -> None:
        self._refuse_tag(event)
        top = self.open[-1] if self.open else None
        if top is not None and top.key is None and isinstance(top.value, dict):
            self._key(top, event)
        else:
            self._place(self._resolved(event), event)

    def _key(self, top: _Open, event: ScalarEvent) -> None:
        top.key = event.value
        path = (*top.path, event.value)
        if event.value in top.value:
            said = f"the key stands twice, first at line {self.document.lines[path]}"
            self.document.problems.append(Problem(self.document.file, _line(event), dotted(path), said))
        else:
            self.document.lines[path] = _line(event)
            top.value[event.value] = None

    def _place(self, value: Any, event: Event) -> Path:
        """Put a value where it belongs and return its path."""
        if not self.open:
            self.document.data = value
            self.document.lines[()] = _line(event)
            return ()
        top = self.open[-1]
        if isinstance(top.value, list):
            top.value.append(value)
            path = (*top.path, len(top.value) - 1)
            self.document.lines[path] = _line(event)
            return path
        assert top.key is not None
        top.value[top.key] = value
        path, top.key = (*top.path, top.key), None
        return path

    def _resolved(self, event: ScalarEvent) -> Any:
        tag = str(self.resolver.resolve(ScalarNode, event.value, event.implicit)).rpartition(":")[2]
        if tag == "int":
            return int(event.value.replace("_", ""), 0)
        if tag == "bool":
            return event.value.lower() == "true"
        if tag == "float":
            return _finite(event.value)
        return None if tag == "null" else event.value

    def _refuse_tag(self, event: Event) -> None:
        tag = getattr(event, "tag", None)
        if tag:
            self._refuse(event, f"the tag {tag} is refused; plain data only")

    def _refuse(self, event: Event, message: str) -> None:
        path = self.open[-1].path if self.open else ()
        self.document.problems.append(Problem(self.document.file, _line(event), dotted(path), message))
        raise _RefusedError


def _finite(text: str) -> float | str:
    """The number, or the text where JSON can hold none: what is no number is refused later, with its line."""
    try:
        number = float(text.replace("_", ""))
    except ValueError:
        return text
    return number if math.isfinite(number) else text


def _line(event: Event) -> int:
    return int(event.start_mark.line) + 1
