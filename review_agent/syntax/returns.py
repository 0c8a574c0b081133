"""The values functions return."""

from __future__ import annotations

from review_agent.syntax.calls import call_of
from review_agent.syntax.context import Context
from review_agent.syntax.flow import Flow
from review_agent.syntax.model import Return
from review_agent.syntax.tree import Node

_LITERAL_SIGNS = ("unary_operator", "unary_expression")


def returns(context: Context) -> list[Return]:
    """Every return of a function (not of a function literal in it), and its falling off the end beside value paths."""
    tree, flow = context.tree, context.flow
    by_function = _group(tree.tag("return"))
    yields = _group(tree.tag("yield"))
    found: list[Return] = []
    for node in tree.tag("function"):
        made = [r for n in by_function.get(node.index, []) for r in _returns(n, node, flow)]
        body = node.role("body")
        if body is not None and body.use == "returned":
            made += _paths(body, body, flow)
        elif node.index in yields:
            first = yields[node.index][0]
            made = [Return("other", r.text, r.start, r.end, r.scope) for r in made]
            made.append(Return("other", first.text, first.line, first.last, node.scope))
        elif flow.adapter.FALLS_OFF and any(r.shape != "none" for r in made) and not flow.leaving(node.role("body")):
            made.append(Return("none", "", node.last, node.last, node.scope))
        found += made
    return sorted(found, key=lambda r: (r.start, r.end))


def _group(nodes: list[Node]) -> dict[int, list[Node]]:
    """Nodes by the preorder index of the function they stand in; those of function literals left out."""
    found: dict[int, list[Node]] = {}
    for node in nodes:
        function = node.env.scope.node
        if function is not None and node.env.closure is None:
            found.setdefault(function.index, []).append(node)
    return found


def _returns(node: Node, function: Node, flow: Flow) -> list[Return]:
    """One record a path: a conditional expression is two."""
    values = flow.adapter.returned(node)
    if len(values) == 1:
        return _paths(values[0], node, flow)
    text = node.parts[0].text if node.parts else ""
    kind = f"tuple:{len(values)}" if values else flow.adapter.bare_shape(function)
    return [Return(kind, text, node.line, node.last, node.scope)]


def _paths(value: Node, node: Node, flow: Flow) -> list[Return]:
    """The values that one expression can be."""
    rest, found = [value], []
    while rest:
        value = rest.pop()
        if value.tag == "group" and value.parts:
            rest.append(value.parts[0])
        elif value.tag == "ternary":
            rest += [n for n in (value.role("other"), value.role("body")) if n is not None]
        else:
            found.append(Return(shape(value, flow), value.text, node.line, node.last, node.scope))
    return found


def shape(value: Node, flow: Flow) -> str:
    """One of ``model.RETURN_SHAPES``."""
    if call_of(value) is not None:
        return "call"
    if value.type in ("tuple", "expression_list"):
        return "other" if any(p.tag == "splat" for p in value.parts) else f"tuple:{len(value.parts)}"
    if value.type in _LITERAL_SIGNS and value.tag == "" and len(value.parts) == 1:
        return "literal" if flow.adapter.SHAPES.get(value.parts[0].type) == "literal" else "other"
    if value.tag == "member" or value.type in ("identifier", "this"):
        return "name"
    return flow.adapter.SHAPES.get(value.type) or flow.adapter.composite_shape(value)
