"""YAML: keys nested by indentation, list items by their name or number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from review_agent.syntax.key_readers.record import DEEPEST, ENVIRONMENTS, VARIABLE, Key, key_of, uncommented, unquoted

__all__ = ["read"]

PAIR = re.compile(r"""(?P<key>"[^"]*"|'[^']*'|[^\s#"'\[\]{},&*!|>%@`?:-][^#]*?|-[\w.-]+)\s*:(?:\s+(?P<value>.*))?$""")


@dataclass(frozen=True)
class _Level:
    """``ordinal`` counts the items of a list from 0; -1 for a key."""

    indent: int
    name: str
    ordinal: int = -1

    @property
    def is_item(self) -> bool:
        return self.ordinal >= 0


class _Yaml:
    """One pass over a YAML file; ``levels`` are the keys and list items that the line stands in."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.rows = [(n, uncommented(line.expandtabs(2))) for n, line in enumerate(lines, 1)]
        self.rows = [(n, line) for n, line in self.rows if line.strip() and not line.startswith("%")]
        self.levels: list[_Level] = []
        self.scalar_indent = -1

    def read(self) -> Iterator[Key]:
        for index, (number, line) in enumerate(self.rows):
            indent = len(line) - len(line.lstrip())
            if self.scalar_indent >= 0 and indent > self.scalar_indent:
                continue
            self.scalar_indent = -1
            if line.startswith(("---", "...")):
                self.levels = []
                continue
            following = self.rows[index + 1][1] if index + 1 < len(self.rows) else ""
            yield from self._line(number, indent, line.strip(), following)

    def _line(self, number: int, indent: int, text: str, following: str) -> Iterator[Key]:
        while text.startswith("- ") or text == "-":
            self._enter_item(indent, text[1:].strip())
            indent += len(text) - len(text[1:].lstrip()) if text != "-" else 1
            text = text[1:].strip()
            if (
                VARIABLE.match(text.partition("=")[0])
                and "=" in text
                and self._block().rpartition(".")[2] in ENVIRONMENTS
            ):
                name, _, value = text.partition("=")
                yield key_of(self._block(), name, value, number)
        pair = PAIR.match(text)
        if pair:
            yield from self._pair(number, indent, unquoted(pair["key"]), (pair["value"] or "").strip(), following)

    def _enter_item(self, indent: int, rest: str) -> None:
        count = 0
        while self.levels and (self.levels[-1].indent > indent or self._is_item_at(indent)):
            last = self.levels.pop()
            count = last.ordinal + 1 if last.indent == indent else count
        pair = PAIR.match(rest)
        named = pair is not None and pair["key"] in ("name", "id", "key") and pair["value"]
        name = unquoted(pair["value"]) if pair is not None and named else str(count)
        self._push(_Level(indent, name, count))

    def _is_item_at(self, indent: int) -> bool:
        return self.levels[-1].indent == indent and self.levels[-1].is_item

    def _push(self, level: _Level) -> None:
        if len(self.levels) < DEEPEST:
            self.levels.append(level)

    def _pair(self, number: int, indent: int, name: str, value: str, following: str) -> Iterator[Key]:
        while self.levels and self.levels[-1].indent >= indent:
            self.levels.pop()
        value = re.sub(r"^(?:[&!]\S*\s*)+", "", value)
        block = self._block()
        if self.levels and self.levels[-1].is_item and name in ("value", "default"):
            yield from self._variable(number, value)
        if re.match(r"[|>][-+\d]*$", value):
            self.scalar_indent = indent
            yield key_of(block, name, value, number)
        elif value or not _goes_deeper(indent, following):
            if name != "<<":
                yield key_of(block, name, value, number)
        else:
            self._push(_Level(indent, name))

    def _variable(self, number: int, value: str) -> Iterator[Key]:
        """``- name: KEY`` with ``value: …`` below it."""
        item, around = self.levels[-1], ".".join(level.name for level in self.levels[:-1])
        if VARIABLE.match(item.name) and around.rpartition(".")[2] in ENVIRONMENTS:
            yield key_of(around, item.name, value, number)

    def _block(self) -> str:
        levels = self.levels[:-1] if self.levels and self.levels[-1].is_item and self._in_environment() else self.levels
        return ".".join(level.name for level in levels)

    def _in_environment(self) -> bool:
        return len(self.levels) > 1 and self.levels[-2].name in ENVIRONMENTS


def _goes_deeper(indent: int, following: str) -> bool:
    depth = len(following) - len(following.lstrip())
    return bool(following) and (depth > indent or (depth == indent and following.lstrip().startswith("-")))


def read(lines: Sequence[str]) -> Iterator[Key]:
    return _Yaml(lines).read()
