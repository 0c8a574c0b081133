"""Classes, interfaces, enums, type aliases and named objects, with what they declare."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from review_agent.syntax.build import Draft, inside_function, outer
from review_agent.syntax.javascript_names import FUNCTIONS, TYPE_HOLDERS, unquoted
from review_agent.syntax.javascript_params import is_property, optional, params, result_types, type_of
from review_agent.syntax.tree import Node, Scope

__all__ = ["Exported", "class_drafts", "decorators_of", "function_kind", "words_before"]

_WORDS = frozenset(("static", "readonly", "abstract", "declare", "override", "get", "set", "accessor", "async"))
_FIELDS = frozenset(("field_definition", "public_field_definition", "property_signature", "pair", "enum_assignment"))
_SIGNATURES = frozenset(("method_signature", "abstract_method_signature"))
_KINDS = {"interface_declaration": "interface", "type_alias_declaration": "type", "object": "variable"}


@dataclass(frozen=True)
class Exported:
    """The local names that a file exports; of a script without modules all are seen elsewhere."""

    names: frozenset[str]
    is_script: bool

    def of(self, owner: str) -> bool:
        """Whether what is set on a name of the module can be reached from elsewhere."""
        return self.is_script or owner.partition(".")[0] in self.names

    def has(self, name: Node, scope: Scope, node: Node) -> bool:
        if inside_function(scope):
            return False
        if scope.kind == "module":
            return self.is_script or name.text in self.names or _is_exports(node)
        top = scope
        while top.parent is not None and top.parent.kind != "module":
            top = top.parent
        hidden = name.text.startswith("#") or "private" in words_before(node)
        return not hidden and (self.is_script or top.qualname in self.names)


def _is_exports(node: Node) -> bool:
    """Whether a function is set on ``exports``, directly or in the object that the module exports."""
    for up in node.up():
        if up.type == "assignment_expression":
            left = up.child("left")
            return left is not None and left.text.startswith(("exports.", "module.exports"))
        if up.type not in ("pair", "object", *TYPE_HOLDERS):
            return False
    return False


def function_kind(node: Node, scope: Scope) -> tuple[str, str]:
    """The kind of a function, and the object it is set on where it stands outside that."""
    owner = owner_of(node)
    return "method" if scope.kind == "class" or owner else "function", owner


def owner_of(function: Node) -> str:
    """``C`` of ``C.prototype.f = function …`` and of ``C.f = function …``; "" for exports and all others."""
    holder = function.parent
    left = holder.child("left") if holder is not None and holder.type == "assignment_expression" else None
    base = left.role("object") if left is not None and left.tag == "member" and function.type in FUNCTIONS else None
    if base is None or function.role("name") is None:
        return ""
    text = base.text.removesuffix(".prototype")
    return "" if text in ("exports", "module.exports", "module", "window", "globalThis", "global") else text


def decorators_of(node: Node) -> tuple[Node | None, tuple[str, ...]]:
    """The first decorator's node and all texts: they stand before a member, in a class or in its export."""
    found = [one for one in node.children if one.tag == "decorator"]
    above = node.parent
    for one in reversed(above.children[: above.children.index(node)]) if above is not None else ():
        if one.tag != "decorator":
            if one.type in ("export", "default", "comment", "abstract"):
                continue
            break
        found.insert(0, one)
    texts = tuple(value.text for one in found if (value := one.role("value")) is not None)
    return (found[0] if found else None), texts


def words_before(node: Node) -> tuple[str, ...]:
    """The modifiers of a member: of the field where its value is a function."""
    holder = node.parent if node.parent is not None and node.parent.type in _FIELDS and node.type in FUNCTIONS else node
    words = [one.text for one in holder.children if one.type in _WORDS or one.type == "accessibility_modifier"]
    return tuple(words)


def class_drafts(node: Node, exported: Exported) -> Iterator[Draft]:
    """A type and the members it declares without a body."""
    name, scope, body = node.role("name"), _scope_of(node), node.role("body") or node.role("value")
    if name is None:
        return
    first, decorators = decorators_of(node)
    holder = Draft(
        kind=_kind(node),
        name=unquoted(name),
        node=node,
        scope=scope,
        exported=exported.has(name, scope, node),
        whole=_whole(node),
        first=first,
        header_end=(body or node).line,
        decorators=decorators,
        bases=tuple(_bases(node)),
        body=body,
        modifiers=("abstract",) if node.type == "abstract_class_declaration" else (),
    )
    if holder.kind == "type" and body is not None:
        holder.value = body.text
    members = [one for part in _parts(body) for one in _member(part, node, exported)]
    if node.tag == "alias":
        holder.members = [one.name.text for one in members]
    elif node.type == "object":
        holder.members = [one.text for one in node.parts if one.type == "shorthand_property_identifier"]
    yield holder
    yield from members


def _kind(node: Node) -> str:
    if node.type == "object" and node.parent is not None and node.parent.type == "pair":
        return "field"
    return _KINDS.get(node.type, "class")


