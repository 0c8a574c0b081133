"""What JavaScript's functions, classes and objects are called, where their names stand outside them.

A function in ``const f = () => …``, ``exports.f = function …``, ``{ f() … }`` or ``it("adds", () => …)`` is named by
what it is given to. These are tagged here, before scopes are placed: no query can name a node by one that stands
before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from review_agent.syntax.calls import argument_nodes, callee_node, dotted
from review_agent.syntax.tree import Node, Tree

__all__ = [
    "FUNCTIONS",
    "TYPE_HOLDERS",
    "is_module_exports",
    "naming",
    "pattern_names",
    "prepare",
    "required",
    "unquoted",
]

FUNCTIONS = frozenset(("arrow_function", "function_expression", "generator_function"))
TYPE_HOLDERS = frozenset(("as_expression", "satisfies_expression", "parenthesized_expression", "non_null_expression"))
_FIELDS = frozenset(("field_definition", "public_field_definition"))
_PATTERNS = frozenset(("object_pattern", "array_pattern"))
_BODIES = frozenset(("class_body", "interface_body", "object", "enum_body"))
_TEST = re.compile(
    r"(?:(?:t|tap|test|qunit|QUnit)\.)?(?:x|f)?(?:it|test|describe|suite|context|specify)\b[\w.]*(?:\(.*\))?$"
)
_OF_PROMISES = ("then", "catch", "finally")
# Wrappers that give back the function they are given.
_WRAPS = frozenset(
    ("memo", "forwardRef", "useCallback", "React.memo", "React.forwardRef", "React.useCallback", "observer", "memoize",
     "asyncHandler", "util.promisify", "promisify", "debounce", "throttle", "catchAsync", "cache")
)  # fmt: skip


def prepare(tree: Tree) -> None:
    """Tags named functions, classes and objects, binding patterns, imports by ``require`` and handlers of promises."""
    for node in list(tree.nodes):
        if node.type in FUNCTIONS and node.named:
            _name_function(node, tree)
        elif node.type == "object":
            _name_object(node, tree)
        elif node.type == "class" and node.named and node.tag == "class":
            _name_class(node)
        elif node.type in _PATTERNS:
            _bind(node)
        elif node.type == "formal_parameters":
            _bind_parameters(node)
        elif node.type == "variable_declarator" and required(node.child("value")) is not None:
            _retag(node, "import", tree)
        elif node.tag == "call":
            _catch(node, tree)
    for tagged in tree.tagged.values():
        tagged.sort(key=lambda one: one.index)


def _retag(node: Node, tag: str, tree: Tree) -> None:
    if node.tag and node in tree.tagged.get(node.tag, ()):
        tree.tagged[node.tag].remove(node)
    node.tag = tag
    tree.tagged.setdefault(tag, []).append(node)


def _give(node: Node, roles: dict[str, Node | None]) -> None:
    if node.roles is None:
        node.roles = {}
    node.roles.update({name: role for name, role in roles.items() if role is not None})


def _name_function(node: Node, tree: Tree) -> None:
    name = naming(node)
    if name is None:
        return
    _retag(node, "function", tree)
    body = node.child("body")
    _give(node, {"name": name, "params": node.child("parameters") or node.child("parameter"), "body": body})
    if name.type != "string":
        (name.parent if name.parent is not None and name.parent.tag == "member" else name).use = "definition"
    if body is not None and body.type != "statement_block":
        body.use = "returned"


def naming(node: Node) -> Node | None:
    """The node whose text names a function or object literal; null for one that is only passed on."""
    own = node.child("name") if node.type != "object" else None
    holder = node.parent
    while holder is not None and holder.type in TYPE_HOLDERS:
        holder = holder.parent
    if holder is None:
        return None
    if holder.type == "variable_declarator":
        return _of_declarator(holder, node)
    if holder.type == "assignment_expression":
        return _of_assignment(holder, own)
    if holder.type == "pair":
        return _of_pair(holder)
    if holder.type in _FIELDS:
        return holder.child("name") or holder.child("property")
    if holder.type == "export_statement":
        return own or next((one for one in holder.children if one.type == "default"), None)
    if holder.type == "arguments" and node.type in FUNCTIONS:
        return _title(holder) or _wrapped(holder, node)
    return None


def _of_declarator(holder: Node, node: Node) -> Node | None:
    name = holder.child("name")
    if name is None or name.type != "identifier":
        return None
    return name if node.type != "object" or _at_top(holder) else None


def _of_assignment(holder: Node, own: Node | None) -> Node | None:
    """``exports.f = function …``, ``module.exports = …``, ``C.prototype.f = …`` and ``app.f = …`` at the top."""
    left = holder.child("left")
    if left is None or left.tag != "member" or not _at_top(holder):
        return None
    if is_module_exports(left):
        return own or left.role("name")
    base = left.role("object")
    plain = base is not None and (base.type == "identifier" or dotted(base).endswith(".prototype"))
    return left.role("name") if plain or (base is not None and is_module_exports(base)) else None


def is_module_exports(node: Node) -> bool:
    return node.tag == "member" and dotted(node) == "module.exports"


def _of_pair(holder: Node) -> Node | None:
    above = holder.parent
    key = holder.child("key")
    return key if above is not None and key is not None and _is_named_object(above) else None


def _is_named_object(node: Node) -> bool:
    return node.tag == "class" or (node.type == "object" and _is_exports(node))


def _is_exports(node: Node) -> bool:
    """The object that ``module.exports`` is set to: its functions are the module's own."""
    holder = node.parent
    left = holder.child("left") if holder is not None and holder.type == "assignment_expression" else None
    return left is not None and is_module_exports(left)


