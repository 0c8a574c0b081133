"""Conditionals that guard, and loops."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from review_agent.syntax.adapter import Adapter
from review_agent.syntax.calls import argument_nodes, callee_node, dotted, split
from review_agent.syntax.context import Context
from review_agent.syntax.flow import Flow, inside, operators, statements
from review_agent.syntax.model import Guard, Loop
from review_agent.syntax.presence import NONE_TYPES
from review_agent.syntax.tree import Node

_TYPE_TESTS = frozenset(("isinstance", "issubclass", "callable", "hasattr", "isArray"))
_MEMBERSHIPS = frozenset(("includes", "has", "hasOwnProperty", "hasOwn"))
_ORDER = frozenset(("<", "<=", ">", ">="))
_EMPTY = frozenset(('""', "''", "``"))
_WEAK = ("falsy", "other")


def guards(context: Context) -> list[Guard]:
    """Every if, elif, assert, and case of a switch without a value."""
    tree = context.tree
    found = [_guard(n, n.role("body"), context) for n in tree.tag("if")]
    found += [_guard(n, None, context) for n in tree.tag("assert")]
    cases = [n for n in tree.tag("case") if n.parent is not None and n.parent.child("value") is None]
    found += [_guard(n, next((c for c in n.children if c.tag == "sequence"), None), context) for n in cases]
    return sorted((g for g in found if g is not None), key=lambda g: (g.start, -g.end))


def _guard(node: Node, body: Node | None, context: Context) -> Guard | None:
    test = node.role("test")
    while test is not None and test.tag == "group" and test.parts:
        test = test.parts[0]
    if test is None:
        return None
    names = subjects(test, context)
    action = "raise" if node.tag == "assert" else _act(body, names, context.flow)
    if node.tag == "case" and action == "break":
        action = "wraps"
    inner = statements(body)
    first, last = (inner[0].line, inner[-1].last) if inner else ((body or node).line, (body or node).last)
    kind = test_kind(test, context)
    return Guard(test.text, kind, names, action, node.line, node.last, first, last, node.scope)


def _act(body: Node | None, names: tuple[str, ...], flow: Flow) -> str:
    left = flow.leaving(body)
    if left and left != "forever":
        return left
    inner = [part for s in statements(body) for part in (s.parts if s.type == "expression_statement" else [s])]
    assigned = [n for n in inner if n.tag in ("assign", "update")]
    repaired = any(dotted(t) in names for n in assigned for t in n.walk() if t.use == "write")
    others = [n for n in inner if n not in assigned and not (n.tag == "call" and flow.adapter.call_action(n) == "log")]
    return "assign" if repaired and not others else "wraps"


def test_kind(test: Node, context: Context) -> str:
    """The kind of the first part of a test that says more than truthiness."""
    kinds = [_kind(part, context) for part in _atoms(test)]
    return next((k for k in kinds if k not in _WEAK), kinds[0] if kinds else "other")


def _atoms(test: Node) -> Iterator[Node]:
    rest = [test]
    while rest:
        node = rest.pop()
        if node.tag in ("and", "or", "not", "group") or node.type == "expression_list":
            rest += reversed(node.parts)
        else:
            yield node


def _kind(node: Node, context: Context) -> str:
    if node.tag == "compare":
        return _comparison_kind(node, context.adapter)
    if node.tag == "call":
        receiver, name = split(callee_node(node))
        if name in _TYPE_TESTS:
            return "type"
        if name == "len":
            return "bounds"
        if name in _MEMBERSHIPS:
            return "membership"
        return "error" if context.adapter.tests_error(receiver, name) else "other"
    if node.type == "identifier":
        return _flag_kind(node, context)
    return "falsy" if node.tag in ("member", "index", "assign") else "other"


def _flag_kind(node: Node, context: Context) -> str:
    """Go's ``ok`` is what the second element of a type assertion or a map index says."""
    binding = context.bindings.last(node.raw, node)
    if binding is None or binding.element != 1 or binding.value is None:
        return "falsy"
    return {"assertion": "type", "index": "membership"}.get(binding.value.tag, "falsy")


