"""Who still takes a cached value: on the same store, by the same key's text, or under the annotation."""

from __future__ import annotations

import re
from collections.abc import Iterator

from review_agent.kinds.base import (
    Found,
    every,
    found,
)
from review_agent.kinds.cache_access import act_of, cachey, holder
from review_agent.kinds.cache_key_drops import STALE_WORDS
from review_agent.kinds.functions import function_of
from review_agent.syntax.roles import words_of
from review_agent.vocabulary import (
    Bundle,
    CallFact,
    Edit,
    EditOp,
    Evidence,
    QueryKind,
    Question,
    UseFact,
)

__all__ = ["readers_of"]

# A key with one of these in it is another key once the source has changed.
_VERSIONED = re.compile(r"(?i)version|updated_?at|modified|mtime|etag|revision|\brev\b|generation|epoch")


def readers_of(question: Question, bundle: Bundle, callee: str) -> Iterator[Found[CallFact | UseFact]]:
    """Places that still take the cached value: on the same store, by the same key's text, or under the annotation."""
    edit, receiver = question.edits[0], holder(callee)
    for one in found(bundle, CallFact, QueryKind.SIBLINGS):
        reads = act_of(one.fact.callee.rpartition(".")[2]) in ("read", "both")
        if reads and _from_the_cache(one.fact.callee, callee) and _usable(question, one):
            yield one
    for use in found(bundle, UseFact, QueryKind.LIFETIME):
        if use.fact.use in ("read", "call") and _usable(question, use) and use.fact.scope != function_of(edit):
            parts = use.fact.text.split(".")
            if act_of(parts[-1]) != "drop" or len(parts) == 1:
                yield use
    yield from _elsewhere(question, bundle, callee)
    if not receiver or STALE_WORDS & set(words_of(callee)):
        yield from _by_definition(question, bundle, callee)


def _elsewhere(question: Question, bundle: Bundle, callee: str) -> Iterator[Found[CallFact | UseFact]]:
    """Places in other files: on the same store by its name, or by the text of the key."""
    edit, receiver = question.edits[0], holder(callee)
    for use in every(bundle, UseFact, QueryKind.CALLERS, receiver) if _holds_values(receiver) else ():
        if re.search(r"\.\s*(get|fetch|lookup|has)\w*\s*\(", use.evidence.text) and _usable(question, use):
            yield use
    for call in found(bundle, CallFact, QueryKind.CALLERS, receiver):
        asks = act_of(call.fact.callee.rpartition(".")[2]) in ("read", "both")
        if asks and _from_the_cache(call.fact.callee, callee) and _usable(question, call):
            yield call
    for use in found(bundle, UseFact, QueryKind.TEXT):
        reads = re.search(
            r"(?i)\b\w*\.?(get|fetch|load|remember|cacheable)\w*\s*\(|@Cache|queryKey|useSWR", use.evidence.text
        )
        if reads and _usable(question, use) and _same_cache(edit, use.evidence):
            yield use


def _holds_values(receiver: str) -> bool:
    """Whether what a call is made on is a store of values by its name, not the object or the service itself."""
    return "." in receiver or cachey(receiver)


def _from_the_cache(reader: str, dropped: str) -> bool:
    """Whether a call on the same thing asks a store; of a service that does much else, one about what was dropped."""
    if cachey(holder(reader)):
        return True
    about = {word for word in words_of(dropped.rpartition(".")[2]) if word not in STALE_WORDS and len(word) > 2}
    return bool((about - {"cache", "cached", "all"}) & set(words_of(reader.rpartition(".")[2]))) or cachey(
        reader, sure=True
    )


def _usable(question: Question, one: Found[CallFact | UseFact]) -> bool:
    given = (
        [part for one_ in one.fact.arguments for part in (one_.text, one_.origin)]
        if isinstance(one.fact, CallFact)
        else []
    )
    versioned = any(_VERSIONED.search(part) for part in (one.evidence.text, *given))
    return not one.fact.in_test and not one.evidence.near_change and not versioned


def _same_cache(edit: Edit, one: Evidence) -> bool:
    """An annotation must name the same cache."""
    if edit.op is not EditOp.DECORATOR_REMOVED:
        return True
    names = set(re.findall(r"\"([^\"]+)\"", edit.before or ""))
    return bool(names & set(re.findall(r"\"([^\"]+)\"", one.text)))


def _by_definition(question: Question, bundle: Bundle, callee: str) -> Iterator[Found[CallFact | UseFact]]:
    """Other callers of the function that drops the value: it is still kept, and they still drop it."""
    for one in found(bundle, CallFact, QueryKind.CALLERS, callee):
        if _usable(question, one) and one.fact.scope != function_of(question.edits[0]):
            yield one
