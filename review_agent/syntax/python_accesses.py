"""Python's uses of a value that may be None: of a lookup, a match, a call, or a parameter that defaults to None."""

from __future__ import annotations

from review_agent.syntax.calls import argument_nodes, call_of, callee_node, dotted, split
from review_agent.syntax.context import Context
from review_agent.syntax.model import Access
from review_agent.syntax.presence import Origin, guarding_test
from review_agent.syntax.tree import Node

_KINDS = {"attribute": "attribute", "subscript": "subscript", "called": "call"}
_MATCHERS = frozenset(("match", "search", "fullmatch"))
_MATCH_API = frozenset(
    ("group", "groups", "groupdict", "start", "end", "span", "expand", "lastgroup", "lastindex", "pos",
     "endpos", "string")
)  # fmt: skip
# A `.get` on these answers a request or a query, it is no lookup in a mapping.
_NO_MAPPING = (
    "client",
    "session",
    "requests",
    "http",
    "api",
    "queue",
    "objects",
    "query",
    "app",
    "browser",
    "response",
)
_NEVER_NONE = frozenset(
    ("super", "str", "int", "float", "bool", "bytes", "list", "dict", "set", "tuple", "frozenset", "len",
     "sorted", "open", "repr", "type", "vars", "dir", "iter", "next", "zip", "map", "filter", "enumerate",
     "range", "reversed", "getattr", "min", "max", "sum", "abs", "round", "object", "format", "join", "strip",
     "lstrip", "rstrip", "split", "rsplit", "splitlines", "lower", "upper", "replace", "encode", "decode",
     "items", "keys", "values", "copy", "title", "partition", "rpartition", "setdefault")
)  # fmt: skip


def accesses(context: Context) -> list[Access]:
    optional = _optional_params(context)
    found = []
    for node in context.tree.nodes:
        kind = _KINDS.get(node.use)
        place = node.parent
        if kind is None or place is None:
            continue
        member = _member(place, kind)
        origin = _origin(node, kind, member, context, optional)
        if origin is not None:
            guard = guarding_test(place, origin.names, context.flow, origin.since)
            found.append(origin.access(kind, node, place, member, guard))
    return found


def _member(place: Node, kind: str) -> str:
    part = place.role({"attribute": "name", "subscript": "key"}.get(kind, ""))
    return part.text if part is not None else ""


def _origin(node: Node, kind: str, member: str, context: Context, optional: dict[int, frozenset[str]]) -> Origin | None:
    call = call_of(node)
    if call is not None:
        return _of_call(call, kind, member, context, frozenset((dotted(node), dotted(call))), -1)
    if node.type != "identifier" or _is_another(node):
        return None
    name = node.raw
    binding = context.bindings.last(name, node)
    if binding is None:
        function = node.env.scope.node
        is_optional = function is not None and name in optional.get(function.index, ())
        return Origin("name", "", frozenset((name,))) if is_optional and kind != "call" else None
    value = binding.value
    if value is None or binding.element >= 0 or not binding.reaches(node):
        return None
    if value.type == "none":
        return Origin("name", "", frozenset((name,)), binding.since)
    call = call_of(value)
    if call is None:
        return None
    return _of_call(call, kind, member, context, frozenset((name,)), binding.since)


def _of_call(call: Node, kind: str, member: str, context: Context, names: frozenset[str], since: int) -> Origin | None:
    callee = callee_node(call)
    receiver, name = split(callee)
    if name == "get" and _has_fallback(call):
        return None
    if name == "get" and _is_lookup(call, receiver, context):
        key = argument_nodes(call)[0].text
        return Origin("dict_get", receiver, names | {f"{key} in {receiver}"}, since)
    if name in _MATCHERS and receiver and (member in _MATCH_API or kind == "subscript"):
        return Origin("re_match", dotted(callee), names, since)
    return Origin("call", dotted(callee), names, since) if _may_be_none(callee, name) else None


def _may_be_none(callee: Node | None, name: str) -> bool:
    """A constructor and a built-in that always answers are left out, and so is a callee that is no dotted name."""
    if callee is None or not name or name in _NEVER_NONE or name.lstrip("_")[:1].isupper():
        return False
    while callee.tag == "member":
        inner = callee.role("object")
        if inner is None:
            return False
        callee = inner
    return callee.type == "identifier"


def _has_fallback(call: Node) -> bool:
    """``get(key, fallback)``; the sole argument of a context variable's ``get``, which is no key, is one as well."""
    listed = argument_nodes(call)
    if len(listed) == 2:
        return not any(a.tag in ("keyword", "splat") for a in listed) and listed[1].type != "none"
    return len(listed) == 1 and listed[0].type in ("dictionary", "list", "set", "none")


def _is_lookup(call: Node, receiver: str, context: Context) -> bool:
    arguments = argument_nodes(call)
    if not arguments or any(a.tag in ("keyword", "splat") for a in arguments) or not receiver:
        return False
    if receiver.partition(".")[0] in context.modules and receiver.rpartition(".")[2] != "environ":
        return False
    text = arguments[0].text.lstrip("rbfRBF")
    is_address = text[1:2] == "/" or text[1:5] == "http"
    return not is_address and not receiver.rpartition(".")[2].lower().strip("_").endswith(_NO_MAPPING)


def _is_another(node: Node) -> bool:
    """Whether the name stands in an annotation, or a comprehension or lambda around it binds it anew."""
    for up in node.up():
        if up.type == "type":
            return True
        if up.tag in ("comprehension", "closure") and any(
            n.raw == node.raw for n in up.walk() if n.use in ("write", "parameter") and n.type == "identifier"
        ):
            return True
        if up.type in ("block", "module"):
            return False
    return False


def _optional_params(context: Context) -> dict[int, frozenset[str]]:
    found = {}
    for function in context.tree.tag("function"):
        params = function.role("params")
        nodes = params.parts if params is not None else []
        names = [n for p in nodes if (v := p.child("value")) and v.type == "none" and (n := p.child("name"))]
        found[function.index] = frozenset(n.text for n in names)
    return found
