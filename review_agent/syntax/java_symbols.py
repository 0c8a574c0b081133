"""Java's definitions and imports."""

from __future__ import annotations

from collections.abc import Iterator

from review_agent.syntax.build import Draft, inside_function, outer
from review_agent.syntax.calls import dotted
from review_agent.syntax.java_shape import is_anonymous
from review_agent.syntax.model import Import, Param, Symbol
from review_agent.syntax.tokens import Stream
from review_agent.syntax.tree import Node, Scope, Tree

__all__ = ["bare_type", "imports", "string_value", "symbols"]

_INTERFACES = frozenset(("interface_declaration", "annotation_type_declaration"))
_WORDS = {"enum_declaration": "enum", "record_declaration": "record", "annotation_type_declaration": "@interface"}
_FIELDS = frozenset(("field_declaration", "constant_declaration"))
_TESTS = frozenset(("Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Property", "Theory"))
_UNUSUAL = frozenset(("private", "static", "default"))


def symbols(tree: Tree, stream: Stream) -> list[Symbol]:
    drafts: list[Draft] = []
    holders: dict[int, Draft] = {}
    for node in tree.nodes:
        if node.type == "enum_constant":
            drafts.append(_constant(node))
        elif node.tag == "class" and node.role("name") is not None:
            holder = _class(node)
            holders[node.index] = holder
            drafts += [holder, *_record(node)]
        elif node.tag == "function":
            drafts.append(_method(node))
        elif node.type in _FIELDS:
            drafts += _fields(node)
    for draft in drafts:
        around = holders.get(draft.scope.node.index) if draft.scope.node is not None else None
        if around is not None and draft.name.text != around.name.text:
            around.members.append(draft.name.text)
    return [draft.finish(stream) for draft in drafts]


def imports(tree: Tree) -> list[Import]:
    return [_import(node) for node in tree.tag("import")]


def _import(node: Node) -> Import:
    path = next((p.text for p in node.parts if p.type.endswith("identifier")), "")
    if any(c.type == "asterisk" for c in node.children):
        return Import(path, "*", "*", 0, node.line, node.scope)
    module, _, name = path.rpartition(".")
    return Import(module, name, name, 0, node.line, node.scope)


def string_value(node: Node | None) -> str | None:
    """The text between the quotes of a string literal, escapes as written; None for anything else."""
    if node is None or node.type != "string_literal":
        return None
    raw = node.raw
    return raw[3:-3].lstrip("\n") if raw.startswith('"""') else raw[1:-1]


def bare_type(node: Node) -> str:
    """A type without annotations and type arguments."""
    if node.type == "generic_type":
        return bare_type(node.parts[0]) if node.parts else ""
    if node.type == "annotated_type":
        return bare_type(node.parts[-1]) if node.parts else ""
    if node.type == "scoped_type_identifier":
        return ".".join(bare_type(p) for p in node.parts if not p.type.endswith("annotation"))
    return dotted(node)


def _modifiers(node: Node) -> Node | None:
    return next((c for c in node.children if c.type == "modifiers"), None)


def words(node: Node) -> tuple[str, ...]:
    """The words before a name: ``public``, ``static`` …"""
    held = _modifiers(node)
    found = [c.raw for c in held.children if not c.type.endswith("annotation") and c.type != "comment"] if held else []
    return (*found, _WORDS[node.type]) if node.type in _WORDS else tuple(found)


def _decorators(node: Node) -> tuple[str, ...]:
    held = _modifiers(node)
    found = [c for c in held.children if c.type.endswith("annotation")] if held else []
    return tuple(one.text.lstrip("@").strip() for one in found)


def _is_exported(node: Node, scope: Scope) -> bool:
    while scope.kind != "module":
        name = scope.node.role("name") if scope.node is not None else None
        if scope.kind == "function" or (name is not None and is_anonymous(name.text)):
            return False
        if scope.parent is None:
            break
        scope = scope.parent
    return "private" not in words(node)


def _class(node: Node) -> Draft:
    name, body = node.role("name"), node.role("body")
    assert name is not None
    kind = "interface" if node.type in _INTERFACES else "class"
    scope = outer(node)
    return Draft(
        kind=kind,
        name=name,
        node=node,
        scope=scope,
        exported=node.type != "class_body" and _is_exported(node, scope),
        header_end=body.line if body is not None else 0,
        params=_params(node.child("parameters")) if node.type == "record_declaration" else (),
        decorators=_decorators(node),
        bases=tuple(_bases(node)),
        is_abstract="abstract" in words(node),
        body=body,
        modifiers=words(node),
    )


def _bases(node: Node) -> Iterator[str]:
    """The class extended first, then the interfaces."""
    if node.type == "class_body":
        made = node.parent
        base = made.role("callee") if made is not None else None
        if base is not None:
            yield bare_type(base)
    for part in node.children:
        if part.type == "superclass":
            yield from (bare_type(p) for p in part.parts)
        elif part.type in ("super_interfaces", "extends_interfaces"):
            yield from (bare_type(p) for group in part.parts for p in group.parts)


