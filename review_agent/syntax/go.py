"""Go's names and idioms for the shared collectors."""

from __future__ import annotations

from collections.abc import Sequence

from review_agent.syntax.go_symbols import imports, receiver_type, symbols
from review_agent.syntax.tree import Node, Tree

__all__ = [
    "ATOMS", "BLOCK", "caught", "exports", "has_getattr", "imports", "is_docstring", "loop_kind", "owner", "package",
    "symbols", "targets", "unpacks", "values",
]  # fmt: skip

ATOMS = frozenset(("interpreted_string_literal", "raw_string_literal", "rune_literal"))
BLOCK = ""


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
