"""Python's composites, blocks, assertions and own members."""

from __future__ import annotations

from collections.abc import Iterator

from review_agent.syntax.adapter import Parts
from review_agent.syntax.calls import argument_nodes, callee_node, dotted, split
from review_agent.syntax.context import Context
from review_agent.syntax.model import Assertion, Block, MemberUse
from review_agent.syntax.own_members import rooted
from review_agent.syntax.tree import Node

__all__ = ["COMPOSITES", "STRINGS", "assertions", "blocks", "composite", "key_use", "member_uses", "string_text"]

STRINGS = frozenset(("string", "concatenated_string"))
COMPOSITES = frozenset(
    (
        "string",
        "concatenated_string",
        "binary_operator",
        "tuple",
        "list",
        "dictionary",
        "call",
        "expression_list",
        "subscript",
    )
)
_READING = frozenset(("get", "pop", "getlist", "get_all", "__getitem__"))
_WRITING = frozenset(("setdefault", "__setitem__"))
_EXPECTS = frozenset(("raises", "warns", "deprecated_call"))


def composite(node: Node) -> Parts | None:
    if node.type in STRINGS:
        return _template(node)
    if node.type == "binary_operator":
        return _operated(node)
    if node.type == "dictionary":
        pairs = [(one.child("key"), one.child("value")) for one in node.parts if one.type == "pair"]
        known = [(key, value) for key, value in pairs if key is not None and value is not None]
        return Parts("object", tuple(_bare(key) for key, _ in known), tuple(value.text for _, value in known))
    if node.type == "call":
        return _call(node)
    if node.type == "subscript":
        keys = tuple(one.text for one in node.parts[1:])
        return Parts("tuple", keys) if len(keys) > 1 else None
    kind = "list" if node.type == "list" else "tuple"
    return Parts(kind, tuple(one.text for one in node.parts)) if len(node.parts) > 1 else None


def _template(node: Node) -> Parts | None:
    above = node.parent
    if above is not None and (above.type == "concatenated_string" or _adds(above)):
        return None
    found, text = _pieces(node)
    return Parts("template", found, (text[:200],)) if found else None


def _pieces(node: Node) -> tuple[tuple[str, ...], str]:
    """What a string puts in, and its fixed text with ``{}`` where it does."""
    found: list[str] = []
    text: list[str] = []
    for one in node.children if node.type == "string" else [c for part in node.parts for c in part.children]:
        if one.type == "string_content":
            text.append(one.raw)
        elif one.type == "interpolation" and one.parts:
            found.append(one.parts[0].text)
            text.append("{}")
    return tuple(found), "".join(text)


def _adds(node: Node) -> bool:
    sign = node.child("operator")
    return node.type == "binary_operator" and sign is not None and sign.text in ("+", "%")


def _operated(node: Node) -> Parts | None:
    """Strings added up with other values, or filled in by ``%``."""
    if not _adds(node) or (node.parent is not None and _adds(node.parent)):
        return None
    sign, left, right = node.child("operator"), node.child("left"), node.child("right")
    if sign is None or left is None or right is None:
        return None
    if sign.text == "%" and left.type in STRINGS:
        values = right.parts if right.type == "tuple" else [right]
        return Parts("format", tuple(one.text for one in values), (string_text(left) or "",))
    terms = list(_terms(node))
    fixed = [one for one in terms if one.type in STRINGS]
    if not fixed or sign.text != "+":
        return None
    pieces = [_pieces(one) if one.type in STRINGS else ((one.text,), "{}") for one in terms]
    found = tuple(part for parts, _ in pieces for part in parts)
    return Parts("join", found, ("".join(text for _, text in pieces)[:200],))


def _terms(node: Node) -> Iterator[Node]:
    """The operands of a chain of additions, in order."""
    pending = [node]
    while pending:
        here = pending.pop()
        if here.type == "binary_operator" and _adds(here):
            pending += [one for one in (here.child("right"), here.child("left")) if one is not None]
        elif here.tag == "group" and here.parts:
            pending.append(here.parts[0])
        else:
            yield here


