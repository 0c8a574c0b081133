"""Calls and assignments, for all languages."""

from __future__ import annotations

from collections.abc import Sequence

from review_agent.syntax.adapter import Adapter
from review_agent.syntax.model import Arg, Assign, Call
from review_agent.syntax.tree import TEXT_LIMIT, Node, Tree

_DIRECT = frozenset(
    ("ignored", "returned", "raised", "attribute", "subscript", "called", "argument", "condition", "compared",
     "iterated", "context")
)  # fmt: skip

# Arithmetic, and putting a value into a text; comparisons and logic have uses of their own.
_COMPUTING = frozenset(("binary_expression", "binary_operator", "template_substitution"))

_BUILTIN_TYPES = frozenset(
    ("any", "bool", "byte", "bytes", "comparable", "complex128", "complex64", "dict", "error", "float", "float32",
     "float64", "int", "int16", "int32", "int64", "int8", "list", "rune", "set", "str", "string", "tuple", "uint",
     "uint16", "uint32", "uint64", "uint8", "uintptr")
)  # fmt: skip


def dotted(node: Node | None) -> str:
    """``a.b(x).c`` without the white space a long chain is broken with; other text is folded source."""
    if node is None or node.tag == "":
        return node.text if node is not None else ""
    tail: list[str] = []
    while node is not None:
        name, listed, key = node.role("name"), node.role("args"), node.role("key")
        if node.tag == "member" and name is not None:
            tail.append(f".{name.text}")
            node = node.role("object")
        elif node.type == "object_creation_expression":
            tail.append(node.text)
            break
        elif node.tag == "call" and listed is not None and listed.tag != "comprehension":
            tail.append(listed.text)
            node = node.role("callee")
        elif node.tag == "index" and key is not None and sum(p.type != "optional_chain" for p in node.parts) == 2:
            tail.append(f"[{key.text}]")
            node = node.role("object")
        elif node.type == "non_null_expression" and node.parts:
            node = node.parts[0]
        else:
            tail.append(node.text)
            break
    return "".join(reversed(tail))[:TEXT_LIMIT]


def split(callee: Node | None) -> tuple[str, str]:
    """Receiver and name of a callee: ``("self.client", "get")``."""
    if callee is not None and callee.tag == "member":
        name = callee.role("name")
        return dotted(callee.role("object")), name.text if name else ""
    return "", callee.text if callee is not None and callee.tag != "closure" else ""


def call_of(value: Node | None) -> Node | None:
    """The call a value is, seen through parentheses and await."""
    while value is not None and value.tag in ("group", "await") and value.parts:
        value = value.parts[0]
    return value if value is not None and value.tag == "call" else None


def callee_of(value: Node | None) -> str:
    call = call_of(value)
    return dotted(callee_node(call)) if call else ""


def callee_node(call: Node) -> Node | None:
    """What is called; of ``f[int](x)`` the ``f``, as against ``handlers[i](x)``."""
    node = call.role("callee")
    is_generic = node is not None and node.tag in ("index", "generic") and node.type != "subscript_expression"
    if node is not None and is_generic and _is_type(node.role("key")):
        return node.role("object")
    return node


def _is_type(node: Node | None) -> bool:
    if node is None:
        return False
    if node.type.endswith("_type") and node.tag != "member":
        return True
    name = dotted(node).rpartition(".")[2]
    return name in _BUILTIN_TYPES or (name[:1].isupper() and (len(name) == 1 or not name.isupper()))


def calls(tree: Tree, adapter: Adapter) -> list[Call]:
    caught: dict[tuple[Node, ...], tuple[str, ...]] = {(): ()}
    return [_call(node, adapter, caught) for node in tree.tag("call")]


