"""JavaScript's composites, strings, keys, blocks and own members."""

from __future__ import annotations

from collections.abc import Iterator

from review_agent.syntax.adapter import Parts
from review_agent.syntax.calls import argument_nodes, callee_node, dotted, split
from review_agent.syntax.context import Context
from review_agent.syntax.javascript_names import TYPE_HOLDERS
from review_agent.syntax.javascript_params import type_of
from review_agent.syntax.model import Block, MemberUse
from review_agent.syntax.own_members import rooted
from review_agent.syntax.tree import Node

__all__ = ["COMPOSITES", "STRINGS", "blocks", "composite", "key_use", "member_uses", "string_text"]

STRINGS = frozenset(("string", "template_string"))
COMPOSITES = frozenset(("template_string", "binary_expression", "object", "array", "call_expression"))
_READING = frozenset(("get", "has", "getItem", "getAll", "getHeader", "header", "param", "hget", "getOrThrow"))
_WRITING = frozenset(("set", "append", "setItem", "setHeader", "hset", "put"))


def composite(node: Node) -> Parts | None:
    if node.type == "template_string":
        return _template(node)
    if node.type == "binary_expression":
        return _joined(node)
    if node.type == "object":
        return _object(node)
    if node.type == "call_expression":
        return _call(node)
    return Parts("list", tuple(one.text for one in node.parts)) if len(node.parts) > 1 else None


def _template(node: Node) -> Parts | None:
    if node.parent is not None and _adds(node.parent):
        return None
    found, text = _pieces(node)
    return Parts("template", found, (text[:200],)) if found else None


def _pieces(node: Node) -> tuple[tuple[str, ...], str]:
    """What a string puts in, and its fixed text with ``{}`` where it does."""
    found: list[str] = []
    text: list[str] = []
    for one in node.parts:
        if one.type == "template_substitution" and one.parts:
            found.append(one.parts[0].text)
            text.append("{}")
        elif one.type != "template_substitution":
            text.append(one.raw)
    return tuple(found), "".join(text)


def _adds(node: Node) -> bool:
    sign = node.child("operator") if node.type == "binary_expression" else None
    return sign is not None and sign.raw == "+"


def _joined(node: Node) -> Parts | None:
    if not _adds(node) or (node.parent is not None and _adds(node.parent)):
        return None
    terms = list(_terms(node))
    fixed = [one for one in terms if one.type in STRINGS]
    if not fixed:
        return None
    pieces = [_pieces(one) if one.type in STRINGS else ((one.text,), "{}") for one in terms]
    found = tuple(part for parts, _ in pieces for part in parts)
    return Parts("join", found, ("".join(text for _, text in pieces)[:200],))


def _terms(node: Node) -> Iterator[Node]:
    """The operands of a chain of additions, in order."""
    pending = [node]
    while pending:
        here = pending.pop()
        if _adds(here):
            pending += [one for one in (here.child("right"), here.child("left")) if one is not None]
        elif here.tag == "group" and here.parts:
            pending.append(here.parts[0])
        else:
            yield here


def _object(node: Node) -> Parts:
    pairs: list[tuple[str, str]] = []
    for part in node.parts:
        key, value = part.child("key") or part.child("name"), part.child("value")
        if part.type in ("shorthand_property_identifier", "spread_element"):
            pairs.append((part.text, part.text))
        elif key is not None:
            pairs.append((_bare(key), (value or part).text))
    return Parts("object", tuple(key for key, _ in pairs), tuple(value for _, value in pairs), _type(node))


def _bare(key: Node) -> str:
    text = string_text(key)
    return text if text is not None else key.text


def _type(node: Node) -> str:
    """The type an object literal is declared, asserted or checked to be."""
    holder = node.parent
    while holder is not None and holder.type in TYPE_HOLDERS:
        if holder.type in ("as_expression", "satisfies_expression") and len(holder.parts) == 2:
            return holder.parts[1].text
        holder = holder.parent
    written = type_of(holder) if holder is not None and holder.type == "variable_declarator" else None
    return written or ""


