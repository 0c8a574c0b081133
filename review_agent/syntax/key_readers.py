"""Line-level readers of configuration files: what key stands on which line.

They follow the layout and never build the document: untrusted input cannot make them loop or refuse, and a line that
they do not understand is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

__all__ = ["READERS", "Key"]

LONGEST = 200
DEEPEST = 60


@dataclass(frozen=True)
class Key:
    """``key`` is dotted with what it stands in; an environment variable is named alone, wherever it is set.

    ``value`` is source text without quotes around it, cut at 200 characters; ``block`` is what the key stands in.
    """

    key: str
    value: str
    line: int
    block: str


VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*$")
# Blocks whose keys become environment variables: compose, Kubernetes, GitHub, GitLab, ConfigMap and Secret.
ENVIRONMENTS = frozenset({"environment", "env", "variables", "data", "stringData"})
PAIR = re.compile(r"""(?P<key>"[^"]*"|'[^']*'|[^\s#"'\[\]{},&*!|>%@`?:-][^#]*?|-[\w.-]+)\s*:(?:\s+(?P<value>.*))?$""")


def _key(block: str, name: str, value: str, line: int) -> Key:
    alone = block.rpartition(".")[2] in ENVIRONMENTS and VARIABLE.match(name)
    key = name if alone or not block else f"{block}.{name}"
    return Key(key, _unquoted(value)[:LONGEST], line, block)


def _unquoted(value: str) -> str:
    value = value.strip()
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value


def _uncommented(line: str, marks: str = "#") -> str:
    """The line without a comment that stands behind white space and outside quotes."""
    quote = ""
    for index, sign in enumerate(line):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'" and (index == 0 or line[index - 1] in " \t:=[{,("):
            quote = sign
        elif sign in marks and (index == 0 or line[index - 1] in " \t"):
            return line[:index].rstrip()
    return line.rstrip()


@dataclass(frozen=True)
class _Level:
    indent: int
    name: str
    is_item: bool


class _Yaml:
    """One pass over a YAML file; ``levels`` are the keys and list items that the line stands in."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.rows = [(n, _uncommented(line.expandtabs(2))) for n, line in enumerate(lines, 1)]
        self.rows = [(n, line) for n, line in self.rows if line.strip() and not line.startswith("%")]
        self.levels: list[_Level] = []
        self.scalar_indent = -1
        self.named = ""

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
                yield _key(self._block(), name, value, number)
        pair = PAIR.match(text)
        if pair:
            yield from self._pair(number, indent, _unquoted(pair["key"]), (pair["value"] or "").strip(), following)

    def _enter_item(self, indent: int, rest: str) -> None:
        count = 0
        while self.levels and (self.levels[-1].indent > indent or self._is_item_at(indent)):
            last = self.levels.pop()
            count = int(last.name) + 1 if last.indent == indent and last.name.isdigit() else count
        pair = PAIR.match(rest)
        named = pair is not None and pair["key"] in ("name", "id", "key") and pair["value"]
        name = _unquoted(pair["value"]) if pair is not None and named else str(count)
        self._push(_Level(indent, name, True))

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
            yield _key(block, name, value, number)
        elif value or not _goes_deeper(indent, following):
            if name != "<<":
                yield _key(block, name, value, number)
        else:
            self._push(_Level(indent, name, False))

    def _variable(self, number: int, value: str) -> Iterator[Key]:
        """``- name: KEY`` with ``value: …`` below it."""
        item, around = self.levels[-1], ".".join(level.name for level in self.levels[:-1])
        if VARIABLE.match(item.name) and around.rpartition(".")[2] in ENVIRONMENTS:
            yield _key(around, item.name, value, number)

    def _block(self) -> str:
        levels = self.levels[:-1] if self.levels and self.levels[-1].is_item and self._in_environment() else self.levels
        return ".".join(level.name for level in levels)

    def _in_environment(self) -> bool:
        return len(self.levels) > 1 and self.levels[-2].name in ENVIRONMENTS


def _goes_deeper(indent: int, following: str) -> bool:
    depth = len(following) - len(following.lstrip())
    return bool(following) and (depth > indent or (depth == indent and following.lstrip().startswith("-")))


def _yaml(lines: Sequence[str]) -> Iterator[Key]:
    return _Yaml(lines).read()


TABLE = re.compile(r"\[\[?\s*([^\[\]]+?)\s*\]?\]$")
SETTING = re.compile(r"""((?:"[^"]*"|'[^']*'|[\w.-])+)\s*=\s*(.*)$""")


