"""The types that a file of Java itself declares for its names."""

from __future__ import annotations

from review_agent.syntax.tree import Node, Scope, Tree

__all__ = ["Types"]

_HOLDERS = frozenset(("local_variable_declaration", "field_declaration", "constant_declaration"))
_SINGLE = frozenset(("formal_parameter", "resource", "enhanced_for_statement"))


class Types:
    """``of`` gives a declared type as written: of a local or parameter of the function, else of a field around it."""

    def __init__(self, tree: Tree) -> None:
        self._found: dict[tuple[str, str], str] = {}
        for node in tree.nodes:
            written = node.child("type") if node.type in _HOLDERS or node.type in _SINGLE else None
            if written is None:
                continue
            named = [one.child("name") for one in node.all("declarator")] or [node.child("name")]
            for name in named:
                if name is not None:
                    self._found[node.scope, name.raw] = written.text

    def of(self, name: str, place: Node) -> str:
        scope: Scope | None = place.env.scope
        while scope is not None:
            found = self._found.get((scope.qualname, name))
            if found is not None:
                return found
            scope = scope.parent
        return ""

    def fields(self, scope: str) -> bool:
        """Whether any name is declared directly in a scope."""
        return any(at == scope for at, _ in self._found)
