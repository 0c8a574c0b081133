"""Java's composites, blocks, assertions and own members."""

from __future__ import annotations

from collections.abc import Iterator

from review_agent.syntax.adapter import Parts
from review_agent.syntax.calls import argument_nodes, callee_node, dotted, split
from review_agent.syntax.context import Context
from review_agent.syntax.java_symbols import bare_type, string_value
from review_agent.syntax.model import Assertion, Block, MemberUse
from review_agent.syntax.own_members import act_of
from review_agent.syntax.terms import adds, terms
from review_agent.syntax.tree import TEXT_LIMIT, Node, Scope, Tree

__all__ = ["COMPOSITES", "STRINGS", "assertions", "blocks", "composite", "key_use", "member_uses", "string_text"]

STRINGS = frozenset(("string_literal", "binary_expression"))
COMPOSITES = frozenset(("binary_expression", "method_invocation", "object_creation_expression", "array_initializer"))
_READING = frozenset(
    ("get", "getOrDefault", "containsKey", "remove", "getString", "getInt", "getLong", "getBoolean", "getDouble",
     "getObject", "getParameter", "getHeader", "getAttribute", "optString", "optInt", "path", "has", "getProperty",
     "getTimestamp", "getDate", "getBytes", "getJSONObject", "getJSONArray", "getFirst", "field", "at")
)  # fmt: skip
_WRITING = frozenset(
    ("put", "putIfAbsent", "computeIfAbsent", "setAttribute", "setHeader", "addHeader", "setProperty", "putString",
     "addProperty", "addAttribute", "replace", "merge", "compute")
)  # fmt: skip
_KEYED = frozenset((("Map", "of"), ("Map", "entry")))
_LISTS = frozenset((("List", "of"), ("Arrays", "asList"), ("Set", "of"), ("Stream", "of"), ("ImmutableList", "of")))
_HASHES = frozenset((("Objects", "hash"), ("Arrays", "hashCode")))
_OPERATED = 12


def composite(node: Node) -> Parts | None:
    if node.type == "binary_expression":
        return _joined(node)
    if node.type == "method_invocation":
        return _call(node)
    if node.type == "array_initializer":
        return Parts("list", tuple(one.text for one in node.parts)) if len(node.parts) > 1 else None
    listed, kind = argument_nodes(node), node.role("callee")
    thrown = node.parent is not None and node.parent.tag == "raise"
    if kind is None or thrown or len(listed) < 2 or any(c.type == "class_body" for c in node.children):
        return None
    return Parts("tuple", tuple(one.text for one in listed), (), bare_type(kind))


def _joined(node: Node) -> Parts | None:
    """Strings added up with other values."""
    if not adds(node) or adds(node.parent):
        return None
    found = list(terms(node))
    fixed = [one for one in found if one.type == "string_literal"]
    added = tuple(one.text for one in found if one.type != "string_literal")
    text = "".join((string_value(one) or "") if one.type == "string_literal" else "{}" for one in found)
    return Parts("join", added, (text[:200],)) if fixed else None


def _call(node: Node) -> Parts | None:
    callee = callee_node(node)
    receiver, name = split(callee)
    listed = argument_nodes(node)
    texts = tuple(one.text for one in listed)
    if (receiver, name) in (("String", "format"), ("MessageFormat", "format")) and listed:
        at = 1 if string_value(listed[0]) is None and len(listed) > 1 and string_value(listed[1]) is not None else 0
        return Parts("format", texts[at + 1 :], (string_value(listed[at]) or "",))
    if name == "formatted" and callee is not None and (text := string_value(callee.role("object"))) is not None:
        return Parts("format", texts, (text,))
    if (receiver, name) == ("String", "join") and len(listed) > 2:
        return Parts("join", texts[1:], ((string_value(listed[0]) or "").join("{}" for _ in texts[1:]),))
    if (receiver, name) in _KEYED and len(listed) > 1 and len(listed) % 2 == 0:
        return Parts("object", tuple(_bare(one) for one in listed[::2]), texts[1::2])
    if (receiver, name) in _LISTS and len(listed) > 1:
        return Parts("list", texts)
    if (receiver, name) in _HASHES and listed:
        return Parts("tuple", texts, (), "hash")
    return _appended(node) if name == "append" else None


