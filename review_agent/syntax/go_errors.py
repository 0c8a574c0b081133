"""Go's error idiom: where an error is handled, made and passed on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from review_agent.syntax.calls import argument_nodes, callee_node, callee_of, dotted, split
from review_agent.syntax.context import Context
from review_agent.syntax.flow import inside, operators, reads
from review_agent.syntax.go_symbols import result_types
from review_agent.syntax.model import Handler, Raise
from review_agent.syntax.tree import Node, Tree

_ERROR_NAME = re.compile(r"(^(err|error)([A-Z0-9_]\w*)?|\w*(Err|Error|_err)|[a-z]{1,3}err)\d*$")
_SENTINEL = re.compile(r"^([Ee]rr(or)?[A-Z]\w*|EOF)$")
_LOG_NAME = re.compile(r"^(Trace|Debug|Info|Notice|Warn|Warning|Error|Print|Log)(f|ln|w|Context|Ctx|S|Depth)?$")
_CHAINED_LOG = frozenset(("Msg", "Msgf", "Send"))
_TESTING = frozenset(("t", "b", "tb"))
_MAKERS = frozenset(("New", "Errorf", "Wrap", "Wrapf", "WithStack", "WithMessage", "WithMessagef", "Join"))
_ERROR_PACKAGES = frozenset(("errors", "fmt", "xerrors"))
_VERB = re.compile(r"%[-+# 0]*(?:\[\d+\])?(?:\d+|\*)?(?:\.(?:\d+|\*))?([a-zA-Z%])")


def is_error(name: str) -> bool:
    """Whether a dotted name is an error by Go's naming."""
    return _ERROR_NAME.match(name.rpartition(".")[2]) is not None


def tests_error(receiver: str, name: str) -> bool:
    return (receiver in ("errors", "xerrors") and name in ("Is", "As")) or (receiver == "os" and name.startswith("Is"))


def call_action(call: Node) -> str:
    """What a call statement does: log, exit, raise or call."""
    receiver, name = split(callee_node(call))
    if name == "panic" or name.startswith("Panic"):
        return "raise"
    if name.startswith("Fatal") or (name, receiver) in (("Exit", "os"), ("Goexit", "runtime")):
        return "exit"
    if name in _CHAINED_LOG and re.search(r"(?i)\blog", receiver):
        return "log"
    if receiver == "fmt" and name.startswith(("Print", "Fprint")):
        return "log"
    is_log = _LOG_NAME.match(name) and call.use == "ignored" and receiver
    return "log" if is_log and (receiver not in _TESTING or name.startswith("Log")) else "call"


def handler_body(node: Node) -> tuple[str, Node | None]:
    """The error name and the block that runs when it is not nil: of ``if err != nil {}`` or ``== nil {} else {}``."""
    for part, conjunct in _conjuncts(node.role("test")):
        words, names = operators(part), [dotted(p) for p in part.parts if p.type != "nil"]
        if len(names) != 1 or len(part.parts) != 2 or not is_error(names[0]):
            continue
        if words == ["!="]:
            return names[0], node.role("body")
        other = node.role("other")
        if words == ["=="] and not conjunct and other is not None and other.tag != "if":
            return names[0], other
    return "", None


def _conjuncts(test: Node | None) -> Iterator[tuple[Node, bool]]:
    rest = [(test, False)]
    while rest:
        node, within = rest.pop()
        if node is not None and node.tag in ("and", "group"):
            rest += [(p, within or node.tag == "and") for p in reversed(node.parts)]
        elif node is not None and node.tag == "compare":
            yield node, within


def mark_handlers(tree: Tree) -> None:
    """Opens the handler context on the blocks that run when an error is not nil."""
    for node in tree.tag("if"):
        _, body = handler_body(node)
        if body is not None:
            body.opens = (*body.opens, ("handler", node))


