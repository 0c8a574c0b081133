"""What a language must say beyond its query file: the names and idioms that no syntax node shows.

An adapter is a module (``python``, ``go``) that satisfies :class:`Adapter`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from review_agent.syntax.model import Import, Symbol
from review_agent.syntax.tokens import Stream
from review_agent.syntax.tree import Node, Tree


class Adapter(Protocol):
    ATOMS: frozenset[str]
    """Node types whose text is one token."""

    BLOCK: str
    """The node type whose nesting is meaning and not layout (Python's indented block), "" for none."""

    def is_docstring(self, node: Node) -> bool: ...

    def owner(self, function: Node) -> str:
        """The type a function is a method of where its syntax stands outside that type, else ""."""

    def symbols(self, tree: Tree, stream: Stream) -> list[Symbol]: ...

    def imports(self, tree: Tree) -> list[Import]: ...

    def targets(self, assign: Node) -> Sequence[Node]:
        """The receivers of an assignment, one node an element, in order."""

    def values(self, assign: Node) -> Sequence[Node]:
        """The right-hand sides: one, or as many as there are targets."""

    def unpacks(self, assign: Node) -> bool:
        """Whether the elements of one value go to the targets."""

    def caught(self, block: Node) -> tuple[str, ...]:
        """The types the handlers of a try statement catch, in order."""

    def loop_kind(self, loop: Node) -> str: ...

    def package(self, tree: Tree) -> str: ...

    def exports(self, tree: Tree) -> tuple[str, ...] | None: ...

    def has_getattr(self, tree: Tree) -> bool: ...
