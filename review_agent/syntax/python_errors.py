"""Python's except clauses and raise statements, and what its calls do in them."""

from __future__ import annotations

import re

from review_agent.syntax.calls import call_of, callee_node, dotted, split
from review_agent.syntax.context import Context
from review_agent.syntax.flow import passes_on, statements
from review_agent.syntax.model import Handler, Raise
from review_agent.syntax.tree import Node

_LOGGER = re.compile(r"(?i)^_*(log|logging|logger|warnings|structlog|\w*_log|\w*logger)$")
_LOG_NAMES = frozenset(
    ("debug", "info", "warning", "warn", "error", "exception", "critical", "fatal", "log", "trace", "notice")
)
_LOG_CALLS = frozenset(
    ("print", "traceback.print_exc", "traceback.print_exception", "click.echo", "typer.echo", "click.secho",
     "sys.stderr.write", "self.stderr.write", "sentry_sdk.capture_exception", "capture_exception")
)  # fmt: skip
_EXITS = frozenset(("sys.exit", "os._exit", "exit", "quit", "os.abort", "parser.error"))
_RAISES = frozenset(("abort", "flask.abort", "self.fail", "pytest.fail", "pytest.skip", "self.skipTest"))


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
    parts = node.parts
    return "return_none" if not parts or parts[0].type == "none" else "return"


def handler_types(handler: Node) -> tuple[str, ...]:
    """What an except clause catches; a bare one is BaseException."""
    value = handler.child("value")
    if value is not None and value.type == "as_pattern":
        value = value.parts[0]
    if value is None:
        return ("BaseException",)
    return tuple(dotted(n) for n in value.parts) if value.type == "tuple" else (dotted(value),)


def caught(block: Node) -> tuple[str, ...]:
    return tuple(t for c in block.children if c.tag == "handler" for t in handler_types(c))


def kept(block: Node) -> tuple[str, ...]:
    """The types that end in a handler of this try statement, which does not raise the same error again."""
    return tuple(t for c in block.children if c.tag == "handler" and not _passes_on(c) for t in handler_types(c))


def _passes_on(handler: Node) -> bool:
    return passes_on(handler.role("body"), bound_name(handler))


def bound_name(handler: Node) -> str:
    value = handler.child("value")
    alias = value.child("alias") if value is not None else None
    return alias.text if alias is not None else ""


def handlers(context: Context) -> list[Handler]:
    found, flow = [], context.flow
    for node in context.tree.tag("handler"):
        block, body = node.parent, node.role("body")
        tried = statements(block.role("body")) if block is not None and block.tag == "try" else []
        if body is None or not tried:
            continue
        binds = bound_name(node)
        found.append(
            Handler(
                types=handler_types(node),
                binds=binds,
                actions=flow.actions(body, binds),
                uses_error=flow.uses(body, binds),
                start=node.line,
                end=node.last,
                try_start=tried[0].line,
                try_end=tried[-1].last,
                scope=node.scope,
                loop=flow.adapter.loop_kind(node.env.loop) if node.env.loop else "",
                source="",
            )
        )
    return found


def raises(context: Context) -> list[Raise]:
    found = []
    for node in context.tree.tag("raise"):
        cause = node.child("cause")
        value = next((p for p in node.parts if p is not cause), None)
        handler = node.env.handler
        written = _raised(value)
        if handler is not None and written and written == bound_name(handler):
            written = ""
        wraps = dotted(cause) if cause is not None else ""
        found.append(Raise(written, node.text, wraps, node.line, node.last, node.scope, handler is not None))
    return found


def _raised(value: Node | None) -> str:
    """The type raised: ``X`` for ``X``, ``X(...)`` and ``X(...).with_traceback(tb)``."""
    call = call_of(value)
    while call is not None:
        callee = callee_node(call)
        inner = callee.role("object") if callee is not None and split(callee)[1] == "with_traceback" else None
        if inner is None:
            return dotted(callee)
        value, call = inner, call_of(inner)
    return dotted(value) if value is not None else ""
