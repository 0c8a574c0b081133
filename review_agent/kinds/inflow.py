"""How a value from outside comes into a function and where it hurts there: what rules of ``input`` settle by."""

from __future__ import annotations

import itertools
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
    texts,
    unsettled,
)
from review_agent.kinds.failures import body_of
from review_agent.kinds.functions import function_of, split
from review_agent.kinds.inflow_sinks import Sink, hurting, sinks_behind, split_arguments
from review_agent.kinds.inflow_sources import Source, refuted, sources_of, uses_of
from review_agent.kinds.input_covers import covers, directions, of_text, partial
from review_agent.kinds.outside import (
    Hurt,
    bounded,
    comes_in,
    mentions,
    validates,
)
from review_agent.kinds.wording import snippet
from review_agent.vocabulary import (
    Bundle,
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
    UseFact,
)

__all__ = ["Lost", "place_of", "plan_of_inflow", "settle_inflow"]

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


def place_of(edit: Edit) -> str:
    """The function of an edit in a sentence, or the call in whose arguments its nameless function stands."""
    within = texts(edit, "within")
    return (
        code(function_of(edit)) if function_of(edit) else f"the handler of {_bound_by(within[0])}" if within else "it"
    )


def _bound_by(call: str) -> str:
    return snippet(re.sub(r",.*", "", call, flags=re.DOTALL))


def plan_of_inflow(edit: Edit, value: str) -> tuple[PlanQuery, ...]:
    """Uses of the value, the function, its callers, and the functions that it hands the value on to."""
    scope, name = split(function_of(edit))
    called = [one for one in dict.fromkeys(texts(edit, "following")) if not _PLAIN.match(one)]
    called = [one for one in called if re.fullmatch(r"[\w.$]+", one) and not _LIBRARY.match(one)]
    beside = (ask(QueryKind.SIBLINGS, name, path=edit.path, scope=scope),) if validates(name) else ()
    named = (ask(QueryKind.PRODUCERS, value, path=edit.path),) if name and value.isidentifier() else ()
    own = (
        ask(QueryKind.DEFINITION, name, path=edit.path, scope=scope),
        ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
    )
    return (
        ask(QueryKind.USES_INSIDE, value, path=edit.path, scope=edit.scope),
        *(own if name else ()),
        *(ask(QueryKind.DEFINITION, one, path=edit.path, scope=edit.scope) for one in called[: _CALLEES - len(beside)]),
        *beside,
        *named,
    )


def settle_inflow(question: Question, bundle: Bundle, lost: Lost) -> Settled:
    """A card where an outside value meets a place that it hurts, refuted where something else refuses it."""
    own = _own(question, bundle)
    if own is None and function_of(question.edits[0]):
        return blocked(bundle, QueryKind.DEFINITION) or unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"{place_of(question.edits[0])} at head was not found",
            missing=(f"definition of {place_of(question.edits[0])}",),
        )
    uses = uses_of(question, bundle, lost.value)
    checked = _checked_again(question, bundle, own, uses, lost)
    if checked is not None:
        return checked
    sources = sources_of(question, bundle, own, lost.value, lambda test, name: _covers(test, name, lost))
    if isinstance(sources, Unsettled):
        return sources
    for source in sources:
        inside = _sinks(question, bundle, uses, lost.value, source)
        sinks = itertools.chain(inside, sinks_behind(bundle, source))
        sink = next((one for one in sinks if _turned_away(one.hurt, lost)), None)
        if sink is not None and (source.ref is not None or sink.ref is not None):
            return (_card(question, lost, source, sink),)
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"a value from outside comes in as {code(lost.value)}, but no place outside the change is seen where it hurts",
        missing=(f"what becomes of {code(lost.value)} in {place_of(question.edits[0])}",),
    )


def _own(question: Question, bundle: Bundle) -> Found[DefinitionFact] | None:
    name = function_of(question.edits[0])
    here = [one for one in found(bundle, DefinitionFact, QueryKind.DEFINITION) if one.ref.path == question.path]
    return next((one for one in here if one.fact.qualname == name and one.ref.side is Side.NEW), None)


