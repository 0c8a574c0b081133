"""Where a value of a function comes from: its own lines, its declaration, or what its callers pass."""

from __future__ import annotations

import re
from dataclasses import dataclass

from review_agent.kinds.base import (
    Found,
    Unsettled,
    blocked,
    code,
    every,
    found,
    number,
    place,
    text,
    unsettled,
)
from review_agent.kinds.binding import bind
from review_agent.kinds.callers import worst_first
from review_agent.kinds.entrances import serves
from review_agent.kinds.failures import body_of, excerpt_around
from review_agent.kinds.functions import function_of, split
from review_agent.kinds.outside import (
    Covers,
    comes_in,
    given_from,
    is_number,
    mentions,
    source_of,
    validates,
)
from review_agent.vocabulary import (
    Bundle,
    CallFact,
    DefinitionFact,
    NoFindingCode,
    QueryKind,
    Question,
    Side,
    SourceRef,
    UseFact,
)

__all__ = ["Source", "refuted", "sources_of", "uses_of"]


@dataclass(frozen=True)
class Source:
    """Where the value comes from: a caller's line or the function's own, and the text that says so.

    ``names``: what the caller calls the value, before and behind the call.
    """

    ref: SourceRef | None
    scope: str
    shown: str
    number: bool
    names: tuple[str, ...] = ()


def refuted(detail: str, ref: SourceRef) -> Unsettled:
    return unsettled(NoFindingCode.REFUTED, detail, refs=[ref])


def sources_of(
    question: Question, bundle: Bundle, own: Found[DefinitionFact] | None, value: str, covers: Covers
) -> list[Source] | Unsettled:
    """The ways by which an outside value comes in, or why none is seen. ``covers``: which tests count."""
    root = value.partition(".")[0]
    origin = text(question.edits[0], "origin") or _assigned(question, bundle, value)
    declared = comes_in(own.fact, value) if own is not None else ""
    if declared:
        return [Source(None, function_of(question.edits[0]), declared, is_numeric(declared))]
    written = _written(question, bundle, value)
    if written is not None:
        return [written]
    direct = source_of(origin) or source_of(value)
    if direct:
        return [Source(None, function_of(question.edits[0]), direct, is_number(direct))]
    parameter = _parameter(own.fact, root, origin or _looped(bundle, own, root)) if own is not None else None
    if own is None or parameter is None or serves([f"{one.name}: {one.type or ''}" for one in own.fact.parameters]):
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"where {code(value)} comes from is not seen to be outside",
            missing=(f"what sets {code(value)}",),
        )
    member = value.rpartition(".")[2] if root != value else ""
    return _from_callers(question, bundle, own, parameter, covers, member)


def _looped(bundle: Bundle, own: Found[DefinitionFact], name: str) -> str:
    """What a loop of the function takes a name from, one element a turn."""
    body, named = body_of(bundle, own), re.escape(name)
    heads = (
        rf"for\s+(?:\w+\s*,\s*)?{named}\s*(?::=\s*range|in)\s+([\w.]+)",
        rf"for\s*\(\s*(?:const|let|var|final)?\s*(?:[\w<>]+\s+)?{named}\s*(?:of\b|:)\s*([\w.]+)",
        rf"([\w.]+)\.(?:forEach|map|flatMap|some|every|stream\(\)\.\w+)\(\s*\(?{named}\)?\s*(?:=>|->)",
    )
    found_ = (re.search(head, body.text) for head in heads) if body is not None else ()
    return next((one[1] for one in found_ if one), "")


def uses_of(question: Question, bundle: Bundle, value: str) -> list[Found[UseFact]]:
    """Uses of the value in the function, or in the function literal in which the edit stands."""
    edit = question.edits[0]
    first, last = number(edit, "literalStart") or 0, number(edit, "guardedEnd") or 0
    uses = [one for one in every(bundle, UseFact, QueryKind.USES_INSIDE, value) if one.ref.side is Side.NEW]
    return [one for one in uses if not first or first <= one.ref.start_line <= last]


def _parameter(fact: DefinitionFact, root: str, origin: str) -> str | None:
    """The parameter that a value is or is made of, where nothing on the way checks it."""
    names = [one.name for one in fact.parameters]
    if root in names:
        return root
    callees = re.findall(r"([\w.]+)\s*\(", origin)
    made = [one for one in names if mentions(origin, one) and one not in ("self", "this", "cls")]
    return made[-1] if made and not any(validates(one) for one in callees) else None


