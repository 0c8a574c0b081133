"""Makes symbols: what the definitions of all languages have in common."""

from __future__ import annotations

from dataclasses import dataclass, field

from review_agent.syntax.model import Param, Symbol
from review_agent.syntax.tokens import Stream
from review_agent.syntax.tree import Node, Scope


@dataclass
class Draft:
    """A symbol in the making. ``node`` is what the name stands in, ``whole`` what also holds its decorators,
    ``scope`` what surrounds it (for a Go method: its type), ``body`` what is hashed. ``first`` starts the
    symbol where that is no part of the whole."""

    kind: str
    name: Node
    node: Node
    scope: Scope
    exported: bool
    whole: Node | None = None
    owner: str = ""
    header_end: int = 0
    params: tuple[Param, ...] = ()
    decorators: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    members: list[str] = field(default_factory=list)
    value: str | None = None
    receiver: str | None = None
    is_async: bool = False
    is_abstract: bool = False
    body: Node | None = None
    modifiers: tuple[str, ...] = ()
    is_test: bool = False
    first: Node | None = None

    def finish(self, stream: Stream) -> Symbol:
        whole = self.whole or self.node
        scope = ".".join(p for p in (self.scope.qualname, self.owner) if p)
        name = self.name.text
        return Symbol(
            kind=self.kind,
            name=name,
            qualname=f"{scope}.{name}" if scope else name,
            scope=scope,
            start=(self.first or whole).line,
            end=whole.last,
            name_line=self.name.line,
            header_end=self.header_end or self.node.last,
            params=self.params,
            decorators=self.decorators,
            bases=self.bases,
            results=self.results,
            members=tuple(dict.fromkeys(self.members)),
            value=self.value,
            receiver=self.receiver,
            is_async=self.is_async,
            is_abstract=self.is_abstract,
            exported=self.exported,
            body=stream.digest(self.body),
            modifiers=self.modifiers,
            is_test=self.is_test,
        )


def inside_function(scope: Scope | None) -> bool:
    """Whether a name defined in this scope is out of other files' reach."""
    while scope is not None:
        if scope.kind == "function":
            return True
        scope = scope.parent
    return False


def outer(node: Node) -> Scope:
    """The scope around a definition's own node."""
    scope = node.env.scope
    return scope.parent if scope.node is node and scope.parent else scope