def handlers(context: Context) -> list[Handler]:
    found, flow = [], context.flow
    for node in context.tree.tag("if"):
        name, body = handler_body(node)
        test = node.role("test")
        if body is None or test is None:
            continue
        binding = context.bindings.reaching(name, test)
        setter = binding.statement if binding is not None else node
        found.append(
            Handler(
                types=("error",),
                binds=name,
                actions=flow.actions(body, name),
                uses_error=flow.uses(body, name),
                start=node.line,
                end=body.last,
                try_start=setter.line,
                try_end=setter.last,
                scope=node.scope,
                loop=flow.adapter.loop_kind(node.env.loop) if node.env.loop else "",
                source=callee_of(binding.value) if binding is not None else "",
            )
        )
    return found


def returned(node: Node) -> list[Node]:
    return node.parts[0].parts if node.parts else []


def return_action(node: Node, binds: str) -> str:
    """return_error where the handled error goes out, raise where another is made for it."""
    values = returned(node)
    if any(reads(n, binds) or (n.tag == "member" and dotted(n) == binds) for v in values for n in v.walk()):
        return "return_error"
    if not values:
        named = _result_names(node)
        return "return_error" if binds in named else "return_none" if not named else "return"
    if made(values[-1]) is not None and _returns_error(node):
        return "raise"
    dropped = values[-1].type == "nil" and _returns_error(node)
    return "return_none" if dropped or all(v.type == "nil" for v in values) else "return"


def _function(node: Node) -> Node | None:
    return node.env.closure or node.env.scope.node


def _result_names(node: Node) -> list[str]:
    function = _function(node)
    result = function.child("result") if function is not None else None
    parts = result.parts if result is not None and result.type == "parameter_list" else []
    return [n.text for p in parts for n in p.all("name")]


def _returns_error(node: Node) -> bool:
    function = _function(node)
    types = result_types(function) if function is not None and function.tag in ("function", "closure") else ()
    return bool(types) and (types[-1] == "error" or types[-1].endswith("Error"))


def made(value: Node) -> str | None:
    """How an error is made by an expression: ``ErrX``, ``fmt.Errorf``, ``&MyErr``; None if it is not."""
    if value.tag == "call":
        receiver, name = split(callee_node(value))
        return f"{receiver}.{name}" if receiver in _ERROR_PACKAGES and name in _MAKERS else None
    if value.tag == "member" or value.type == "identifier":
        written = dotted(value)
        return written if _SENTINEL.match(written.rpartition(".")[2]) else None
    star = "&" if value.type == "unary_expression" and value.children[0].type == "&" else ""
    literal = value.parts[0] if star and value.parts else value
    kind = literal.child("type") if literal.type == "composite_literal" else None
    return f"{star}{kind.text}" if kind is not None and kind.type in ("type_identifier", "qualified_type") else None


def raises(context: Context) -> list[Raise]:
    found = []
    for node in context.tree.tag("return"):
        values = returned(node)
        written = made(values[-1]) if values and _returns_error(node) else None
        # A name that the function itself sets holds an error from elsewhere, whatever it is called.
        if written is not None and context.bindings.last(written, node) is None:
            wraps, handler = _wrapped(values[-1]), node.env.handler
            found.append(Raise(written, node.text, wraps, node.line, node.last, node.scope, handler is not None))
    return found


def _wrapped(value: Node) -> str:
    """What a made error carries: the arguments of %w, the first argument of a Wrap, an error field of a literal."""
    if value.tag == "call":
        _, name = split(callee_node(value))
        listed = list(argument_nodes(value))
        if name == "Errorf" and listed:
            verbs = [v for v in _VERB.findall(listed[0].raw) if v != "%"]
            return ", ".join(dotted(a) for v, a in zip(verbs, listed[1:], strict=False) if v == "w")
        return dotted(listed[0]) if listed and name.startswith(("Wrap", "With")) else ""
    for field in inside(value):
        key, carried = field.role("name"), field.role("value")
        if field.tag == "keyed" and key is not None and carried is not None and is_error(key.text):
            return carried.text
    return ""
