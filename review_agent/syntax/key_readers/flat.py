"""Files with one key a line: TOML, INI and properties, environment files, Dockerfiles."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from review_agent.syntax.key_readers.record import LONGEST, Key, key_of, uncommented, unquoted

__all__ = ["dockerfile", "env", "ini", "toml"]

TABLE = re.compile(r"(\[\[?)\s*([^\[\]]+?)\s*\]?\]$")
SETTING = re.compile(r"""((?:"[^"]*"|'[^']*'|[\w.-])+)\s*=\s*(.*)$""")


def toml(lines: Sequence[str]) -> Iterator[Key]:
    table, closing = "", ""
    counts: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        text = uncommented(line).strip()
        if closing:
            closing = "" if _closes(text, closing) else closing
            continue
        header, setting = TABLE.match(text), SETTING.match(text)
        if header:
            table = header.group(2).replace('"', "").replace("'", "")
            if header.group(1) == "[[":
                counts[table] = counts.get(table, -1) + 1
                table = f"{table}.{counts[table]}"
        elif setting:
            name, value = setting.group(1).replace('"', "").replace("'", ""), setting.group(2)
            inner, _, last = name.rpartition(".")
            yield key_of(".".join(part for part in (table, inner) if part), last, value, number)
            closing = _opens(value)


def _opens(value: str) -> str:
    """What ends a value that goes on over further lines, "" where it ends on its own."""
    for fence in ('"""', "'''"):
        if value.startswith(fence):
            return "" if value.count(fence) > 1 else fence
    return "]" if value.startswith("[") and value.count("[") > value.count("]") else ""


def _closes(text: str, closing: str) -> bool:
    return text.rstrip(",").endswith("]") if closing == "]" else closing in text


INI_SETTING = re.compile(r"([^=:\[\]#;\s][^=:]*?)\s*[=:]\s*(.*)$")


def ini(lines: Sequence[str]) -> Iterator[Key]:
    section = ""
    for number, line in enumerate(lines, 1):
        text = uncommented(line, "#;").strip()
        header, setting = re.match(r"\[([^\]]+)\]$", text), INI_SETTING.match(text)
        if header:
            section = header.group(1)
        elif setting and not line[:1].isspace():
            yield Key(
                f"{section}.{setting.group(1)}" if section else setting.group(1),
                unquoted(setting.group(2))[:LONGEST],
                number,
                section,
            )


ENV_SETTING = re.compile(r"(?:export\s+)?([A-Za-z_][\w.]*)\s*=\s*(.*)$")


def env(lines: Sequence[str]) -> Iterator[Key]:
    for number, line in enumerate(lines, 1):
        setting = ENV_SETTING.match(uncommented(line).strip())
        if setting:
            yield Key(setting.group(1), unquoted(setting.group(2))[:LONGEST], number, "")


DOCKER_PAIR = re.compile(r"""([A-Za-z_]\w*)=("(?:\\.|[^"])*"|'[^']*'|\S*)""")


def dockerfile(lines: Sequence[str]) -> Iterator[Key]:
    """``ENV KEY=value …``, ``ENV KEY value`` and ``ARG KEY=value``, over several lines too."""
    block = ""
    for number, line in enumerate(lines, 1):
        text = line.strip()
        start = re.match(r"(ENV|ARG)\s+(.*)$", text, re.IGNORECASE)
        if start:
            block, text = start.group(1).upper(), start.group(2)
        if block and not text.startswith("#"):
            yield from (Key(m[1], unquoted(m[2])[:LONGEST], number, block) for m in DOCKER_PAIR.finditer(text))
            old_form = re.match(r"([A-Za-z_]\w*)\s+([^=\\]+)$", text)
            if start and old_form and block == "ENV":
                yield Key(old_form.group(1), unquoted(old_form.group(2))[:LONGEST], number, block)
        block = block if text.endswith("\\") else ""
