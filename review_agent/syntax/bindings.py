"""Who set a name: for each scope, the places that bind each dotted name."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from review_agent.syntax.adapter import Adapter
from review_agent.syntax.calls import dotted
from review_agent.syntax.tree import Node, Tree

_BLOCKS = frozenset(
    ("block", "module", "source_file", "if_statement", "expression_case", "communication_case", "statement_block",
     "program", "switch_case", "switch_default", "constructor_body", "class_body", "switch_block_statement_group")
)  # fmt: skip
_NAMES = frozenset(("identifier", "shorthand_property_identifier_pattern"))
# How many earlier bindings of one name are looked at.
_LOOKBACK = 20
_BINDING = frozenset(("write", "definition"))


@dataclass(frozen=True)
class Binding:
    """``value`` is None where something other than an assignment binds; ``element`` counts the targets of one value,
    -1 where the target takes the whole value. The name holds it from preorder index ``since`` on."""

    target: Node
    statement: Node
    value: Node | None
    element: int
    since: int

    def reaches(self, place: Node) -> bool:
        """Whether the binding's block holds ``place`` as well, so that it runs whenever that does."""
        block = next((n for n in self.statement.up() if n.type in _BLOCKS), None)
        return block is not None and block.index <= place.index < block.stop


class Bindings:
    def __init__(self, tree: Tree, adapter: Adapter) -> None:
        self._adapter = adapter
        self._params: set[tuple[str, str]] = set()
        self._values: dict[int, dict[int, tuple[Node | None, int]]] = {}
        self._found: dict[tuple[str, str], list[Binding]] = {}
        for node in tree.nodes:
            if node.use in _BINDING and (node.type in _NAMES or node.tag == "member"):
                self._add(node)
            elif node.use == "parameter":
                self._params.add((node.scope, node.text))
        for found in self._found.values():
            found.sort(key=lambda b: b.since)

    def last(self, name: str, place: Node) -> Binding | None:
        """The nearest binding of ``name`` before ``place`` in the same scope, None for none."""
        found = self._found.get((place.scope, name), [])
        at = bisect_right(found, place.index, key=lambda b: b.since)
        return found[at - 1] if at else None

    def is_local(self, name: str, place: Node) -> bool:
        """Whether ``name`` is a parameter of, or bound in, the function around ``place``."""
        return place.scope != "" and ((place.scope, name) in self._params or self.last(name, place) is not None)

    def reaching(self, name: str, place: Node) -> Binding | None:
        """The nearest binding before ``place`` that runs whenever it does; else the nearest one of all."""
        found = self._found.get((place.scope, name), [])
        at = bisect_right(found, place.index, key=lambda b: b.since)
        for binding in reversed(found[max(0, at - _LOOKBACK) : at]):
            if binding.reaches(place):
                return binding
        return found[at - 1] if at else None

    def module_level(self, name: str) -> Binding | None:
        """The last binding of ``name`` at module level."""
        found = self._found.get(("", name))
        return found[-1] if found else None

    def _add(self, target: Node) -> None:
        statement, value, element = target, None, -1
        for up in target.up():
            if up.tag == "assign":
                statement = up
                value, element = self._value(target, up)
                break
            if (
                up.tag in ("update", "loop", "with", "handler", "declare")
                or up.use == "ignored"
                or up.tag == "sequence"
            ):
                statement = up if up.tag in ("update", "declare") else target
                break
        key = (target.scope, dotted(target))
        self._found.setdefault(key, []).append(Binding(target, statement, value, element, statement.stop))

    def _value(self, target: Node, assign: Node) -> tuple[Node | None, int]:
        if assign.index not in self._values:
            self._values[assign.index] = self._shared_out(assign)
        return self._values[assign.index].get(target.index, (None, -1))

    def _shared_out(self, assign: Node) -> dict[int, tuple[Node | None, int]]:
        """For each target (by index) its value, and its place among the targets of one value."""
        targets, values = self._adapter.targets(assign), self._adapter.values(assign)
        inner = assign
        while not values and (right := inner.role("right")) is not None and right.tag == "assign":
            inner = right
            values = self._adapter.values(right)
        if len(values) == len(targets) > 1:
            return {t.index: (v, -1) for t, v in zip(targets, values, strict=True)}
        unpacks, value = self._adapter.unpacks(inner), values[0] if values else None
        return {t.index: (value, at if unpacks else -1) for at, t in enumerate(targets)}
