"""JavaScript's uses of a value that may be absent: of a lookup, a match, a call, or an optional parameter."""

from __future__ import annotations

from review_agent.syntax.calls import argument_nodes, call_of, callee_node, dotted, split
from review_agent.syntax.context import Context
from review_agent.syntax.javascript_names import pattern_names
from review_agent.syntax.model import Access
from review_agent.syntax.presence import Origin, guarding_test
from review_agent.syntax.tree import Node

__all__ = ["accesses"]

_KINDS = {"attribute": "attribute", "subscript": "subscript", "called": "call"}
_MATCHERS = frozenset(("match", "exec"))
# A `.get` on these answers a request or a route, it is no lookup in a mapping.
_NO_MAPPING = ("client", "session", "http", "api", "axios", "agent", "app", "router", "server", "request", "response",
               "fetch", "got", "ky", "browser", "page", "nock", "pool")  # fmt: skip
_OF_PROMISES = ("then", "catch", "finally")
_NEVER_ABSENT = frozenset(
    ("require", "import", "super", "String", "Number", "Boolean", "BigInt", "Symbol", "parseInt",
     "parseFloat", "map", "filter",
     "slice", "splice", "concat", "join", "split", "trim", "trimStart", "trimEnd", "replace", "replaceAll", "toString",
     "toLowerCase", "toUpperCase", "padStart", "padEnd", "repeat", "substring", "substr", "reverse", "sort", "flat",
     "flatMap", "fill", "keys", "values", "entries", "reduce", "forEach", "then", "catch", "finally", "bind", "toFixed",
     "toISOString", "toJSON", "valueOf", "charAt", "charCodeAt", "indexOf", "includes", "every", "some", "push",
     "unshift", "expect", "describe", "it", "test", "fetch", "setTimeout", "setInterval", "encodeURIComponent",
     "decodeURIComponent", "isNaN", "cb", "callback", "next", "not", "matchAll", "on", "once", "localeCompare")
)  # fmt: skip
_NAMESPACES = frozenset(
    ("Object", "Array", "JSON", "Math", "Promise", "Date", "Reflect", "Number", "String", "Buffer", "Symbol", "BigInt",
     "Intl", "console", "path", "expect", "jest", "vi", "sinon", "crypto", "util", "assert", "t", "z", "Joi", "React")
)  # fmt: skip
_OF_PROMISES = ("then", "catch", "finally")
_ABSENT = frozenset(("null", "undefined"))


def accesses(context: Context) -> list[Access]:
    optional = _optional_params(context)
    found = []
    for node in context.tree.nodes:
        kind, place = _KINDS.get(node.use), node.parent
        if kind is None or place is None or place.type == "new_expression":
            continue
        member = _member(place, kind)
        if member in _OF_PROMISES:
            continue
        origin = _origin(node, kind, member, context, optional)
        if origin is not None:
            guard = "?." if _is_optional(place) else guarding_test(place, origin.names, context.flow, origin.since)
            found.append(origin.access(kind, node, place, member, guard))
    return found


def _is_optional(place: Node) -> bool:
    """Whether ``?.`` stands before the member, here or further down the chain."""
    here: Node | None = place
    while here is not None and here.tag in ("member", "index", "call"):
        if any(one.type in ("optional_chain", "?.") for one in here.children):
            return True
        here = here.role("object") or here.role("callee")
    return False


def _member(place: Node, kind: str) -> str:
    part = place.role({"attribute": "name", "subscript": "key"}.get(kind, ""))
    return part.text if part is not None else ""


def _origin(node: Node, kind: str, member: str, context: Context, optional: dict[int, frozenset[str]]) -> Origin | None:
    call = _called(node)
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
    if value.type in _ABSENT:
        return Origin("name", "", frozenset((name,)), binding.since)
    call = _called(value)
    return _of_call(call, kind, member, context, frozenset((name,)), binding.since) if call is not None else None


def _called(value: Node) -> Node | None:
    """The call a value is; a new object is always there."""
    call = call_of(value)
    if call is None or call.type == "new_expression":
        return None
    inner: Node | None = value
    while inner is not None and inner is not call:
        if inner.type == "non_null_expression":
            return None
        inner = inner.parts[0] if inner.parts else None
    return call


def _of_call(call: Node, kind: str, member: str, context: Context, names: frozenset[str], since: int) -> Origin | None:
    callee = callee_node(call)
    receiver, name = split(callee)
    if name == "get" and receiver and not _is_awaited(call):
        if not _is_lookup(call, receiver, context):
            return None
        key = argument_nodes(call)[0].text
        return Origin("dict_get", receiver, names | {f"{receiver}.has({key})"}, since)
    if name in _MATCHERS and receiver:
        is_match = kind == "subscript" or member in ("groups", "index", "length", "input")
        return Origin("re_match", dotted(callee), names, since) if is_match else None
    return Origin("call", dotted(callee), names, since) if _may_be_absent(callee, receiver, name) else None


def _is_awaited(call: Node) -> bool:
    """What is waited for is no lookup in a mapping."""
    return call.use == "awaited"


def _may_be_absent(callee: Node | None, receiver: str, name: str) -> bool:
    if callee is None or not name or name in _NEVER_ABSENT or name.lstrip("_#")[:1].isupper():
        return False
    if receiver.partition(".")[0] in _NAMESPACES:
        return False
    while callee.tag == "member":
        inner = callee.role("object")
        if inner is None:
            return False
        callee = inner
    return callee.type in ("identifier", "this")


def _is_lookup(call: Node, receiver: str, context: Context) -> bool:
    arguments = argument_nodes(call)
    if len(arguments) != 1 or arguments[0].tag == "splat" or receiver.partition(".")[0] in context.modules:
        return False
    text = arguments[0].text.strip("'\"`")
    is_address = text[:1] == "/" or text[:4] == "http"
    return not is_address and not receiver.rpartition(".")[2].lower().strip("_#").endswith(_NO_MAPPING)


def _is_another(node: Node) -> bool:
    """Whether a function literal around the name binds it anew."""
    for up in node.up():
        if up.tag == "closure":
            listed = up.child("parameters") or up.child("parameter")
            if listed is not None and any(one.raw == node.raw for one in pattern_names(listed)):
                return True
        if up is node.env.scope.node:
            return False
    return False


def _optional_params(context: Context) -> dict[int, frozenset[str]]:
    """For each function (by index of its node) the parameters that are declared to be left out or null."""
    found = {}
    for function in context.tree.tag("function"):
        listed = function.role("params")
        names = []
        for one in listed.parts if listed is not None else ():
            pattern = one.child("pattern") or one.child("left")
            default = one.child("value") or one.child("right")
            left_out = one.type == "optional_parameter" and default is None
            if pattern is not None and pattern.type == "identifier":
                names += [pattern.text] if left_out or (default is not None and default.type in _ABSENT) else []
        found[function.index] = frozenset(names)
    return found
