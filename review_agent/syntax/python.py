"""Python's names and idioms for the shared collectors."""

from __future__ import annotations

from collections.abc import Sequence

from review_agent.syntax.calls import dotted
from review_agent.syntax.python_symbols import exported_names, imports, symbols
from review_agent.syntax.tree import Node, Tree

__all__ = [
    "ATOMS", "BLOCK", "caught", "exports", "has_getattr", "imports", "is_docstring", "loop_kind", "owner", "package",
    "symbols", "targets", "unpacks", "values",
]  # fmt: skip

ATOMS = frozenset(("string_content", "escape_sequence", "format_specifier"))
BLOCK = "block"

_PATTERNS = ("pattern_list", "tuple_pattern", "list_pattern")


def is_docstring(node: Node) -> bool:
    if node.type != "expression_statement" or len(node.children) != 1 or node.children[0].type != "string":
        return False
    block = node.parent
    if block is None or next((c for c in block.parts), None) is not node:
        return False
    return block.parent is None or block.parent.tag in ("function", "class")


def owner(function: Node) -> str:
    return ""


def targets(assign: Node) -> Sequence[Node]:
    """``a = b = f()`` is an assignment inside an assignment: the innermost one speaks for all."""
    found: list[Node] = []
    node: Node | None = assign
    while node is not None and node.tag == "assign":
        left = node.role("left")
        if left is not None:
            found.append(left)
        outside = node.parent
        node = outside if outside is not None and outside.role("right") is node else None
    found.reverse()
    if len(found) == 1 and found[0].type in _PATTERNS:
        return found[0].parts
    return found


def values(assign: Node) -> Sequence[Node]:
    right = assign.role("right")
    if right is None or right.tag == "assign":
        return []
    left = targets(assign)
    if right.type in ("expression_list", "tuple") and len(left) == len(right.parts) > 1:
        return right.parts
    return [right]


def unpacks(assign: Node) -> bool:
    left = assign.role("left")
    return left is not None and left.type in _PATTERNS


def handler_types(handler: Node) -> tuple[str, ...]:
    """What an except clause catches; a bare one is BaseException."""
    value = handler.child("value")
    if value is not None and value.type == "as_pattern":
        value = value.parts[0]
    if value is None:
        return ("BaseException",)
    return tuple(dotted(n) for n in value.parts) if value.type == "tuple" else (dotted(value),)


def caught(block: Node) -> tuple[str, ...]:
    return tuple(t for c in block.children if c.tag == "handler" for t in handler_types(c))


def loop_kind(loop: Node) -> str:
    test = loop.role("test")
    if test is None:
        return "for"
    return "while_true" if test.text in ("True", "1") else "while"


def package(tree: Tree) -> str:
    return ""


def exports(tree: Tree) -> tuple[str, ...] | None:
    return exported_names(tree)


def has_getattr(tree: Tree) -> bool:
    named = ((node.role("name"), node.env.scope.parent) for node in tree.tag("function"))
    return any(n is not None and n.text == "__getattr__" and p is tree.module for n, p in named)