def _appended(node: Node) -> Parts | None:
    """``builder.append(a).append(b)``, from the last of the calls."""
    above = node.parent
    if (
        above is not None
        and above.tag == "member"
        and (name := above.role("name")) is not None
        and name.raw == "append"
    ):
        return None
    given: list[Node] = []
    here: Node | None = node
    while here is not None and here.type == "method_invocation" and split(callee_node(here))[1] == "append":
        given += argument_nodes(here)[:1]
        callee = callee_node(here)
        here = callee.role("object") if callee is not None and callee.tag == "member" else None
    given.reverse()
    fixed = [one for one in given if one.type in ("string_literal", "character_literal")]
    added = tuple(one.text for one in given if one not in fixed)
    text = "".join(one.raw[1:-1] if one in fixed else "{}" for one in given)[:200]
    return Parts("join", added, (text,)) if len(given) > 1 else None


def _bare(key: Node) -> str:
    text = string_value(key)
    return text if text is not None else key.text


def string_text(node: Node | None) -> str | None:
    if node is None or node.type == "string_literal":
        return string_value(node)
    if not adds(node):
        return None
    found = list(terms(node))
    if not any(one.type == "string_literal" for one in found):
        return None
    pieces = (text if (text := string_value(one)) is not None else f"{{{one.text}}}" for one in found)
    return "".join(pieces)


def key_use(node: Node) -> tuple[str, Node] | None:
    above = node.parent
    if above is None or node.type != "string_literal":
        return None
    if above.type == "argument_list" and above.parent is not None and above.parent.tag == "call":
        return _argument_key(node, above, above.parent)
    for up, _ in zip(node.up(), range(4), strict=False):
        if up.type == "annotation":
            return "key_tag", up
        if up.type not in ("annotation_argument_list", "element_value_pair", "element_value_array_initializer"):
            return None
    return None


def _argument_key(node: Node, listed: Node, call: Node) -> tuple[str, Node] | None:
    receiver, name = split(callee_node(call))
    at = listed.parts.index(node)
    if (receiver, name) in _KEYED:
        return ("key_write", call) if at % 2 == 0 else None
    if receiver and at == 0 and name in _READING | _WRITING:
        return ("key_read" if name in _READING else "key_write"), call
    return None


def blocks(context: Context) -> list[Block]:
    found = []
    for node in context.tree.nodes:
        body = node.child("body")
        if node.type == "synchronized_statement" and body is not None:
            held = next((c for c in node.parts if c.type == "parenthesized_expression"), None)
            subject = held.parts[0].text if held is not None and held.parts else ""
            found.append(_block("synchronized", subject, "", node, body))
        elif node.type == "try_with_resources_statement" and body is not None:
            found += _resources(node, body)
        is_try = node.type in ("try_statement", "try_with_resources_statement")
        if is_try and body is not None and any(c.tag in ("handler", "finally") for c in node.children):
            found.append(_block("try", "", "", node, body))
        if node.type == "finally_clause" and node.parts:
            found.append(_block("finally", "", "", node, node.parts[-1]))
    return sorted(found, key=lambda one: (one.start, one.end))


def _resources(node: Node, body: Node) -> Iterator[Block]:
    listed = node.child("resources")
    for one in listed.parts if listed is not None else ():
        name, value = one.child("name"), one.child("value")
        held = value or (one.parts[0] if one.parts else one)
        yield _block("try_resource", dotted(held), name.text if name is not None else "", node, body)


def _block(kind: str, subject: str, binds: str, node: Node, body: Node) -> Block:
    return Block(kind, subject, binds, node.line, node.last, body.line, body.last, node.scope)


