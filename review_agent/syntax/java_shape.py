"""Gives a tree of Java the nodes that its grammar lacks: the callee of ``a.b(c)``, the name of an anonymous class."""

from __future__ import annotations

from review_agent.syntax.tree import Node, Tree

__all__ = ["ANONYMOUS", "is_anonymous", "prepare"]

# What stands before the base in the name of an anonymous class: `new Runnable() { … }` is the class `new Runnable`.
ANONYMOUS = "new "


def prepare(tree: Tree) -> None:
    """The collectors of all languages look for a callee as one node, and for a class by its name."""
    for node in tree.tag("class"):
        if node.type == "class_body":
            _name(node)
    before: dict[int, Node] = {}
    for call in tree.tag("call"):
        target = call.child("object") if call.type == "method_invocation" else None
        if target is not None:
            before[target.index] = _callee(tree, call, target)
    if before:
        _insert(tree, before)


def is_anonymous(name: str) -> bool:
    return name.startswith(ANONYMOUS)


def _name(body: Node) -> None:
    made = body.parent
    base = made.role("callee") if made is not None else None
    if base is not None and body.roles is not None:
        name = Node(body.tree, body, "identifier", True, base.start, base.end, base.index, "name")
        name.env = body.tree.env
        name.say(f"{ANONYMOUS}{base.text.rpartition('.')[2]}")
        body.roles["name"] = name


def _callee(tree: Tree, call: Node, target: Node) -> Node:
    """``a.b`` as a member, which takes the children of the call up to the name called."""
    at = next(n for n, c in enumerate(call.children) if c.field == "name")
    name = call.children[at]
    made = Node(tree, call, "field_access", True, target.start, name.end, target.index, "callee")
    made.children = call.children[: at + 1]
    call.children = [made, *call.children[at + 1 :]]
    for child in made.children:
        child.parent = made
    made.roles, made.use = {"object": target, "name": name}, "called"
    call.roles = {**(call.roles or {}), "callee": made}
    made.tag = "member"
    return made


def _insert(tree: Tree, before: dict[int, Node]) -> None:
    """Puts each made node in front of its first child, in the preorder of the tree."""
    nodes: list[Node] = []
    for node in tree.nodes:
        # Of a chain `a.b().c()` the outer callee starts where the inner call does: each stands before its own target.
        made = before.get(node.index)
        if made is not None:
            nodes.append(made)
        nodes.append(node)
    for index, node in enumerate(nodes):
        node.index = index
    tree.nodes[:] = nodes
    members = tree.tagged.setdefault("member", [])
    members += before.values()
    members.sort(key=lambda node: node.index)