def is_numeric(declared: str) -> bool:
    return re.search(r":\s*(?:int|float|Decimal|conint|long|Integer|double|BigDecimal|number)\b", declared) is not None


def _assigned(question: Question, bundle: Bundle, value: str) -> str:
    """The right side of the first line of the function that sets the value."""
    for one in uses_of(question, bundle, value):
        parts = re.split(r"(?<![=!<>]):?=(?!=)", one.evidence.text, maxsplit=1)
        if one.fact.use == "write" and len(parts) > 1:
            return parts[1].strip().rstrip(";")
    return ""


def _written(question: Question, bundle: Bundle, value: str) -> Source | None:
    """The line of the function that sets the value from outside."""
    for one in uses_of(question, bundle, value):
        if one.fact.use == "write":
            right = re.split(r":?=", one.evidence.text, maxsplit=1)
            source = source_of(right[1].strip().rstrip(";")) if len(right) > 1 else ""
            if source:
                ref = None if one.evidence.near_change else one.ref
                return Source(ref, one.fact.scope, source, is_number(source))
    return None


def _from_callers(
    question: Question, bundle: Bundle, own: Found[DefinitionFact], root: str, covers: Covers, member: str
) -> list[Source] | Unsettled:
    name, value = split(function_of(question.edits[0]))[1], root
    edit = question.edits[0]
    calls = [one for one in found(bundle, CallFact, QueryKind.CALLERS, name) if not one.fact.in_test]
    outside: list[Source] = []
    verdicts: dict[str, Found[CallFact]] = {}
    for one in worst_first(question, calls):
        binding = bind(own.fact, one.fact, edit.language)
        given = binding.bound.get(root) if binding.known else None
        if given is None:
            continue
        origin = next((arg.origin for arg in one.fact.arguments if arg.text == given), "")
        verdict, shown = given_from(one.fact, given, origin, covers, member)
        names = tuple(dict.fromkeys((given, *one.fact.targets)))
        ref, scope = one.ref, one.fact.scope
        if verdict == "open":
            helper = _helped(question, bundle, origin, root, covers)
            if helper is not None:
                verdict, shown, ref, scope = helper
        verdicts.setdefault(verdict, one)
        if verdict == "outside" and not one.evidence.near_change:
            outside.append(Source(ref, scope, shown, is_number(shown) or is_numeric(shown), names))
    if outside:
        return outside
    return blocked(bundle, QueryKind.CALLERS) or _no_source(name, value, verdicts)


def _helped(
    question: Question, bundle: Bundle, origin: str, name: str, covers: Covers
) -> tuple[str, str, SourceRef, str] | None:
    """(verdict, text, place, function) of what a helper that the caller asked reads under that name."""
    called = re.match(r"(?:\w+\.)*(\w+)\(", origin)
    for use in every(bundle, UseFact, QueryKind.PRODUCERS, name) if called else ():
        if called is None or use.fact.scope.rpartition(".")[2] != called[1] or use.evidence.near_change:
            continue
        line = use.evidence.text.strip()
        taken = re.search(
            rf"[\w.()]+\(\s*[\"'`]{re.escape(name)}[\"'`][^()]*\)|[\w.]+\[[\"']{re.escape(name)}[\"']\]", line
        )
        source = source_of(taken[0]) if taken else ""
        around = excerpt_around(bundle, use.ref)
        if source and around is not None:
            tests = [one for one in around.text.splitlines() if _asks(one, name) and covers(one, name)]
            return ("checked" if tests else "outside"), source, use.ref, use.fact.scope
    return None


def _asks(line: str, name: str) -> bool:
    """Whether a line tests a name: by a condition, or by a call whose name says so."""
    if not mentions(line, name):
        return False
    callees = re.findall(r"([\w.]+)\(", line)
    return re.search(r"\b(?:if|unless|assert|switch|match)\b|\?", line) is not None or any(map(validates, callees))


def _no_source(name: str, value: str, verdicts: dict[str, Found[CallFact]]) -> Unsettled:
    if verdicts and not set(verdicts) - {"checked", "constant"}:
        verdict, first = next(iter(verdicts.items()))
        does = "checks what it passes" if verdict == "checked" else "passes a constant"
        return refuted(f"every resolved caller is safe: {place(first.ref)} {does}", first.ref)
    refs = [one.ref for one in verdicts.values()]
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE if verdicts else NoFindingCode.NO_CANDIDATE,
        f"no resolved caller of {code(name)} is seen to pass an unchecked value from outside as {code(value)}",
        missing=(f"where callers take {code(value)} from",) if verdicts else (),
        refs=refs,
    )
