"""Python's definitions and imports."""

from __future__ import annotations

from review_agent.syntax.build import Draft, inside_function, outer
from review_agent.syntax.model import Import, Param, Symbol
from review_agent.syntax.tokens import Stream
from review_agent.syntax.tree import Node, Tree, fold

_PATTERNS = ("pattern_list", "tuple_pattern", "list_pattern")


def symbols(tree: Tree, stream: Stream) -> list[Symbol]:
    exports = exported_names(tree)
    members = _self_members(tree)
    drafts = [_function(node, exports) for node in tree.tag("function")]
    classes = {id(node): _class(node, exports) for node in tree.tag("class")}
    drafts += classes.values()
    drafts += [_alias(node, exports) for node in tree.tag("alias")]
    for node in tree.tag("assign") + tree.tag("declare"):
        drafts += _values(node, exports)
    drafts.sort(key=lambda d: d.name.index)
    for draft in drafts:
        holder = classes.get(id(draft.scope.node))
        if holder is not None:
            holder.members.append(draft.name.text)
    for key, names in members.items():
        if key in classes:
            classes[key].members += names
    return [draft.finish(stream) for draft in drafts]


def imports(tree: Tree) -> list[Import]:
    found: list[Import] = []
    for node in tree.tag("import"):
        found += _plain(node) if node.type == "import_statement" else _from(node)
    return found


def export_nodes(tree: Tree) -> list[Node] | None:
    """The contents of the strings in ``__all__``, None where the module has none."""
    found: list[Node] | None = None
    for node in tree.tag("assign") + tree.tag("update"):
        left, right = node.role("left"), node.role("right")
        if left is not None and right is not None and left.text == "__all__" and node.scope == "":
            found = (found or []) + [n for n in right.walk() if n.type == "string_content"]
    return found


def exported_names(tree: Tree) -> tuple[str, ...] | None:
    nodes = export_nodes(tree)
    return None if nodes is None else tuple(n.raw for n in nodes)


def string_value(node: Node | None) -> str | None:
    """The text of a plain string literal; None for anything else."""
    if node is None or node.type != "string":
        return None
    if any(c.type == "interpolation" for c in node.children):
        return None
    return "".join(c.raw for c in node.children if c.type == "string_content")


def _is_exported(name: str, node: Node, exports: tuple[str, ...] | None) -> bool:
    scope = outer(node)
    if inside_function(scope):
        return False
    if scope.kind == "module" and exports is not None:
        return name in exports
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def _decorators(node: Node) -> tuple[str, ...]:
    parent = node.parent
    if parent is None or parent.tag != "decorated":
        return ()
    return tuple(value.text for c in parent.children if c.tag == "decorator" and (value := c.role("value")))


def _whole(node: Node) -> Node:
    return node.parent if node.parent is not None and node.parent.tag == "decorated" else node


def _name(node: Node | None) -> str | None:
    name = node.role("name") if node else None
    return name.text if name else None


def _header_end(node: Node) -> int:
    return next((c.line for c in reversed(node.children) if c.type == ":"), node.line)


def _function(node: Node, exports: tuple[str, ...] | None) -> Draft:
    name, scope = node.role("name"), outer(node)
    assert name is not None
    decorators = _decorators(node)
    result = node.role("result")
    in_class = scope.kind == "class"
    return Draft(
        kind="method" if in_class else "function",
        name=name,
        node=node,
        scope=scope,
        exported=_is_exported(name.text, node, exports),
        whole=_whole(node),
        header_end=_header_end(node),
        params=_params(node.role("params")),
        decorators=decorators,
        results=(result.text,) if result else (),
        receiver=_name(scope.node) if in_class else None,
        is_async=node.children[0].type == "async",
        is_abstract=any(d.partition("(")[0].rpartition(".")[2].startswith("abstract") for d in decorators),
        body=node.role("body"),
        is_test=name.text.startswith("test"),
    )


def _params(parameters: Node | None) -> tuple[Param, ...]:
    found: list[Param] = []
    kind = "positional"
    for node in parameters.parts if parameters else ():
        if node.type == "keyword_separator":
            kind = "keyword_only"
        elif node.type != "positional_separator":
            param = _param(node, kind)
            found.append(param)
            kind = "keyword_only" if param.kind == "var_positional" else kind
    return tuple(found)


