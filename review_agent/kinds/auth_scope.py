"""Lookups that are narrowed to what belongs to the caller: how such a condition is told, and that it went."""

from __future__ import annotations

import re

from review_agent.kinds.base import text, texts
from review_agent.syntax.roles import words_of
from review_agent.vocabulary import Edit, EditOp

__all__ = ["scope_of"]

_OWNING = re.compile(
    r"(?i)^(?:\w+\.)*(?:owner|author|creator|created_?by|user|account|tenant|customer|member|org|organi[sz]ation|company|"
    r"team|workspace|clinic|shop|patient|student)(?:_?id)?$"
)
_WORDS = frozenset({"owner", "owned", "user", "tenant", "account", "customer", "author", "member", "org"})
_FINDS = re.compile(
    r"(?i)^(?:filter|filter_by|get|get_or_404|get_object_or_404|find|find_?one|find_?first|find_?unique|find_?many|"
    r"where|first|first_or_404|delete|update|select|exclude|query|destroy|one|one_or_none|delete_?one|update_?one)$"
)
_ASKER = re.compile(r"(?i)user|principal|viewer|actor|caller|claims|session|identity|tenant|account|\bme\b|owner")


def scope_of(edit: Edit) -> str:
    """The condition that narrowed a lookup to what is the caller's, where this edit takes it out; "" else."""
    before = edit.before or ""
    if edit.op is EditOp.ARGUMENT_REMOVED:
        keyword = text(edit, "keyword")
        fits = _OWNING.match(keyword) and _FINDS.match(text(edit, "name")) and _ASKER.search(before)
        return f"{keyword}={before}" if fits and re.fullmatch(r"[\w.\[\]()\"']+", before) else ""
    if edit.op is EditOp.ENTRY_REMOVED:
        found = _FINDS.match(text(edit, "call").rpartition(".")[2]) and _OWNING.match(edit.subject)
        return edit.subject if found and _ASKER.search(before) else ""
    if edit.op is EditOp.SQL_CHANGED:
        gone = [one for one in texts(edit, "conditionsRemoved") if _OWNING.match(re.split(r"[\s=<>!]", one)[0])]
        kept = " ".join(texts(edit, "conditionsAdded"))
        return gone[0] if gone and not re.search(_OWNING.pattern.strip("^$").replace("(?i)^", ""), kept, re.I) else ""
    if edit.op is EditOp.CALL_REPLACED:
        old, new = set(words_of(text(edit, "name"))), set(words_of(text(edit, "newName")))
        lost = (old - new) & _WORDS
        finds = old & new & {"find", "get", "load", "fetch", "by", "delete", "update", "remove", "lookup"}
        return text(edit, "name") if lost and finds and old & {"by", "for", "and", "owned", "of"} else ""
    return ""
