"""A parsed file as light nodes: one walk turns a tree-sitter tree into these, and nothing later crosses into C.

Nodes are in preorder. The query of the language tags them (``tag``, ``roles``, ``use``), so that the collectors over
them are written once for all languages. Nothing recurses over the depth of a tree.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from tree_sitter import Node as RawNode
from tree_sitter import QueryCursor
from tree_sitter import Tree as RawTree

from review_agent.syntax.languages import get_language, get_parser, get_query, other_reading

TEXT_LIMIT = 200
# So many bytes hold the characters of a text that is cut, unless they are mostly white space.
_ENOUGH = 8 * TEXT_LIMIT
# Matching a query costs nodes times depth; what a person writes stays far below both.
MAX_DEPTH = 1_000
MAX_NODES = 500_000
MODULE = ""
# Matches of a query weigh as much as the nodes they are of, so those of a long text are taken in turns.
_TURN = 65_536
# Nodes that the walk notes as it meets them.
_NOTED = frozenset({"ERROR", "comment"})


def fold(text: str, limit: int = TEXT_LIMIT) -> str:
    """Whitespace folded to single spaces, cut at ``limit`` characters."""
    return " ".join(text.split())[:limit]


class TooLargeError(ValueError):
    """A text whose tree has too many nodes or levels to be worth reading."""


class Scope:
    """``kind``: module, function or class; ``node`` is None for the module."""

    __slots__ = ("kind", "node", "parent", "qualname")

    def __init__(self, qualname: str, kind: str, node: Node | None, parent: Scope | None) -> None:
        self.qualname, self.kind, self.node, self.parent = qualname, kind, node, parent


class Env:
    """What surrounds a node inside its function; one object for all nodes between two boundaries.

    ``tries``: the try statements in whose body it stands, inner first; ``handler``: the innermost handler; ``loop``:
    the innermost loop; ``closure``: the function literal or lambda it belongs to.
    """

    __slots__ = ("closure", "handler", "loop", "scope", "tries")

    def __init__(
        self,
        scope: Scope,
        loop: Node | None = None,
        tries: tuple[Node, ...] = (),
        handler: Node | None = None,
        closure: Node | None = None,
    ) -> None:
        self.scope, self.loop, self.tries, self.handler, self.closure = scope, loop, tries, handler, closure


class Node:
    """``tag`` and ``roles`` come from the query, ``use`` from its ``use.X`` captures; ``index`` is the preorder place.

    ``start`` and ``end`` are byte offsets; lines are 1-based and counted by line feeds only.
    """

    __slots__ = (
        "_text", "children", "end", "env", "field", "index", "named", "opens", "parent", "roles", "start", "tag",
        "tree", "type", "use",
    )  # fmt: skip

    env: Env

    def __init__(
        self, tree: Tree, parent: Node | None, kind: str, named: bool, start: int, end: int, index: int, field: str
    ) -> None:
        self.tree, self.parent, self.type, self.named, self.start, self.end = tree, parent, kind, named, start, end
        self.index, self.field = index, field
        self.children = _NO_CHILDREN
        self.roles: dict[str, Node] | None = None
        self.tag = self.use = ""
        self.opens: tuple[tuple[str, Node], ...] = ()
        self._text: str | None = None

    @property
    def raw(self) -> str:
        return self.tree.data[self.start : self.end].decode("utf-8", "replace")

    @property
    def text(self) -> str:
        """Folded source text without comments, at most 200 characters."""
        if self._text is None:
            self._text = self.tree.text_between(self.start, self.end, bool(self.children))
        return self._text

    def say(self, text: str) -> None:
        """Gives a node that an adapter made the text it stands for."""
        self._text = text

    @property
    def line(self) -> int:
        return self.tree.line_at(self.start)

    @property
    def last(self) -> int:
        """The line of the node's last byte."""
        return self.tree.line_at(max(self.start, self.end - 1))

    @property
    def scope(self) -> str:
        return self.env.scope.qualname

    def role(self, name: str) -> Node | None:
        return self.roles.get(name) if self.roles else None

    def child(self, field: str) -> Node | None:
        return next((c for c in self.children if c.field == field), None)

    def all(self, field: str) -> list[Node]:
        return [c for c in self.children if c.field == field and c.named]

    @property
    def parts(self) -> list[Node]:
        """Named children without comments."""
        return [c for c in self.children if c.named and c.type not in _EXTRAS]

    def walk(self) -> Sequence[Node]:
        """This node and everything in it, in preorder."""
        return self.tree.nodes[self.index : self.stop]

    @property
    def stop(self) -> int:
        """The preorder index after the last node inside this one."""
        node = self
        while node.children:
            node = node.children[-1]
        return node.index + 1

    def up(self) -> Iterator[Node]:
        """Parents, nearest first."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent


# Shared by all leaves, never appended to.
_NO_CHILDREN: list[Node] = []
_EXTRAS = frozenset(("comment", "line_continuation"))


class Tree:
    """A parsed text: ``nodes`` in preorder, ``tagged`` by tag in source order, ``errors`` a count of error nodes.

    Raises TooLargeError past ``MAX_NODES`` or ``MAX_DEPTH``.
    """

    def __init__(self, text: str, language: str) -> None:
        self.language = language
        self.data = text.encode("utf-8", "replace")
        self.module = Scope(MODULE, "module", None, None)
        self.env = Env(self.module)
        self.nodes: list[Node] = []
        self.tagged: dict[str, list[Node]] = {}
        self.errors = 0
        self._comments: list[tuple[int, int]] = []
        self._lines = _line_starts(self.data)
        raw = get_parser(language).parse(self.data)
        if raw.root_node.has_error and (other := other_reading(self.data, language)) != self.data:
            raw = get_parser(language).parse(other)
        by_id = self._convert(raw)
        self._apply_query(raw, by_id)
        for tagged in self.tagged.values():
            tagged.sort(key=lambda n: n.index)

    @property
    def root(self) -> Node:
        return self.nodes[0]

    @property
    def line_count(self) -> int:
        return len(self._lines) - (1 if self.data.endswith(b"\n") or not self.data else 0)

    def text_between(self, start: int, end: int, may_hold_comments: bool = True) -> str:
        """Folded text without comments, at most 200 characters."""
        at = bisect_left(self._comments, (start, start)) if may_hold_comments else len(self._comments)
        pieces: list[bytes] = []
        length = 0
        while at < len(self._comments) and self._comments[at][0] < end and length < _ENOUGH:
            pieces.append(self.data[start : self._comments[at][0]])
            length += len(pieces[-1])
            start, at = self._comments[at][1], at + 1
        pieces.append(self.data[start : min(end, start + _ENOUGH)])
        text = fold(b" ".join(pieces).decode("utf-8", "replace"))
        if len(text) < TEXT_LIMIT and end - start > _ENOUGH:
            return fold(self.data[start:end].decode("utf-8", "replace"))
        return text

    def line_at(self, byte: int) -> int:
        return bisect_right(self._lines, byte)

    def tag(self, name: str) -> list[Node]:
        return self.tagged.get(name, [])

    def _convert(self, raw: RawTree) -> dict[int, Node]:
        kinds, fields = _tables(self.language)
        by_id: dict[int, Node] = {}
        nodes = self.nodes
        cursor = raw.walk()
        parent: Node | None = None
        siblings: list[Node] | None = None
        depth = 0
        while True:
            source = cursor.node
            assert source is not None
            kind, named = kinds[source.kind_id] if source.kind_id < len(kinds) else ("ERROR", True)
            field = fields[number] if (number := cursor.field_id) is not None else ""
            node = Node(self, parent, kind, named, source.start_byte, source.end_byte, len(nodes), field)
            nodes.append(node)
            if siblings is not None:
                siblings.append(node)
            by_id[source.id] = node
            if kind in _NOTED or node.start == node.end:
                self._note(node, source.is_missing)
            if cursor.goto_first_child():
                parent, siblings = node, []
                node.children = siblings
                depth += 1
                if depth > MAX_DEPTH or len(nodes) > MAX_NODES:
                    raise TooLargeError(f"more than {MAX_NODES} syntax nodes or {MAX_DEPTH} levels of them")
                continue
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent() or parent is None:
                    return by_id
                parent = parent.parent
                siblings = parent.children if parent is not None else None
                depth -= 1

    def _note(self, node: Node, missing: bool) -> None:
        """Counts an error, and keeps where a comment stands."""
        if node.type == "comment":
            self._comments.append((node.start, node.end))
        self.errors += (node.type == "ERROR") + (missing and node.start == node.end)

    def _apply_query(self, raw: RawTree, by_id: dict[int, Node]) -> None:
        query = get_query(self.language)
        names = {name: name.partition(".") for name in map(query.capture_name, range(query.capture_count))}
        cursor = QueryCursor(query)
        for start in range(0, max(len(self.data), 1), _TURN):
            if len(self.data) > _TURN:
                cursor.set_byte_range(start, start + _TURN)
            for _, captures in cursor.matches(raw.root_node):
                self._take(captures, names, by_id, range(start, start + _TURN))

    def _take(
        self,
        captures: dict[str, list[RawNode]],
        names: dict[str, tuple[str, str, str]],
        by_id: dict[int, Node],
        turn: range,
    ) -> None:
        """A match belongs to the turn that its first node begins in; a turn is given all that reaches into it."""
        root: Node | None = None
        if min(found[0].start_byte for found in captures.values()) not in turn:
            return
        # The capture of the whole comes before those of its parts: captures stand in the order of their nodes.
        for name, found in captures.items():
            head, _, role = names[name]
            if head == "use":
                for one in found:
                    by_id[one.id].use = role
            elif not role:
                root = self._tag(by_id[found[0].id], head)
            elif root is not None and role == "inside":
                for one in found:
                    by_id[one.id].opens += ((head, root),)
            elif root is not None:
                if root.roles is None:
                    root.roles = {}
                root.roles[role] = by_id[found[0].id]

    def _tag(self, node: Node, name: str) -> Node:
        if node.tag != name:
            node.tag = name
            self.tagged.setdefault(name, []).append(node)
        return node


def _line_starts(data: bytes) -> list[int]:
    starts, at = [0], data.find(b"\n")
    while at >= 0:
        starts.append(at + 1)
        at = data.find(b"\n", at + 1)
    return starts


def _tables(language: str) -> tuple[list[tuple[str, bool]], list[str]]:
    found = _TABLES.get(language)
    if found is None:
        grammar = get_language(language)
        kinds = [
            (_kind(grammar.node_kind_for_id(i) or ""), grammar.node_kind_is_named(i))
            for i in range(grammar.node_kind_count)
        ]
        fields = [grammar.field_name_for_id(i) or "" for i in range(grammar.field_count + 1)]
        found = _TABLES[language] = (kinds, fields)
    return found


def _kind(name: str) -> str:
    """A comment is a comment, whether of a line or of a block (as Java's grammar tells apart)."""
    return "comment" if name in ("line_comment", "block_comment") else name


_TABLES: dict[str, tuple[list[tuple[str, bool]], list[str]]] = {}
