"""Java's catch clauses and throw statements, and what its calls do in them."""

from __future__ import annotations

import re

from review_agent.syntax.calls import argument_nodes, call_of, callee_node, dotted, split
from review_agent.syntax.context import Context
from review_agent.syntax.flow import passes_on, statements
from review_agent.syntax.java_types import Types
from review_agent.syntax.model import Handler, Raise
from review_agent.syntax.tree import Node

__all__ = ["call_action", "caught", "handlers", "kept", "raises", "return_action", "returned"]

_LOGGER = re.compile(r"(?i)^_*(log|logger|logging|\w*_log|\w*logger)$")
_LOG_NAMES = frozenset(
    ("trace", "debug", "info", "warn", "warning", "error", "fatal", "severe", "fine", "finer", "finest", "log",
     "config", "logp", "throwing")
)  # fmt: skip
_PRINTS = re.compile(r"^System\.(out|err)\.(print\w*|format|write)$")
_EXITS = frozenset(("System.exit", "Runtime.getRuntime().exit", "Runtime.getRuntime().halt"))
_FAILS = frozenset(("fail", "Assert.fail", "Assertions.fail"))
# Values that stand for nothing: a handler that returns one is as silent as one that returns null.
_EMPTY = frozenset(("Optional.empty()", "OptionalInt.empty()", "OptionalLong.empty()"))


def call_action(call: Node) -> str:
    """What a call statement does: log, exit, raise or call."""
    callee = dotted(callee_node(call))
    if callee in _EXITS:
        return "exit"
    if callee in _FAILS:
        return "raise"
    receiver, name = split(callee_node(call))
    if _PRINTS.match(callee) or name == "printStackTrace":
        return "log"
    root = receiver.partition("(")[0]
    is_logger = any(_LOGGER.match(part) for part in (receiver.rpartition(".")[2], root.partition(".")[0]))
    return "log" if is_logger and name in (*_LOG_NAMES, "setCause") else "call"


def returned(node: Node) -> list[Node]:
    return node.parts[:1]


def return_action(node: Node, binds: str) -> str:
    parts = node.parts
    return "return_none" if not parts or parts[0].type == "null_literal" or parts[0].text in _EMPTY else "return"


def _parameter(handler: Node) -> Node | None:
    return next((c for c in handler.children if c.type == "catch_formal_parameter"), None)


def handler_types(handler: Node) -> tuple[str, ...]:
    """What a catch clause catches, each of a multi-catch."""
    parameter = _parameter(handler)
    listed = [c for c in parameter.children if c.type == "catch_type"] if parameter is not None else []
    return tuple(dotted(one) for group in listed for one in group.parts)


def caught(block: Node) -> tuple[str, ...]:
    return tuple(t for c in block.children if c.tag == "handler" for t in handler_types(c))


def kept(block: Node) -> tuple[str, ...]:
    """The types that end in a handler of this try statement, which does not raise the same error again."""
    return tuple(t for c in block.children if c.tag == "handler" and not _passes_on(c) for t in handler_types(c))


def _passes_on(handler: Node) -> bool:
    return passes_on(handler.role("body"), bound_name(handler))


def bound_name(handler: Node) -> str:
    parameter = _parameter(handler)
    name = parameter.child("name") if parameter is not None else None
    return name.text if name is not None else ""


def handlers(context: Context) -> list[Handler]:
    found, flow = [], context.flow
    for node in context.tree.tag("handler"):
        block, body = node.parent, node.role("body")
        tried = statements(block.role("body")) if block is not None and block.tag == "try" else []
        held = block.child("resources") if block is not None else None
        if body is None or not (tried or held):
            continue
        first, last = (held or tried[0]), (tried[-1] if tried else held)
        binds = bound_name(node)
        found.append(
            Handler(
                types=handler_types(node),
                binds=binds,
                actions=flow.actions(body, binds),
                uses_error=flow.uses(body, binds),
                start=node.line,
                end=node.last,
                try_start=first.line,
                try_end=(last or first).last,
                scope=node.scope,
                loop=flow.adapter.loop_kind(node.env.loop) if node.env.loop else "",
                source="",
            )
        )
    return found


def raises(context: Context) -> list[Raise]:
    found, types = [], Types(context.tree)
    for node in context.tree.tag("raise"):
        value = node.parts[0] if node.parts else None
        handler = node.env.handler
        bound = bound_name(handler) if handler is not None else ""
        written = _raised(value, types)
        if written and written == bound:
            written = ""
        wraps = bound if bound and value is not None and _carries(value, bound) else ""
        found.append(Raise(written, node.text, wraps, node.line, node.last, node.scope, handler is not None))
    return found


def _raised(value: Node | None, types: Types) -> str:
    """The type thrown: ``X`` for ``new X(…)``, the declared type of a name; "" where a method makes what is thrown."""
    if value is not None and value.type == "cast_expression" and value.parts:
        return dotted(value.parts[0])
    while value is not None and value.tag == "group" and value.parts:
        value = value.parts[0]
    call = call_of(value)
    if call is not None:
        callee = callee_node(call)
        inner = callee.role("object") if callee is not None and split(callee)[1] == "initCause" else None
        made = call.type == "object_creation_expression"
        return _raised(inner, types) if inner is not None else dotted(callee) if made else ""
    if value is None or value.type != "identifier":
        return dotted(value) if value is not None and value.tag == "member" else ""
    return types.of(value.raw, value) or value.raw


def _carries(value: Node, name: str) -> bool:
    call = call_of(value)
    return call is not None and any(one.text == name for one in argument_nodes(call))
