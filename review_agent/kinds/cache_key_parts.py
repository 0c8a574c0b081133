"""Parts of cache keys: whether a value is a key, which part an edit took from it, what that part is read from."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.base import (
    text,
    texts,
)
from review_agent.kinds.bodies import has_word, named
from review_agent.kinds.cache_access import act_of, cachey, holder
from review_agent.kinds.functions import function_of, split
from review_agent.syntax.roles import words_of
from review_agent.vocabulary import (
    Edit,
    EditOp,
)

__all__ = ["HOOKS", "OBJECT", "OPS", "is_key", "lost", "root_of"]

OPS = frozenset(
    {
        EditOp.COMPONENT_REMOVED,
        EditOp.ENTRY_REMOVED,
        EditOp.ARGUMENT_REMOVED,
        EditOp.ARGUMENT_CHANGED,
        EditOp.DECORATOR_CHANGED,
    }
)
OBJECT = frozenset({"self", "this", "cls"})
_STANDING = named("digest fingerprint hash path file filename checksum slot tag")
_PATHS = named("join Join joinpath resolve of get path")
# Hooks of React and its query libraries that keep a value for the list that they are given.
HOOKS = named("useMemo useCallback useSWR useSWRImmutable unstable_cache useMemoOne")
_WRAPPERS = named("""
    str String int len repr hash sorted tuple join lower upper strip toString toLowerCase toUpperCase trim fmt
    strconv Itoa FormatInt Sprint Sprintf strings ToLower ToUpper TrimSpace encodeURIComponent JSON stringify json
    dumps quote quote_plus url QueryEscape PathEscape Objects requireNonNull valueOf isoformat format int64 uint64
    string bool encode hexdigest md5 sha1 sha256 b64encode frozenset map list set getId get name value id ID
""")


def is_key(edit: Edit) -> bool:
    """Whether the value that an edit is about says that it is a key: by its name, its place or what it indexes."""
    target, call, kind = text(edit, "target"), text(edit, "call"), text(edit, "type")
    last = split(function_of(edit))[1]
    if any(_key_name(one) for one in (target, kind, text(edit, "maker"))) or call.endswith("[]") or call in HOOKS:
        return True
    act = act_of(call.rpartition(".")[2]) if call else ""
    if act == "both" or (act and cachey(holder(call))):
        return True
    return bool(edit.facts.get("returned")) and (_key_name(last) or last.lower() in ("hashcode", "__hash__", "hash"))


def _stands_for(name: str) -> bool:
    """Whether a name says that its value stands for another one, as a digest or the path of a file does."""
    return bool(_STANDING & set(words_of(name.rpartition(".")[2])))


def _key_name(name: str) -> bool:
    parts = words_of(name.rpartition(".")[2])
    return bool({"key", "keys", "ck", "cachekey", "etag"} & set(parts)) or bool(parts and cachey(parts[-1], sure=True))


def lost(edit: Edit) -> str:
    """The part that a key lost by an edit, "" where it lost none."""
    if edit.op is EditOp.COMPONENT_REMOVED:
        return edit.subject if is_key(edit) or _stands_for(text(edit, "target")) else ""
    if edit.op is EditOp.ENTRY_REMOVED:
        keyed = _key_name(text(edit, "type")) or _key_name(text(edit, "target"))
        return (edit.before or "") if keyed or text(edit, "call").endswith("[]") else ""
    if edit.op in (EditOp.ARGUMENT_REMOVED, EditOp.ARGUMENT_CHANGED):
        name = text(edit, "name")
        goes = any(_key_name(one) for one in texts(edit, "targets")) and not act_of(name) and not _FORMATS.search(name)
        goes = goes or (name in _PATHS and any(_stands_for(one) for one in texts(edit, "targets")))
        builds = goes or words_of(name)[-1:] in (["key"], ["keys"])
        before = edit.before or ""
        return before if builds and root_of(before) and not _left(root_of(before), texts(edit, "arguments")) else ""
    if edit.op is EditOp.DECORATOR_CHANGED and _CACHES.search(text(edit, "name")):
        was, now = (_named_in(one or "") for one in (edit.before, edit.after))
        gone = [name for name in was if name not in now and name not in ("result", "root", "p", "a")]
        return gone[0] if gone else ""
    return ""


_FORMATS = re.compile(r"(?i)sprint|format|join|concat")
_CACHES = re.compile(r"(?i)cacheable|cached|cacheput|memoize")


def _named_in(annotation: str) -> list[str]:
    """Parameters that a caching annotation makes its key of: ``#tenant``, ``hashkey(tenant, sku)``."""
    found = re.findall(r"#([A-Za-z_]\w*)", annotation)
    for inside in re.findall(r"hashkey\(([^()]*)\)", annotation):
        found += re.findall(r"[a-z_]\w*", inside)
    return list(dict.fromkeys(found))


def _left(root: str, arguments: Sequence[str]) -> bool:
    return any(has_word(one, root) for one in arguments)


def root_of(component: str) -> str:
    """The name that a component is read from: ``tenant`` of ``str(tenant.id)``, ``self.locale`` of itself."""
    for name in re.findall(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*", re.sub(r"\"[^\"]*\"|'[^']*'", "", component)):
        parts = str(name).split(".")
        if parts[0] in OBJECT and len(parts) > 1:
            return ".".join(parts[:2])
        if parts[0] not in _WRAPPERS:
            return parts[0]
    return ""