def _call(node: Node, adapter: Adapter, caught: dict[tuple[Node, ...], tuple[str, ...]]) -> Call:
    callee, env = callee_node(node), node.env
    receiver, name = split(callee)
    result, targets, awaited = _result(node, adapter)
    if env.tries not in caught:
        caught[env.tries] = tuple(t for block in env.tries for t in adapter.caught(block))
    return Call(
        callee=dotted(callee),
        receiver=receiver,
        name=name,
        start=node.line,
        end=node.last,
        scope=env.scope.qualname,
        args=arguments(node),
        awaited=awaited,
        result=result,
        targets=targets,
        caught=caught[env.tries],
        loop=adapter.loop_kind(env.loop) if env.loop else "",
        deferred=node.parent is not None and node.parent.tag == "deferred",
    )


def argument_nodes(call: Node) -> Sequence[Node]:
    listed, single = call.role("args"), call.role("arg")
    if listed is None:
        return [single] if single else []
    # Python's sole generator argument stands in place of the list.
    return [listed] if listed.tag == "comprehension" else listed.parts


def arguments(call: Node) -> tuple[Arg, ...]:
    return tuple(_argument(node) for node in argument_nodes(call))


def _argument(node: Node) -> Arg:
    if node.tag == "keyword":
        name, value = node.role("name"), node.role("value")
        return Arg(value.text if value else "", name.text if name else None, False)
    return Arg(node.text, None, node.tag == "splat")


def _result(call: Node, adapter: Adapter) -> tuple[str, tuple[str, ...], bool]:
    node, awaited, logic = call, False, False
    while node.use in ("through", "awaited", "logic") and node.parent is not None:
        awaited = awaited or node.use == "awaited"
        logic = logic or node.use == "logic"
        node = node.parent
    if logic:
        return ("condition" if node.use == "condition" else "other"), (), awaited
    if node.use == "ignored" and awaited:
        return "awaited", (), True
    if node.use == "assigned" and node.parent is not None:
        return (*_assigned(node, adapter), awaited)
    if node.use == "context":
        return "context", _context_targets(node), awaited
    if not node.use and node.parent is not None and node.parent.type in _COMPUTING:
        return "computed", (), awaited
    return (node.use if node.use in _DIRECT else "other"), (), awaited


def _assigned(value: Node, adapter: Adapter) -> tuple[str, tuple[str, ...]]:
    assign = next((n for n in value.up() if n.tag == "assign"), None)
    if assign is None:
        return "other", ()
    targets, values = adapter.targets(assign), adapter.values(assign)
    if value not in values:
        return "other", ()
    if len(values) == len(targets) > 1:
        return "assigned", (dotted(targets[list(values).index(value)]),)
    return ("unpacked" if adapter.unpacks(assign) else "assigned"), tuple(dotted(t) for t in targets)


def _context_targets(value: Node) -> tuple[str, ...]:
    item = next((n for n in value.up() if n.tag == "withitem"), None)
    target = item.role("target") if item is not None and item.role("value") is value else None
    return (dotted(target),) if target is not None else ()


def assigns(tree: Tree, adapter: Adapter) -> list[Assign]:
    found = [a for node in tree.tag("assign") if (a := _assign(node, adapter)) is not None]
    return sorted(found + [_update(node) for node in tree.tag("update")], key=lambda a: (a.start, a.end))


def _assign(node: Node, adapter: Adapter) -> Assign | None:
    values = adapter.values(node)
    if not values:
        return None
    right = node.role("right")
    targets = tuple(name for t in adapter.targets(node) for name in _flat(t))
    callee = callee_of(values[0]) if len(values) == 1 else ""
    return Assign(targets, right.text if right else "", callee, node.line, node.last, node.scope)


def _flat(target: Node) -> list[str]:
    """The dotted names of a possibly nested target."""
    if not _is_pattern(target):
        return [dotted(target)]
    return [dotted(n) for n in target.walk() if n.use == "write" and not _is_pattern(n)]


def _is_pattern(node: Node) -> bool:
    return bool(node.children) and node.type.endswith(("_pattern", "pattern_list"))


def _update(node: Node) -> Assign:
    left, sign, right = node.role("left"), node.role("operator"), node.role("right")
    targets = tuple(dotted(n) for n in (left.parts if left and left.type == "expression_list" else [left]))
    return Assign(
        targets, f"{sign.text if sign else ''} {right.text if right else ''}", "", node.line, node.last, node.scope
    )
