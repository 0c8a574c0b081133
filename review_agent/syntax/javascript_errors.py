"""JavaScript's catch clauses and handlers of promises, what it throws, and what its calls do in them."""

from __future__ import annotations

import re

from review_agent.syntax.calls import argument_nodes, call_of, callee_node, dotted, split
from review_agent.syntax.context import Context
from review_agent.syntax.flow import inside, operators, passes_on, statements
from review_agent.syntax.javascript_names import pattern_names
from review_agent.syntax.model import Handler, Raise
from review_agent.syntax.tree import Node

__all__ = [
    "call_action",
    "caught",
    "handlers",
    "is_error",
    "kept",
    "raises",
    "return_action",
    "returned",
    "tests_error",
]

_LOGGER = re.compile(r"(?i)^_*(console|log|logging|logger|debug|winston|pino|\w*_?log(ger)?)$")
_LOG_NAMES = frozenset(
    ("debug", "info", "warning", "warn", "error", "exception", "critical", "fatal", "log", "trace", "notice", "verbose",
     "silly", "http", "dir", "table")
)  # fmt: skip
_LOG_CALLS = frozenset(("debug", "log", "process.stderr.write", "process.stdout.write", "process.emitWarning",
                        "Sentry.captureException", "captureException", "reportError"))  # fmt: skip
_EXITS = frozenset(("process.exit", "process.abort", "Deno.exit"))
_RAISES = frozenset(("assert.fail", "t.fail", "fail", "notFound", "redirect"))
_ANY = "Error"


def call_action(call: Node) -> str:
    """What a call statement does: log, exit, raise or call."""
    callee = dotted(callee_node(call))
    if callee in _EXITS:
        return "exit"
    if callee in _RAISES:
        return "raise"
    receiver, name = split(callee_node(call))
    if callee in _LOG_CALLS or (name in _LOG_NAMES and _LOGGER.match(receiver.rpartition(".")[2])):
        return "log"
    return "call"


def returned(node: Node) -> list[Node]:
    return node.parts[:1]


def return_action(node: Node, binds: str) -> str:
    """An error that is handed back as a value or a rejection is not dropped."""
    value = node.parts[0] if node.parts else None
    if value is None or value.type in ("null", "undefined"):
        return "return_none"
    call = call_of(value)
    if call is not None and dotted(callee_node(call)) == "Promise.reject":
        return "raise"
    is_error = binds and value.type == "identifier" and value.raw == binds
    return "return_error" if is_error else "return"


def is_error(name: str) -> bool:
    """Whether a dotted name is an error by Node's naming."""
    return re.fullmatch(r"err|error|e|\w*(Err|Error)", name.rpartition(".")[2]) is not None


def tests_error(receiver: str, name: str) -> bool:
    return name in ("isError", "isAxiosError", "isHttpError", "isNativeError")


def _body(handler: Node) -> Node | None:
    """What handles: the block of a catch clause, or of a function given to ``catch``."""
    if handler.type == "catch_clause":
        return handler.role("body")
    listed = argument_nodes(handler)
    return listed[0].child("body") if listed else None


def _parameter(handler: Node) -> Node | None:
    if handler.type == "catch_clause":
        return handler.child("parameter")
    listed = argument_nodes(handler)
    return (listed[0].child("parameter") or listed[0].child("parameters")) if listed else None


def bound_name(handler: Node) -> str:
    given = _parameter(handler)
    if given is None:
        return ""
    if given.type == "formal_parameters":
        given = given.parts[0] if given.parts else None
    names = [one.text for one in pattern_names(given)] if given is not None else []
    return names[0] if len(names) == 1 else ""


def handler_types(handler: Node) -> tuple[str, ...]:
    """JavaScript catches all; where what is not wanted is thrown again, the types tested for are what is caught."""
    body, binds = _body(handler), bound_name(handler)
    if body is None or not binds or not _throws_again(body, binds):
        return (_ANY,)
    tested = [
        dotted(node.parts[-1])
        for node in inside(body)
        if node.tag == "compare" and "instanceof" in operators(node) and dotted(node.parts[0]) == binds
    ]
    return tuple(dict.fromkeys(tested)) or (_ANY,)


