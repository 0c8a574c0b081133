"""Go's uses of a value that may be nil: explicit dereferences, one-value map indexes and type assertions."""

from __future__ import annotations

from review_agent.syntax.calls import call_of, callee_node, callee_of, dotted, split
from review_agent.syntax.context import Context
from review_agent.syntax.go_symbols import string_value
from review_agent.syntax.model import Access
from review_agent.syntax.presence import guarding_test
from review_agent.syntax.tree import Node

_KINDS = {"attribute": "attribute", "subscript": "subscript", "called": "call", "dereference": "dereference"}
_TYPE_TAKERS = frozenset(("new", "make"))


def accesses(context: Context) -> list[Access]:
    maps, flags = _maps(context), _flags(context)
    found = [_pointer(n, context) for n in context.tree.tag("pointer") if not _is_type(n)]
    found += [_assertion(n, context, flags) for n in context.tree.tag("assertion") if _is_single(n, context)]
    found += [_index(n, context, flags) for n in context.tree.tag("index") if n.use in _KINDS and _is_map(n, maps)]
    return sorted((a for a in found if a is not None), key=lambda a: (a.start, a.end))


def _pointer(node: Node, context: Context) -> Access | None:
    target = node.role("object")
    if target is None or target.tag in ("index", "assertion"):
        return None
    base = dotted(target)
    binding = context.bindings.last(base, node) or (context.bindings.module_level(base) if "." not in base else None)
    value = binding.value if binding is not None and binding.element < 0 else None
    if value is not None and _is_address(value):
        return None
    direct = call_of(target)
    producer = callee_of(value) if direct is None else dotted(callee_node(direct))
    guard = guarding_test(node, {base}, context.flow)
    return Access("dereference", base, "", "pointer", producer, guard, node.line, node.last, node.scope)


def _is_address(value: Node) -> bool:
    call = call_of(value)
    if call is not None:
        return split(callee_node(call))[1] == "new"
    return value.type == "unary_expression" and value.children[0].type == "&"


def _is_type(node: Node) -> bool:
    """``(*T)(x)``, ``new(*T)`` and ``F[*T]`` name a type."""
    parent = node.parent
    if parent is None:
        return False
    if parent.tag == "group":
        return parent.use in ("called", "attribute")
    if parent.tag == "index":
        return parent.use == "called" and parent.role("key") is node
    call = parent.parent
    takes_type = call is not None and call.tag == "call" and split(callee_node(call))[1] in _TYPE_TAKERS
    return takes_type and parent.parts[0] is node


def _is_single(node: Node, context: Context) -> bool:
    assign = next((n for n in node.up() if n.tag == "assign"), None) if node.use == "assigned" else None
    return assign is None or not context.adapter.unpacks(assign)


def _assertion(node: Node, context: Context, flags: dict[tuple[str, str], set[str]]) -> Access:
    return _used(node, "type_assertion", dotted(node.role("object")), context, flags)


def _index(node: Node, context: Context, flags: dict[tuple[str, str], set[str]]) -> Access:
    return _used(node, "map_index", dotted(node.role("object")), context, flags)


def _used(node: Node, origin: str, producer: str, context: Context, flags: dict[tuple[str, str], set[str]]) -> Access:
    top = node
    while top.use == "through" and top.parent is not None:
        top = top.parent
    kind, place = _KINDS.get(top.use, "dereference"), top.parent if top.use in _KINDS else top
    place = place or node
    part = place.role({"attribute": "name", "subscript": "key"}.get(kind, ""))
    names = {node.text} | flags.get((node.scope, node.text), set())
    guard = guarding_test(place, names, context.flow)
    return Access(
        kind,
        node.text,
        part.text if part is not None else "",
        origin,
        producer,
        guard,
        place.line,
        place.last,
        node.scope,
    )


def _flags(context: Context) -> dict[tuple[str, str], set[str]]:
    """(scope, text of a two-value expression) -> the names that say whether it was there."""
    found: dict[tuple[str, str], set[str]] = {}
    for assign in context.tree.tag("assign"):
        if context.adapter.unpacks(assign):
            value = context.adapter.values(assign)[0]
            if value.tag in ("index", "assertion"):
                found.setdefault((assign.scope, value.text), set()).add(dotted(context.adapter.targets(assign)[1]))
    return found


def _is_map(node: Node, maps: set[tuple[str, str]]) -> bool:
    container = node.role("object")
    if container is None:
        return False
    if string_value(node.role("key")) is not None:
        return True
    if container.tag == "member":
        field = container.role("name")
        return field is not None and ("*", field.text) in maps
    return (node.scope, container.text) in maps or ("", container.text) in maps


def _maps(context: Context) -> set[tuple[str, str]]:
    """(scope, name) of what is declared as a map in this file; struct fields under the scope ``*``."""
    found: set[tuple[str, str]] = set()
    for node in context.tree.nodes:
        if node.type == "map_type" and node.field == "type" and node.parent is not None:
            scope = "*" if node.parent.type == "field_declaration" else node.scope
            found |= {(scope, n.text) for n in node.parent.all("name")}
    for assign in context.tree.tag("assign"):
        for target, value in zip(context.adapter.targets(assign), context.adapter.values(assign), strict=False):
            if _makes_map(value):
                found.add((assign.scope, dotted(target)))
    return found


def _makes_map(value: Node) -> bool:
    if value.type == "composite_literal":
        kind = value.child("type")
        return kind is not None and kind.type == "map_type"
    call = call_of(value)
    listed = call.role("args") if call is not None else None
    return listed is not None and bool(listed.parts) and listed.parts[0].type == "map_type"
