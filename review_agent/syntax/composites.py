"""Values put together from parts, and strings that are SQL: for all languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from review_agent.syntax.calls import callee_node, dotted, split
from review_agent.syntax.model import Composite, Sql
from review_agent.syntax.tree import Node, fold

if TYPE_CHECKING:
    from review_agent.syntax.adapter import Adapter
    from review_agent.syntax.context import Context

__all__ = ["composites", "held", "sqls"]

# More parts than this are a table, not a value that one part can be missed in.
MAX_PARTS = 60
SQL_LIMIT = 2000
_SQL = re.compile(
    r"\s*(SELECT\s.+\sFROM\s|INSERT\s+(?:OR\s+\w+\s+)?INTO\s|UPDATE\s.+\sSET\s|DELETE\s+FROM\s|REPLACE\s+INTO\s"
    r"|MERGE\s+INTO\s|CREATE\s+(?:\w+\s+){0,3}(?:TABLE|INDEX|VIEW|TRIGGER)\s|ALTER\s+TABLE\s|DROP\s+(?:TABLE|INDEX)\s"
    r"|TRUNCATE\s|WITH\s.+\sAS\s*\()",
    re.IGNORECASE | re.DOTALL,
)


def composites(context: Context) -> Iterator[Composite]:
    """Every value put together from parts, outer before inner, in source order."""
    adapter = context.adapter
    for node in context.tree.nodes:
        if node.type not in adapter.COMPOSITES:
            continue
        parts = adapter.composite(node)
        if parts is None or not 0 < len(parts.components) <= MAX_PARTS:
            continue
        wrapped = WRAPPERS if parts.kind != "object" else frozenset[str]()
        target, call, returned = held(node, adapter, wrapped)
        if node.tag == "index" and (indexed := node.role("object")) is not None:
            target, call, returned = "", f"{dotted(indexed)}[]", False
        yield Composite(
            kind=parts.kind,
            components=parts.components,
            values=parts.values,
            type=parts.type,
            target=target,
            call=call,
            returned=returned,
            start=node.line,
            end=node.last,
            scope=node.scope,
        )


def sqls(context: Context) -> Iterator[Sql]:
    """Every string literal that is an SQL statement."""
    adapter, inside = context.adapter, -1
    for node in context.tree.nodes:
        if node.type not in adapter.STRINGS or node.index < inside:
            continue
        text = adapter.string_text(node)
        inside = node.stop if text is not None else inside
        found = _SQL.match(text) if text and len(text) > 8 else None
        if text is None or found is None:
            continue
        target, call, _ = held(node, adapter)
        verb = found.group(1).split()[0].upper()
        yield Sql(fold(text, SQL_LIMIT), verb, target, call, node.line, node.last, node.scope)


_THROUGH = frozenset(("group", "await", "keyword", "splat", "keyed"))


# Calls that give the same value in another dress: what holds their result holds what was put in.
_WRAPPING = """
    sha1 sha224 sha256 sha512 md5 blake2b blake2s hexdigest digest encode hash stringify dumps intern hashCode Sum256
    EncodeToString encodeURIComponent QueryEscape PathEscape quote quote_plus lower toLowerCase ToLower strip trim
    TrimSpace Path PurePath str String tuple frozenset update
"""
WRAPPERS = frozenset(_WRAPPING.split())


def held(value: Node, adapter: Adapter, wrappers: frozenset[str] = frozenset()) -> tuple[str, str, bool]:
    """Where a value goes: the name it is assigned to (or the key it is the value of), the callee it is an argument of,
    whether it is returned. A call of a wrapper is looked through."""
    node = value
    while node.parent is not None:
        parent = node.parent
        if parent.tag in ("assign", "update"):
            return _target(node, parent, adapter), "", False
        if parent.tag == "call":
            if not _wraps(parent, wrappers):
                return "", dotted(callee_node(parent)), False
            node = parent
            continue
        if wrappers and (_is_path(parent) or (parent.tag == "member" and parent.role("object") is node)):
            node = parent
            continue
        if parent.tag == "index" and (inner := parent.role("object")) is not None and inner is not node:
            return "", f"{dotted(inner)}[]", False
        if parent.tag == "return" or node.use == "returned":
            return "", "", True
        if parent.tag in ("function", "class", "closure", "if", "loop") or node.use == "ignored":
            return "", "", False
        if parent.type == "pair" and (key := parent.child("key")) is not None and key is not node:
            return key.text.strip("\"'"), "", False
        if not (parent.tag in _THROUGH or node.use in ("through", "argument", "assigned") or parent.tag == ""):
            return "", "", False
        if parent.type in adapter.COMPOSITES and parent.tag == "" and parent.type not in adapter.STRINGS:
            return "", "", False
        node = parent
    return "", "", False


def _wraps(call: Node, wrappers: frozenset[str]) -> bool:
    """Whether a call only dresses a value; one whose result is thrown away does something."""
    return bool(wrappers) and split(callee_node(call))[1] in wrappers and call.use != "ignored"


def _is_path(node: Node) -> bool:
    """Whether an operator puts a path together: ``folder / name``."""
    sign = node.child("operator") if node.type == "binary_operator" else None
    return sign is not None and sign.raw == "/"


def _target(node: Node, assign: Node, adapter: Adapter) -> str:
    if assign.tag == "update":
        left = assign.role("left")
        return dotted(left) if left is not None else ""
    targets, values = list(adapter.targets(assign)), list(adapter.values(assign))
    if len(values) == len(targets) > 1 and node in values:
        return dotted(targets[values.index(node)])
    return dotted(targets[0]) if len(targets) == 1 else ""
