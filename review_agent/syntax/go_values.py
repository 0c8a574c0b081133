"""Go's composites, assertions and own members; what is held for a region is a deferred call there."""

from __future__ import annotations

import re

from review_agent.syntax.adapter import Parts
from review_agent.syntax.calls import argument_nodes, callee_node, split
from review_agent.syntax.context import Context
from review_agent.syntax.go_symbols import receiver_type, string_value
from review_agent.syntax.model import Assertion, Block, MemberUse
from review_agent.syntax.own_members import rooted
from review_agent.syntax.terms import adds, terms
from review_agent.syntax.tree import Node

__all__ = [
    "COMPOSITES",
    "STRINGS",
    "assertions",
    "blocks",
    "composite",
    "key_use",
    "member_uses",
    "string_text",
    "tag_names",
]

STRINGS = frozenset(("interpreted_string_literal", "raw_string_literal"))
COMPOSITES = frozenset(("binary_expression", "composite_literal", "call_expression"))
_FORMATS = frozenset(("Sprintf", "Sprint", "Sprintln", "Errorf", "Fprintf", "Appendf"))
_READING = frozenset(("Get", "FormValue", "PostFormValue", "Param", "Query", "Value", "Lookup", "PathValue", "Values"))
_WRITING = frozenset(("Set", "Add", "Put"))
_FAILS = frozenset(("Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"))
_TAG = re.compile(r'\w+:"([^",]*)')


def composite(node: Node) -> Parts | None:
    if node.type == "binary_expression":
        return _joined(node)
    if node.type == "composite_literal":
        return _literal(node)
    receiver, name = split(callee_node(node))
    listed = argument_nodes(node)
    if receiver == "fmt" and name in _FORMATS and listed:
        at = 1 if name == "Fprintf" else 0
        fixed = string_value(listed[at]) if len(listed) > at and name.endswith("f") else None
        rest = listed[at + 1 :] if name.endswith("f") else listed
        return Parts("format", tuple(one.text for one in rest), (fixed or "",))
    if receiver == "strings" and name == "Join" and listed and listed[0].type == "composite_literal":
        body = listed[0].child("body")
        between = (string_value(listed[1]) if len(listed) > 1 else "") or ""
        return (
            Parts("join", tuple(one.text for one in body.parts), (between.join("{}" for _ in body.parts),))
            if body
            else None
        )
    return None


def _joined(node: Node) -> Parts | None:
    if not adds(node) or adds(node.parent):
        return None
    found = list(terms(node))
    fixed = [one for one in found if one.type in STRINGS]
    added = tuple(one.text for one in found if one.type not in STRINGS)
    text = "".join((string_value(one) or "") if one.type in STRINGS else "{}" for one in found)
    return Parts("join", added, (text[:200],)) if fixed else None


def _literal(node: Node) -> Parts | None:
    body, named = node.child("body"), node.child("type")
    if body is None:
        return None
    pairs = [one for one in body.parts if one.type == "keyed_element"]
    kind = named.text if named is not None else ""
    if pairs:
        known = [(one.child("key"), one.child("value")) for one in pairs]
        both = [(key, value) for key, value in known if key is not None and value is not None]
        return Parts("object", tuple(_bare(key) for key, _ in both), tuple(value.text for _, value in both), kind)
    form = "list" if kind.startswith(("[", "map")) else "tuple"
    return Parts(form, tuple(one.text for one in body.parts), (), kind) if body.parts else None


def _bare(key: Node) -> str:
    inner = key.parts[0] if key.type == "literal_element" and key.parts else key
    text = string_value(inner)
    return text if text is not None else inner.text


def string_text(node: Node | None) -> str | None:
    return string_value(node)


def key_use(node: Node) -> tuple[str, Node] | None:
    above = node.parent
    if above is None:
        return None
    if above.tag == "index" and above.role("key") is node:
        written = above.use == "write" or (above.parent is not None and above.parent.tag == "update")
        return ("key_write" if written else "key_read"), above
    if above.type == "literal_element" and above.parent is not None and above.parent.child("key") is above:
        return "key_write", above.parent
    if above.type == "argument_list" and above.parent is not None and above.parent.tag == "call":
        receiver, name = split(callee_node(above.parent))
        if receiver and above.parts[:1] == [node] and name in _READING | _WRITING:
            return ("key_read" if name in _READING else "key_write"), above.parent
    if above.type == "field_declaration" and node.field == "tag":
        return "key_tag", above
    return None


def tag_names(text: str) -> tuple[str, ...]:
    """The names that a struct tag gives its field, one a codec."""
    return tuple(name for name in _TAG.findall(text) if name)


def blocks(context: Context) -> list[Block]:
    return []


def assertions(context: Context) -> list[Assertion]:
    found = []
    for node in context.tree.tag("call"):
        receiver, name = split(callee_node(node))
        if receiver in ("assert", "require", "is", "c") and node.use == "ignored":
            found.append(_assertion("call", name, node, node.text))
        elif name in _FAILS and receiver in ("t", "b", "tb", "f"):
            around = next((up for up in node.up() if up.tag in ("if", "function", "case", "closure")), None)
            test = around.role("test") if around is not None and around.tag == "if" else None
            place = around if test is not None and around is not None else node
            found.append(_assertion("failure", name, place, test.text if test is not None else node.text))
    return found


def _assertion(form: str, name: str, node: Node, text: str) -> Assertion:
    wanted = ("identifier", "field_identifier")
    names = dict.fromkeys(one.raw for one in node.walk() if one.type in wanted)
    return Assertion(form, name, text, tuple(names)[:40], node.line, node.last, node.scope)


def member_uses(context: Context) -> list[MemberUse]:
    return list(rooted(context, _owner))


def _owner(root: Node) -> str:
    if root.type != "identifier":
        return ""
    scope = root.env.scope
    while scope.parent is not None and scope.node is not None and scope.node.type != "method_declaration":
        scope = scope.parent
    receiver = scope.node.role("receiver") if scope.node is not None else None
    name = next((one.raw for one in receiver.walk() if one.type == "identifier"), "") if receiver else ""
    return receiver_type(scope.node) if scope.node is not None and name == root.raw else ""
