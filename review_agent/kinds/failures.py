"""What rules about errors share: who is asked about in a guarded body, and what a definition is seen to raise."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from review_agent.kinds.base import Found, ask, code, every, found, texts
from review_agent.kinds.exceptions import last, lineage
from review_agent.syntax.words import whole_name
from review_agent.vocabulary import (
    Bundle,
    DefinitionFact,
    Edit,
    Evidence,
    ImplementerFact,
    PlanQuery,
    QueryKind,
    QueryStatus,
    Question,
    SourceRef,
)

__all__ = [
    "LEAVES",
    "Spot",
    "always_nil",
    "callees",
    "classes",
    "ends_here",
    "excerpt_around",
    "fails_at",
    "functions",
    "go_failures",
    "is_a",
    "no_definition",
    "of_callee",
    "plan_of_callees",
    "raised_by",
    "returns_error",
]

LEAVES = frozenset({"raise", "return_error", "exit"})
# What a handler does with an error that it hides; anything else may hand it on in a way the facts do not show.
_HIDES = {
    "pass": "passes over it",
    "log": "only logs it",
    "continue": "goes on with the next turn of the loop",
    "break": "leaves the loop",
    "return_none": "returns nothing",
}

# Of a guarded body so many callees are followed: the plan has room for no more.
_MOST_CALLEES = 3
# They write to a log or to the terminal, or make a value of what they are given.
_PLAIN = re.compile(
    r"(?:.*\.)?(?:log(?:ger|ging)?|_log(?:ger)?|LOG(?:GER)?)\.\w+$|(?:print|len|str|int|repr|dict|list|set|tuple|super|"
    r"isinstance|getattr|setattr|hasattr|open|sorted|range|format|iter|next|type|bool|float|append|make|new|panic)$"
)
_NOT_NIL = re.compile(r"\bif\b.*\b(\w*[eE]rr\w*) != nil \{$")
# Raised to say "this place is not meant to be reached", not to be met by a caller.
_UNMET = frozenset(
    {"", "NotImplementedError", "AssertionError", "StopIteration", "StopAsyncIteration", "GeneratorExit"}
)


def callees(edit: Edit) -> tuple[str, ...]:
    """The callees of the guarded body that a definition may be found for, at most three."""
    wanted = [one for one in dict.fromkeys(texts(edit, "tryCalls")) if one and not _PLAIN.match(one)]
    return tuple(wanted[:_MOST_CALLEES])


def plan_of_callees(edit: Edit) -> tuple[PlanQuery, ...]:
    """The definitions of the guarded callees, looked up from where they are called."""
    return tuple(ask(QueryKind.DEFINITION, one, path=edit.path, scope=edit.scope) for one in callees(edit))


def functions(bundle: Bundle) -> tuple[Found[DefinitionFact], ...]:
    """The resolved definitions of functions and methods."""
    answers = found(bundle, DefinitionFact, QueryKind.DEFINITION)
    return tuple(one for one in answers if one.fact.symbol in ("function", "method"))


def of_callee(bundle: Bundle, callee: str) -> Found[DefinitionFact] | None:
    """The one resolved definition of a callee; null where there is none or more than one."""
    answers = found(bundle, DefinitionFact, QueryKind.DEFINITION, callee)
    fitting = [one for one in answers if one.fact.symbol in ("function", "method")]
    return fitting[0] if len({(one.ref.path, one.fact.qualname) for one in fitting}) == 1 else None


def classes(bundle: Bundle) -> list[DefinitionFact]:
    """All class definitions in the bundle, whatever was asked."""
    return [one.fact for one in every(bundle, DefinitionFact) if one.fact.symbol == "class"]


def raised_by(definition: DefinitionFact) -> tuple[str, ...]:
    """The types that a body is seen to raise and that a caller may meet, in order."""
    return tuple(dict.fromkeys(one for one in definition.raises if last(one) not in _UNMET))


@dataclass(frozen=True)
class Spot:
    """A line inside lines that were read, as a claim names it."""

    ref: SourceRef
    line: int

    def __str__(self) -> str:
        return f"{code(self.ref.path)} line {self.line}"


def fails_at(bundle: Bundle, definition: Found[DefinitionFact], raised: str) -> Spot:
    """Where a definition is seen to fail with ``raised``: what was read of it and the line, else its first line."""
    leaves = re.compile(rf"\b(?:raise|return|throw)\b.*{whole_name(raised)}")
    body = body_of(bundle, definition)
    for number, line in enumerate(body.text.splitlines() if body else (), definition.ref.start_line):
        if body and leaves.search(line):
            return Spot(body.ref, number)
    return Spot(definition.ref, definition.ref.start_line)


def go_failures(bundle: Bundle, definition: Found[DefinitionFact]) -> tuple[tuple[str, Spot], ...]:
    """The errors that a Go function is seen to return and that are not nil there: made in it, or handed on."""
    made = [(one, fails_at(bundle, definition, one)) for one in raised_by(definition.fact)]
    body = body_of(bundle, definition)
    lines = body.text.splitlines() if body else []
    handed = [
        (tested[1], Spot(body.ref, number))
        for number, (line, following) in enumerate(pairwise(lines), definition.ref.start_line + 1)
        if body and (tested := _NOT_NIL.search(line)) and re.match(rf"\s*return\b.*\b{tested[1]}\b", following)
    ]
    return (*made, *handed)


def body_of(bundle: Bundle, definition: Found[DefinitionFact]) -> Evidence | None:
    """What was read of a definition from its first line on."""
    start = (definition.ref.path, definition.ref.side, definition.ref.start_line)
    read = (one for one in bundle.evidence if one.origin == "read")
    return next((one for one in read if (one.ref.path, one.ref.side, one.ref.start_line) == start), None)


def returns_error(definition: DefinitionFact) -> bool:
    """Whether the last of a Go function's results, named or not, is an error."""
    return bool(definition.results) and definition.results[-1].split()[-1] == "error"


