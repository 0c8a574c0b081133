"""Where Go reads or declares settings: the environment, flags, viper, struct tags."""

from __future__ import annotations

import re
from collections.abc import Iterator

from review_agent.syntax.calls import callee_node, split
from review_agent.syntax.context import Context
from review_agent.syntax.go_symbols import string_value
from review_agent.syntax.model import Setting
from review_agent.syntax.settings import Draft, finish, is_config, positional
from review_agent.syntax.tree import Node

_FLAG = re.compile(
    r"^(String|Bool|Int|Int8|Int16|Int32|Int64|Uint|Uint16|Uint32|Uint64|Float32|Float64|Duration|Count|IP"
    r"|StringSlice|StringArray|IntSlice|StringToString|DurationSlice|Text|Func|Var)(Var)?(P)?$"
)
_FLAG_OWNER = re.compile(r"(?i)(^|\.)(p?flags?|fs|f|\w*flags?(et)?|\w*flags\(\))$")
_ENV_HELPER = re.compile(r"(?i)^(get|lookup|read|must)?env(or|default|str|string|int|bool|duration|with)?\w*$")
_GETTER = re.compile(r"^(Get\w*|IsSet|SetDefault|BindEnv|MustGet\w*)$")
_TAG = re.compile(r'([\w.-]+):"((?:[^"\\]|\\.)*)"')
_TAG_NAMES = frozenset(
    ("env", "envconfig", "json", "yaml", "yml", "toml", "xml", "ini", "hcl", "mapstructure", "koanf", "bson",
     "db", "form", "query", "uri", "header", "flag", "long", "config", "csv", "msgpack", "cbor", "gorm",
     "param")
)  # fmt: skip


def settings(context: Context) -> list[Setting]:
    constants = _constants(context)
    required = _marked_required(context)
    drafts = [d for n in context.tree.tag("call") if (d := _call(n, constants, required)) is not None]
    drafts += [d for n in context.tree.nodes if n.type == "field_declaration" for d in _tags(n)]
    return sorted((finish(d, context) for d in drafts), key=lambda s: (s.start, s.end))


def _constants(context: Context) -> dict[str, str]:
    found = {}
    for node in context.tree.tag("assign"):
        if node.type in ("const_spec", "var_spec") and node.scope == "":
            for name, value in zip(node.all("name"), context.adapter.values(node), strict=False):
                text = string_value(value)
                if text is not None:
                    found[name.text] = text
    return found


def _key(node: Node | None, constants: dict[str, str]) -> str:
    return "" if node is None else string_value(node) or constants.get(node.text, "")


def _marked_required(context: Context) -> set[tuple[str, str]]:
    """(scope, flag) of cobra's MarkFlagRequired."""
    found = set()
    for node in context.tree.tag("call"):
        if split(callee_node(node))[1] in ("MarkFlagRequired", "MarkPersistentFlagRequired"):
            found.add((node.scope, _key(positional(node, 0), {})))
    return found


def _call(node: Node, constants: dict[str, str], required: set[tuple[str, str]]) -> Draft | None:
    receiver, name = split(callee_node(node))
    if receiver in ("os", "syscall") and name in ("Getenv", "LookupEnv"):
        key = _key(positional(node, 0), constants)
        return Draft(node, key, "environment") if key else None
    found = _FLAG.match(name)
    if found is not None and _FLAG_OWNER.search(receiver):
        return _flag(node, name, constants, required)
    key, second = _key(positional(node, 0), constants), positional(node, 1)
    if not key:
        return None
    fallback = second.text if second is not None else None
    if _ENV_HELPER.match(name) and key.upper() == key:
        return Draft(node, key, "environment", fallback, name.lower().startswith("must"))
    owner = receiver.rpartition(".")[2]
    if (owner in ("viper", "v") or is_config(receiver)) and _GETTER.match(name):
        return Draft(node, key, "lookup", fallback if name == "SetDefault" else None)
    return None


def _flag(node: Node, name: str, constants: dict[str, str], required: set[tuple[str, str]]) -> Draft | None:
    """``String(name, default, usage)``, with a target first for Var and a shorthand after the name for P."""
    stem = name.removesuffix("P")
    at = 1 if stem.endswith("Var") else 0
    key = _key(positional(node, at), constants)
    has_default = stem not in ("Var", "Func", "Count", "CountVar")
    default = positional(node, at + (2 if name.endswith("P") else 1)) if has_default else None
    if not key:
        return None
    is_required = (node.scope, key) in required
    return Draft(node, key, "flag", default.text if default is not None else None, is_required)


def _tags(node: Node) -> Iterator[Draft]:
    tag = node.child("tag")
    pairs = _TAG.findall(string_value(tag) or "") if tag is not None else []
    entries = dict(pairs)
    fallback = entries.get("envDefault", entries.get("default"))
    rules = f"{entries.get('validate', '')},{entries.get('binding', '')}".split(",")
    for name, text in pairs:
        key, *options = text.split(",")
        if name in _TAG_NAMES and key not in ("", "-") and ":" not in key:
            needed = "required" in options or "required" in rules or entries.get("required") == "true"
            yield Draft(node, key, "tag", fallback, needed)