def _at_top(node: Node) -> bool:
    """Whether a statement stands in no function."""
    return not any(up.tag in ("function", "closure") or up.type in FUNCTIONS for up in node.up())


def _title(listed: Node) -> Node | None:
    """The title that a test is registered by."""
    call = listed.parent
    if call is None or call.tag != "call" or not _TEST.match(dotted(call.role("callee"))):
        return None
    first = listed.parts[0] if listed.parts else None
    if first is None or first.type not in ("string", "template_string"):
        return None
    return first.parts[0] if len(first.parts) == 1 and first.parts[0].type == "string_fragment" else first


def _wrapped(listed: Node, node: Node) -> Node | None:
    """``const Row = memo(function () …)``: what is declared is the function."""
    call = listed.parent
    if call is None or listed.parts[:1] != [node] or dotted(call.role("callee")) not in _WRAPS:
        return None
    holder = call.parent
    if holder is not None and holder.type == "variable_declarator":
        name = holder.child("name")
        return name if name is not None and name.type == "identifier" else None
    return None


def _name_object(node: Node, tree: Tree) -> None:
    if _is_exports(node):
        for part in node.parts:
            part.use = "export" if part.type == "shorthand_property_identifier" else part.use
        return
    name = naming(node)
    if name is not None and node.parts:
        _retag(node, "class", tree)
        _give(node, {"name": name, "body": node})


def _name_class(node: Node) -> None:
    name = naming(node)
    if name is not None:
        _give(node, {"name": name})


def unquoted(name: Node) -> Node:
    """The text of a quoted key, else the node itself."""
    inner = name.parts if name.type == "string" else []
    return inner[0] if len(inner) == 1 and inner[0].type == "string_fragment" else name


def pattern_names(pattern: Node) -> Iterator[Node]:
    """The names that a (nested) pattern binds; of ``{ a: b = 1 }`` it is ``b``."""
    pending = [pattern]
    while pending:
        node = pending.pop()
        if node.type in ("identifier", "shorthand_property_identifier_pattern") or node.tag == "member":
            yield node
        elif node.type in ("object_assignment_pattern", "assignment_pattern"):
            pending += [one for one in (node.child("left"),) if one is not None]
        elif node.type == "pair_pattern":
            pending += [one for one in (node.child("value"),) if one is not None]
        elif node.type in ("required_parameter", "optional_parameter"):
            pending += [one for one in (node.child("pattern"),) if one is not None]
        elif node.type in _PATTERNS or node.type in ("rest_pattern", "formal_parameters"):
            pending += reversed(node.parts)


def _bind(pattern: Node) -> None:
    holder = pattern.parent
    if holder is not None and holder.type in (
        "variable_declarator",
        "assignment_expression",
        "for_in_statement",
        "catch_clause",
    ):
        for name in pattern_names(pattern):
            name.use = "write"


def _bind_parameters(listed: Node) -> None:
    for name in pattern_names(listed):
        name.use = "parameter"


def required(value: Node | None) -> tuple[str, str | None] | None:
    """(module, member) of ``require("m")``, ``require("m").x`` and ``await import("m")``; null for anything else."""
    member = None
    if value is not None and value.tag == "member" and (name := value.role("name")) is not None:
        member, value = name.text, value.role("object")
    while value is not None and (value.tag in ("group", "await")) and value.parts:
        value = value.parts[0]
    if value is None or value.tag != "call" or dotted(callee_node(value)) not in ("require", "import"):
        return None
    listed = argument_nodes(value)
    if len(listed) != 1 or listed[0].type != "string" or len(listed[0].parts) != 1:
        return None
    return listed[0].parts[0].raw, member


def _catch(call: Node, tree: Tree) -> None:
    """``f().then(g).catch(h)``: what the promise runs is tried, h handles what it throws."""
    callee = call.role("callee")
    name = callee.role("name") if callee is not None and callee.tag == "member" else None
    listed = argument_nodes(call)
    if callee is not None and name is not None and name.text in _OF_PROMISES and (base := callee.role("object")):
        base.use = "awaited"
    if callee is None or name is None or name.text != "catch" or len(listed) != 1 or listed[0].type not in FUNCTIONS:
        return
    tried = callee.role("object")
    if tried is None or tried.tag != "call":
        return
    tried.opens = (*tried.opens, ("try", call))
    listed[0].opens = (*listed[0].opens, ("handler", call))
    for inner in _chained(tried):
        inner.opens = (*inner.opens, ("try", call))
    tree.tagged.setdefault("promise", []).append(call)


def _chained(call: Node) -> Iterator[Node]:
    """The functions that a chain of ``then`` is given."""
    here: Node | None = call
    while here is not None and here.tag == "call":
        callee = here.role("callee")
        name = callee.role("name") if callee is not None and callee.tag == "member" else None
        if callee is None or name is None or name.text not in ("then", "finally"):
            return
        yield from (one for one in argument_nodes(here) if one.type in FUNCTIONS)
        here = callee.role("object")
