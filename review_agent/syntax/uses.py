"""Every occurrence of some names as identifiers, and what is done with them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from review_agent.syntax.build import outer
from review_agent.syntax.calls import dotted
from review_agent.syntax.context import Context
from review_agent.syntax.model import NameUse
from review_agent.syntax.presence import guarding_test
from review_agent.syntax.tree import Node

_NAMES = frozenset(
    ("identifier", "field_identifier", "type_identifier", "package_identifier", "property_identifier",
     "private_property_identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern")
)  # fmt: skip
# The name that each codec of a Go struct tag gives a field: `json:"total,omitempty"`.
TAGGED = re.compile(r'\w+:"([^",]+)')
_USES = {
    "called": "call",
    **{
        u: u
        for u in (
            "write",
            "attribute",
            "subscript",
            "dereference",
            "catch",
            "parameter",
            "keyword",
            "definition",
            "export",
        )
    },
}


def uses(context: Context, names: Collection[str]) -> tuple[NameUse, ...]:
    """One record an occurrence, in source order; a name listed in ``__all__`` is an export."""
    wanted = {name.encode("utf-8", "replace") for name in names}
    tree = context.tree
    found = [
        _use(node, context)
        for node in tree.nodes
        if node.type in _NAMES and not node.children and tree.data[node.start : node.end] in wanted
    ]
    found += [_export(node) for node in context.adapter.export_nodes(tree) if node.raw.encode() in wanted]
    found += _keys(context, set(names))
    return tuple(sorted(found, key=lambda use: use.line))


def _use(node: Node, context: Context) -> NameUse:
    parent = node.parent
    is_member = parent is not None and parent.tag == "member" and parent.role("name") is node
    expression = parent if is_member and parent is not None else node
    whole = expression
    while whole.parent is not None and whole.parent.tag == "member" and whole.parent.role("object") is whole:
        whole = whole.parent
    receiver = dotted(expression.role("object")) if is_member else ""
    kind = "import" if _is_import(node) else _USES.get(expression.use, "read")
    guard = None
    if kind not in ("import", "definition", "parameter", "keyword", "write", "export"):
        name = dotted(expression)
        binding = context.bindings.last(name, node)
        guard = guarding_test(expression, {name}, context.flow, binding.since if binding else -1)
        guard = "?." if guard is None and _is_optional(expression) else guard
    return NameUse(node.raw, kind, dotted(whole), receiver, node.line, _scope(node), guard)


def _is_optional(expression: Node) -> bool:
    """JavaScript's ``a?.b``, ``a?.[b]`` and ``a?.()`` do nothing where there is no value."""
    above = expression.parent
    return above is not None and any(one.type in ("optional_chain", "?.") for one in above.children)


def _keys(context: Context, names: Collection[str]) -> Iterator[NameUse]:
    """String literals that are keys by one of the names; a tag or annotation can give several."""
    adapter = context.adapter
    wanted = {name.encode("utf-8", "replace") for name in names}
    for node in context.tree.nodes:
        # JavaScript's ``{ total }`` reads a variable and writes a key of its name.
        short = node.type == "shorthand_property_identifier" and node.use != "export"
        if short and context.tree.data[node.start : node.end] in wanted:
            yield NameUse(node.raw, "key_write", (node.parent or node).text, "", node.line, node.scope, None)
        if node.type not in adapter.STRINGS or not (found := adapter.key_use(node)):
            continue
        use, around = found
        text = adapter.string_text(node) or ""
        for name in (text, *(TAGGED.findall(text) if use == "key_tag" else ())):
            if name in names:
                inner = around.role("object") or around.role("callee")
                receiver = dotted(inner.role("object") if inner is not None and around.tag == "call" else inner)
                yield NameUse(name, use, around.text, receiver, node.line, node.scope, None)


def _is_import(node: Node) -> bool:
    return any(up.tag == "import" for _, up in zip(range(4), node.up(), strict=False))


def _scope(node: Node) -> str:
    """A definition's name stands in the scope around it."""
    parent = node.parent
    is_own = parent is not None and parent.tag in ("function", "class") and parent.role("name") is node
    return outer(parent).qualname if is_own and parent is not None else node.scope


def _export(node: Node) -> NameUse:
    return NameUse(node.raw, "export", node.raw, "", node.line, node.scope, None)
