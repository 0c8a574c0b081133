"""JavaScript's and TypeScript's functions, classes, variables and tests."""

from __future__ import annotations

from collections.abc import Iterator

from review_agent.syntax.build import Draft, outer
from review_agent.syntax.calls import callee_node, dotted
from review_agent.syntax.javascript_imports import exported_names, is_module
from review_agent.syntax.javascript_names import FUNCTIONS, TYPE_HOLDERS, unquoted
from review_agent.syntax.javascript_params import params, properties, result_types
from review_agent.syntax.javascript_types import Exported, class_drafts, decorators_of, function_kind, words_before
from review_agent.syntax.model import Symbol
from review_agent.syntax.tokens import Stream
from review_agent.syntax.tree import Node, Tree

__all__ = ["symbols"]

_LITERALS = frozenset(("string", "number", "true", "false", "null", "undefined", "template_string", "regex"))
_TESTS = ("it", "test", "specify", "fit", "xit", "ftest", "xtest")
_ALONE = ("lexical_declaration", "variable_declaration", "using_declaration", "expression_statement")


def symbols(tree: Tree, stream: Stream) -> list[Symbol]:
    exported = Exported(frozenset(exported_names(tree)), not is_module(tree))
    drafts = [_function(node, exported) for node in tree.tag("function")]
    for node in tree.tag("class"):
        drafts += class_drafts(node, exported)
    drafts += [one for node in tree.tag("alias") for one in class_drafts(node, exported)]
    drafts += [_signature(node, exported) for node in _signatures(tree)]
    for node in tree.tag("assign") + tree.tag("declare"):
        drafts += _values(node, exported)
    drafts.sort(key=lambda one: one.name.index)
    _add_members(drafts)
    return [draft.finish(stream) for draft in drafts]


def _add_members(drafts: list[Draft]) -> None:
    """Methods, and what methods set on ``this``, are members of their class."""
    holders = {id(one.node): one for one in drafts if one.node.tag in ("class", "alias")}
    for draft in drafts:
        holder = holders.get(id(draft.scope.node))
        if holder is not None and draft.kind != "test":
            holder.members.append(draft.name.text)
            holder.members += properties(draft.node) if draft.name.text == "constructor" else []
    for draft in holders.values():
        draft.members += _own_members(draft.node)


def _own_members(holder: Node) -> Iterator[str]:
    for node in holder.walk() if holder.type in ("class_declaration", "class") else ():
        base, name = node.role("object"), node.role("name")
        is_own = node.tag == "member" and base is not None and base.type == "this"
        if is_own and node.use == "write" and name is not None and _class_around(node) is holder:
            yield name.text


def _class_around(node: Node) -> Node | None:
    scope = node.env.scope
    while scope.kind == "function" and scope.parent is not None:
        scope = scope.parent
    return scope.node


def _function(node: Node, exported: Exported) -> Draft:
    name, scope, body = node.role("name"), outer(node), node.role("body")
    assert name is not None
    title = _registered(node)
    if title:
        return _test(node, name, title)
    kind, owner = function_kind(node, scope)
    whole = _whole(node)
    first, decorators = decorators_of(node)
    return Draft(
        kind=kind,
        name=unquoted(name),
        node=node,
        scope=scope,
        owner=owner,
        exported=exported.of(owner) if owner else exported.has(name, scope, node),
        whole=whole,
        first=first,
        header_end=_header_end(node, body),
        params=params(node.role("params")),
        decorators=decorators,
        results=result_types(node),
        receiver=(owner or scope.qualname.rpartition(".")[2]) if kind == "method" else None,
        is_async=any(one.type == "async" for one in node.children),
        body=body,
        modifiers=words_before(node),
    )


def _header_end(node: Node, body: Node | None) -> int:
    arrow = next((one for one in node.children if one.type == "=>"), None)
    return body.line if body is not None and body.type == "statement_block" else (arrow or node).line