def _call(node: Node) -> Parts | None:
    callee, listed = callee_node(node), argument_nodes(node)
    name = split(callee)[1]
    base = callee.role("object") if callee is not None else None
    if name == "join" and base is not None and base.type == "array" and len(listed) <= 1:
        between = (string_text(listed[0]) if listed else ",") or ""
        return Parts("join", tuple(one.text for one in base.parts), (between.join("{}" for _ in base.parts),))
    if dotted(callee) == "util.format" and listed and (text := string_text(listed[0])) is not None:
        return Parts("format", tuple(one.text for one in listed[1:]), (text,))
    if name == "concat" and base is not None and base.type in STRINGS:
        return Parts("join", tuple(one.text for one in listed), (string_text(base) or "",))
    return None


def string_text(node: Node | None) -> str | None:
    if node is None or node.type not in STRINGS:
        return None
    pieces = []
    for one in node.parts:
        if one.type == "template_substitution":
            pieces.append("{" + (one.parts[0].text if one.parts else "") + "}")
        else:
            pieces.append(one.raw)
    return "".join(pieces)


def key_use(node: Node) -> tuple[str, Node] | None:
    above = node.parent
    if node.type != "string" or above is None:
        return None
    if above.tag == "index" and above.role("key") is node:
        written = above.use == "write" or (above.parent is not None and above.parent.tag == "update")
        return ("key_write" if written else "key_read"), above
    if above.type == "computed_property_name" and above.parent is not None and above.parent.type == "pair":
        return "key_write", above.parent
    if above.type == "pair" and above.child("key") is node:
        return "key_write", above
    if above.type == "arguments" and above.parent is not None and above.parent.tag == "call":
        receiver, name = split(callee_node(above.parent))
        if receiver and above.parts[:1] == [node] and name in _READING | _WRITING:
            return ("key_read" if name in _READING else "key_write"), above.parent
    if above.tag == "compare" and any(one.type == "in" for one in above.children):
        return ("key_read", above) if above.parts[:1] == [node] else None
    return None


def blocks(context: Context) -> list[Block]:
    found = []
    for node in context.tree.nodes:
        if node.type == "try_statement" and (body := node.child("body")) is not None:
            found.append(_block("try", "", "", node, node, body))
        elif node.type == "finally_clause" and (body := node.child("body")) is not None:
            found.append(_block("finally", "", "", node, node, body))
        elif node.type == "using_declaration" or any(one.type == "using" for one in node.children):
            found += _using(node)
    return sorted(found, key=lambda one: (one.start, one.end))


def _using(node: Node) -> Iterator[Block]:
    """``using f = open()`` holds to the end of the block around it."""
    whole = next((up for up in node.up() if up.tag == "sequence"), node)
    for one in [node] if node.type == "assignment_expression" else node.parts:
        name, value = one.role("left"), one.role("right")
        if name is not None and value is not None:
            yield _block("with", dotted(value), name.text, node, whole, whole)


def _block(kind: str, subject: str, binds: str, first: Node, whole: Node, body: Node) -> Block:
    start = first.line
    return Block(kind, subject, binds, start, whole.last, max(start, body.line), body.last, first.scope)


def member_uses(context: Context) -> list[MemberUse]:
    return list(rooted(context, _owner))


def _owner(root: Node) -> str:
    """The class whose object ``this`` is; a plain function around the place has its own."""
    if root.type != "this":
        return ""
    for up in root.up():
        if up.type in ("function_expression", "function_declaration", "generator_function") and up.tag != "function":
            return ""
        if up is root.env.scope.node or up.type == "class_static_block":
            break
    scope = root.env.scope
    while scope.parent is not None and scope.kind != "class":
        if scope.node is not None and scope.node.type == "function_declaration":
            return ""
        scope = scope.parent
    return scope.qualname if scope.kind == "class" else ""
