"""Go's definitions and imports."""

from __future__ import annotations

import re

from review_agent.syntax.build import Draft, inside_function, outer
from review_agent.syntax.model import Import, Param, Symbol
from review_agent.syntax.tokens import Stream
from review_agent.syntax.tree import Node, Scope, Tree

_MAJOR = re.compile(r"v[0-9]+$")
_TEST = re.compile(r"(?:Test|Benchmark|Fuzz|Example)(?![a-z])")
_KINDS = {"struct_type": "struct", "interface_type": "interface"}
_PLACES = ("function_declaration", "method_declaration", "type_spec", "type_alias", "const_spec", "var_spec")


def symbols(tree: Tree, stream: Stream) -> list[Symbol]:
    drafts: list[Draft] = []
    for node in tree.nodes:
        if node.type in _PLACES:
            drafts += _at(node)
    return [draft.finish(stream) for draft in drafts]


def imports(tree: Tree) -> list[Import]:
    return [_import(node) for node in tree.tag("import")]


def receiver_type(function: Node) -> str:
    """The receiver's type without star and type arguments; "" for a plain function."""
    receiver = function.role("receiver")
    names = (n for n in receiver.walk() if n.type == "type_identifier") if receiver else ()
    return next((n.text for n in names), "")


def string_value(node: Node | None) -> str | None:
    """The text between the quotes of a string literal, escapes as written; None for anything else."""
    if node is None or node.type not in ("interpreted_string_literal", "raw_string_literal"):
        return None
    return node.raw[1:-1]


def result_types(function: Node) -> tuple[str, ...]:
    """Result types in order, one element a named result."""
    result = function.child("result")
    if result is None:
        return ()
    if result.type != "parameter_list":
        return (result.text,)
    return tuple(p.type or "" for p in _params(result))


def _import(node: Node) -> Import:
    path, given = node.role("path"), node.role("name")
    module = string_value(path) or ""
    alias = given.text if given else _package_name(module)
    return Import(module, "*" if alias == "." else None, alias, 0, node.line, node.scope)


def _package_name(module: str) -> str:
    """The last element of an import path; a major version (``/v2``, ``.v3``) is not part of the name."""
    parts = module.split("/")
    if len(parts) > 1 and _MAJOR.match(parts[-1]):
        parts.pop()
    stem, _, suffix = parts[-1].rpartition(".")
    return stem if stem and _MAJOR.match(suffix) else parts[-1]


def _is_exported(name: str, scope: Scope) -> bool:
    return name[:1].isupper() and not inside_function(scope)


def _at(node: Node) -> list[Draft]:
    if node.tag == "function":
        return [_function(node)]
    if node.type in ("type_spec", "type_alias"):
        return _type(node)
    if node.env.scope.kind != "module" or node.env.closure is not None:
        return []
    return _values(node)


def _function(node: Node) -> Draft:
    name, scope, owner, body = node.role("name"), outer(node), receiver_type(node), node.role("body")
    assert name is not None
    return Draft(
        kind="method" if owner else "function",
        name=name,
        node=node,
        scope=scope,
        exported=_is_exported(name.text, scope),
        owner=owner,
        header_end=body.line if body else 0,
        params=_params(node.role("params")),
        results=result_types(node),
        receiver=owner or None,
        body=body,
        is_test=not owner and _TEST.match(name.text) is not None,
    )


def _params(parameters: Node | None) -> tuple[Param, ...]:
    found: list[Param] = []
    for node in parameters.parts if parameters else ():
        kind = "var_positional" if node.type == "variadic_parameter_declaration" else "positional"
        written = node.child("type")
        names = [n.text for n in node.all("name")] or [""]
        found += [Param(name, None, kind, written.text if written else None) for name in names]
    return tuple(found)


def _type(node: Node) -> list[Draft]:
    name, form, scope = node.child("name"), node.child("type"), outer(node)
    assert name is not None
    assert form is not None
    kind = _KINDS.get(form.type, "type")
    holder = Draft(kind, name, node, scope, _is_exported(name.text, scope), body=form)
    if kind == "type":
        holder.value = form.text
        return [holder]
    listed = form.parts[0].parts if kind == "struct" and form.parts else form.parts
    opening = next((n for n in form.walk() if n.type == "{"), form)
    holder.header_end = opening.line
    inside: list[Draft] = []
    for part in listed:
        inside += _fields(part, node) if kind == "struct" else _elements(part, node)
    holder.bases = tuple(_base(p) for p in listed if _is_embedded(p))
    holder.members = [d.name.text for d in inside]
    return [holder, *inside]


def _is_embedded(part: Node) -> bool:
    if part.type == "field_declaration":
        return part.child("name") is None
    return part.type == "type_elem" and len(part.parts) == 1 and part.parts[0].type in _NAMED


_NAMED = ("type_identifier", "qualified_type", "generic_type")


def _base(part: Node) -> str:
    written = part.child("type") or part.parts[0]
    return written.text.lstrip("* ").partition("[")[0]


def _fields(part: Node, owner: Node) -> list[Draft]:
    written = part.child("type")
    if part.type != "field_declaration" or written is None:
        return []
    names = part.all("name") or [_last_name(written)]
    star = "*" if _is_embedded(part) and any(c.type == "*" for c in part.children) else ""
    return [_field(n, part, owner, (star + written.text,)) for n in names]


def _last_name(written: Node) -> Node:
    base = written.child("type") or written if written.type == "generic_type" else written
    return base.child("name") or base


def _field(name: Node, part: Node, owner: Node, results: tuple[str, ...]) -> Draft:
    scope = owner.env.scope
    return Draft("field", name, part, scope, _is_exported(name.text, scope), results=results, body=part.child("type"))


def _elements(part: Node, owner: Node) -> list[Draft]:
    name = part.child("name")
    if part.type != "method_elem" or name is None:
        return []
    scope = owner.env.scope
    return [
        Draft(
            kind="method",
            name=name,
            node=part,
            scope=scope,
            exported=_is_exported(name.text, scope),
            params=_params(part.child("parameters")),
            results=result_types(part),
            receiver=scope.qualname.rpartition(".")[2],
            is_abstract=True,
            body=part.child("parameters"),
        )
    ]


def _values(node: Node) -> list[Draft]:
    names, right, written = node.all("name"), node.role("right"), node.child("type")
    parts = right.parts if right is not None else []
    found = []
    for at, name in enumerate(names):
        value = parts[at] if len(parts) == len(names) else right
        found.append(
            Draft(
                kind="constant" if node.type == "const_spec" else "variable",
                name=name,
                node=node,
                scope=node.env.scope,
                exported=_is_exported(name.text, node.env.scope),
                results=(written.text,) if written else (),
                value=value.text if value else None,
                body=value or written,
            )
        )
    return found
