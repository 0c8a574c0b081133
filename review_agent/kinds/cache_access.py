"""How code asks a cache, fills it and drops from it, told by the words of calls and by what stands between brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from review_agent.kinds.bodies import Body, Called, has_word, named
from review_agent.syntax.roles import words_of

__all__ = ["Access", "accesses", "act_of", "cachey", "drops", "holder"]

_READS = named("""
    get fetch lookup has contains exists find peek load read getifpresent match hget getitem mget hmget getall
    containskey recall
""")
_WRITES = named("""
    set put store add setex psetex hset setitem write insert putifabsent setnx save remember cache memoize
    setdefault
""")
_BOTH = named("""
    getorset get_or_set computeifabsent compute_if_absent loadorstore getorload getorcreate get_or_create getoradd
    getorcompute getorelse wrap once remember rememberforever getorcall cached setdefault do getorfetch getorinsert
    usequery fetchquery prefetchquery
""")
_DROPS = named("""
    delete del evict invalidate remove pop discard clear expire unlink purge forget drop bust reset flush hdel
    removeitem refresh revoke deletemany invalidateall evictall cleanup dirty touch removequeries invalidatequeries
    removeall flushall flushdb scan keys scaniter
""")
_CACHE_WORDS = named("""
    cache caches cached memo memos memoized lru redis memcache memcached store kv ttl rdb seen loaded known index
    table entries buckets lookup registry results answers snapshots views pages rendered
""")
_SURE_WORDS = named("""
    cache caches cached memo memos memoized lru redis memcache memcached rdb mc
""")


@dataclass(frozen=True)
class Access:
    """``act``: read, write, both or drop; ``store`` is what is asked, as the line names it."""

    act: str
    store: str
    line: int
    key: str


def cachey(name: str, *, sure: bool = False) -> bool:
    """Whether a dotted name says that it holds values made before."""
    parts = words_of(name)
    return any(one in (_SURE_WORDS if sure else _CACHE_WORDS) for one in parts)


def holder(callee: str) -> str:
    """What a call is made on: ``self.cache`` of ``self.cache.get``."""
    return callee.rpartition(".")[0] or ""


def act_of(name: str) -> str:
    """What a method of this name does to a store; "" where the name does not say."""
    whole = name.lower().replace("_", "")
    parts = words_of(name)
    if whole in _BOTH or name.lower() in _BOTH:
        return "both"
    for act, names in (("drop", _DROPS), ("read", _READS), ("write", _WRITES)):
        if whole in names or (parts and parts[0] in names):
            return act
    return ""


def drops(name: str) -> bool:
    return act_of(name) == "drop"


def accesses(body: Body, key: str) -> Iterator[Access]:
    """Every place of a body where a store is asked for, filled or emptied of a key (a name, or the value's text)."""
    for call in body.calls:
        yield from _by_call(call, key)
    yield from _by_index(body, key)


def _by_call(call: Called, key: str) -> Iterator[Access]:
    if call.name == "delete" and len(call.args) == 2 and has_word(call.args[1], key):
        yield Access("drop", call.args[0], call.line, call.args[1])
        return
    act = act_of(call.name)
    store = holder(call.callee)
    if store == key and act in ("read", "write"):
        yield Access(act, key, call.line, key)
        return
    first = call.args[0] if call.args else ""
    position = next((one for one in call.args[:3] if has_word(one, key)), "")
    if act and store and position and (position == first or act == "both" or first in ("ctx", "context")):
        yield Access(act, store, call.line, position)


def _by_index(body: Body, key: str) -> Iterator[Access]:
    shape = re.compile(
        rf"([A-Za-z_$][\w$.]*)\[([^\[\]]*(?<![\w$]){re.escape(key)}(?![\w$])[^\[\]]*)\]\s*(=(?!=)|\|\|=|\?\?=)?"
    )
    inside = re.compile(
        rf"(?<![\w$]){re.escape(key)}(?![\w$])[^\n=]{{0,4}}\s+(?:not\s+)?in\s+([A-Za-z_$][\w$.]*)(?![\w$.(])"
    )
    for number, line in body.lines:
        for found in shape.finditer(line):
            act = {None: "read", "=": "write"}.get(found[3], "both")
            yield Access(act, found[1], number, found[2])
        if not re.match(r"\s*(?:async\s+)?for\b", line):
            for found in inside.finditer(line):
                yield Access("read", found[1], number, key)
