"""Edits of SQL statements: a condition, a column or a lock that went."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from review_agent.syntax.edits.frame import Frame, Sighting, leftover
from review_agent.syntax.edits.scopes import Scopes, by_scope
from review_agent.syntax.model import Sql
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
_SET = re.compile(r"\bSET\s+(.*?)(?=\bWHERE\b|\bRETURNING\b|$)", re.IGNORECASE | re.DOTALL)


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """sql_changed: a statement with the same verb lost or gained conditions, columns or clauses; or a new statement
    that drops something."""
    old, new = by_scope(frame.old_outline.sqls), by_scope(frame.new_outline.sqls)
    for before, after in scopes.shared():
        for one, other in _pairs(frame, old.get(before, []), new.get(after, [])):
            yield from _changed(frame, scopes, after, one, other)


def _pairs(frame: Frame, old: Sequence[Sql], new: Sequence[Sql]) -> Iterator[tuple[Sql, Sql]]:
    def left(one: Sql) -> bool:
        return frame.touches(Side.OLD, one.start, one.end)

    def came(one: Sql) -> bool:
        return frame.touches(Side.NEW, one.start, one.end)

    gone = [one for one in leftover(old, new, lambda one: one.text, left) if left(one)]
    come = [one for one in leftover(new, old, lambda one: one.text, came) if came(one)]
    for one in gone:
        other = next(
            (two for two in come if two.verb == one.verb and tables(two.text)[:1] == tables(one.text)[:1]), None
        )
        if other is not None:
            come.remove(other)
            yield one, other


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


def _changed(frame: Frame, scopes: Scopes, scope: str, one: Sql, other: Sql) -> Iterator[Sighting]:
    spot = frame.spot((Side.NEW, (other.start, other.end)), (Side.OLD, (one.start, one.end)))
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
