"""Edits of lists of named values: an enumeration, a union of literals or a group of constants got a member."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from review_agent.syntax.edits.frame import Frame, Sighting
from review_agent.syntax.edits.scopes import CLASSES, VALUES, Scopes
from review_agent.syntax.model import Symbol
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]

_ENUM = re.compile(r"(?:Enum|Flag|Choices)$")
# Lines that may stand between two members of one group of constants.
_APART = 2
MOST = 10


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """member_added."""
    added = [one for one in scopes.added if one.kind in VALUES and frame.touches(Side.NEW, one.start, one.end)]
    for one in added[:MOST]:
        if not scopes.is_local(one):
            group = _group(frame, scopes, one)
            others = [other.name for other in group if other not in added]
            if len(others) >= 2:
                yield from _sight(frame, one, others)
    yield from _cases(frame)
    for before, after in scopes.pairs:
        if before.kind == after.kind == "type":
            yield from _alternatives(frame, before, after)


_CASE = re.compile(
    r"""^\s*(?:case\s+|(?:if|elif|\} else if|else if)\b.*?(?:===?|\.equals\()\s*|)"""
    r"""(?P<quote>["'])(?P<value>[\w-]+)(?P=quote)\s*(?::|->|\)|$|,|=>)"""
)
# Lines over which the branches or entries of one list reach.
_REACH = 30


def _cases(frame: Frame) -> Iterator[Sighting]:
    """A text that came to a list of branches or entries which tell texts apart."""
    told: set[str] = set()
    for line in sorted(frame.new):
        came = _CASE.match(frame.new_lines[line - 1])
        if came is None or came["value"] in told:
            continue
        near = range(max(1, line - _REACH), min(len(frame.new_lines), line + _REACH) + 1)
        beside = [
            one["value"]
            for number in near
            if number not in frame.new
            and (one := _CASE.match(frame.new_lines[number - 1]))
            and _form(one) == _form(came)
        ]
        spot = frame.spot((Side.NEW, (line, line)))
        known = any(came["value"] in frame.old_lines[number - 1] for number in range(1, len(frame.old_lines) + 1))
        if len(set(beside)) >= 2 and spot is not None and not known and len(told) < MOST:
            told.add(came["value"])
            others = tuple(dict.fromkeys(beside))
            facts: dict[str, FactValue] = {"owner": "", "others": others, "value": "text", "function": ""}
            yield Sighting(EditOp.MEMBER_ADDED, spot, "", came["value"], None, came["value"], facts)


def _form(one: re.Match[str]) -> tuple[str, str]:
    text = one.string.strip()
    return re.split(r"[\s\"']", text)[0], text[-1:]


def _alternatives(frame: Frame, before: Symbol, after: Symbol) -> Iterator[Sighting]:
    """A literal that came to a union of literals."""
    old, new = _literals(before), _literals(after)
    spot = frame.spot((Side.NEW, (after.start, after.end)))
    if len(old) < 2 or spot is None:
        return
    for value in new:
        if value not in old:
            facts: dict[str, FactValue] = {"owner": after.name, "others": tuple(old), "value": value, "function": ""}
            yield Sighting(EditOp.MEMBER_ADDED, spot, after.qualname, value, None, value, facts)


def _literals(union: Symbol) -> list[str]:
    parts = [part.strip() for part in (union.value or "").strip("| ").split("|")]
    literal = all(re.fullmatch(r"""(["'])[^"']+\1""", part) for part in parts)
    return [part[1:-1] for part in parts] if literal else []


def _group(frame: Frame, scopes: Scopes, one: Symbol) -> Sequence[Symbol]:
    """The members of the list that a value belongs to, itself left out; none where it is no list."""
    owner = scopes.new_symbols.get(one.scope)
    beside = [
        other for other in frame.new_outline.symbols if other.scope == one.scope and other.qualname != one.qualname
    ]
    if owner is not None and owner.kind in CLASSES:
        header = frame.text(Side.NEW, owner.name_line, owner.name_line)
        listed = any(_ENUM.search(base) for base in owner.bases) or re.search(r"\benum\b", header)
        return [other for other in beside if other.kind == "constant"] if listed else []
    if one.scope or one.kind not in ("constant", "variable"):
        return []
    values = [other for other in beside if other.kind == one.kind]
    return _adjacent(one, values) if _family(one, values) else []


def _family(one: Symbol, values: Sequence[Symbol]) -> str:
    """The leading word that the names of a group share."""
    word = re.match(r"[A-Z][a-z]+(?=[A-Z])|[a-z]+(?=[A-Z])|[A-Z]+(?=_)", one.name)
    return word[0] if word and sum(other.name.startswith(word[0]) for other in values) >= 2 else ""


def _adjacent(one: Symbol, values: Sequence[Symbol]) -> list[Symbol]:
    """Constants of the same family on lines that stand together with it."""
    family = _family(one, values)
    near, low, high = [], one.start, one.end
    for other in sorted(values, key=lambda other: abs(other.start - one.start)):
        if other.name.startswith(family) and low - _APART <= other.start <= high + _APART:
            near.append(other)
            low, high = min(low, other.start), max(high, other.end)
    return sorted(near, key=lambda other: other.start)


def _sight(frame: Frame, one: Symbol, others: Sequence[str]) -> Iterator[Sighting]:
    spot = frame.spot((Side.NEW, (one.start, one.end)))
    if spot is not None:
        facts: dict[str, FactValue] = {"owner": one.scope, "others": tuple(others), "value": one.value, "function": ""}
        yield Sighting(EditOp.MEMBER_ADDED, spot, one.scope, one.name, None, one.value or one.name, facts)
