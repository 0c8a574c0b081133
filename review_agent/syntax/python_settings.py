"""Where Python reads or declares settings: the environment, command line flags, configuration mappings."""

from __future__ import annotations

import re

from review_agent.syntax.calls import argument_nodes, callee_node, dotted, split
from review_agent.syntax.context import Context
from review_agent.syntax.model import Setting
from review_agent.syntax.presence import guarding_test
from review_agent.syntax.python_symbols import string_value
from review_agent.syntax.settings import Draft, finish, is_config, keyword, positional
from review_agent.syntax.tree import Node

_FLAGS = frozenset(("add_argument", "add_option", "option", "Option", "argument", "Argument"))
_FLAG_OWNERS = re.compile(r"^(|click|typer|\w*(parser|group|sub\w*|optgroup))$")
_READERS = frozenset(("get", "setdefault", "pop", "getint", "getfloat", "getboolean"))
_ENV_HELPER = re.compile(r"^(get_?env\w*|env_?(or|get|str|int|bool|float|var)\w*)$")
_ENV_TYPES = frozenset(
    ("", "str", "int", "bool", "float", "list", "dict", "json", "url", "path", "decimal", "db", "log_level")
)


def settings(context: Context) -> list[Setting]:
    constants = _constants(context)
    environs = _environs(context)
    drafts = [_call(node, constants, environs) for node in context.tree.tag("call")]
    drafts += [_subscript(node, constants, environs, context) for node in context.tree.tag("index")]
    found = [finish(draft, context) for draft in drafts if draft is not None]
    return sorted(found, key=lambda s: (s.start, s.end))


def _environs(context: Context) -> frozenset[str]:
    """How the process's environment is written here; WSGI calls a request's variables ``environ`` as well."""
    modules = [f"{i.alias}.environ" for i in context.imports if i.module == "os" and i.name is None]
    names = [i.alias for i in context.imports if i.module == "os" and i.name == "environ"]
    return frozenset(modules + names)


def _constants(context: Context) -> dict[str, str]:
    """Module-level names of plain strings."""
    found = {}
    for node in context.tree.tag("assign"):
        left, value = node.role("left"), string_value(node.role("right"))
        if left is not None and value is not None and node.scope == "":
            found[left.text] = value
    return found


def _key(node: Node | None, constants: dict[str, str]) -> str | None:
    if node is None:
        return None
    return string_value(node) if node.type == "string" else constants.get(node.text)


def _text(node: Node | None) -> str | None:
    return node.text if node is not None else None


def _call(node: Node, constants: dict[str, str], environs: frozenset[str]) -> Draft | None:
    receiver, name = split(callee_node(node))
    if name in _FLAGS:
        return _flag(node, receiver, name)
    if name == "getattr" and is_config(_text(positional(node, 0)) or ""):
        key = _key(positional(node, 1), constants)
        fallback = _text(positional(node, 2))
        return Draft(node, key, "lookup", fallback, fallback is None) if key else None
    key = _key(positional(node, 0), constants)
    if not key:
        return None
    fallback = _text(positional(node, 1)) or _text(keyword(node, "default", "fallback"))
    if receiver in environs and name in _READERS:
        return Draft(node, key, "environment", fallback, name == "pop" and fallback is None)
    return _read(node, receiver, name, key, fallback, constants)


def _read(
    node: Node, receiver: str, name: str, key: str, fallback: str | None, constants: dict[str, str]
) -> Draft | None:
    owner = receiver.rpartition(".")[2]
    if name == "getenv" and owner in ("", "os"):
        return Draft(node, key, "environment", fallback)
    if (owner == "env" and name in _ENV_TYPES) or (not receiver and name in ("env", "config") and key.isupper()):
        return Draft(node, key, "environment", fallback, fallback is None)
    if not receiver and _ENV_HELPER.match(name) and key.isupper():
        return Draft(node, key, "environment", fallback)
    if name not in _READERS or not is_config(receiver):
        return None
    option = _key(positional(node, 1), constants)
    # configparser: get(section, option, fallback=...)
    if option and (name != "get" or keyword(node, "fallback") is not None):
        return Draft(node, option, "lookup", _text(keyword(node, "fallback")), keyword(node, "fallback") is None)
    return Draft(node, key, "lookup", fallback, name == "pop" and fallback is None)


def _flag(node: Node, receiver: str, name: str) -> Draft | None:
    if not _FLAG_OWNERS.match(receiver.rpartition(".")[2].lower()):
        return None
    names = [value for a in argument_nodes(node) if (value := string_value(a)) is not None]
    default = keyword(node, "default")
    if name in ("Option", "Argument"):
        # typer: the first value is the default, `...` asks for one
        first = positional(node, 0)
        names = [n for n in names if n.startswith("-")]
        default = default or (first if first is not None and string_value(first) not in names else None)
        if default is not None and default.type == "ellipsis":
            default = None
    key = next((n for n in names if n.startswith("--")), names[0] if names else None)
    if key is None:
        return None
    asked = keyword(node, "required")
    is_needed = asked is not None and asked.type == "true"
    # click writes `--a/--b` for a pair and `-x, --xx` never: the first spelling names the flag
    return Draft(node, key.partition("/")[0], "flag", _text(default), is_needed or _is_positional(key, node))


def _is_positional(key: str, node: Node) -> bool:
    given = keyword(node, "nargs", "required", "default")
    return not key.startswith("-") and given is None


def _subscript(node: Node, constants: dict[str, str], environs: frozenset[str], context: Context) -> Draft | None:
    holder, key = node.role("object"), _key(node.role("key"), constants)
    if holder is None or not key or node.use == "write":
        return None
    name = dotted(holder)
    is_environment = name in environs
    if not is_environment and not is_config(name):
        return None
    written = node.role("key")
    guard = guarding_test(node, {f"{written.text if written else ''} in {name}"}, context.flow)
    caught = [t for block in node.env.tries for t in context.adapter.caught(block)]
    is_caught = bool({"KeyError", "LookupError", "Exception", "BaseException"} & set(caught))
    return Draft(node, key, "environment" if is_environment else "lookup", None, guard is None and not is_caught)
