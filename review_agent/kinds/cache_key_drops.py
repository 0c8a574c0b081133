"""What drops a cached value: calls, annotations, members set back to nothing; and what stands in for it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.base import (
    text,
    texts,
)
from review_agent.kinds.bodies import Body, named
from review_agent.kinds.cache_access import act_of, cachey, holder
from review_agent.syntax.roles import words_of
from review_agent.vocabulary import (
    Edit,
    EditOp,
)

__all__ = ["STALE_WORDS", "dropping", "drops", "helper", "instead"]

STALE_WORDS = named("""
    invalidate invalidates evict evicts bust purge expire forget flush clear reset drop refresh uncache revoke touch
    dirty
""")
_SURELY = frozenset({"invalidate", "evict", "bust", "purge", "uncache"})
# A callee that names one thing, not what another call gives.
_PLAIN = re.compile(r"[\w$.?@]+(?:\(\)[\w$.?]+)?")
_EVICTS = frozenset({"CacheEvict", "CachePut", "Caching", "CacheInvalidate", "invalidates", "cache_invalidate"})


def dropping(edit: Edit) -> str:
    """The callee, annotation or member by which a cached value was dropped, "" where the edit is about nothing such."""
    if edit.op is EditOp.EXIT_ADDED:
        return next((one for one in texts(edit, "skips") if drops(one, ())), "")
    if edit.op is EditOp.BLOCK_REMOVED:
        gone = [one for one in texts(edit, "inside") if one not in texts(edit, "living")]
        return next((one for one in gone if drops(one, ())), "")
    if edit.op is EditOp.DECORATOR_REMOVED:
        return edit.subject if edit.subject.rpartition(".")[2].lstrip("@") in _EVICTS else ""
    if edit.op is EditOp.ASSIGNMENT_REMOVED:
        return edit.subject if _resets(edit) else ""
    if edit.op is EditOp.ACT_CONDITIONED and text(edit, "form") == "assignment":
        return edit.subject if cachey(edit.subject.rpartition(".")[2], sure=True) else ""
    if edit.op is EditOp.CALL_REPLACED and drops(text(edit, "newCallee"), texts(edit, "newArguments")):
        return ""
    dropped = drops(edit.subject, texts(edit, "arguments")) or helper(edit, edit.subject)
    return edit.subject if dropped else ""


def drops(callee: str, arguments: Sequence[str]) -> bool:
    receiver, name = holder(callee), callee.rpartition(".")[2]
    if not _PLAIN.fullmatch(callee) or (name in ("expire", "touch") and len(arguments) > 1):
        return False
    parts = words_of(name)
    if callee == "delete" and arguments:
        return cachey(arguments[0])
    if act_of(name) == "drop" and receiver and cachey(receiver):
        return True
    about = STALE_WORDS & set(parts)
    # A memo is a note as well: touched or cleared it drops nothing that was kept for the next reader.
    kept = [one for one in parts if one not in ("memo", "memos")]
    return bool(about) and (cachey(" ".join(kept), sure=True) or bool({"invalidate", "evict", "bust", "purge"} & about))


def helper(edit: Edit, callee: str) -> bool:
    """Whether only the body of what is called can say that something cached is dropped: a function of one's own by the
    first word of whose name nothing more is known."""
    if edit.op not in (EditOp.CALL_REMOVED, EditOp.EXIT_ADDED, EditOp.ACT_CONDITIONED) or drops(callee, ()):
        return False
    name = callee.removeprefix("self.").removeprefix("this.")
    return "." not in name and bool(STALE_WORDS & set(words_of(name)[:1]))


def _resets(edit: Edit) -> bool:
    """A member set back to nothing, so that its next reader makes it anew."""
    value = text(edit, "value")
    empty = value in (
        "None",
        "null",
        "nil",
        "undefined",
        "{}",
        "[]",
        "dict()",
        "new Map()",
        "new HashMap<>()",
        "false",
        "False",
    )
    last = edit.subject.rpartition(".")[2]
    made = cachey(last) or value in ("None", "null", "nil", "undefined")
    return empty and made and "." in edit.subject and not edit.facts.get("remaining")


def instead(body: Body, callee: str) -> str:
    """A call of the body that drops something cached."""
    base, store = callee.rpartition(".")[2], holder(callee)
    for call in body.calls:
        if drops(call.callee, call.args) or call.name == base:
            return call.callee
        if store and holder(call.callee) == store and act_of(call.name) in ("write", "drop"):
            return call.callee
    renewed = (
        re.search(rf"^\s*(?:delete |del )?({re.escape(store)})\[[^\]]+\]\s*(?:=(?!=)|$)", body.text, re.M)
        if store
        else None
    )
    return renewed[1] if renewed else ""
