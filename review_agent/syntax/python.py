"""Python's names and idioms for the shared collectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from review_agent.syntax.python_accesses import accesses
from review_agent.syntax.python_errors import call_action, caught, handlers, kept, raises, return_action, returned
from review_agent.syntax.python_settings import settings
from review_agent.syntax.python_symbols import export_nodes as listed_exports
from review_agent.syntax.python_symbols import exported_names, imports, symbols
from review_agent.syntax.python_values import (
    COMPOSITES,
    STRINGS,
    assertions,
    blocks,
    composite,
    key_use,
    member_uses,
    string_text,
)
from review_agent.syntax.tree import TEXT_LIMIT, Node, Tree

__all__ = [
    "ATOMS",
    "BLOCK",
    "BREAKS_SWITCH",
    "COMPOSITES",
    "FALLS_OFF",
    "SHAPES",
    "STRINGS",
    "accesses",
    "assertions",
    "bare_shape",
    "blocks",
    "call_action",
    "caught",
    "composite",
    "composite_shape",
    "export_nodes",
    "exports",
    "handlers",
    "has_getattr",
    "imports",
    "is_docstring",
    "is_error",
    "kept",
    "key_use",
    "loop_kind",
    "loop_test",
    "member_uses",
    "owner",
    "package",
    "prepare",
    "raises",
    "return_action",
    "returned",
    "settings",
    "string_text",
    "symbols",
    "targets",
    "tests_error",
    "unpacks",
    "values",
]  # fmt: skip

ATOMS = frozenset(("string_content", "escape_sequence", "format_specifier"))
BLOCK = "block"
BREAKS_SWITCH = False
FALLS_OFF = True
SHAPES: Mapping[str, str] = {
    "none": "none",
    "dictionary": "dict",
    "dictionary_comprehension": "dict",
    "list": "list",
    "list_comprehension": "list",
    **dict.fromkeys(("string", "concatenated_string", "integer", "float", "true", "false", "ellipsis"), "literal"),
}

_PATTERNS = ("pattern_list", "tuple_pattern", "list_pattern")


def prepare(tree: Tree) -> None:
    """The query sees all contexts there are."""


def is_docstring(node: Node) -> bool:
    if node.type != "expression_statement" or len(node.children) != 1 or node.children[0].type != "string":
        return False
    block = node.parent
    if block is None or next((c for c in block.children if c.named and c.type != "comment"), None) is not node:
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


def loop_test(loop: Node) -> str:
    test, left, over = loop.role("test"), loop.role("left"), loop.role("over")
    if test is not None:
        return test.text
    return f"{left.text} in {over.text}"[:TEXT_LIMIT] if left is not None and over is not None else ""


def bare_shape(function: Node) -> str:
    return "none"


def composite_shape(value: Node) -> str:
    return "other"


def is_error(name: str) -> bool:
    return False


def tests_error(receiver: str, name: str) -> bool:
    return False


def export_nodes(tree: Tree) -> list[Node]:
    return listed_exports(tree) or []
