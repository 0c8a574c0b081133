"""Go's names and idioms for the shared collectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from review_agent.syntax.go_accesses import accesses
from review_agent.syntax.go_errors import (
    call_action,
    handlers,
    is_error,
    mark_handlers,
    raises,
    return_action,
    returned,
    tests_error,
)
from review_agent.syntax.go_settings import settings
from review_agent.syntax.go_symbols import imports, receiver_type, result_types, symbols
from review_agent.syntax.go_values import (
    COMPOSITES,
    STRINGS,
    assertions,
    blocks,
    composite,
    key_use,
    member_uses,
    string_text,
)
from review_agent.syntax.tree import Node, Tree

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

ATOMS = frozenset(("interpreted_string_literal", "raw_string_literal", "rune_literal"))
BLOCK = ""
BREAKS_SWITCH = True
FALLS_OFF = False
SHAPES: Mapping[str, str] = {
    "nil": "nil",
    **dict.fromkeys(
        ("interpreted_string_literal", "raw_string_literal", "rune_literal", "int_literal", "float_literal",
         "imaginary_literal", "true", "false", "iota"),
        "literal",
    ),
}  # fmt: skip

prepare = mark_handlers


def is_docstring(node: Node) -> bool:
    return False


def owner(function: Node) -> str:
    return receiver_type(function)


def targets(assign: Node) -> Sequence[Node]:
    if assign.type in ("var_spec", "const_spec"):
        return assign.all("name")
    left = assign.role("left")
    return left.parts if left is not None else []


def values(assign: Node) -> Sequence[Node]:
    right = assign.role("right")
    return right.parts if right is not None else []


def unpacks(assign: Node) -> bool:
    return len(targets(assign)) > 1 == len(values(assign))


def caught(block: Node) -> tuple[str, ...]:
    return ()


def kept(block: Node) -> tuple[str, ...]:
    return ()


def loop_kind(loop: Node) -> str:
    head = loop_head(loop)
    if head is None or head.text == "true":
        return "while_true"
    if head.type == "for_clause":
        return "for" if head.parts else "while_true"
    return "for" if head.type == "range_clause" else "while"


def loop_head(loop: Node) -> Node | None:
    """What stands between ``for`` and the body; None for ``for {``."""
    return next((c for c in loop.parts if c.field != "body"), None)


def package(tree: Tree) -> str:
    clause = next((c for c in tree.root.children if c.type == "package_clause"), None)
    return clause.parts[0].text if clause is not None and clause.parts else ""


def exports(tree: Tree) -> tuple[str, ...] | None:
    return None


def has_getattr(tree: Tree) -> bool:
    return False


def loop_test(loop: Node) -> str:
    head = loop_head(loop)
    return head.text if head is not None else ""


def bare_shape(function: Node) -> str:
    """A bare return gives the named results."""
    count = len(result_types(function))
    return "none" if count == 0 else "name" if count == 1 else f"tuple:{count}"


def composite_shape(value: Node) -> str:
    kind = value.child("type") if value.type == "composite_literal" else None
    written = kind.type if kind is not None else ""
    return {"map_type": "dict", "slice_type": "list", "array_type": "list"}.get(written, "other")


def export_nodes(tree: Tree) -> list[Node]:
    return []
