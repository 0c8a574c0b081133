"""Outlines as JSON: a record is the list of its fields in order, a frame is a length and that many bytes of JSON."""

from __future__ import annotations

import json
import struct
from operator import attrgetter
from typing import Any

from review_agent.syntax import model

HEADER = struct.Struct(">I")

_NESTED: dict[type, dict[str, type]] = {
    model.Symbol: {"params": model.Param},
    model.Call: {"args": model.Arg},
    model.Outline: {
        "symbols": model.Symbol,
        "imports": model.Import,
        "calls": model.Call,
        "handlers": model.Handler,
        "raises": model.Raise,
        "returns": model.Return,
        "guards": model.Guard,
        "accesses": model.Access,
        "assigns": model.Assign,
        "settings": model.Setting,
        "loops": model.Loop,
        "blocks": model.Block,
        "composites": model.Composite,
        "sqls": model.Sql,
        "assertions": model.Assertion,
        "member_uses": model.MemberUse,
    },
}
_FIELDS: dict[type, attrgetter[Any]] = {}


def frame(data: Any) -> bytes:
    """The bytes of one message; ASCII only, so that any text of a file survives."""
    body = json.dumps(data, default=_fields, separators=(",", ":")).encode()
    return HEADER.pack(len(body)) + body


def outline_of(row: list[Any]) -> model.Outline:
    """The outline of a message; equal texts in it are one, as a scope's name stands on every fact inside the scope."""
    outline: model.Outline = _record(model.Outline, row, {})
    return outline


def uses_of(rows: list[Any]) -> tuple[model.NameUse, ...]:
    return tuple(model.NameUse(*row) for row in rows)


def tokens_of(row: list[Any]) -> model.Tokens:
    return model.Tokens(tuple(tuple(line) for line in row[0]))


def _fields(record: Any) -> list[Any]:
    kind = type(record)
    if kind not in _FIELDS:
        names = list(kind.__dataclass_fields__)
        # attrgetter of one name gives the bare value
        _FIELDS[kind] = attrgetter(*names, names[0]) if len(names) == 1 else attrgetter(*names)
    values = _FIELDS[kind](record)
    return list(values[: len(kind.__dataclass_fields__)])


def _record(kind: Any, row: list[Any], known: dict[Any, Any]) -> Any:
    nested = _NESTED.get(kind)
    if nested is None:
        return kind(*[_value(value, known) for value in row])
    values = []
    for name, value in zip(kind.__dataclass_fields__, row, strict=True):
        inner = nested.get(name)
        if inner is not None:
            values.append(tuple(_record(inner, item, known) for item in value))
        else:
            values.append(_value(value, known))
    return kind(*values)


def _value(value: Any, known: dict[Any, Any]) -> Any:
    if type(value) is list:
        value = tuple(value)
    return known.setdefault(value, value) if type(value) is str or value == () else value