def _record(node: Node) -> list[Draft]:
    """The fields of a record, and the constructor that its header is where none is written."""
    listed = node.child("parameters") if node.type == "record_declaration" else None
    body, name = node.role("body"), node.role("name")
    if listed is None or body is None or name is None:
        return []
    scope = node.env.scope
    found = [_component(part, scope) for part in listed.parts if part.child("name") is not None]
    params = _params(listed)
    written = [c for c in body.children if c.type in ("constructor_declaration", "compact_constructor_declaration")]
    if not any(c.type.startswith("compact") or len(_params(c.child("parameters"))) == len(params) for c in written):
        found.append(
            Draft(
                kind="method",
                name=name,
                node=listed,
                scope=scope,
                exported=_is_exported(node, scope),
                params=params,
                receiver=name.text,
                modifiers=words(node)[:-1],
            )
        )
    return found


def _component(part: Node, scope: Scope) -> Draft:
    name, written = part.child("name"), part.child("type")
    assert name is not None
    return Draft(
        kind="field",
        name=name,
        node=part,
        scope=scope,
        exported=True,
        decorators=_decorators(part),
        results=(written.text,) if written else (),
        modifiers=("final",),
        body=written,
    )


def _method(node: Node) -> Draft:
    name, scope, body, result = node.role("name"), outer(node), node.role("body"), node.role("result")
    assert name is not None
    held, holder = words(node), scope.node
    in_interface = holder is not None and holder.type in _INTERFACES
    listed = node.role("params")
    if node.type == "compact_constructor_declaration" and holder is not None:
        listed = holder.child("parameters")
    decorators = _decorators(node)
    owner = holder.role("name") if holder is not None else None
    return Draft(
        kind="method",
        name=name,
        node=node,
        scope=scope,
        exported=_is_exported(node, scope),
        header_end=body.line if body is not None else 0,
        params=_params(listed),
        decorators=decorators,
        results=(result.text,) if result is not None and result.type != "void_type" else (),
        receiver=owner.text if owner is not None else None,
        is_abstract="abstract" in held or (in_interface and body is None and not _UNUSUAL.intersection(held)),
        body=body or listed,
        modifiers=held,
        is_test=_is_test(name.text, decorators, holder),
    )


def _is_test(name: str, decorators: tuple[str, ...], holder: Node | None) -> bool:
    if any(one.partition("(")[0].rpartition(".")[2] in _TESTS for one in decorators):
        return True
    old_style = holder is not None and any(one.endswith("TestCase") for one in _bases(holder))
    return old_style and name.startswith("test")


def _params(parameters: Node | None) -> tuple[Param, ...]:
    found: list[Param] = []
    for node in parameters.parts if parameters else ():
        if node.type == "formal_parameter":
            name, written = node.child("name"), node.child("type")
            sizes = node.child("dimensions")
            text = f"{written.text}{sizes.text if sizes else ''}" if written else None
            found.append(Param(name.text if name else "", None, "positional", text, _decorators(node)))
        elif node.type == "spread_parameter":
            kinds = [p for p in node.parts if p.type not in ("modifiers", "variable_declarator")]
            declared = next((p.child("name") for p in node.parts if p.type == "variable_declarator"), None)
            name_text = declared.text if declared else ""
            found.append(Param(name_text, None, "var_positional", kinds[0].text if kinds else None, _decorators(node)))
    return tuple(found)


def _fields(node: Node) -> Iterator[Draft]:
    scope, written, held = node.env.scope, node.child("type"), words(node)
    is_constant = {"static", "final"} <= set(held) or node.type == "constant_declaration"
    for one in node.all("declarator"):
        name, value = one.child("name"), one.child("value")
        if name is not None and not inside_function(scope):
            yield Draft(
                kind="constant" if is_constant else "field",
                name=name,
                node=node,
                scope=scope,
                exported=_is_exported(node, scope),
                decorators=_decorators(node),
                results=(written.text,) if written else (),
                value=value.text if value else None,
                body=value or written,
                modifiers=held,
            )
        elif name is not None:
            yield Draft("field", name, node, scope, False, results=(written.text,) if written else (), modifiers=held)


def _constant(node: Node) -> Draft:
    """A value of an enum: its arguments are what it holds."""
    name, given = node.child("name"), node.child("arguments")
    assert name is not None
    scope = outer(node)
    holder = scope.node.role("name") if scope.node is not None else None
    return Draft(
        kind="constant",
        name=name,
        node=node,
        scope=scope,
        exported=_is_exported(node, scope),
        decorators=_decorators(node),
        results=(holder.text,) if holder is not None else (),
        value=given.text if given is not None else None,
        body=given,
        modifiers=("static", "final"),
    )
