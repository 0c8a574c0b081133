"""Gives every node its surroundings (scope, loop, try, handler) in one sweep from the root down."""

from __future__ import annotations

from review_agent.syntax.adapter import Adapter
from review_agent.syntax.tree import Env, Node, Scope, Tree


def place(tree: Tree, adapter: Adapter) -> None:
    """Sets ``env`` on all nodes; a definition's own node stands inside the scope it opens."""
    for node in tree.nodes:
        env = node.parent.env if node.parent else tree.env
        if node.tag in ("function", "class"):
            env = _enter(node, env, adapter)
        elif node.tag == "closure":
            env = Env(env.scope, env.loop, (), env.handler, node)
        for kind, root in node.opens:
            env = _inside(kind, root, env)
        node.env = env


def _enter(node: Node, env: Env, adapter: Adapter) -> Env:
    name = node.role("name")
    parts = [env.scope.qualname, adapter.owner(node) if node.tag == "function" else "", name.text if name else ""]
    scope = Scope(".".join(p for p in parts if p), node.tag, node, env.scope)
    return Env(scope) if node.tag == "function" else Env(scope, env.loop, env.tries, env.handler)


def _inside(kind: str, root: Node, env: Env) -> Env:
    if kind == "loop":
        return Env(env.scope, root, env.tries, env.handler, env.closure)
    if kind == "try":
        return Env(env.scope, env.loop, (root, *env.tries), env.handler, env.closure)
    return Env(env.scope, env.loop, env.tries, root, env.closure)
