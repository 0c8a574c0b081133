"""What a language must say beyond its query file: the names and idioms that no syntax node shows.

An adapter is a module (``python``, ``go``) that satisfies :class:`Adapter`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from review_agent.syntax.model import Access, Assertion, Block, Handler, Import, MemberUse, Raise, Setting, Symbol
from review_agent.syntax.tokens import Stream
from review_agent.syntax.tree import Node, Tree

if TYPE_CHECKING:
    from review_agent.syntax.context import Context


@dataclass(frozen=True)
class Parts:
    """What an adapter says of a composite: see :class:`model.Composite`."""

    kind: str
    components: tuple[str, ...]
    values: tuple[str, ...] = ()
    type: str = ""


class Adapter(Protocol):
    ATOMS: frozenset[str]
    """Node types whose text is one token."""

    BLOCK: str
    """The node type whose nesting is meaning and not layout (Python's indented block), "" for none."""

    BREAKS_SWITCH: bool
    """Whether an unlabelled break leaves a switch."""
    FALLS_OFF: bool
    """Whether a function that returns values may run off its end, which then returns nothing."""
    SHAPES: Mapping[str, str]
    """Node type of a returned value -> its shape."""

    def prepare(self, tree: Tree) -> None:
        """Opens the contexts (``Node.opens``) that the query cannot see."""

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

    def kept(self, block: Node) -> tuple[str, ...]:
        """Those of them whose handler does not raise the same error again."""

    def loop_kind(self, loop: Node) -> str: ...

    def package(self, tree: Tree) -> str: ...

    def exports(self, tree: Tree) -> tuple[str, ...] | None: ...

    def export_nodes(self, tree: Tree) -> list[Node]:
        """The texts of the names a module lists as exported."""

    def has_getattr(self, tree: Tree) -> bool: ...

    def loop_test(self, loop: Node) -> str: ...

    def call_action(self, call: Node) -> str:
        """What a call statement does: log, exit, raise or call."""

    def return_action(self, node: Node, binds: str) -> str: ...

    def returned(self, node: Node) -> list[Node]:
        """The values of a return statement."""

    def bare_shape(self, function: Node) -> str: ...

    def composite_shape(self, value: Node) -> str: ...

    def is_error(self, name: str) -> bool: ...

    def tests_error(self, receiver: str, name: str) -> bool: ...

    def handlers(self, context: Context) -> list[Handler]: ...

    def raises(self, context: Context) -> list[Raise]: ...

    def accesses(self, context: Context) -> list[Access]: ...

    def settings(self, context: Context) -> list[Setting]: ...

    COMPOSITES: frozenset[str]
    """Node types that can be a value put together from parts."""
    STRINGS: frozenset[str]
    """Node types of string literals."""

    def composite(self, node: Node) -> Parts | None:
        """The parts of a node of one of these types; null where it is no such value after all."""

    def string_text(self, node: Node) -> str | None:
        """The contents of a string literal, interpolated parts as ``{expression}``; null for anything else."""

    def key_use(self, node: Node) -> tuple[str, Node] | None:
        """For a string literal that is a key: key_read, key_write or key_tag, and the expression it is a key in."""

    def blocks(self, context: Context) -> list[Block]: ...

    def assertions(self, context: Context) -> list[Assertion]: ...

    def member_uses(self, context: Context) -> list[MemberUse]: ...
