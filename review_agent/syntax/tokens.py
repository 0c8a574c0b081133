"""The tokens of a text: for telling cosmetic changes from real ones, and for hashing a body."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Iterator
from typing import Protocol

from review_agent.syntax.model import Tokens
from review_agent.syntax.tree import Node, Tree

_CLOSERS = frozenset((")", "]", "}"))
_LISTS = frozenset(
    ("argument_list", "parameters", "parameter_list", "list", "dictionary", "set", "tuple", "literal_value",
     "import_from_statement", "arguments", "formal_parameters", "array", "object", "named_imports", "export_clause",
     "object_pattern", "array_pattern", "array_initializer", "enum_body", "type_parameters", "type_arguments")
)  # fmt: skip
_IGNORED = frozenset(("comment", "line_continuation"))


class Layout(Protocol):
    """The part of an adapter that tokens need."""

    ATOMS: frozenset[str]
    BLOCK: str

    def is_docstring(self, node: Node) -> bool: ...


class Stream:
    """All tokens of a tree in order, comments and docstrings left out."""

    def __init__(self, tree: Tree, layout: Layout) -> None:
        self._tree = tree
        self._found = list(_leaves(tree, layout))
        self._starts = [start for start, _, _ in self._found]

    def digest(self, node: Node | None) -> str:
        """sha256 of the tokens of a node; "" for no node."""
        if node is None:
            return ""
        first, last = bisect_left(self._starts, node.start), bisect_left(self._starts, node.end)
        words = [text for _, text, _ in self._found[first:last]]
        return hashlib.sha256("\0".join(words).encode("utf-8", "replace")).hexdigest()

    def lines(self) -> Tokens:
        """A token stands on its first line, each further line of it as that line's raw text.

        The first token of a nested statement is preceded by one tab a block, where indentation carries meaning.
        """
        rows: list[list[str]] = [[] for _ in range(self._tree.line_count)]
        for start, text, depth in self._found:
            at = self._tree.line_at(start) - 1
            if depth:
                rows[at].append("\t" * depth)
            for offset, piece in enumerate(text.split("\n")):
                if at + offset < len(rows):
                    rows[at + offset].append(piece.rstrip("\r"))
        return Tokens(tuple(tuple(row) for row in rows))


def _leaves(tree: Tree, layout: Layout) -> Iterator[tuple[int, str, int]]:
    """(start byte, text, depth): depth is in how many blocks a statement's first token stands, 0 for other tokens."""
    nodes, data, atoms, block = tree.nodes, tree.data, layout.ATOMS, layout.BLOCK
    levels: dict[int, int] = {}
    at, reached, level = 0, 0, 0
    while at < len(nodes):
        node = nodes[at]
        if block and node.parent is not None and node.parent.type == block:
            level = _level(node.parent, block, levels)
        is_left_out = node.type in _IGNORED or layout.is_docstring(node)
        if node.children and not is_left_out and node.type not in atoms:
            at += 1
            continue
        # What no leaf covers (text the parser skipped over) counts as well.
        if node.start > reached and (gap := data[reached : node.start].strip()):
            yield reached, gap.decode("utf-8", "replace"), 0
        text = "" if is_left_out or _is_trailing_comma(node) else node.raw
        if text and not text.isspace():
            yield node.start, text, level
            level = 0
        reached = max(reached, node.end)
        at = node.stop if node.children else at + 1


def _level(block: Node, kind: str, levels: dict[int, int]) -> int:
    if block.index not in levels:
        outer = next((n for n in block.up() if n.type == kind), None)
        levels[block.index] = 1 + (levels.get(outer.index, 0) if outer else 0)
    return levels[block.index]


def _is_trailing_comma(node: Node) -> bool:
    parent = node.parent
    if node.type != "," or parent is None or parent.type not in _LISTS or parent.children[-1].type not in _CLOSERS:
        return False
    before = len(parent.children) - 2
    while parent.children[before].type in _IGNORED:
        before -= 1
    return parent.children[before] is node and not (parent.type == "tuple" and len(parent.parts) == 1)