def _scope_of(node: Node) -> Scope:
    return outer(node) if node.tag == "class" else node.env.scope


def _whole(node: Node) -> Node:
    above = node.parent
    while above is not None and (
        above.type in (*TYPE_HOLDERS, "export_statement", "variable_declarator", "pair")
        or (above.type in ("lexical_declaration", "variable_declaration") and len(above.parts) == 1)
    ):
        node, above = above, above.parent
    return node


def _bases(node: Node) -> Iterator[str]:
    clauses = [one for one in node.children if one.type in ("class_heritage", "extends_type_clause")]
    for clause in clauses:
        inner = [one for one in clause.parts if one.type in ("extends_clause", "implements_clause")]
        for part in inner or [clause]:
            yield from (_plain(one) for one in part.parts if one.type != "type_arguments")


def _plain(written: Node) -> str:
    """A type without its arguments."""
    base = written.child("name") if written.type == "generic_type" else None
    return (base or written).text


def _parts(body: Node | None) -> list[Node]:
    if body is None or body.type not in ("class_body", "interface_body", "object_type", "object", "enum_body"):
        return []
    return body.parts


def _member(part: Node, holder: Node, exported: Exported) -> Iterator[Draft]:
    scope = _inner(holder)
    if part.type in _SIGNATURES:
        yield from _abstract(part, holder, scope, exported)
    elif part.type in _FIELDS:
        yield from _field(part, holder, scope, exported)
    elif part.type == "property_identifier" and holder.type == "enum_declaration":
        yield Draft("constant", part, part, scope, exported.has(part, scope, part))
    elif part.type == "method_definition" and (name := part.child("name")) is not None and name.text == "constructor":
        yield from _parameter_fields(part, scope, exported)


def _inner(holder: Node) -> Scope:
    if holder.tag == "class":
        return holder.env.scope
    name, scope = holder.role("name"), holder.env.scope
    text = name.text if name is not None else ""
    return Scope(f"{scope.qualname}.{text}" if scope.qualname else text, "class", holder, scope)


def _abstract(part: Node, holder: Node, scope: Scope, exported: Exported) -> Iterator[Draft]:
    name = part.child("name")
    if name is None or _has_body(holder, name.text) or _earlier(part, name.text):
        return
    yield Draft(
        kind="method",
        name=unquoted(name),
        node=part,
        scope=scope,
        exported=exported.has(name, scope, part),
        params=params(part.child("parameters")),
        results=result_types(part),
        receiver=scope.qualname.rpartition(".")[2],
        is_abstract=part.type == "abstract_method_signature" or (_asks(holder) and not optional(part)),
        body=part.child("parameters"),
        modifiers=(*words_before(part), *(("optional",) if optional(part) else ())),
    )


def _asks(holder: Node) -> bool:
    return holder.type in ("interface_declaration", "type_alias_declaration")


def _has_body(holder: Node, name: str) -> bool:
    body = holder.role("body")
    named = (one.child("name") for one in (body.parts if body is not None else ()) if one.type == "method_definition")
    return any(one is not None and one.text == name for one in named)


def _earlier(part: Node, name: str) -> bool:
    above = part.parent
    for one in above.children if above is not None else ():
        if one is part:
            return False
        if one.type == part.type and (other := one.child("name")) is not None and other.text == name:
            return True
    return False


def _field(part: Node, holder: Node, scope: Scope, exported: Exported) -> Iterator[Draft]:
    name, value = part.child("name") or part.child("property") or part.child("key"), part.child("value")
    if name is None or name.type == "computed_property_name":
        return
    inner = value
    while inner is not None and inner.type in TYPE_HOLDERS and inner.parts:
        inner = inner.parts[0]
    if inner is not None and inner.tag in ("function", "class"):
        return
    first, decorators = decorators_of(part)
    written = type_of(part)
    yield Draft(
        kind="constant" if holder.type == "enum_declaration" else "field",
        name=unquoted(name),
        node=part,
        scope=scope,
        exported=exported.has(name, scope, part),
        first=first,
        decorators=decorators,
        results=(written,) if written else (),
        value=value.text if value is not None else None,
        is_abstract="abstract" in words_before(part) or (holder.type == "interface_declaration" and not optional(part)),
        body=value or part.child("type"),
        modifiers=(*words_before(part), *(("optional",) if optional(part) else ())),
    )


def _parameter_fields(constructor: Node, scope: Scope, exported: Exported) -> Iterator[Draft]:
    listed = constructor.child("parameters")
    for one in listed.parts if listed is not None else ():
        pattern = one.child("pattern")
        if pattern is not None and pattern.type == "identifier" and is_property(one):
            written = type_of(one)
            yield Draft(
                kind="field",
                name=pattern,
                node=one,
                scope=scope,
                exported=exported.has(pattern, scope, one),
                results=(written,) if written else (),
                body=one.child("type"),
                modifiers=words_before(one),
            )
