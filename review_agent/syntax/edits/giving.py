"""Which calls give back what another took, by the names of both."""

from __future__ import annotations

import re

from review_agent.syntax.model import Call
from review_agent.syntax.roles import OPPOSITES, role_of, words_of

__all__ = ["ends", "gives", "paired", "pairs", "returns_to"]

# What is looked up can be deleted; that gives nothing back.
_LOOKS_UP = re.compile(
    r"(?i)^(?:get|find|filter|exclude|query|select|fetch|first|last|all|where|load|search|list|read|lookup|resolve|one|"
    r"order)(?![a-z])|^(?:objects|queryset)$"
)
_ENDS = frozenset({"end", "kill", "revoke", "reset", "dispose", "final", "destroyed"})
# Going back to the start of what is read or filled gives nothing back, unless it was set by the opposite act.
_REWINDS = (["reset"], ["rewind"])
_FAILURES = frozenset({"_", "err", "error", "e", "ex", "exc", "ok", "success", "closed", "done"})
_MORE = frozenset(
    {("put", "remove"), ("set", "remove"), ("set", "delete"), ("create", "revoke"), ("activate", "deactivate")}
    | {("begin", "end"), ("start", "finish"), ("start", "end"), ("alloc", "free"), ("enter", "pop"), ("add", "done")}
)
# What changes the form of a value takes nothing, and its opposite gives nothing back.
_FORMS = frozenset(
    ["encode", "marshal", "serialize", "dump", "dumps", "write", "pack", "encrypt", "compress", "escape", "quote"]
)
_TAKINGS = frozenset(pair for pair in OPPOSITES if pair[0] not in _FORMS)
# Calls whose result is a thing that must be given back, where nothing pairs it with its release.
_GIVES = frozenset({"close", "unlock"})
_PAIRS = re.compile(r"^(?:put|give|return|release|free|close|dispose|checkin|clear|remove|un|de)", re.IGNORECASE)
_OPENS = re.compile(r"^(?:get|take|borrow|acquire|open|alloc|checkout|set|add|re|connect|new)", re.IGNORECASE)
_TEMPORARY = re.compile(r"(?i)te?mp|mk|create|open")


def returns_to(taken: Call, one: Call, thing: str) -> bool:
    """Whether a call about a thing gives it back to where another took it."""
    removes = one.name in ("remove", "delete") and one.receiver == thing and not one.args
    removes = removes and not _LOOKS_UP.match(taken.name)
    ends_it = gives(one, taken) and not (_LOOKS_UP.match(taken.name) and _acts_by(one, thing))
    return ends_it or removes or (pairs(taken, one) and not _keyed(one, thing))


def _acts_by(one: Call, thing: str) -> bool:
    """Whether a call ends something else that the thing only tells: ``resetPassword(id)``."""
    on_it = one.receiver == thing or one.receiver.startswith(f"{thing}.")
    return not on_it and len(words_of(one.name)) > 1 and not one.name.lower().startswith("close")


def gives(one: Call, taken: Call | None = None) -> bool:
    """Whether a call gives something back, by its own name."""
    role, first = role_of(one.name), words_of(one.name)[:1]
    if one.name.lower() == "done":
        # A channel that tells of the end, or what answers a call; a count that goes down is paired with its going up.
        return False
    if taken is not None and (first in _REWINDS or _asks(one)):
        return False
    if role == "delete":
        return taken is not None and _TEMPORARY.search(taken.name) is not None
    return role in _GIVES or ends(one.name)


def _asks(one: Call) -> bool:
    """Whether a compound name that does not begin with the act is called for what it returns."""
    parts = words_of(one.name)
    kept = any(name.rpartition(".")[2].lower() not in _FAILURES for name in one.targets)
    return kept and len(parts) > 1 and not role_of(parts[0]) and parts[0] not in _ENDS


def ends(name: str) -> bool:
    """Whether a called name says that something is over, whatever it is."""
    return role_of(name) in _GIVES or bool(_ENDS & set(words_of(name)[:1]))


def pairs(taken: Call, one: Call) -> bool:
    """Whether two names are a pair of taking and giving back."""
    acts, undoes = words_of(taken.name), words_of(one.name)
    different = [pair for pair in zip(acts, undoes, strict=False) if pair[0] != pair[1]]
    if len(acts) == len(undoes) and len(different) == 1 and different[0] in _TAKINGS:
        return True
    if paired(taken.name, one.name):
        return True
    first, second = taken.name.lower(), one.name.lower()
    bare = _OPENS.sub("", first), _PAIRS.sub("", second)
    same = bare[0] == bare[1] and bool(bare[0]) and _PAIRS.match(second) is not None and _OPENS.match(first) is not None
    return same and words_of(taken.name) != words_of(one.name)


def paired(one: str, other: str) -> bool:
    """Whether two names are an act and its undoing beyond the pairs that every kind knows."""
    first, second = words_of(one), words_of(other)
    # What is begun and ended under a further word is a part of a text that is read or written: ``beginArray``.
    part = len(first) > 1 and second[:1] in (["end"], ["finish"])
    return not part and first[1:] == second[1:] and (first[:1], second[:1]) in [([a], [b]) for a, b in _MORE]


def _keyed(one: Call, thing: str) -> bool:
    """Whether a call puts something else under the thing: it is the key of a value."""
    given = [arg.text for arg in one.args if not arg.keyword]
    return (
        len(given) > 1
        and given[0] == thing
        and one.receiver != thing
        and re.match(r"(?i)put|set|add", one.name) is not None
    )