def _checked_again(
    question: Question, bundle: Bundle, own: Found[DefinitionFact] | None, uses: Sequence[Found[UseFact]], lost: Lost
) -> Unsettled | None:
    """Another check of the same value in the function, its declaration, or what it is handed to."""
    guards = [one for one in (own.fact.guards if own else ()) if one not in lost.gone]
    tests = [one for one in guards if mentions(one, lost.value) and _covers(one, lost.value, lost)]
    if own is not None and tests:
        return refuted(f"{place_of(question.edits[0])} still tests {snippet(tests[0])}", own.ref)
    declared = comes_in(own.fact, lost.value) if own is not None else ""
    if own is not None and declared and bounded(declared):
        return refuted(f"{snippet(declared)} bounds the value where it comes in", own.ref)
    for use in uses:
        behind = use.fact.guarded_by or ""
        fits = own is None and mentions(behind, lost.value) and behind not in lost.gone
        if fits and _covers(behind, lost.value, lost):
            return refuted(f"{place(use.ref)} stands behind {snippet(behind)}", use.ref)
        for call in use.fact.given_to:
            callee, _, _ = call.partition("(")
            if validates(callee) and callee not in (lost.subject, "") and not use.evidence.near_change:
                return refuted(f"{place(use.ref)} hands it to {code(callee)}", use.ref)
    for callee, definition, parameter in _handed(bundle, uses, lost.value):
        named = [one for one in definition.fact.guards if mentions(one, parameter)]
        tested = [one for one in named if _covers(one, parameter, lost)]
        if tested:
            return refuted(f"{code(callee)} at {place(definition.ref)} tests {snippet(tested[0])}", definition.ref)
    return None


def _turned_away(hurt: Hurt, lost: Lost) -> bool:
    """Whether the check that went turned away what hurts there: an upper end is no help against zero."""
    if of_text(lost.check) and hurt.kind in ("division", "sum", "size", "wait"):
        return False
    if partial(lost.check, lost.value):
        return hurt.kind not in ("path", "sql", "process", "output")
    ends = directions(lost.check, lost.value) - directions(" ".join(lost.gone), lost.value)
    return ends != frozenset({"high"}) or hurt.kind not in ("division", "sum")


def _covers(test: str, name: str, lost: Lost) -> bool:
    return covers(test, name, lost.check, lost.value, " ".join(lost.gone))


def _handed(
    bundle: Bundle, uses: Sequence[Found[UseFact]], value: str
) -> Iterator[tuple[str, Found[DefinitionFact], str]]:
    """(callee, its definition, the parameter that takes the value) of each call that the value is given to."""
    for use in uses:
        for call in use.fact.given_to:
            callee, _, given = call.partition("(")
            arguments = split_arguments(given.removesuffix(")"))
            places = [n for n, one in enumerate(arguments) if value in (one, one.partition("=")[2])]
            at = places[0] if places else -1
            for one in found(bundle, DefinitionFact, QueryKind.DEFINITION, callee) if at >= 0 else ():
                parameters = [p for p in one.fact.parameters if p.name not in ("self", "cls")]
                if one.fact.symbol in ("function", "method") and at < len(parameters):
                    yield callee, one, parameters[at].name


def _sinks(
    question: Question, bundle: Bundle, uses: Sequence[Found[UseFact]], value: str, source: Source
) -> Iterator[Sink]:
    """Places where the value hurts, in the function first, then in what it is handed to."""
    near: list[Sink] = []
    for use in uses:
        for hurt, line in hurting(use.evidence.text, value, source.number):
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
        for hurt, line in hurting("\n".join(body.text.splitlines()[1:]), parameter, source.number):
            yield Sink(definition.ref, line, hurt, callee)
    yield from near


def _card(question: Question, lost: Lost, source: Source, sink: Sink) -> Draft:
    function = place_of(question.edits[0])
    if source.ref is not None and source.scope == function_of(question.edits[0]):
        comes = f"{place(source.ref)} takes {snippet(source.shown)}"
    elif source.ref is not None:
        comes = f"{place(source.ref)} passes {snippet(source.shown)}"
    else:
        comes = f"{function} takes it from {snippet(source.shown)}"
    where = snippet(sink.line) + (f" in {code(sink.function)}" if sink.function else "")
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
