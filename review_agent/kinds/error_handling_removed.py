"""A rule of ``error_handling``: a handler that went, where nobody else catches the error."""

from __future__ import annotations

from collections.abc import Sequence

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    ask,
    blocked,
    code,
    draft,
    every,
    listed,
    place,
    same_place,
    seed,
    texts,
    unsettled,
)
from review_agent.kinds.callers import Verdict, first_of, look, without_card
from review_agent.kinds.exceptions import BROAD, Lineage, is_builtin, last, lineage
from review_agent.kinds.failures import (
    callees,
    classes,
    fails_at,
    no_definition,
    of_callee,
    plan_of_callees,
    raised_by,
)
from review_agent.kinds.functions import called, function_of
from review_agent.kinds.rulebook import Rule
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import (
    Bundle,
    CallFact,
    DefinitionFact,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    NoFindingCode,
    QueryKind,
    Question,
    Resolution,
    Severity,
    Side,
    UseFact,
)

__all__ = ["RULES"]

Calls = Sequence[Found[CallFact]]


def _raise_removed(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if in_test(edit.path) or not function_of(edit):
        return None
    scope, name = called(function_of(edit))
    types = texts(edit, "types")
    return seed(
        edit,
        "handler_removed_uncaught",
        change=f"{code(name)} no longer catches {listed(types)}",
        precondition=f"something that {code(name)} calls there raises {listed(types)}, and nobody above catches it",
        consequence="the error ends whatever called, where it was dealt with before",
        refuted_if=(
            "nothing called there raises it any more",
            f"every resolved caller of {code(name)} catches it",
            "it is caught further up",
        ),
        plan=(
            ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
            *plan_of_callees(edit),
            *(ask(QueryKind.DEFINITION, one, path=edit.old_path, side=Side.OLD) for one in types[:1]),
            *(ask(QueryKind.CALLERS, one, path=edit.old_path, side=Side.OLD) for one in types[:1]),
        ),
    )


def _settle_removed(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    name = called(function_of(edit))[1]
    raising = _raising(edit, bundle)
    if not raising:
        return _nothing_raised(question, bundle)
    definition, raised = raising[0]
    kind = lineage(raised, classes(bundle))
    elsewhere = _caught_elsewhere(question, bundle, kind)
    if elsewhere:
        return unsettled(
            NoFindingCode.NEEDS_HUMAN_CONTEXT,
            f"{code(raised)} is still caught in {place(elsewhere[0].ref)}; whether that is above {code(name)} is open",
            missing=(f"the calls between {place(elsewhere[0].ref)} and {code(name)}",),
            refs=[elsewhere[0].ref],
        )
    seen = look(question, bundle, lambda call: _meets(call, kind))
    if seen.breaking and not is_builtin(raised) and not blocked(bundle, QueryKind.CALLERS):
        return (_removed_card(question, bundle, definition, raised, seen.breaking),)
    return without_card(bundle, seen, name=name, fits=f"catches {code(raised)}", unclear="it may catch the error")


def _raising(edit: Edit, bundle: Bundle) -> list[tuple[Found[DefinitionFact], str]]:
    types = {last(one) for one in texts(edit, "types")}
    return [
        (definition, raised)
        for callee in callees(edit)
        if (definition := of_callee(bundle, callee)) is not None
        for raised in raised_by(definition.fact)
        if last(raised) in types
    ]


def _nothing_raised(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    asked = callees(edit)
    stopped = blocked(bundle, QueryKind.DEFINITION) if asked else None
    if stopped is not None:
        return stopped
    missing = no_definition(question, bundle, asked)
    known = [one.ref for callee in asked if (one := of_callee(bundle, callee)) is not None]
    if missing or not asked:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"whether what was guarded raises {listed(texts(edit, 'types'))} is not established",
            missing=missing or ("the definitions of what was guarded",),
            refs=known,
        )
    return unsettled(
        NoFindingCode.REFUTED,
        f"none of {listed(asked)} is seen to raise {listed(texts(edit, 'types'))}",
        refs=known,
    )


def _caught_elsewhere(question: Question, bundle: Bundle, kind: Lineage) -> list[Found[UseFact]]:
    uses = [one for one in every(bundle, UseFact) if one.fact.use == "catch" and not one.fact.in_test]
    return [
        one
        for one in uses
        if one.fact.resolution is not Resolution.UNRESOLVED
        and last(one.fact.text) in kind.names - BROAD
        and not same_place(question, one.ref)
    ]


def _meets(call: CallFact, kind: Lineage) -> Verdict:
    caught = kind.caught_by(call.caught)
    return Verdict.UNCLEAR if caught is None else Verdict.FITS if caught else Verdict.BREAKS


def _removed_card(
    question: Question, bundle: Bundle, definition: Found[DefinitionFact], raised: str, calls: Calls
) -> Draft:
    edit, first = question.edits[0], calls[0]
    name = called(function_of(edit))[1]
    refs = [one.ref for one in calls]
    within = code(first.fact.scope) if first.fact.scope else "the module"
    spot = fails_at(bundle, definition, raised)
    return draft(
        question,
        claim=f"Removing the handler of {code(raised)} from {code(name)} sends what {code(definition.fact.qualname)} "
        f"raises ({spot}) up to {place(first.ref)}{first_of(refs)}, where nothing catches it: "
        f"it ends {within}.",
        op=EffectOp.REMOVED,
        subject=raised,
        severity=Severity.IMPORTANT,
        support=[spot.ref, *refs],
        impact=f"{code(definition.fact.qualname)} meets the case for which it raises; until now {code(name)} dealt "
        "with that itself.",
        counter=(
            f"A handler of {code(raised)} anywhere else would refute this; the repository has none at head.",
            f"A handler around the call would refute this; the one in {place(first.ref)} "
            + (f"catches only {listed(first.fact.caught)}." if first.fact.caught else "has none."),
        ),
        uncertainty=("Whether a handler of all exceptions stands further up was not followed.",),
    )


RULES = (Rule("handler_removed_uncaught", frozenset({EditOp.HANDLER_REMOVED}), _raise_removed, _settle_removed),)
