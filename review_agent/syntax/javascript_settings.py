"""Where JavaScript reads or declares settings: the environment, command line flags, options taken apart."""

from __future__ import annotations

import re
from collections.abc import Iterator

from review_agent.syntax.calls import argument_nodes, callee_node, dotted, split
from review_agent.syntax.context import Context
from review_agent.syntax.javascript_values import string_text
from review_agent.syntax.model import Setting
from review_agent.syntax.settings import Draft, finish, is_config, positional
from review_agent.syntax.tree import Node

__all__ = ["settings"]

_ENVIRONMENTS = frozenset(("process.env", "import.meta.env", "Deno.env", "Bun.env", "env"))
_READERS = frozenset(("get", "getOrThrow"))
_ENV_HELPER = re.compile(r"^(get_?env\w*|env(Or|Get|Str|Int|Bool|Var)?\w*|require_?env\w*)$", re.IGNORECASE)
_OPTIONS = re.compile(r"(?i)^(\w*(options|opts|config|settings|props|params|defaults))$")


def settings(context: Context) -> list[Setting]:
    tree = context.tree
    drafts = [_member(node) for node in tree.tag("member")]
    drafts += [_index(node) for node in tree.tag("index")]
    drafts += [_call(node) for node in tree.tag("call")]
    found = [finish(draft, context) for draft in drafts if draft is not None]
    for node in tree.nodes:
        if node.type == "object_pattern":
            found += _taken_apart(node)
    return sorted(found, key=lambda one: (one.start, one.end))


def _is_environment(node: Node | None) -> bool:
    return node is not None and dotted(node) in _ENVIRONMENTS - {"env"}


def _is_written(node: Node) -> bool:
    return node.use == "write" or (node.parent is not None and node.parent.tag == "update")


def _member(node: Node) -> Draft | None:
    name = node.role("name")
    if name is None or not _is_environment(node.role("object")) or node.use == "called" or _is_written(node):
        return None
    return Draft(node, name.text, "environment")


def _index(node: Node) -> Draft | None:
    key, holder = string_text(node.role("key")), node.role("object")
    if not key or _is_written(node):
        return None
    if _is_environment(holder):
        return Draft(node, key, "environment")
    return Draft(node, key, "lookup") if is_config(dotted(holder)) else None


def _call(node: Node) -> Draft | None:
    receiver, name = split(callee_node(node))
    key = string_text(positional(node, 0))
    if not key or node.type == "new_expression":
        return None
    second = positional(node, 1)
    fallback = second.text if second is not None and second.type not in ("object", *_FUNCTIONS) else None
    if name == "option" and key.startswith("-"):
        return _flag(node, key)
    if receiver in ("Deno.env", "process.env") and name == "get":
        return Draft(node, key, "environment")
    if not receiver and _ENV_HELPER.match(name) and key.isupper():
        return Draft(node, key, "environment", fallback, "require" in name.lower())
    owner = receiver.rpartition(".")[2].lower()
    if name in _READERS and (is_config(receiver) or owner.endswith(("config", "configservice", "settings"))):
        return Draft(node, key, "lookup", fallback, name == "getOrThrow")
    return None


_FUNCTIONS = ("arrow_function", "function_expression")


def _flag(node: Node, key: str) -> Draft:
    """commander: ``option("-p, --port <n>", "what it is", "3000")``."""
    name = next((one for one in re.split(r"[\s,|]+", key) if one.startswith("--")), key.split()[0])
    rest = [one for one in argument_nodes(node)[2:] if one.type not in _FUNCTIONS and one.type != "identifier"]
    return Draft(node, name, "flag", rest[-1].text if rest else None)


def _taken_apart(pattern: Node) -> Iterator[Setting]:
    """``const { PORT = "80" } = process.env``, and options with a default: ``function f({ timeout = 30 })``."""
    source, is_parameter = _source(pattern)
    environment = source in _ENVIRONMENTS - {"env"}
    if not environment and not is_parameter and not _OPTIONS.match(source.rpartition(".")[2]):
        return
    for part in pattern.parts:
        key, default = _key_and_default(part)
        if key and (environment or default is not None):
            carrier = "environment" if environment else "lookup"
            yield Setting(key, carrier, default, False, part.line, part.last, part.scope)


def _source(pattern: Node) -> tuple[str, bool]:
    """What a pattern takes apart, and whether that is a parameter."""
    holder = pattern.parent
    if holder is None:
        return "", False
    if holder.type in ("formal_parameters", "required_parameter", "optional_parameter"):
        return "", True
    if holder.type == "assignment_pattern" and holder.parent is not None:
        return "", holder.parent.type in ("formal_parameters", "required_parameter")
    value = holder.child("value") or holder.child("right")
    if value is not None and value.tag == "or":
        value = value.role("left")
    is_source = holder.type in ("variable_declarator", "assignment_expression")
    return (dotted(value) if is_source else ""), False


def _key_and_default(part: Node) -> tuple[str, str | None]:
    if part.type == "shorthand_property_identifier_pattern":
        return part.text, None
    if part.type == "object_assignment_pattern":
        name, default = part.child("left"), part.child("right")
        return (name.text if name is not None else ""), (default.text if default is not None else None)
    key, value = part.child("key"), part.child("value")
    if part.type != "pair_pattern" or key is None or value is None:
        return "", None
    default = value.child("right") if value.type == "assignment_pattern" else None
    return key.text.strip("'\""), (default.text if default is not None else None)
