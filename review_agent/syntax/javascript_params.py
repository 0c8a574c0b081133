"""Parameters and results of JavaScript's and TypeScript's functions."""

from __future__ import annotations

from review_agent.syntax.model import Param
from review_agent.syntax.tree import Node

__all__ = ["optional", "params", "properties", "result_types", "type_of"]

# What a parameter that is taken apart is called; what it takes is told by `settings`.
_TAKEN_APART = {"object_pattern": "{}", "array_pattern": "[]"}
_ACCESS = frozenset(("accessibility_modifier", "override_modifier"))


def params(listed: Node | None) -> tuple[Param, ...]:
    if listed is None:
        return ()
    found = [_param(one) for one in (listed.parts if listed.type == "formal_parameters" else [listed])]
    # A first parameter called `this` only says on what the function is called.
    return tuple(one for one in found if one.name != "this")


def _param(node: Node) -> Param:
    pattern = node.child("pattern") or node.child("left") or node
    default = node.child("value") or (node.child("right") if node.type == "assignment_pattern" else None)
    if pattern.type == "assignment_pattern":
        default = default or pattern.child("right")
        pattern = pattern.child("left") or pattern
    is_rest = pattern.type == "rest_pattern"
    name = pattern.parts[0] if is_rest and pattern.parts else pattern
    text = default.text if default is not None else "undefined" if node.type == "optional_parameter" else None
    written = type_of(node)
    kind = "var_positional" if is_rest else "positional"
    notes = tuple(one.text.lstrip("@").strip() for one in node.children if one.type == "decorator")
    return Param(_TAKEN_APART.get(name.type, name.text), text, kind, written, notes, _keys(name))


def _keys(pattern: Node) -> tuple[str, ...]:
    """What an object pattern takes by name."""
    if pattern.type != "object_pattern":
        return ()
    return tuple(_key(one) for one in pattern.parts)


def _key(part: Node) -> str:
    if part.type == "rest_pattern":
        return "..."
    if part.type == "object_assignment_pattern":
        left = part.child("left")
        return f"{left.text if left is not None else ''}="
    key, value = part.child("key"), part.child("value")
    if key is None:
        return part.text
    has_default = value is not None and value.type == "assignment_pattern"
    return key.text.strip("'\"") + ("=" if has_default else "")


def type_of(node: Node) -> str | None:
    """The written type of a parameter, field or variable."""
    written = node.child("type")
    if written is None:
        return None
    return written.parts[0].text if written.parts else written.text.lstrip(": ")


def optional(node: Node) -> bool:
    return any(one.type == "?" for one in node.children)


def result_types(node: Node) -> tuple[str, ...]:
    written = node.child("return_type")
    return (written.text.lstrip(": "),) if written is not None else ()


def properties(constructor: Node) -> list[str]:
    """The fields that a TypeScript constructor's parameters declare."""
    listed = constructor.role("params")
    found = []
    for one in listed.parts if listed is not None else ():
        pattern = one.child("pattern")
        if pattern is not None and is_property(one):
            found.append(pattern.text)
    return found


def is_property(parameter: Node) -> bool:
    return any(one.type in _ACCESS or one.type == "readonly" for one in parameter.children)