def assertions(context: Context) -> list[Assertion]:
    found = []
    for node in context.tree.nodes:
        if node.type == "assert_statement" and node.parts:
            found.append(_assertion("statement", "assert", node, node.parts[0].text))
        elif node.tag == "call" and node.use in ("ignored", "context") and (name := _check(node)):
            found.append(_assertion("failure" if name == "fail" else "call", name, node, node.text))
    return found


def _check(call: Node) -> str:
    """The name of the check at the root of a chain of calls: ``assertThat(x).isEqualTo(y)``, ``verify(m).run()``."""
    here: Node | None = call
    for _ in range(_OPERATED):
        if here is None or here.tag != "call":
            return ""
        callee = callee_node(here)
        receiver, name = split(callee)
        if name.startswith("assert") or name in ("verify", "fail", "verifyNoMoreInteractions", "verifyNoInteractions"):
            return name
        here = callee.role("object") if receiver and callee is not None else None
    return ""


def _assertion(form: str, name: str, node: Node, text: str) -> Assertion:
    names = dict.fromkeys(one.raw for one in node.walk() if one.type == "identifier" and not one.children)
    return Assertion(form, name, text, tuple(names)[:40], node.line, node.last, node.scope)


def member_uses(context: Context) -> list[MemberUse]:
    fields = _fields(context.tree)
    found = []
    for node in context.tree.nodes:
        use = _own(node, fields, context) if node.type in ("identifier", "this") and not node.children else None
        if use is not None:
            found.append(use)
    return found


def _fields(tree: Tree) -> dict[str, set[str]]:
    """The fields of each class by its qualified name."""
    found: dict[str, set[str]] = {}
    for node in tree.nodes:
        if node.type == "field_declaration":
            names = (n for one in node.all("declarator") if (n := one.child("name")) is not None)
            found.setdefault(node.scope, set()).update(n.raw for n in names)
        elif node.type == "record_declaration" and (listed := node.child("parameters")) is not None:
            components = (n for one in listed.parts if (n := one.child("name")) is not None)
            found.setdefault(node.scope, set()).update(n.raw for n in components)
    return found


def _own(node: Node, fields: dict[str, set[str]], context: Context) -> MemberUse | None:
    """A chain that starts at ``this`` or at a bare field, as a use of that member."""
    parent = node.parent
    if node.type == "this":
        return _from_this(node) if node.use == "attribute" and parent is not None and parent.tag == "member" else None
    if node.use in ("called", "definition", "parameter", "keyword") or parent is None:
        return None
    if parent.tag == "member" and parent.role("name") is node:
        return None
    scope: Scope | None = node.env.scope
    while scope is not None:
        if scope.kind == "function" and _is_bound(context, scope, node):
            return None
        if node.raw in fields.get(scope.qualname, ()) and scope.kind == "class":
            return _use(node, [node.raw], scope.qualname)
        scope = scope.parent
    return None


def _is_bound(context: Context, scope: Scope, node: Node) -> bool:
    """Whether a function around binds the name, so that the field is not meant."""
    if scope is node.env.scope:
        bound = context.bindings.last(node.raw, node)
        getter = bound is not None and bound.target.parent is scope.node
        return not getter and context.bindings.is_local(node.raw, node)
    body = scope.node.role("body") if scope.node is not None else None
    return body is not None and context.bindings.is_local(node.raw, body.parts[-1] if body.parts else body)


def _from_this(node: Node) -> MemberUse | None:
    scope = node.env.scope
    while scope.parent is not None and scope.kind != "class":
        scope = scope.parent
    return _use(node, [], scope.qualname) if scope.kind == "class" else None


def _use(node: Node, names: list[str], owner: str) -> MemberUse:
    here = node
    while here.parent is not None and here.parent.tag == "member" and here.parent.role("object") is here:
        here = here.parent
        name = here.role("name")
        names.append(name.raw if name is not None else "")
    return MemberUse(owner, ".".join(names)[:TEXT_LIMIT], act_of(here), node.line, node.scope)