def always_nil(bundle: Bundle, definition: Found[DefinitionFact]) -> bool:
    """Whether every return of a Go function that was read to its end gives nil as its error."""
    body = body_of(bundle, definition)
    if body is None or not body.text.endswith("\n}") or not returns_error(definition.fact):
        return False
    returns = [line.split("//")[0].strip() for line in body.text.splitlines() if re.match(r"\s*return\b", line)]
    return bool(returns) and all(re.search(r"(?:^return|,)\s*nil$", line) for line in returns)


def excerpt_around(bundle: Bundle, ref: SourceRef) -> Evidence | None:
    """The excerpt that was read around a place."""
    return next(
        (
            one
            for one in bundle.evidence
            if one.origin == "read"
            and (one.ref.path, one.ref.side) == (ref.path, ref.side)
            and one.ref.start_line <= ref.start_line
            and ref.end_line <= one.ref.end_line
        ),
        None,
    )


def no_definition(question: Question, bundle: Bundle, names: Sequence[str]) -> tuple[str, ...]:
    """What is missing, where the definitions of these callees did not resolve."""
    unknown = [one for one in names if of_callee(bundle, one) is None]
    return tuple(f"definition of {code(one)} (searched: imports of {code(question.path)})" for one in unknown)


_ANSWERED = (QueryStatus.ANSWERED, QueryStatus.EMPTY)


def is_a(bundle: Bundle, raised: str, types: Sequence[str]) -> bool | None:
    """Whether a raised type is one of ``types`` or derives from one; null where a base that is not known decides.

    A project's own type is none of ``types`` where all that derives from them was asked for and it is not there.
    """
    caught = lineage(raised, classes(bundle)).caught_by(types)
    if caught is not None:
        return caught
    below = [one.fact for one in every(bundle, ImplementerFact, QueryKind.IMPLEMENTERS)]
    if any(last(one.type_name) == last(raised) for one in below):
        return True
    asked = [one for one in bundle.queries if one.query.kind is QueryKind.IMPLEMENTERS]
    answered = {one.query.name for one in asked if one.status in _ANSWERED and not one.truncated}
    return False if set(types) <= answered else None


def ends_here(actions: Sequence[str]) -> str:
    """What a handler that hides its error does with it, in words; "" where it may hand it on."""
    if not actions or not set(actions) <= set(_HIDES):
        return ""
    return " and ".join(dict.fromkeys(_HIDES[one] for one in actions))
