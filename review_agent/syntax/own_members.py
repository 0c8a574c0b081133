"""Uses of an object's own members: for all languages in which the object has a name."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from review_agent.syntax.context import Context
from review_agent.syntax.model import MemberUse
from review_agent.syntax.tree import TEXT_LIMIT, Node

__all__ = ["act_of", "rooted"]


def rooted(context: Context, owner_of: Callable[[Node], str]) -> Iterator[MemberUse]:
    """Member chains whose first name is the object itself; ``owner_of`` gives its type, "" for any other name."""
    for node in context.tree.tag("member"):
        above = node.parent
        if above is not None and above.tag == "member" and above.role("object") is node:
            continue
        names, root = _chain(node)
        owner = owner_of(root) if names else ""
        if owner:
            yield MemberUse(owner, ".".join(names)[:TEXT_LIMIT], act_of(node), node.line, node.scope)


def _chain(node: Node) -> tuple[list[str], Node]:
    """The names of a member chain without calls and subscripts inside it, and what it starts from."""
    names: list[str] = []
    here: Node | None = node
    while here is not None and here.tag == "member":
        name = here.role("name")
        names.append(name.text if name else "")
        inner = here.role("object")
        if inner is None or (inner.tag != "member" and inner.children and inner.type not in ("this", "self")):
            return [], node
        here = inner
    return names[::-1], here if here is not None else node


def act_of(node: Node) -> str:
    """What is done with a member: read, write, update or call."""
    if node.use == "called":
        return "call"
    above, here = node.parent, node
    while above is not None and above.tag == "index" and above.role("object") is here:
        here, above = above, above.parent
    if here.use != "write" and not (above is not None and above.tag == "update" and above.role("left") is here):
        return "read"
    return "write" if here is node and (above is None or above.tag != "update") else "update"
