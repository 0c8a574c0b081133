"""What JavaScript's modules import, pass on and export."""

from __future__ import annotations

from collections.abc import Iterator

from review_agent.syntax.calls import dotted
from review_agent.syntax.javascript_names import is_module_exports, required
from review_agent.syntax.model import Import
from review_agent.syntax.tree import Node, Tree

__all__ = ["exported_names", "exports", "imports", "is_module"]

# What ``import "./setup"`` gives no name to.
_NOTHING = ""


def imports(tree: Tree) -> list[Import]:
    found: list[Import] = []
    for node in tree.tag("import"):
        found += _required(node) if node.type == "variable_declarator" else _import(node)
    found += [_bare(node) for node in tree.tag("call") if _is_bare_require(node)]
    return sorted(found, key=lambda one: one.line)


def _module(node: Node) -> str:
    source = node.child("source")
    return "".join(one.raw for one in source.parts) if source is not None else ""


def _import(node: Node) -> Iterator[Import]:
    module = _module(node)
    listed = [one for one in node.walk() if one.type in ("import_specifier", "export_specifier")]
    for one in listed:
        name, alias = one.child("name"), one.child("alias")
        if name is not None:
            yield Import(module, _word(name), _word(alias or name), 0, one.line, node.scope)
    if node.type == "export_statement":
        yield from _passed_on(node, module, bool(listed))
        return
    clause = next((one for one in node.children if one.type in ("import_clause", "import_require_clause")), None)
    if clause is None:
        yield Import(module, _NOTHING, _NOTHING, 0, node.line, node.scope)
        return
    for part in clause.parts:
        if part.type == "namespace_import" and part.parts:
            yield Import(module, None, part.parts[0].text, 0, node.line, node.scope)
        elif part.type == "identifier" and clause.type == "import_require_clause":
            yield Import(_module(clause), None, part.text, 0, node.line, node.scope)
        elif part.type == "identifier":
            yield Import(module, "default", part.text, 0, node.line, node.scope)


def _passed_on(node: Node, module: str, is_listed: bool) -> Iterator[Import]:
    whole = next((one for one in node.parts if one.type == "namespace_export"), None)
    if whole is not None and whole.parts:
        yield Import(module, None, whole.parts[0].text, 0, node.line, node.scope)
    elif not is_listed and any(one.type == "*" for one in node.children):
        yield Import(module, "*", "*", 0, node.line, node.scope)


def _word(node: Node) -> str:
    return node.text.strip("'\"")


def _required(node: Node) -> Iterator[Import]:
    found, target = required(node.child("value")), node.child("name")
    if found is None or target is None:
        return
    module, member = found
    if target.type == "identifier":
        yield Import(module, member, target.text, 0, node.line, node.scope)
        return
    for part in target.parts:
        named = part.child("left") if part.type == "object_assignment_pattern" else part
        key, value = part.child("key"), part.child("value")
        if part.type == "pair_pattern" and key is not None and value is not None:
            if value.type == "identifier":
                yield Import(module, _word(key), value.text, 0, part.line, node.scope)
        elif named is not None and named.type == "shorthand_property_identifier_pattern":
            yield Import(module, named.text, named.text, 0, part.line, node.scope)


def _is_bare_require(node: Node) -> bool:
    return node.use == "ignored" and required(node) is not None


def _bare(node: Node) -> Import:
    found = required(node)
    return Import(found[0] if found else "", _NOTHING, _NOTHING, 0, node.line, node.scope)


def is_module(tree: Tree) -> bool:
    """Whether the text is a module, so that only what it exports can be named elsewhere."""
    if tree.tag("import"):
        return True
    return any(node.type == "export_statement" for node in tree.root.children) or bool(list(_assigned(tree)))


def exports(tree: Tree) -> tuple[str, ...] | None:
    """The names that other modules can import; null where nothing is exported."""
    names = [*exported_names(tree).values(), *_re_exported(tree)]
    return tuple(dict.fromkeys(names)) if names else None


def _re_exported(tree: Tree) -> Iterator[str]:
    for node in tree.root.children:
        if node.type == "export_statement" and node.child("source") is not None:
            yield from (one.alias for one in _import(node) if one.name != "*")


def exported_names(tree: Tree) -> dict[str, str]:
    """The local names that are exported -> what they are called outside."""
    found: dict[str, str] = {}
    for node in tree.root.children:
        if node.type == "export_statement":
            found.update(_declared(node))
    for name, value in _assigned(tree):
        found.setdefault(value or name, name)
    return found


def _declared(node: Node) -> Iterator[tuple[str, str]]:
    is_default = any(one.type == "default" for one in node.children)
    declaration, value = node.child("declaration"), node.child("value")
    if declaration is not None:
        for name in _names(declaration):
            yield name, "default" if is_default else name
    elif value is not None:
        own = value.child("name") if value.type != "identifier" else value
        yield (own.text if own is not None else "default"), "default"
    for one in node.walk() if node.child("source") is None else ():
        if one.type == "export_specifier" and (local := one.child("name")) is not None:
            yield _word(local), _word(one.child("alias") or local)
    if any(one.type == "=" for one in node.children) and node.parts:
        yield dotted(node.parts[0]), "default"


def _names(declaration: Node) -> Iterator[str]:
    own = declaration.child("name")
    if own is not None:
        yield own.text
        return
    for part in declaration.parts:
        name = part.child("name")
        if part.type == "variable_declarator" and name is not None:
            inner = [one.text for one in name.walk() if one.use in ("write", "definition") and not one.children]
            yield from inner or [name.text]


def _assigned(tree: Tree) -> Iterator[tuple[str, str]]:
    """(outside name, local name or "") of what is put on ``module.exports`` or ``exports``."""
    for node in tree.nodes:
        if node.type != "assignment_expression" or (left := node.child("left")) is None:
            continue
        right = node.child("right")
        holder, name = left.role("object"), left.role("name")
        if is_module_exports(left) and right is not None:
            yield from _whole(right)
        elif left.tag == "member" and holder is not None and name is not None and _is_exports(holder):
            yield name.text, right.text if right is not None and right.type == "identifier" else ""


def _is_exports(node: Node) -> bool:
    return (node.type == "identifier" and node.raw == "exports") or is_module_exports(node)


def _whole(right: Node) -> Iterator[tuple[str, str]]:
    if right.type != "object":
        name = right if right.type == "identifier" else right.child("name")
        yield "default", name.text if name is not None else "exports"
        return
    for part in right.parts:
        key, value = part.child("key") or part.child("name"), part.child("value")
        if part.type == "shorthand_property_identifier":
            yield part.text, part.text
        elif key is not None:
            yield _word(key), value.text if value is not None and value.type == "identifier" else ""