def _call(node: Node) -> Parts | None:
    receiver, name = split(callee_node(node))
    callee = callee_node(node)
    if name == "format" and callee is not None and (text := string_text(callee.role("object"))) is not None:
        return Parts("format", tuple(_value(one) for one in argument_nodes(node)), (text,))
    if name == "join" and callee is not None and string_text(callee.role("object")) is not None:
        listed = argument_nodes(node)
        if len(listed) == 1 and listed[0].type in ("list", "tuple"):
            parts = tuple(one.text for one in listed[0].parts)
            between = string_text(callee.role("object")) or ""
            return Parts("join", parts, (between.join("{}" for _ in parts),))
    if name == "dict" and not receiver:
        named = [one for one in argument_nodes(node) if one.tag == "keyword"]
        keys = tuple(word.text for one in named if (word := one.role("name")) is not None)
        return Parts("object", keys, tuple(_value(one) for one in named)) if len(named) > 1 else None
    return None


def _value(argument: Node) -> str:
    value = argument.role("value") if argument.tag == "keyword" else argument
    return value.text if value is not None else argument.text


def _bare(key: Node) -> str:
    text = string_text(key)
    return text if text is not None else key.text


def string_text(node: Node | None) -> str | None:
    if node is None or node.type not in STRINGS:
        return None
    pieces = []
    for one in node.children if node.type == "string" else [c for part in node.parts for c in part.children]:
        if one.type == "string_content":
            pieces.append(one.raw)
        elif one.type == "interpolation" and one.parts:
            pieces.append("{" + one.parts[0].text + "}")
    return "".join(pieces)


def key_use(node: Node) -> tuple[str, Node] | None:
    above = node.parent
    if node.type != "string" or above is None:
        return None
    if above.tag == "index" and above.role("key") is node:
        written = above.use == "write" or (above.parent is not None and above.parent.tag == "update")
        return ("key_write" if written else "key_read"), above
    if above.type == "pair" and above.child("key") is node:
        return "key_write", above
    if above.type == "argument_list" and above.parent is not None and above.parent.tag == "call":
        name = split(callee_node(above.parent))[1]
        if above.parts[:1] == [node] and name in _READING | _WRITING:
            return ("key_read" if name in _READING else "key_write"), above.parent
    if above.type == "comparison_operator" and any(one.type in ("in", "not in") for one in above.children):
        return ("key_read", above) if above.parts[:1] == [node] else None
    return None


def blocks(context: Context) -> list[Block]:
    found = []
    for node in context.tree.tag("with"):
        body = node.role("body")
        for item in (one for one in node.walk() if one.type == "with_item"):
            if body is None or item.index >= body.index:
                break
            pattern = item.role("value")
            held = pattern or item.parts[0]
            target = item.role("target")
            found.append(_block("with", dotted(held), dotted(target) if target else "", node, body))
    for node in context.tree.nodes:
        if node.type == "try_statement" and (body := node.child("body")) is not None:
            found.append(_block("try", "", "", node, body))
        elif node.type == "finally_clause":
            found.append(_block("finally", "", "", node, node.parts[-1] if node.parts else node))
    return sorted(found, key=lambda one: (one.start, one.end))


def _block(kind: str, subject: str, binds: str, node: Node, body: Node) -> Block:
    return Block(kind, subject, binds, node.line, node.last, body.line, body.last, node.scope)


def assertions(context: Context) -> list[Assertion]:
    found = []
    for node in context.tree.nodes:
        if node.type == "assert_statement" and node.parts:
            found.append(_assertion("statement", "assert", node, node.parts[0].text))
        elif node.tag == "call":
            receiver, name = split(callee_node(node))
            checks = name.startswith("assert") or (receiver == "pytest" and name in _EXPECTS)
            if checks and (receiver in ("self", "cls", "pytest", "mock") or node.use == "ignored"):
                found.append(_assertion("call", name, node, node.text))
    return found


def _assertion(form: str, name: str, node: Node, text: str) -> Assertion:
    names = dict.fromkeys(one.raw for one in node.walk() if one.type == "identifier" and not one.children)
    return Assertion(form, name, text, tuple(names)[:40], node.line, node.last, node.scope)


def member_uses(context: Context) -> list[MemberUse]:
    return list(rooted(context, _owner))


def _owner(root: Node) -> str:
    if root.type != "identifier" or root.raw not in ("self", "cls"):
        return ""
    scope = root.env.scope
    while scope.parent is not None and scope.kind != "class":
        scope = scope.parent
    return scope.qualname if scope.kind == "class" else ""