def _param(node: Node, kind: str) -> Param:
    default, annotation = node.child("value"), node.child("type")
    inner = node.child("name") or (node.parts[0] if node.tag == "" and node.parts else node)
    if "list_splat_pattern" in (node.type, inner.type):
        kind = "var_positional"
    elif "dictionary_splat_pattern" in (node.type, inner.type):
        kind = "var_keyword"
    name = inner.text.lstrip("* ")
    return Param(name, default.text if default else None, kind, annotation.text if annotation else None)


def _class(node: Node, exports: tuple[str, ...] | None) -> Draft:
    name, bases = node.role("name"), node.role("bases")
    assert name is not None
    return Draft(
        kind="class",
        name=name,
        node=node,
        scope=outer(node),
        exported=_is_exported(name.text, node, exports),
        whole=_whole(node),
        header_end=_header_end(node),
        decorators=_decorators(node),
        bases=tuple(b.text for b in bases.parts if b.tag != "keyword") if bases else (),
        body=node.role("body"),
    )


def _alias(node: Node, exports: tuple[str, ...] | None) -> Draft:
    left, value = node.role("name"), node.role("value")
    assert left is not None
    assert value is not None
    name = next((n for n in left.walk() if n.type == "identifier"), left)
    return Draft(
        "type", name, node, node.env.scope, _is_exported(name.text, node, exports), value=value.text, body=value
    )


def _values(node: Node, exports: tuple[str, ...] | None) -> list[Draft]:
    scope, left = node.env.scope, node.role("left")
    if scope.kind == "function" or left is None or node.env.closure is not None or node.type == "named_expression":
        return []
    right = node.role("right")
    while right is not None and right.tag == "assign":
        right = right.role("right")
    names = left.parts if left.type in _PATTERNS else [left]
    split = right.parts if right is not None and right.type in ("expression_list", "tuple") else []
    parts = split if len(split) == len(names) > 1 else [right] * len(names)
    return [
        _value(name, node, part, exports) for name, part in zip(names, parts, strict=True) if name.type == "identifier"
    ]


def _value(name: Node, node: Node, value: Node | None, exports: tuple[str, ...] | None) -> Draft:
    scope, annotation = node.env.scope, node.role("type")
    plain = "field" if scope.kind == "class" else "variable"
    return Draft(
        kind="constant" if name.text.isupper() else plain,
        name=name,
        node=node,
        scope=scope,
        exported=_is_exported(name.text, node, exports),
        results=(annotation.text,) if annotation else (),
        value=value.text if value else None,
        body=value or annotation,
    )


def _self_members(tree: Tree) -> dict[int, list[str]]:
    """For each class (by id of its node) the attributes its methods set on their first parameter."""
    found: dict[int, list[str]] = {}
    for node in tree.tag("assign") + tree.tag("declare") + tree.tag("update"):
        left = node.role("left")
        for target in [] if left is None else left.parts if left.type in _PATTERNS else [left]:
            holder, name = target.role("object"), target.role("name")
            if target.tag == "member" and holder is not None and name is not None:
                owner = _class_of_self(node, holder.text)
                if owner is not None:
                    found.setdefault(id(owner), []).append(name.text)
    return found


def _class_of_self(node: Node, name: str) -> Node | None:
    scope = node.env.scope
    while scope.kind == "function" and scope.node is not None and scope.parent is not None:
        if scope.parent.kind == "class":
            first = next(iter(_params(scope.node.role("params"))), None)
            return scope.parent.node if first is not None and first.name == name else None
        scope = scope.parent
    return None


def _plain(node: Node) -> list[Import]:
    found = []
    for item in node.all("name"):
        name, alias = item.child("name"), item.child("alias")
        module = (name or item).text
        bound = alias.text if alias else module.partition(".")[0]
        found.append(Import(module, None, bound, 0, item.line, node.scope))
    return found


def _from(node: Node) -> list[Import]:
    source = node.child("module_name")
    written = fold(source.raw).replace(" ", "") if source else "__future__"
    module = written.lstrip(".")
    level = len(written) - len(module)
    if any(c.type == "wildcard_import" for c in node.children):
        return [Import(module, "*", "*", level, node.line, node.scope)]
    found = []
    for item in node.all("name"):
        name, alias = item.child("name"), item.child("alias")
        text = (name or item).text
        found.append(Import(module, text, alias.text if alias else text, level, item.line, node.scope))
    return found
