"""Go's local declarations: which one of a name is in force at a line. gofmt's tabs show where a block ends."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = ["Declaration", "all_of", "in_force"]


@dataclass(frozen=True)
class Declaration:
    """``how``: value (``position`` among what ``text`` gives), range (0 key, 1 element of ``text``), type, or case
    (the type of the type switch's case, "" where it has several)."""

    how: Literal["value", "range", "type", "case", "unknown"]
    text: str
    position: int
    line: int


def in_force(lines: Sequence[str], name: str, bound: Iterable[int], at: int) -> Declaration | None:
    """The declaration of ``name`` that reaches line ``at``, of the lines that bind it; null if none does."""
    for line in sorted({one for one in bound if one <= at}, reverse=True):
        text = lines[line - 1]
        found = _declaration(lines, text, name, line, at)
        if found and _reaches(lines, text, line, at) and not (line == at and _is_made_of_itself(found, text, name)):
            return found
    return None


def all_of(lines: Sequence[str], name: str, bound: Iterable[int]) -> list[Declaration]:
    """Every declaration of ``name`` on these lines, wherever it reaches."""
    found = [_declaration(lines, lines[line - 1], name, line, line) for line in sorted(set(bound))]
    return [one for one in found if one]


def _declaration(lines: Sequence[str], text: str, name: str, line: int, at: int) -> Declaration | None:
    word = re.escape(name)
    short = re.search(rf"((?:\b\w+\s*,\s*)*)\b{word}\b((?:\s*,\s*\w+)*)\s*:=\s*(.*)", text)
    if short:
        return _short(lines, short[1].count(","), short[3], line, at)
    typed = re.search(rf"^\s*(?:var\s+)?(?:\w+\s*,\s*)*\b{word}\b(?:\s*,\s*\w+)*\s+([\w.*\[\]]*[\w\]])", text)
    if typed and (text.lstrip().startswith("var ") or "=" not in text):
        return Declaration("type", typed[1], 0, line)
    assigned = re.search(rf"^\s*(?:var\s+)?((?:\w+\s*,\s*)*)\b{word}\b(?:\s*,\s*\w+)*\s*=\s*(.*)", text)
    if assigned and (text.lstrip().startswith("var ") or _is_grouped(lines, line)):
        return Declaration("value", assigned[2], assigned[1].count(","), line)
    literal = re.search(rf"func\s*\(.*?\b{word}\b(?:\s*,\s*\w+)*\s+(?:\.\.\.)?([\w.*\[\]]*[\w\]])", text)
    if literal:
        return Declaration("type", literal[1], 0, line)
    return None


def _is_grouped(lines: Sequence[str], line: int) -> bool:
    """Whether a line stands inside ``var ( … )``: outside it, an assignment declares nothing."""
    indent = _indent(lines[line - 1])
    above = next((one for one in reversed(lines[: line - 1]) if one.strip() and _indent(one) < indent), "")
    return bool(re.match(r"\s*(?:var|const)\s*\($", above))


def _is_made_of_itself(found: Declaration, text: str, name: str) -> bool:
    """Whether a use on the declaration's own line is what the name was before (``path := path.Join(a)``)."""
    if found.how not in ("value", "range"):
        return False
    _, _, behind = text.partition(":=")
    return not re.search(rf";.*\b{re.escape(name)}\b", behind)


def _short(lines: Sequence[str], position: int, value: str, line: int, at: int) -> Declaration:
    value = value.strip()
    if re.match(r"\s*(?:\}\s*else\s+)?(?:if|for|switch)\b", lines[line - 1]):
        value = value.partition(";")[0].strip()
    if value.startswith("range "):
        return Declaration("range", value.removeprefix("range ").rstrip("{ "), position, line)
    if re.search(r"\.\(type\)\s*\{?$", value):
        return Declaration("case", _case(lines, line, at), 0, line)
    return Declaration("value", value, position, line)


def _case(lines: Sequence[str], switch: int, at: int) -> str:
    indent = _indent(lines[switch - 1])
    for line in range(at, switch, -1):
        found = re.match(r"\t*case\s+([^,]+):", lines[line - 1])
        if found and _indent(lines[line - 1]) == indent:
            return found[1].strip()
        if re.match(r"\t*(case|default)\b", lines[line - 1]) and _indent(lines[line - 1]) == indent:
            return ""
    return ""


def _reaches(lines: Sequence[str], text: str, line: int, at: int) -> bool:
    header = bool(re.match(r"\s*(?:\}\s*else\s+)?(?:if|for|switch|select|case)\b", text)) or bool(
        re.search(r"\bfunc\s*\(", text) and text.rstrip().endswith("{")
    )
    # The closing bracket of ``var ( … )`` ends the group, not the block.
    depth = _indent(text) + header - (not header and _is_grouped(lines, line))
    switch = bool(re.match(r"\s*(?:switch|select)\b", text))
    for number in range(line + 1, at + 1):
        between = lines[number - 1]
        bare = between.strip()
        if not bare or _indent(between) >= depth or bare.startswith(("//", "`")):
            continue
        if header and (bare.startswith("} else") or (switch and bare.startswith(("case ", "default:")))):
            continue
        if re.match(r"\w+:$", bare) and _indent(between) == depth - 1:
            continue
        return False
    return True


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip("\t"))
