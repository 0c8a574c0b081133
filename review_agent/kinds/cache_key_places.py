"""Where a key goes: the functions that ask a store for it and fill it, and what stands for a part of it there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from review_agent.kinds.base import (
    Found,
    found,
    text,
    texts,
)
from review_agent.kinds.bodies import Body, body_at, has_word
from review_agent.kinds.cache_access import Access, accesses
from review_agent.kinds.cache_key_parts import HOOKS, OBJECT, lost, root_of
from review_agent.kinds.callers import worst_first
from review_agent.kinds.functions import function_of, split
from review_agent.vocabulary import (
    Bundle,
    CallFact,
    DefinitionFact,
    Edit,
    EditOp,
    QueryKind,
    Question,
    Side,
)

__all__ = ["Keyed", "callers_of", "keyed_places"]


@dataclass(frozen=True)
class Keyed:
    """Where a key is used: the body that asks the store, what it asks, what stands for the component there."""

    body: Body
    reads: tuple[Access, ...]
    writes: tuple[Access, ...]
    name: str
    skip: frozenset[int]


def keyed_places(question: Question, bundle: Bundle) -> Iterator[Keyed]:
    edit = question.edits[0]
    body = body_at(bundle, question.path, edit.start_line)
    if body is not None and not edit.facts.get("returned"):
        yield from _in_body(body, _names_of(edit), root_of(lost(edit)), _changed(edit, body))
    if body is not None and (text(edit, "call") in HOOKS or text(edit, "target") == "queryKey"):
        yield _hooked(body, edit)
    if body is not None and edit.op is EditOp.DECORATOR_CHANGED:
        whole = Access("both", edit.subject, edit.start_line, "")
        yield Keyed(body, (whole,), (whole,), lost(edit), _changed(edit, body))
    for one in callers_of(question, bundle):
        yield from _in_caller(question, bundle, one)


def _hooked(body: Body, edit: Edit) -> Keyed:
    """A hook that keeps what its function makes, for as long as the list stays the same."""
    hook = text(edit, "call") or "queryKey"
    end = max((number for number, line in body.lines if hook in line and number <= edit.end_line), default=0)
    after = hook == "queryKey"
    last = next(
        (number for number, line in body.lines if number > edit.end_line and re.match(r"\s*\}\);?", line)), 10**9
    )
    first, until = (edit.start_line, last) if after else (end, edit.end_line)
    outside = [number for number, _ in body.lines if not first <= number <= until]
    whole = Access("both", hook, edit.start_line, "")
    return Keyed(body, (whole,), (whole,), root_of(lost(edit)), _changed(edit, body) | frozenset(outside))


def _names_of(edit: Edit) -> list[str]:
    """What the key is called in its own function: the name it is assigned to, else its new text between brackets."""
    if edit.op in (EditOp.ARGUMENT_REMOVED, EditOp.ARGUMENT_CHANGED):
        return [*texts(edit, "targets"), edit.subject]
    target = text(edit, "target")
    return [target] if target else [part for part in texts(edit, "afterComponents") if part]


def _changed(edit: Edit, body: Body) -> frozenset[int]:
    """Lines that make the key: they name the component without making the value."""
    named = any(has_word(part, root_of(lost(edit))) for part in texts(edit, "afterComponents"))
    return frozenset(range(edit.start_line, edit.end_line + 1)) if named and edit.side is Side.NEW else frozenset()


def _in_body(body: Body, names: Sequence[str], name: str, skip: frozenset[int]) -> Iterator[Keyed]:
    for key in names:
        seen = list(accesses(body, key))
        stores = dict.fromkeys(one.store for one in seen)
        for store in stores:
            here = [one for one in seen if one.store == store]
            reads = tuple(one for one in here if one.act in ("read", "both"))
            writes = tuple(one for one in here if one.act in ("write", "both"))
            if reads and writes:
                yield Keyed(body, reads, writes, name, skip)


def callers_of(question: Question, bundle: Bundle) -> list[Found[CallFact]]:
    name = split(function_of(question.edits[0]))[1]
    calls = [one for one in found(bundle, CallFact, QueryKind.CALLERS, name) if not one.fact.in_test]
    return worst_first(question, calls)


def _in_caller(question: Question, bundle: Bundle, one: Found[CallFact]) -> Iterator[Keyed]:
    """A function that gets its key from the changed one and asks a store with it."""
    edit = question.edits[0]
    body = body_at(bundle, one.ref.path, one.ref.start_line)
    if body is None or not edit.facts.get("returned"):
        return
    passed = _passed(bundle, one, lost(edit))
    if not passed:
        return
    names = [*one.fact.targets, one.fact.callee]
    yield from _in_body(body, names, passed, frozenset(range(one.ref.start_line, one.ref.end_line + 1)))


def _passed(bundle: Bundle, one: Found[CallFact], component: str) -> str:
    """What a call gives for the parameter that the component is made of, by its root; its own name where it is no
    parameter (any more)."""
    root = root_of(component)
    for definition in found(bundle, DefinitionFact, QueryKind.DEFINITION):
        names = [p.name for p in definition.fact.parameters if p.name not in OBJECT]
        if root in names:
            by_name = next((a.text for a in one.fact.arguments if a.keyword == root), None)
            at = names.index(root)
            plain = [a.text for a in one.fact.arguments if a.keyword is None]
            given = by_name or (plain[at] if at < len(plain) else "")
            return root_of(given)
    return root
