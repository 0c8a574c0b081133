"""Edits of SQL statements: a condition, a column or a lock that went."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from review_agent.syntax.edits.frame import Frame, Sighting, leftover
from review_agent.syntax.edits.scopes import VALUES, Scopes, by_scope
from review_agent.syntax.model import Outline, Sql
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]

_WHERE = re.compile(
    r"\bWHERE\b(.*?)(?=\b(?:ORDER\s+BY|GROUP\s+BY|LIMIT|RETURNING|FOR\s+UPDATE|HAVING)\b|$)", re.IGNORECASE | re.DOTALL
)
_SPLIT = re.compile(r"\s+(?:AND|OR)\s+", re.IGNORECASE)
_TABLE = re.compile(r"\b(?:FROM|INTO|UPDATE|JOIN|TABLE(?:\s+IF\s+(?:NOT\s+)?EXISTS)?)\s+([\w.\"`\[\]]+)", re.IGNORECASE)
_SELECTED = re.compile(r"\bSELECT\s+(?:DISTINCT\s+)?(.*?)\s+FROM\b", re.IGNORECASE | re.DOTALL)
_INSERTED = re.compile(r"\bINTO\s+[\w.\"`]+\s*\(([^)]*)\)", re.IGNORECASE)
_NAMED = re.compile(r"\s+AS\s+|\s+", re.IGNORECASE)
_NAME = re.compile(r'["`]?\w+["`]?')
_HOLE = re.compile(r"\{(\w+)\}")
_TEXT = re.compile(r"""(?:[rRbBuU]?(?P<quote>\"{3}|'{3}|["'`])(?P<text>.*)(?P=quote))""", re.DOTALL)
_SET = re.compile(r"\bSET\s+(.*?)(?=\bWHERE\b|\bRETURNING\b|$)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class _Statement:
    """A statement with the texts that the file itself holds under a name put in, and the lines that it is made of."""

    sql: Sql
    start: int
    end: int
    scope: str
    lines: tuple[tuple[int, int], ...]


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """sql_changed: a statement with the same verb lost or gained conditions, columns or clauses; or a new statement
    that drops something."""
    old, new = by_scope(_statements(frame, Side.OLD)), by_scope(_statements(frame, Side.NEW))
    for before, after in scopes.shared():
        for one, other in _pairs(frame, old.get(before, []), new.get(after, [])):
            yield from _changed(frame, scopes, after, one, other)


def _statements(frame: Frame, side: Side) -> list[_Statement]:
    outline = frame.old_outline if side is Side.OLD else frame.new_outline
    holed = any(_HOLE.search(one.text) for one in outline.sqls)
    named = _texts(frame, side, outline) if holed else {}
    return [_statement(one, named) for one in outline.sqls]


def _statement(sql: Sql, named: Mapping[str, tuple[str, tuple[int, int]]]) -> _Statement:
    held = [named[name] for name in _HOLE.findall(sql.text) if name in named]
    text = _HOLE.sub(lambda hole: named[hole.group(1)][0] if hole.group(1) in named else hole.group(), sql.text)
    lines = ((sql.start, sql.end), *(one for _, one in held))
    return _Statement(replace(sql, text=text), sql.start, sql.end, sql.scope, lines)


def _texts(frame: Frame, side: Side, outline: Outline) -> Mapping[str, tuple[str, tuple[int, int]]]:
    """Strings without holes of their own, by the name that the file gives them outside of functions."""
    found = {}
    for one in outline.symbols:
        if one.kind in VALUES and one.value is not None:
            written = frame.text(side, one.start, one.end).partition("=")[2].strip().rstrip(";").strip()
            text = _TEXT.fullmatch(written)
            if text is not None and not re.search(r"[{}]", text["text"]):
                found[one.name] = " ".join(text["text"].split()), (one.start, one.end)
    return found


def _pairs(
    frame: Frame, old: Sequence[_Statement], new: Sequence[_Statement]
) -> Iterator[tuple[_Statement, _Statement]]:
    def left(one: _Statement) -> bool:
        return any(frame.touches(Side.OLD, *lines) for lines in one.lines)

    def came(one: _Statement) -> bool:
        return any(frame.touches(Side.NEW, *lines) for lines in one.lines)

    gone = [one for one in leftover(old, new, _text, left) if left(one)]
    come = [one for one in leftover(new, old, _text, came) if came(one)]
    for one in gone:
        other = next((two for two in come if _same_aim(one.sql, two.sql)), None)
        if other is not None:
            come.remove(other)
            yield one, other


def _text(one: _Statement) -> str:
    return one.sql.text


def _same_aim(one: Sql, other: Sql) -> bool:
    return (one.verb, tables(one.text)[:1]) == (other.verb, tables(other.text)[:1])


def conditions(text: str) -> tuple[str, ...]:
    """The conditions of all WHERE clauses, in order."""
    return tuple(part.strip(" ()") for clause in _WHERE.findall(text) for part in _SPLIT.split(clause) if part.strip())


def tables(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.strip('"`[]').lower() for name in _TABLE.findall(text)))


def columns(text: str) -> tuple[str, ...]:
    """Columns that a statement gives or sets, by the name a reader would use."""
    found: list[str] = []
    for clause in (*_SELECTED.findall(text)[:1], *_INSERTED.findall(text)[:1]):
        found += [_NAMED.split(part.strip())[-1].rpartition(".")[2] for part in clause.split(",")]
    for clause in _SET.findall(text)[:1]:
        found += [part.partition("=")[0].strip() for part in clause.split(",") if "=" in part]
    return tuple(dict.fromkeys(name.strip('"`') for name in found if _NAME.fullmatch(name)))


def _changed(
    frame: Frame, scopes: Scopes, scope: str, before_it: _Statement, after_it: _Statement
) -> Iterator[Sighting]:
    wanted = [(side, lines) for side, it in ((Side.NEW, after_it), (Side.OLD, before_it)) for lines in it.lines]
    spot, one, other = frame.spot(*wanted), before_it.sql, after_it.sql
    if spot is None:
        return
    was, now = conditions(one.text), conditions(other.text)
    before, after = columns(one.text), columns(other.text)
    facts: dict[str, FactValue] = {
        "verb": other.verb,
        "tables": tables(other.text),
        "whereRemoved": bool(was) and not now,
        "conditionsRemoved": tuple(part for part in was if part not in now),
        "conditionsAdded": tuple(part for part in now if part not in was),
        "columnsRemoved": tuple(name for name in before if name not in after),
        "columnsAdded": tuple(name for name in after if name not in before),
        "forUpdateRemoved": "for update" in one.text.lower() and "for update" not in other.text.lower(),
        "target": other.target,
        "call": other.call,
        "function": scopes.function(scope),
    }
    yield Sighting(
        EditOp.SQL_CHANGED, spot, scope, (tables(other.text) or ("",))[0], one.text[:200], other.text[:200], facts
    )
