"""What a test checks still of the function that an assertion was about, and which of its calls it makes no more."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from review_agent.syntax.edits.frame import Frame
from review_agent.syntax.edits.making import makes
from review_agent.syntax.edits.scopes import Scopes
from review_agent.syntax.edits.testing_strength import strength
from review_agent.syntax.edits.testing_subjects import call_texts
from review_agent.syntax.model import Assertion, Outline
from review_agent.vocabulary import Side

__all__ = ["calls_gone", "partly_checked", "same_function"]

_QUOTED = re.compile(r"""(["'`]).*?\1""")
_DOTTED = re.compile(r"(?<![\w.$])[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*(?!\s*\()")
_METHOD = re.compile(r"(?<![\w.$])([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+)(?=\(\))")
# Expressions with more bindings than this are of tests that nobody wrote by hand.
_MOST = 400


class Value(NamedTuple):
    """A part of what a call gave: its callee, the place among its results, the member (dotted, "" for the whole)."""

    callee: str
    place: int
    member: str
    line: int


def same_function(frame: Frame, was: str, scope: str, one: Assertion) -> tuple[str, ...]:
    """Assertions left in the test that say as much of the same part of what another call of the function gave."""
    gone = list(_values(frame.old_outline, was, one))
    rest = _as_strong(frame.new_outline, scope, one)
    calls = [(left, list(_values(frame.new_outline, scope, left))) for left in rest] if gone else []
    return tuple(left.text for left, values in calls if any(_match(a, b) for a in gone for b in values))


def partly_checked(frame: Frame, was: str, scope: str, one: Assertion) -> tuple[str, ...]:
    """Assertions that the test had beside this one and has still, on a part of the very value it was about."""
    gone = {(value.callee, value.line): value for value in _values(frame.old_outline, was, one)}
    left = {a.text for a in _as_strong(frame.new_outline, scope, one)}
    beside = [a for a in frame.old_outline.assertions if a.scope == was and a is not one and a.text in left]
    return tuple(
        a.text
        for a in beside
        for value in _values(frame.old_outline, was, a)
        if (value.callee, value.line) in gone and "" in (value.member, gone[value.callee, value.line].member)
    )


def calls_gone(frame: Frame, scopes: Scopes, was: str, scope: str) -> tuple[str, ...]:
    """The calls of a test that it makes no more, as they were written."""
    left = set(call_texts(frame.new_outline, *scopes.span(Side.NEW, scope)))
    return tuple(one for one in call_texts(frame.old_outline, *scopes.span(Side.OLD, was)) if one not in left)


def _as_strong(outline: Outline, scope: str, one: Assertion) -> list[Assertion]:
    return [a for a in outline.assertions if a.scope == scope and strength(a) >= strength(one)][:_MOST]


def _match(one: Value, other: Value) -> bool:
    """Whether two values are the same part of what one function gives, or one of them is the whole of it."""
    same = (one.callee, one.place) == (other.callee, other.place)
    return same and (one.member == other.member or "" in (one.member, other.member))


def _values(outline: Outline, scope: str, one: Assertion) -> Iterator[Value]:
    """What an assertion is about, by the calls that gave it; what was made only to compare with is none of it."""
    found = list(_given(outline, scope, one))
    given = [value for value, made in found if not made]
    yield from given or [value for value, _ in found]


def _given(outline: Outline, scope: str, one: Assertion) -> Iterator[tuple[Value, bool]]:
    bare = _QUOTED.sub("", one.text)
    for said in dict.fromkeys([*_DOTTED.findall(bare), *_METHOD.findall(bare)]):
        root, _, member = said.partition(".")
        bound = [a for a in outline.assigns if a.scope == scope and root in a.targets and a.start <= one.start]
        last = max(bound, key=lambda a: a.start, default=None)
        if last is not None and last.callee:
            value = Value(last.callee, last.targets.index(root), member, last.start)
            yield value, makes(last.value, outline.language)
