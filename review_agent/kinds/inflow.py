"""How a value from outside comes into a function and where it hurts there: what rules of ``input`` settle by."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from review_agent.kinds.base import (
    Found,
    Settled,
    Unsettled,
    ask,
    blocked,
    code,
    draft,
    found,
    place,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.binding import bind
from review_agent.kinds.callers import worst_first
from review_agent.kinds.entrances import serves
from review_agent.kinds.failures import body_of
from review_agent.kinds.functions import function_of, split
from review_agent.kinds.outside import (
    Hurt,
    bounded,
    comes_in,
    given_from,
    hurts,
    is_number,
    mentions,
    source_of,
    validates,
)
from review_agent.kinds.wording import snippet
from review_agent.vocabulary import (
    Bundle,
    CallFact,
    DefinitionFact,
    Draft,
    Edit,
    EffectOp,
    NoFindingCode,
    PlanQuery,
    QueryKind,
    Question,
    Severity,
    Side,
    SourceRef,
    UseFact,
)

__all__ = ["Lost", "plan_of_inflow", "settle_inflow"]

_CALLEES = 4
_GRAVE = frozenset({"sql", "process", "path", "sum", "act"})
_PLAIN = re.compile(
    r"(?:.*\.)?(?:log\w*|info|debug|warning|error|print|len|str|int|float|jsonify|Errorf|Sprintf|append|"
    r"Error|format|isinstance|Write\w*|Println|Printf|now|json|status|send)$"
)


_LIBRARY = re.compile(
    r"(?:os|path|filepath|strconv|strings|fmt|json|re|http|time|math|Math|JSON|Number|Object|Array|String|Integer|Long|"
    r"Paths|Files|Objects|List|Map|r|w|req|res|request|response|ctx|c)\."
)


@dataclass(frozen=True)
class Lost:
    """The check that went: the value it was about, its text, how a claim begins, and the effect."""

    value: str
    check: str
    head: str
    op: EffectOp
    subject: str
    gone: tuple[str, ...]


@dataclass(frozen=True)
class Source:
    """Where the value comes from: a caller's line or the function's own, and the text that says so."""

    ref: SourceRef | None
    scope: str
    shown: str
    number: bool


@dataclass(frozen=True)
class Sink:
    """Where it hurts. ``ref`` is null where that lies within the change."""

    ref: SourceRef | None
    line: str
    hurt: Hurt
    function: str


def plan_of_inflow(edit: Edit, value: str) -> tuple[PlanQuery, ...]:
    """Uses of the value, the function, its callers, and the functions that it hands the value on to."""
    scope, name = split(function_of(edit))
    called = [one for one in dict.fromkeys(texts(edit, "following")) if not _PLAIN.match(one)]
    called = [one for one in called if re.fullmatch(r"[\w.$]+", one) and not _LIBRARY.match(one)]
    return (
        ask(QueryKind.USES_INSIDE, value, path=edit.path, scope=edit.scope),
        ask(QueryKind.DEFINITION, name, path=edit.path, scope=scope),
        ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
        *(ask(QueryKind.DEFINITION, one, path=edit.path, scope=edit.scope) for one in called[:_CALLEES]),
    )


def settle_inflow(question: Question, bundle: Bundle, lost: Lost) -> Settled:
    """A card where an outside value meets a place that it hurts, refuted where something else refuses it."""
    own = _own(question, bundle)
    if own is None:
        return blocked(bundle, QueryKind.DEFINITION) or unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"{code(function_of(question.edits[0]))} at head was not found",
            missing=(f"definition of {code(function_of(question.edits[0]))}",),
        )
    uses = _uses(question, bundle, lost.value)
    checked = _checked_again(question, bundle, own, uses, lost)
    if checked is not None:
        return checked
    sources = _sources(question, bundle, own, lost.value)
    if isinstance(sources, Unsettled):
        return sources
    for source in sources:
        sink = next(iter(_sinks(question, bundle, uses, lost.value, source)), None)
        if sink is not None and (source.ref is not None or sink.ref is not None):
            return (_card(question, lost, source, sink),)
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"a value from outside comes in as {code(lost.value)}, but no place outside the change is seen where it hurts",
        missing=(f"what becomes of {code(lost.value)} in {code(function_of(question.edits[0]))}",),
    )


def _own(question: Question, bundle: Bundle) -> Found[DefinitionFact] | None:
    name = function_of(question.edits[0])
    here = [one for one in found(bundle, DefinitionFact, QueryKind.DEFINITION) if one.ref.path == question.path]
    return next((one for one in here if one.fact.qualname == name and one.ref.side is Side.NEW), None)


def _uses(question: Question, bundle: Bundle, value: str) -> list[Found[UseFact]]:
    uses = found(bundle, UseFact, QueryKind.USES_INSIDE, value)
    return [one for one in uses if one.ref.side is Side.NEW]


def _checked_again(
    question: Question, bundle: Bundle, own: Found[DefinitionFact], uses: Sequence[Found[UseFact]], lost: Lost
) -> Unsettled | None:
    """Another check of the same value in the function, its declaration, or what it is handed to."""
    tests = [one for one in own.fact.guards if one not in lost.gone and mentions(one, lost.value)]
    if tests:
        return _refuted(f"{code(function_of(question.edits[0]))} still tests {snippet(tests[0])}", own.ref)
    declared = comes_in(own.fact, lost.value)
    if declared and bounded(declared):
        return _refuted(f"{snippet(declared)} bounds the value where it comes in", own.ref)
    for use in uses:
        for call in use.fact.given_to:
            callee, _, _ = call.partition("(")
            if validates(callee) and callee not in (lost.subject, "") and not use.evidence.near_change:
                return _refuted(f"{place(use.ref)} hands it to {code(callee)}", use.ref)
    for callee, definition, parameter in _handed(bundle, uses, lost.value):
        tested = [one for one in definition.fact.guards if mentions(one, parameter)]
        if tested:
            return _refuted(f"{code(callee)} at {place(definition.ref)} tests {snippet(tested[0])}", definition.ref)
    return None


def _refuted(detail: str, ref: SourceRef) -> Unsettled:
    return unsettled(NoFindingCode.REFUTED, detail, refs=[ref])


def _handed(
    bundle: Bundle, uses: Sequence[Found[UseFact]], value: str
) -> Iterator[tuple[str, Found[DefinitionFact], str]]:
    """(callee, its definition, the parameter that takes the value) of each call that the value is given to."""
    for use in uses:
        for call in use.fact.given_to:
            callee, _, given = call.partition("(")
            arguments = _split(given.removesuffix(")"))
            at = next((n for n, one in enumerate(arguments) if one.partition("=")[2] == value or one == value), None)
            for one in found(bundle, DefinitionFact, QueryKind.DEFINITION, callee) if at is not None else ():
                parameters = [p for p in one.fact.parameters if p.name not in ("self", "cls")]
                if one.fact.symbol in ("function", "method") and at < len(parameters):
                    yield callee, one, parameters[at].name


def _split(arguments: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for at, sign in enumerate(arguments):
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and not depth:
            parts.append(arguments[start:at].strip())
            start = at + 1
    return [*parts, arguments[start:].strip()]


def _sources(question: Question, bundle: Bundle, own: Found[DefinitionFact], value: str) -> list[Source] | Unsettled:
    """The ways by which an outside value comes in, or why none is seen."""
    root = value.partition(".")[0]
    origin = text(question.edits[0], "origin") or _assigned(bundle, value)
    declared = comes_in(own.fact, value)
    if declared:
        return [Source(None, function_of(question.edits[0]), declared, _is_numeric(declared))]
    written = _written(bundle, value)
    if written is not None:
        return [written]
    direct = source_of(origin) or source_of(value)
    if direct:
        return [Source(None, function_of(question.edits[0]), direct, is_number(direct))]
    parameter = _parameter(own.fact, root, origin)
    if parameter is None or serves([f"{one.name}: {one.type or ''}" for one in own.fact.parameters]):
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"where {code(value)} comes from is not seen to be outside",
            missing=(f"what sets {code(value)}",),
        )
    return _from_callers(question, bundle, own, parameter)


def _parameter(fact: DefinitionFact, root: str, origin: str) -> str | None:
    """The parameter that a value is or is made of, where nothing on the way checks it."""
    names = [one.name for one in fact.parameters]
    if root in names:
        return root
    callees = re.findall(r"([\w.]+)\s*\(", origin)
    made = [one for one in names if mentions(origin, one) and one not in ("self", "this", "cls")]
    return made[-1] if made and not any(validates(one) for one in callees) else None


def _is_numeric(declared: str) -> bool:
    return re.search(r":\s*(?:int|float|Decimal|conint|long|Integer|double|BigDecimal|number)\b", declared) is not None


def _assigned(bundle: Bundle, value: str) -> str:
    """The right side of the first line of the function that sets the value."""
    for one in found(bundle, UseFact, QueryKind.USES_INSIDE, value):
        parts = re.split(r"(?<![=!<>]):?=(?!=)", one.evidence.text, maxsplit=1)
        if one.fact.use == "write" and len(parts) > 1:
            return parts[1].strip().rstrip(";")
    return ""


def _written(bundle: Bundle, value: str) -> Source | None:
    """The line of the function that sets the value from outside."""
    for one in found(bundle, UseFact, QueryKind.USES_INSIDE, value):
        if one.fact.use == "write":
            right = re.split(r":?=", one.evidence.text, maxsplit=1)
            source = source_of(right[1].strip().rstrip(";")) if len(right) > 1 else ""
            if source:
                ref = None if one.evidence.near_change else one.ref
                return Source(ref, one.fact.scope, source, is_number(source))
    return None


def _from_callers(
    question: Question, bundle: Bundle, own: Found[DefinitionFact], root: str
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
        verdict, shown = given_from(one.fact, given, origin)
        verdicts.setdefault(verdict, one)
        if verdict == "outside" and not one.evidence.near_change:
            outside.append(Source(one.ref, one.fact.scope, shown, is_number(shown) or _is_numeric(shown)))
    if outside:
        return outside
    return blocked(bundle, QueryKind.CALLERS) or _no_source(name, value, verdicts)


def _no_source(name: str, value: str, verdicts: dict[str, Found[CallFact]]) -> Unsettled:
    if verdicts and not set(verdicts) - {"checked", "constant"}:
        verdict, first = next(iter(verdicts.items()))
        does = "checks what it passes" if verdict == "checked" else "passes a constant"
        return _refuted(f"every resolved caller is safe: {place(first.ref)} {does}", first.ref)
    refs = [one.ref for one in verdicts.values()]
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE if verdicts else NoFindingCode.NO_CANDIDATE,
        f"no resolved caller of {code(name)} is seen to pass an unchecked value from outside as {code(value)}",
        missing=(f"where callers take {code(value)} from",) if verdicts else (),
        refs=refs,
    )


def _sinks(
    question: Question, bundle: Bundle, uses: Sequence[Found[UseFact]], value: str, source: Source
) -> Iterator[Sink]:
    """Places where the value hurts, in the function first, then in what it is handed to."""
    near: list[Sink] = []
    for use in uses:
        for hurt, line in _hurting(use.evidence.text, value, source.number):
            outside = not use.evidence.near_change
            sink = Sink(use.ref if outside else None, line, hurt, function_of(question.edits[0]))
            if outside:
                yield sink
            else:
                near.append(sink)
    for callee, definition, parameter in _handed(bundle, uses, value):
        body = body_of(bundle, definition)
        if definition.evidence.near_change or body is None:
            continue
        for hurt, line in _hurting("\n".join(body.text.splitlines()[1:]), parameter, source.number):
            yield Sink(definition.ref, line, hurt, callee)
    yield from near


def _hurting(source: str, name: str, number: bool) -> Iterator[tuple[Hurt, str]]:
    for line in source.splitlines():
        hurt = hurts(line, name, number)
        if hurt is not None:
            yield hurt, line.strip()


def _card(question: Question, lost: Lost, source: Source, sink: Sink) -> Draft:
    function = code(function_of(question.edits[0]))
    if source.ref is not None and source.scope == function_of(question.edits[0]):
        comes = f"{place(source.ref)} takes {snippet(source.shown)}"
    elif source.ref is not None:
        comes = f"{place(source.ref)} passes {snippet(source.shown)}"
    else:
        comes = f"{function} takes it from {snippet(source.shown)}"
    where = f"{snippet(sink.line)} in {code(sink.function)}"
    where += f" ({place(sink.ref)})" if sink.ref is not None else ""
    refs = list(dict.fromkeys(one for one in (source.ref, sink.ref) if one is not None))
    return draft(
        question,
        claim=f"{lost.head} lets a value from outside reach {where} as it came: {comes}, and {sink.hurt.says}.",
        op=lost.op,
        subject=lost.subject,
        severity=Severity.BLOCKING if sink.hurt.kind in _GRAVE else Severity.IMPORTANT,
        support=refs,
        impact=f"Somebody sends, for {code(lost.value)}, what {snippet(lost.check)} was written to turn away.",
        counter=(
            f"A check of {code(lost.value)} between the two places would refute this; none was found.",
            f"A declaration that bounds {code(lost.value)} would refute this; none was found.",
        ),
    )
