"""Java's uses of a value that may be null or absent: of a map, of an ``Optional``, of a call that can return null."""

from __future__ import annotations

from review_agent.syntax.calls import argument_nodes, call_of, callee_node, dotted, split
from review_agent.syntax.context import Context
from review_agent.syntax.java_types import Types
from review_agent.syntax.model import Access
from review_agent.syntax.presence import Origin, guarding_test
from review_agent.syntax.tree import Node

__all__ = ["accesses"]

_KINDS = {"attribute": "attribute", "subscript": "subscript"}
_MAPS = ("Map", "Dictionary", "Hashtable", "Properties", "Cache")
_OPTIONALS = ("Optional", "OptionalInt", "OptionalLong", "OptionalDouble")
_OPENING = frozenset(("get", "getAsInt", "getAsLong", "getAsDouble", "orElseThrow"))
_OPTIONAL_MAKERS = frozenset(("findFirst", "findAny"))
# Methods of the language's own library that always answer, and names of builders and streams.
_NEVER_NULL = frozenset(
    ("toString", "getClass", "hashCode", "equals", "trim", "strip", "toLowerCase", "toUpperCase", "substring", "concat",
     "replace", "replaceAll", "split", "format", "formatted", "join", "valueOf", "append", "insert", "length", "size",
     "isEmpty", "contains", "containsKey", "entrySet", "keySet", "values", "iterator", "stream", "map", "filter",
     "collect", "flatMap", "sorted", "distinct", "limit", "skip", "peek", "boxed", "parallel", "mapToObj", "mapToInt",
     "mapToLong", "builder", "build", "of", "asList", "copyOf", "requireNonNull", "getBytes", "toCharArray", "chars",
     "getLogger", "now", "ofNullable", "empty", "orElse", "orElseGet", "getName", "getSimpleName", "name", "ordinal",
     "currentThread", "assertThat", "verify", "when", "mock", "spy", "getKey", "getValue", "getMessage", "writeLock",
     "readLock", "toArray", "toList", "lines", "nanoTime", "currentTimeMillis", "intValue", "longValue", "then",
     "atLevel", "forEach", "thenReturn", "getRuntime", "self", "and", "compareTo", "newBuilder", "getOrDefault",
     "computeIfAbsent", "merge", "iterator", "spliterator", "toPath", "toFile", "getOutputStream", "getInputStream")
)  # fmt: skip


def accesses(context: Context) -> list[Access]:
    types = Types(context.tree)
    found = []
    for node in context.tree.nodes:
        kind, place = _KINDS.get(node.use), node.parent
        if kind is None or place is None or not node.named:
            continue
        part = place.role("name" if kind == "attribute" else "key")
        member = part.text if part is not None else ""
        origin = _origin(node, member, context, types)
        if origin is not None:
            guard = guarding_test(place, origin.names, context.flow, origin.since)
            found.append(origin.access(kind, node, place, member, guard))
    return found


def _origin(node: Node, member: str, context: Context, types: Types) -> Origin | None:
    call = call_of(node)
    if call is not None:
        return _of_call(call, member, types, frozenset((dotted(node), dotted(call))), -1)
    if node.type != "identifier":
        return None
    name = node.raw
    binding = context.bindings.last(name, node)
    if binding is None or binding.value is None or not binding.reaches(node):
        return _optional(name, member, types, node) if member in _OPENING else None
    value, names = binding.value, frozenset((name,))
    while value.type == "cast_expression" and value.parts:
        value = value.parts[-1]
    if value.type == "null_literal":
        return Origin("name", "", names, binding.since)
    call = call_of(value)
    if call is None:
        return None
    if member in _OPENING and types.of(name, node).startswith(_OPTIONALS):
        return Origin("call", dotted(callee_node(call)), names, binding.since)
    return _of_call(call, member, types, names, binding.since)


def _optional(name: str, member: str, types: Types, node: Node) -> Origin | None:
    if types.of(name, node).partition("<")[0] not in _OPTIONALS or member == "orElseThrow":
        return None
    return Origin("name", "", frozenset((name,)))


def _of_call(call: Node, member: str, types: Types, names: frozenset[str], since: int) -> Origin | None:
    callee = callee_node(call)
    if call.type != "method_invocation" or callee is None:
        return None
    receiver, name = split(callee)
    listed = argument_nodes(call)
    if name in _OPTIONAL_MAKERS and member in _OPENING and member != "orElseThrow":
        return Origin("call", dotted(callee), names, since)
    if name == "get" and len(listed) == 1:
        if not _is_map(callee.role("object"), types):
            return None
        return Origin("dict_get", receiver, names | {f"{listed[0].text} in {receiver}"}, since)
    if name in _NEVER_NULL or name.startswith(("is", "has", "with", "assert", "new", "create")) or _is_static(callee):
        return None
    return Origin("call", dotted(callee), names, since) if _is_plain(callee) else None


def _is_map(node: Node | None, types: Types) -> bool:
    if node is None:
        return False
    name = node.role("name") if node.tag == "member" else node
    written = types.of(name.raw, node) if name is not None and not name.children else ""
    return written.partition("<")[0].rpartition(".")[2].endswith(_MAPS)


def _is_static(callee: Node) -> bool:
    """A method of a class that is called by the class's name is known or not by its definition alone."""
    target = callee.role("object") if callee.tag == "member" else None
    return target is not None and target.type == "super"


def _is_plain(callee: Node) -> bool:
    """Whether the callee is a dotted name, not one step of a longer chain of calls."""
    here: Node | None = callee
    while here is not None and here.tag == "member":
        here = here.role("object")
    return here is not None and here.type in ("identifier", "this")
