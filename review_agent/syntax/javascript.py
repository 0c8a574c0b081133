"""The names and idioms of JavaScript, TypeScript and TSX for the shared collectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from review_agent.syntax.javascript_accesses import accesses
from review_agent.syntax.javascript_assertions import assertions
from review_agent.syntax.javascript_errors import (
    call_action,
    caught,
    handlers,
    is_error,
    kept,
    raises,
    return_action,
    returned,
    tests_error,
)
from review_agent.syntax.javascript_imports import exports, imports
from review_agent.syntax.javascript_names import prepare
from review_agent.syntax.javascript_settings import settings
from review_agent.syntax.javascript_symbols import symbols
from review_agent.syntax.javascript_types import owner_of
from review_agent.syntax.javascript_values import (
    COMPOSITES,
    STRINGS,
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

ATOMS = frozenset(("string", "template_string", "regex", "jsx_text"))
BLOCK = ""
BREAKS_SWITCH = True
FALLS_OFF = True
SHAPES: Mapping[str, str] = {
    "null": "none",
    "undefined": "none",
    "object": "dict",
    "array": "list",
    **dict.fromkeys(("string", "template_string", "number", "true", "false", "regex"), "literal"),
}

_PATTERNS = ("object_pattern", "array_pattern")


def is_docstring(node: Node) -> bool:
    return False


def owner(function: Node) -> str:
    return owner_of(function)


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
        return [_element(part) for part in found[0].parts]
    return found


def _element(part: Node) -> Node:
    """The receiver in an element of a pattern."""
    inner = part.child("value") if part.type == "pair_pattern" else part
    if inner is not None and inner.type in ("object_assignment_pattern", "assignment_pattern"):
        inner = inner.child("left")
    elif inner is not None and inner.type == "rest_pattern" and inner.parts:
        inner = inner.parts[0]
    return inner or part


def values(assign: Node) -> Sequence[Node]:
    right = assign.role("right")
    return [] if right is None or right.tag == "assign" else [right]


def unpacks(assign: Node) -> bool:
    left = assign.role("left")
    return left is not None and left.type in _PATTERNS


def loop_kind(loop: Node) -> str:
    if loop.type == "for_in_statement":
        return "for"
    test = loop_condition(loop)
    if test is None or test.text.strip("() ") in ("true", "1"):
        return "while_true"
    return "for" if loop.type == "for_statement" else "while"


def loop_condition(loop: Node) -> Node | None:
    return next((one for one in loop.all("condition") if one.type != "empty_statement"), None)


def loop_test(loop: Node) -> str:
    left, over = loop.role("left"), loop.role("over")
    if left is not None and over is not None:
        word = loop.child("operator")
        return f"{left.text} {word.text if word is not None else 'of'} {over.text}"[:TEXT_LIMIT]
    test = loop_condition(loop)
    while test is not None and test.type == "parenthesized_expression" and test.parts:
        test = test.parts[0]
    return test.text if test is not None else ""


def package(tree: Tree) -> str:
    return ""


def has_getattr(tree: Tree) -> bool:
    return False


def bare_shape(function: Node) -> str:
    return "none"


def composite_shape(value: Node) -> str:
    return "other"


def export_nodes(tree: Tree) -> list[Node]:
    return []