def _whole(node: Node) -> Node:
    """The statement that declares nothing but this function."""
    whole = node
    while whole.parent is not None and (
        whole.parent.type in (*TYPE_HOLDERS, *_ALONE, "export_statement", "assignment_expression", "arguments")
        or whole.parent.type in ("variable_declarator", "pair", "field_definition", "public_field_definition")
        or (whole.type == "arguments" and whole.parent.tag == "call")
    ):
        above = whole.parent
        if above.type in _ALONE and len(above.parts) > 1:
            return whole
        whole = above
    return whole


def _registered(node: Node) -> str:
    """The function that a test's body is given to, "" for one that is no test."""
    listed = node.parent
    call = listed.parent if listed is not None and listed.type == "arguments" and node.type in FUNCTIONS else None
    name = node.role("name")
    if call is None or call.tag != "call" or name is None or not (listed and listed.index < name.index < node.index):
        return ""
    return dotted(callee_node(call))


def _test(node: Node, name: Node, title: str) -> Draft:
    words = title.partition("(")[0].split(".")
    call = node.parent.parent if node.parent is not None else None
    return Draft(
        kind="test",
        name=name,
        node=node,
        scope=outer(node),
        exported=False,
        whole=call or node,
        header_end=_header_end(node, node.role("body")),
        params=params(node.role("params")),
        is_async=any(one.type == "async" for one in node.children),
        body=node.role("body"),
        modifiers=tuple(one for one in words[1:] if one in ("skip", "only", "todo", "failing", "each")),
        is_test=any(one in _TESTS for one in words),
    )


def _signatures(tree: Tree) -> Iterator[Node]:
    """Declared functions without a body; those of a function that has one are its overloads."""
    bodies = {(outer(one).qualname, name.text) for one in tree.tag("function") if (name := one.role("name"))}
    for node in tree.nodes:
        name = node.child("name") if node.type == "function_signature" else None
        if name is not None and (node.scope, name.text) not in bodies:
            bodies.add((node.scope, name.text))
            yield node


def _signature(node: Node, exported: Exported) -> Draft:
    name = node.child("name")
    assert name is not None
    return Draft(
        kind="function",
        name=name,
        node=node,
        scope=node.env.scope,
        exported=exported.has(name, node.env.scope, node),
        params=params(node.child("parameters")),
        results=result_types(node),
        body=node.child("parameters"),
        modifiers=("declare",),
    )


def _values(node: Node, exported: Exported) -> list[Draft]:
    """What a declaration outside functions binds, functions and classes left out."""
    left, right, scope = node.role("left") or node.child("name"), node.role("right"), node.env.scope
    if scope.kind == "function" or node.env.closure is not None or left is None or node.type == "assignment_expression":
        return []
    while right is not None and right.type in TYPE_HOLDERS and right.parts:
        right = right.parts[0]
    if right is not None and (right.tag in ("function", "class") or _declares(node, left)):
        return []
    names = (
        [left] if left.type == "identifier" else [one for one in left.walk() if one.use == "write" and not one.children]
    )
    return [_value(name, node, node.role("right") if len(names) == 1 else None, exported) for name in names]


def _declares(node: Node, left: Node) -> bool:
    """Whether a wrapper is given the function that the declaration names."""
    return any(one.tag == "function" and one.role("name") is left for one in node.walk())


def _value(name: Node, node: Node, value: Node | None, exported: Exported) -> Draft:
    scope, declaration = node.env.scope, node.parent
    is_const = declaration is not None and any(one.type == "const" for one in declaration.children)
    is_constant = name.text.isupper() or (is_const and value is not None and value.type in _LITERALS)
    written = node.child("type")
    return Draft(
        kind="constant" if is_constant else "variable",
        name=name,
        node=node,
        scope=scope,
        exported=exported.has(name, scope, node),
        results=(written.parts[0].text,) if written is not None and written.parts else (),
        value=value.text if value is not None else None,
        body=value or written,
    )