def _comparison_kind(node: Node, adapter: Adapter) -> str:
    words, operands = set(operators(node)), node.parts
    if words & {"in", "not in"}:
        return "membership"
    if "instanceof" in words or any(o.tag == "typeof" for o in operands):
        return "type"
    if any(o.type in NONE_TYPES for o in operands):
        return "error" if any(adapter.is_error(dotted(o)) for o in operands) else "none"
    called = {split(callee_node(o))[1] for o in operands if o.tag == "call"}
    if "type" in called:
        return "type"
    if words & _ORDER or "len" in called:
        return "bounds"
    return "falsy" if any(o.text in _EMPTY for o in operands) else "comparison"


def subjects(test: Node, context: Context) -> tuple[str, ...]:
    """Dotted names read in a test; of a call the receiver (unless a module) and the arguments, never a plain callee.

    Constants (all upper case, or of a module) come last, so that the first one is what the test is about.
    """
    modules = frozenset(m for m in context.modules if not context.bindings.is_local(m, test))
    if context.tree.language == "java":
        # Java takes static functions from classes, which need no import.
        names = (node.raw for node in test.walk() if node.type == "identifier")
        modules |= {name for name in names if name[:1].isupper() and not name.isupper()}
    found = list(dict.fromkeys(_names(test, modules)))
    return tuple(sorted(found, key=lambda name: name.rpartition(".")[2].isupper() or name.partition(".")[0] in modules))


def _names(test: Node, modules: Collection[str]) -> Iterator[str]:
    rest = [test]
    while rest:
        node = rest.pop()
        if node.tag == "call":
            rest += reversed(_call_parts(node, modules))
        elif node.tag == "member" and not _is_plain(node):
            rest += [part for part in (node.role("object"),) if part is not None]
        elif node.tag == "member" or (node.type == "identifier" and node.use not in ("keyword", "definition")):
            yield dotted(node)
        elif node.tag == "keyword":
            rest += [part for part in (node.role("value"),) if part is not None]
        elif node.tag == "compare" and "instanceof" in operators(node):
            rest += node.parts[:1]
        elif node.tag not in ("closure", "assertion"):
            rest += reversed(node.parts)
        elif node.tag == "assertion":
            rest += [part for part in (node.role("object"),) if part is not None]


def _is_plain(node: Node) -> bool:
    base: Node | None = node
    while base is not None and base.tag == "member":
        base = base.role("object")
    return base is not None and base.type in ("identifier", "this")


def _call_parts(call: Node, modules: Collection[str]) -> list[Node]:
    callee, listed = callee_node(call), list(argument_nodes(call))
    receiver = callee.role("object") if callee is not None and callee.tag == "member" else None
    owner = dotted(receiver)
    if callee is not None and owner in ("self", "cls", "this"):
        receiver = callee
    elif owner.partition(".")[0] in modules and receiver is not None and receiver.tag != "call":
        receiver = None
    if split(callee)[1] in ("isinstance", "issubclass"):
        listed = listed[:1]
    return ([receiver] if receiver is not None else []) + listed


def loops(context: Context) -> list[Loop]:
    flow = context.flow
    return [
        Loop(flow.adapter.loop_kind(n), flow.adapter.loop_test(n), n.line, n.last, n.scope, _leaves(n, flow))
        for n in context.tree.tag("loop")
    ]


def _leaves(loop: Node, flow: Flow) -> bool:
    body = loop.role("body")
    for node in inside(body) if body is not None else ():
        handler = node.env.handler
        if handler is not None and handler.index > loop.index:
            continue
        if node.tag in ("return", "raise") or (node.tag == "break" and flow.leaves_loop(node, loop)):
            return True
    return False
