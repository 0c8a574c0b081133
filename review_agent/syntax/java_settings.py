"""Where Java reads settings: the environment, system properties, property files, annotations that inject them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from review_agent.syntax.calls import argument_nodes, call_of, callee_node, dotted, split
from review_agent.syntax.context import Context
from review_agent.syntax.flow import operators
from review_agent.syntax.java_symbols import string_value
from review_agent.syntax.java_types import Types
from review_agent.syntax.model import Setting
from review_agent.syntax.settings import Draft, finish, is_config, positional
from review_agent.syntax.tree import Node

__all__ = ["settings"]

_PROPERTY = re.compile(r"^get(Required)?Property$")
_SYSTEM = frozenset((("Integer", "getInteger"), ("Long", "getLong"), ("Boolean", "getBoolean")))
_GETTER = re.compile(
    r"^(get|getString|getInt|getInteger|getLong|getBoolean|getDouble|getDuration|getValue|getOptionalValue"
    r"|getOrDefault|getOptional|getConfig|getList|getStringList|getBool)$"
)
_ENV_HELPER = re.compile(r"(?i)^(get|read|lookup|require|must)?env(or|var|variable|default|string|int|bool|flag)*$")
_CONFIG_TYPES = ("Properties", "Environment", "Config", "Configuration", "ConfigurableEnvironment", "Preferences")
_PLACEHOLDER = re.compile(r"\$\{([^:}]+)(?::([^}]*))?\}")
_INJECTED = frozenset(("Value", "ConfigProperty", "Property"))
_OR_ELSE = frozenset(("orElse", "orElseGet", "orElseThrow"))
_FOLLOWED = 12
# A choice further away than so many lines is not shown with the read.
_NEAR = 8


def settings(context: Context) -> list[Setting]:
    constants, types = _constants(context), Types(context.tree)
    drafts = [d for n in context.tree.tag("call") if (d := _call(n, constants, types)) is not None]
    drafts += [d for n in context.tree.nodes if n.type == "annotation" for d in _injected(n, constants)]
    return sorted((_finish(d, context) for d in drafts), key=lambda s: (s.start, s.end))


def _constants(context: Context) -> dict[str, str]:
    """Strings that a field of this file names."""
    found = {}
    for node in context.tree.tag("assign"):
        if node.type == "variable_declarator" and node.env.scope.kind == "class":
            name, text = node.role("left"), string_value(node.role("right"))
            if name is not None and text is not None:
                found[name.text] = text
    return found


def _key(node: Node | None, constants: dict[str, str]) -> str:
    return "" if node is None else string_value(node) or constants.get(node.text.rpartition(".")[2], "")


def _call(node: Node, constants: dict[str, str], types: Types) -> Draft | None:
    callee = callee_node(node)
    receiver, name = split(callee)
    key, second = _key(positional(node, 0), constants), positional(node, 1)
    fallback = second.text if second is not None else None
    if not key:
        return None
    if (receiver, name) == ("System", "getenv"):
        return Draft(node, key, "environment")
    if receiver == "System.getenv()" and name in ("get", "getOrDefault"):
        return Draft(node, key, "environment", fallback)
    if _PROPERTY.match(name):
        return Draft(node, key, "lookup", fallback, name == "getRequiredProperty")
    if (receiver, name) in _SYSTEM:
        return Draft(node, key, "lookup", fallback or ("false" if name == "getBoolean" else None))
    if _ENV_HELPER.match(name) and key.upper() == key:
        return Draft(node, key, "environment", fallback, name.lower().startswith(("must", "require")))
    target = callee.role("object") if callee is not None and callee.tag == "member" else None
    if target is not None and _GETTER.match(name) and (is_config(receiver) or _is_configuration(target, types)):
        return Draft(node, key, "lookup", fallback if name != "getValue" and fallback != "null" else None)
    return None


def _is_configuration(target: Node, types: Types) -> bool:
    name = target.role("name") if target.tag == "member" else target
    written = types.of(name.raw, target) if name is not None and not name.children else ""
    return written.partition("<")[0].rpartition(".")[2] in _CONFIG_TYPES


def _injected(node: Node, constants: dict[str, str]) -> Iterator[Draft]:
    """``@Value("${key:fallback}")``, ``@ConfigProperty(name = "key", defaultValue = "fallback")``"""
    name, listed = node.child("name"), node.child("arguments")
    if name is None or listed is None or name.text.rpartition(".")[2] not in _INJECTED:
        return
    pairs = {}
    for part in listed.parts:
        key, value = part.child("key"), part.child("value")
        pairs[key.text if key is not None else "value"] = value if key is not None else part
    text = _key(pairs.get("value"), constants)
    for found in _PLACEHOLDER.finditer(text):
        fallback = None if found[2] is None else f'"{found[2]}"'
        yield Draft(node, found[1].strip(), "lookup", fallback, found[2] is None)
    key_text, default = _key(pairs.get("name"), constants), pairs.get("defaultValue")
    if key_text:
        yield Draft(node, key_text, "lookup", default.text if default is not None else None, default is None)


def _finish(draft: Draft, context: Context) -> Setting:
    end = draft.node.last
    if draft.fallback is None and not draft.required:
        _wrapped(draft)
    if draft.fallback is None and not draft.required:
        end = max(end, _chosen(draft, context))
    made = finish(draft, context)
    return replace(made, fallback=_read_as(draft.node, made.fallback), end=end)


def _read_as(node: Node, fallback: str | None) -> str | None:
    """The fallback of ``Boolean.parseBoolean(read("k", "true"))`` as the value that it becomes."""
    above = node.parent.parent if node.parent is not None and node.parent.type == "argument_list" else None
    name = split(callee_node(above))[1] if above is not None and above.tag == "call" else ""
    return fallback.strip('"') if fallback and name.startswith(("parse", "valueOf")) else fallback


def _wrapped(draft: Draft) -> None:
    """``Optional.ofNullable(read()).orElse(d)``, ``requireNonNullElse(read(), d)``, ``requireNonNull(read())``"""
    above = draft.node.parent
    call = above.parent if above is not None and above.type == "argument_list" else None
    if call is None or call.tag != "call" or argument_nodes(call)[:1] != [draft.node]:
        return
    name = split(callee_node(call))[1]
    if name == "requireNonNull":
        draft.required = True
    elif name in ("requireNonNullElse", "defaultIfBlank", "defaultIfEmpty", "defaultString", "firstNonNull"):
        given = positional(call, 1)
        draft.fallback = given.text if given is not None else None
    elif name == "ofNullable":
        _or_else(draft, call)


def _or_else(draft: Draft, call: Node) -> None:
    here: Node | None = call
    while here is not None and here.parent is not None and here.parent.tag == "member":
        outer = here.parent.parent
        name = here.parent.role("name")
        if outer is None or outer.tag != "call" or name is None:
            return
        if name.raw in _OR_ELSE:
            given = positional(outer, 0)
            draft.required = name.raw == "orElseThrow"
            draft.fallback = None if draft.required or given is None else given.text.removeprefix("() -> ")
            return
        here = outer


def _chosen(draft: Draft, context: Context) -> int:
    """``value != null ? value : d`` in the statements after ``String value = read()``, or around the read itself.

    Gives the line on which that ends: the fallback is part of how the setting is read.
    """
    assign = next((n for n in draft.node.up() if n.tag == "assign"), None)
    target = assign.role("left") if assign is not None and draft.node.use == "assigned" else None
    names = {dotted(draft.node)} | ({dotted(target)} if target is not None else set())
    first = assign.index if assign is not None else draft.node.index - 1
    for node in [n for n in context.tree.tag("ternary") if n.index >= first - 2][:_FOLLOWED]:
        if node.scope == draft.node.scope and (found := _other(node, names)) is not None:
            draft.fallback = found.text
            return node.last if node.last - draft.node.last <= _NEAR else 0
    return 0


def _other(node: Node, names: set[str]) -> Node | None:
    """The branch of a ternary that runs where one of the names is null or blank."""
    test = node.role("test")
    while test is not None and test.tag == "group" and test.parts:
        test = test.parts[0]
    if test is None:
        return None
    call = call_of(test)
    if call is not None and split(callee_node(call))[1] in ("isEmpty", "isBlank", "isNull"):
        receiver = split(callee_node(call))[0]
        return node.role("body") if receiver in names or {a.text for a in argument_nodes(call)} & names else None
    if test.tag != "compare" or not any(p.type == "null_literal" for p in test.parts):
        return None
    if not any(dotted(p) in names for p in test.parts):
        return None
    return node.role("body" if operators(test) == ["=="] else "other")
