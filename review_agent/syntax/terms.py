"""A chain of additions as its terms, for the grammars that call it a ``binary_expression``."""

from __future__ import annotations

from collections.abc import Iterator

from review_agent.syntax.tree import Node

__all__ = ["adds", "terms"]


def adds(node: Node | None) -> bool:
    """Whether a node is an addition."""
    sign = node.child("operator") if node is not None and node.type == "binary_expression" else None
    return sign is not None and sign.raw == "+"


def terms(node: Node) -> Iterator[Node]:
    """The operands of a chain of additions, in order."""
    pending = [node]
    while pending:
        here = pending.pop()
        if adds(here):
            pending += [one for one in (here.child("right"), here.child("left")) if one is not None]
        else:
            yield here