def _toml(lines: Sequence[str]) -> Iterator[Key]:
    table, closing = "", ""
    for number, line in enumerate(lines, 1):
        text = _uncommented(line).strip()
        if closing:
            closing = "" if _closes(text, closing) else closing
            continue
        header, setting = TABLE.match(text), SETTING.match(text)
        if header:
            table = header.group(1).replace('"', "").replace("'", "")
        elif setting:
            name, value = setting.group(1).replace('"', "").replace("'", ""), setting.group(2)
            inner, _, last = name.rpartition(".")
            yield _key(".".join(part for part in (table, inner) if part), last, value, number)
            closing = _opens(value)


def _opens(value: str) -> str:
    """What ends a value that goes on over further lines, "" where it ends on its own."""
    for fence in ('"""', "'''"):
        if value.startswith(fence):
            return "" if value.count(fence) > 1 else fence
    return "]" if value.startswith("[") and value.count("[") > value.count("]") else ""


def _closes(text: str, closing: str) -> bool:
    return text.rstrip(",").endswith("]") if closing == "]" else closing in text


JSON_TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/|[{}\[\]:,]|\n|[^\s{}\[\]:,"]+', re.DOTALL)


def _json(lines: Sequence[str]) -> Iterator[Key]:
    """Keys with a scalar, or with a list on one line (its text), whatever is wrong around them."""
    tokens = list(_json_tokens("\n".join(lines)))
    stack: list[str] = []
    name, opened = "", False
    for index, (token, number) in enumerate(tokens):
        follower = tokens[index + 1][0] if index + 1 < len(tokens) else ""
        if token in ("{", "["):
            stack.append(name)
            name, opened = "", False
        elif token in ("}", "]"):
            stack = stack[:-1]
        elif token[0] == '"' and follower == ":":
            name, opened = token[1:-1], True
        elif opened and token not in (":", ","):
            yield _key(".".join(part for part in stack if part), name, token, number)
            name, opened = "", False
        if len(stack) > DEEPEST:
            return


def _json_tokens(text: str) -> Iterator[tuple[str, int]]:
    number = 1
    for match in JSON_TOKEN.finditer(text):
        piece = match.group()
        if piece != "\n" and not piece.startswith(("//", "/*")):
            yield piece, number
        number += piece.count("\n")


INI_SETTING = re.compile(r"([^=:\[\]#;\s][^=:]*?)\s*[=:]\s*(.*)$")


def _ini(lines: Sequence[str]) -> Iterator[Key]:
    section = ""
    for number, line in enumerate(lines, 1):
        text = _uncommented(line, "#;").strip()
        header, setting = re.match(r"\[([^\]]+)\]$", text), INI_SETTING.match(text)
        if header:
            section = header.group(1)
        elif setting and not line[:1].isspace():
            yield Key(
                f"{section}.{setting.group(1)}" if section else setting.group(1),
                _unquoted(setting.group(2))[:LONGEST],
                number,
                section,
            )


ENV_SETTING = re.compile(r"(?:export\s+)?([A-Za-z_][\w.]*)\s*=\s*(.*)$")


def _env(lines: Sequence[str]) -> Iterator[Key]:
    for number, line in enumerate(lines, 1):
        setting = ENV_SETTING.match(_uncommented(line).strip())
        if setting:
            yield Key(setting.group(1), _unquoted(setting.group(2))[:LONGEST], number, "")


DOCKER_PAIR = re.compile(r"""([A-Za-z_]\w*)=("(?:\\.|[^"])*"|'[^']*'|\S*)""")


def _dockerfile(lines: Sequence[str]) -> Iterator[Key]:
    """``ENV KEY=value …``, ``ENV KEY value`` and ``ARG KEY=value``, over several lines too."""
    block = ""
    for number, line in enumerate(lines, 1):
        text = line.strip()
        start = re.match(r"(ENV|ARG)\s+(.*)$", text, re.IGNORECASE)
        if start:
            block, text = start.group(1).upper(), start.group(2)
        if block and not text.startswith("#"):
            yield from (Key(m[1], _unquoted(m[2])[:LONGEST], number, block) for m in DOCKER_PAIR.finditer(text))
            old_form = re.match(r"([A-Za-z_]\w*)\s+([^=\\]+)$", text)
            if start and old_form and block == "ENV":
                yield Key(old_form.group(1), _unquoted(old_form.group(2))[:LONGEST], number, block)
        block = block if text.endswith("\\") else ""


READERS = {"yaml": _yaml, "toml": _toml, "json": _json, "ini": _ini, "env": _env, "dockerfile": _dockerfile}
