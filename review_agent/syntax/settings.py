"""What becomes of a setting once it is read: a fallback supplied later, or a miss that ends the program."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass

from review_agent.syntax.calls import argument_nodes, callee_node, dotted, split
from review_agent.syntax.context import Context
from review_agent.syntax.flow import operators, statements
from review_agent.syntax.model import Setting
from review_agent.syntax.presence import NONE_TYPES, is_one_of
from review_agent.syntax.tree import Node

CONFIG_NAME = re.compile(r"(?i)^_*(app_?|user_?|site_?|base_?)?(config|configs|conf|cfg|settings|options|opts|prefs)$")
_EMPTY = frozenset(('""', "''", "``", "0", "False", "false"))
# How many later conditionals are looked at for what becomes of a value.
_FOLLOWED = 40
_ENDS = frozenset(("raise", "exit", "return_error"))


@dataclass
class Draft:
    """A setting as its own expression shows it."""

    node: Node
    key: str
    carrier: str
    fallback: str | None = None
    required: bool = False


def finish(draft: Draft, context: Context) -> Setting:
    """Adds what the statements after the read say."""
    node = draft.node
    if draft.fallback is None:
        draft.fallback = _or_fallback(node)
    if draft.fallback is None and not draft.required:
        _follow(draft, context)
    return Setting(draft.key, draft.carrier, draft.fallback, draft.required, node.line, node.last, node.scope)


def is_config(receiver: str) -> bool:
    return CONFIG_NAME.match(receiver.rpartition(".")[2]) is not None


def keyword(call: Node, *names: str) -> Node | None:
    """The value of the first keyword argument with one of these names."""
    for node in argument_nodes(call):
        name = node.role("name") if node.tag == "keyword" else None
        if name is not None and name.text in names:
            return node.role("value")
    return None


def positional(call: Node, index: int) -> Node | None:
    listed = [n for n in argument_nodes(call) if n.tag != "keyword"]
    return listed[index] if index < len(listed) and listed[index].tag != "splat" else None


def _or_fallback(node: Node) -> str | None:
    """``read() or "x"``"""
    while node.use in ("through", "awaited") and node.parent is not None:
        node = node.parent
    parent = node.parent
    if parent is None or parent.tag != "or" or parent.role("left") is not node:
        return None
    right = parent.role("right")
    return right.text if right is not None else None


def _follow(draft: Draft, context: Context) -> None:
    assign = next((n for n in draft.node.up() if n.tag == "assign"), None) if draft.node.use == "assigned" else None
    if assign is None:
        return
    names = frozenset(dotted(t) for t in context.adapter.targets(assign)) - {"_"}
    tests = context.tree.tag("if")
    first = bisect_left(tests, assign.index, key=lambda n: n.index)
    # `if v := read(); v == ""` starts before the read it tests.
    around = [assign.parent] if assign.parent is not None and assign.parent.tag == "if" else []
    for node in (*around, *tests[first : first + _FOLLOWED]):
        test = node.role("test")
        if test is not None and node.env.scope is assign.env.scope and _tests_miss(test, names):
            _settle(draft, node, names, context)
            return


def _settle(draft: Draft, node: Node, names: frozenset[str], context: Context) -> None:
    body = node.role("body")
    if body is None:
        return
    for statement in statements(body):
        for inner in (statement, *statement.children):
            if inner.tag == "assign" and any(dotted(t) in names for t in context.adapter.targets(inner)):
                right = inner.role("right")
                draft.fallback = right.text if right is not None else None
                return
    draft.required = bool(_ENDS & set(context.flow.actions(body, "err")))


def _tests_miss(test: Node, names: frozenset[str]) -> bool:
    """``not x``, ``x is None``, ``x == ""``, ``len(x) == 0``, ``!ok``"""
    while test.tag == "group" and test.parts:
        test = test.parts[0]
    if test.tag == "not":
        return is_one_of(test.role("value"), names)
    if test.tag != "compare" or operators(test) not in (["is"], ["=="]):
        return False
    value, empty = test.parts[0], test.parts[-1]
    if empty.type not in NONE_TYPES and empty.text not in _EMPTY:
        return False
    if value.tag == "call" and split(callee_node(value))[1] == "len":
        return any(is_one_of(a, names) for a in argument_nodes(value))
    return is_one_of(value, names)
