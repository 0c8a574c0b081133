"""Java's names and idioms for the shared collectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from review_agent.syntax.java_accesses import accesses
from review_agent.syntax.java_errors import call_action, caught, handlers, kept, raises, return_action, returned
from review_agent.syntax.java_settings import settings
from review_agent.syntax.java_shape import prepare
from review_agent.syntax.java_symbols import imports, symbols
from review_agent.syntax.java_values import (
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

ATOMS = frozenset(("string_literal", "character_literal"))
BLOCK = ""
BREAKS_SWITCH = True
FALLS_OFF = False
SHAPES: Mapping[str, str] = {
    "null_literal": "none",
    "this": "name",
    "array_creation_expression": "list",
    **dict.fromkeys(
        ("string_literal", "character_literal", "decimal_integer_literal", "hex_integer_literal",
         "octal_integer_literal", "binary_integer_literal", "decimal_floating_point_literal",
         "hex_floating_point_literal", "true", "false", "class_literal"),
        "literal",
    ),
}  # fmt: skip


def is_docstring(node: Node) -> bool:
    return False


def owner(function: Node) -> str:
    return ""


def targets(assign: Node) -> Sequence[Node]:
    left = assign.role("left")
    return [left] if left is not None else []


def values(assign: Node) -> Sequence[Node]:
    right = assign.role("right")
    return [right] if right is not None else []


def unpacks(assign: Node) -> bool:
    return False


def loop_kind(loop: Node) -> str:
    if loop.type == "enhanced_for_statement":
        return "for"
    test = _condition(loop)
    if test is None or test.text == "true":
        return "while_true"
    return "for" if loop.type == "for_statement" else "while"


def _condition(loop: Node) -> Node | None:
    test = loop.child("condition")
    while test is not None and test.tag == "group" and test.parts:
        test = test.parts[0]
    return test


def loop_test(loop: Node) -> str:
    left, over = loop.role("left"), loop.role("over")
    if left is not None and over is not None:
        return f"{left.text} : {over.text}"[:TEXT_LIMIT]
    test = _condition(loop)
    return test.text if test is not None else ""


def package(tree: Tree) -> str:
    clause = next((c for c in tree.root.children if c.type == "package_declaration"), None)
    named = [p for p in clause.parts if p.type.endswith("identifier")] if clause is not None else []
    return named[0].text if named else ""


def exports(tree: Tree) -> tuple[str, ...] | None:
    return None


def export_nodes(tree: Tree) -> list[Node]:
    return []


def has_getattr(tree: Tree) -> bool:
    return False


def bare_shape(function: Node) -> str:
    return "none"


def composite_shape(value: Node) -> str:
    return "other"


def is_error(name: str) -> bool:
    return False


def tests_error(receiver: str, name: str) -> bool:
    return False