def _throws_again(body: Node, binds: str) -> bool:
    return any(node.tag == "raise" and node.parts and node.parts[0].text == binds for node in inside(body))


def caught(block: Node) -> tuple[str, ...]:
    return tuple(t for one in _handlers_of(block) for t in handler_types(one))


def kept(block: Node) -> tuple[str, ...]:
    """The types that end in a handler of this try statement: for all of them a missing value's error is named too."""
    types = [t for one in _handlers_of(block) if not _passes_on(one) for t in handler_types(one)]
    return tuple("TypeError" if one == _ANY else one for one in types)


def _handlers_of(block: Node) -> list[Node]:
    if block.tag == "call":
        return [block]
    return [one for one in block.children if one.tag == "handler"]


def _passes_on(handler: Node) -> bool:
    return passes_on(_body(handler), bound_name(handler))


def handlers(context: Context) -> list[Handler]:
    found = [_handler(node, context) for node in context.tree.tag("handler") + context.tree.tag("promise")]
    return sorted((one for one in found if one is not None), key=lambda one: (one.start, one.end))


def _handler(node: Node, context: Context) -> Handler | None:
    body, flow, block = _body(node), context.flow, node.parent
    if body is None or block is None:
        return None
    binds, source = bound_name(node), ""
    if node.tag == "handler":
        tried = statements(block.role("body")) if block.tag == "try" else []
        if not tried:
            return None
        start, end, first, last = node.line, node.last, tried[0].line, tried[-1].last
    else:
        callee = node.role("callee")
        held = callee.role("object") if callee is not None else None
        if held is None:
            return None
        given = argument_nodes(node)[0]
        start, end, first, last = given.line, given.last, held.line, held.last
    return Handler(
        types=handler_types(node),
        binds=binds,
        actions=_actions(body, binds, context),
        uses_error=flow.uses(body, binds),
        start=start,
        end=end,
        try_start=first,
        try_end=last,
        scope=node.scope,
        loop=flow.adapter.loop_kind(node.env.loop) if node.env.loop else "",
        source=source,
    )


def _actions(body: Node, binds: str, context: Context) -> tuple[str, ...]:
    """A function without a block answers the value of its expression."""
    if body.type == "statement_block":
        return context.flow.actions(body, binds)
    if body.type in ("null", "undefined"):
        return ("return_none",)
    call = call_of(body)
    return (call_action(call),) if call is not None else ("return",)


def raises(context: Context) -> list[Raise]:
    found = [_raise(node, node.parts[0] if node.parts else None) for node in context.tree.tag("raise")]
    for node in context.tree.tag("return"):
        call = call_of(node.parts[0]) if node.parts else None
        if call is not None and dotted(callee_node(call)) == "Promise.reject":
            found.append(_raise(node, next(iter(argument_nodes(call)), None)))
    return sorted(found, key=lambda one: (one.start, one.end))


def _raise(node: Node, value: Node | None) -> Raise:
    handler = node.env.handler
    written = _raised(value)
    if handler is not None and written and written == bound_name(handler):
        written = ""
    return Raise(written, node.text, _cause(value), node.line, node.last, node.scope, handler is not None)


def _raised(value: Node | None) -> str:
    """The type thrown: ``X`` for ``new X(...)`` and ``X(...)``; a name for what it holds."""
    while value is not None and value.tag == "group" and value.parts:
        value = value.parts[0]
    if value is not None and value.type == "call_expression" and split(callee_node(value)) == ("Object", "assign"):
        value = next(iter(argument_nodes(value)), None)
    call = call_of(value)
    return dotted(callee_node(call)) if call is not None else dotted(value) if value is not None else ""


def _cause(value: Node | None) -> str:
    """``new X("…", { cause: e })`` carries ``e``."""
    call = call_of(value)
    for given in argument_nodes(call)[1:] if call is not None else ():
        for part in given.parts if given.type == "object" else ():
            if part.type == "pair" and (key := part.child("key")) is not None and key.text == "cause":
                carried = part.child("value")
                return dotted(carried) if carried is not None else ""
            if part.type == "shorthand_property_identifier" and part.text == "cause":
                return "cause"
    return ""
