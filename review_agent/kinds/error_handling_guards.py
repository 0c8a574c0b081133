"""A rule of ``error_handling``: the test of a missing value went, and the value is still used."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    Unsettled,
    ask,
    blocked,
    code,
    draft,
    found,
    number,
    place,
    same_place,
    seed,
    text,
    unsettled,
)
from review_agent.kinds.binding import bind, opaque_decorator
from review_agent.kinds.callers import definition_of, first_of, worst_first
from review_agent.kinds.error_handling_weakened import may_miss, producer_of
from review_agent.kinds.exceptions import last
from review_agent.kinds.functions import called, function_of, plan_of_calls, split
from review_agent.kinds.languages import SCRIPTS, nothing
from review_agent.kinds.past import asking_the_past, of_a_fix, said_of
from review_agent.kinds.rulebook import Rule
from review_agent.syntax.testfiles import in_test
from review_agent.syntax.words import whole_name
from review_agent.vocabulary import (
    Bundle,
    CallFact,
    DefinitionFact,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    HistoryFact,
    NoFindingCode,
    QueryKind,
    Question,
    Severity,
    UseFact,
)

__all__ = ["RULES"]

_KINDS = frozenset({"none", "error", "type"})
_NOTHING = frozenset({"None", "nil", "null", "undefined"})
_USED = frozenset({"attribute", "subscript", "dereference", "call"})


def _of_nothing(edit: Edit) -> bool:
    """Whether the test may have been one for a missing value: in JavaScript `!x` mostly is."""
    kind = text(edit, "testKind")
    return kind in _KINDS or (kind == "falsy" and edit.language in SCRIPTS)


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    subject = edit.subject
    dotted = re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", subject)
    used = edit.facts.get("used", True)
    if not used or in_test(edit.path) or not _of_nothing(edit) or not dotted or not function_of(edit):
        return None
    plan = [ask(QueryKind.USES_INSIDE, subject, path=edit.path, scope=edit.scope)]
    if "." in subject:
        plan.append(ask(QueryKind.CALLERS, subject, path=edit.path, scope=edit.scope))
    else:
        plan += plan_of_calls(edit)
    if producer_of(edit) and "." not in subject:
        plan.append(ask(QueryKind.DEFINITION, producer_of(edit), path=edit.path, scope=edit.scope))
    plan += asking_the_past(edit)
    return seed(
        edit,
        "guard_removed_dereferenced",
        change=f"{code(function_of(edit))} no longer tests {code(text(edit, 'test'))}",
        precondition=f"{code(subject)} can still be missing there",
        consequence=f"{code(function_of(edit))} fails where it uses {code(subject)}",
        refuted_if=(
            f"{code(subject)} is no longer used there",
            f"whoever calls {code(function_of(edit))} makes sure of {code(subject)}",
        ),
        plan=plan,
    )


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    mentioned = _mentioned(question, bundle)
    used = [one for one in mentioned if one.fact.use in _USED and not one.fact.guarded_by]
    if used:
        settle = _settle_field if "." in edit.subject else _settle_parameter
        return settle(question, bundle, used[0])
    return blocked(bundle, QueryKind.USES_INSIDE) or _unused(edit, mentioned)


def _mentioned(question: Question, bundle: Bundle) -> list[Found[UseFact]]:
    """Where the subject stands behind the place of the test."""
    edit = question.edits[0]
    start, end = number(edit, "guardedStart") or 0, number(edit, "guardedEnd") or 0
    uses = found(bundle, UseFact, QueryKind.USES_INSIDE, edit.subject)
    return [one for one in uses if start <= one.ref.start_line <= end and one.fact.use != "write"]


def _unused(edit: Edit, mentioned: Sequence[Found[UseFact]]) -> Unsettled:
    open_ = [one for one in mentioned if not one.fact.guarded_by]
    if not open_:
        return unsettled(
            NoFindingCode.REFUTED,
            f"{code(edit.subject)} stands nowhere unguarded behind the place of the test",
            refs=[one.ref for one in mentioned],
        )
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"{code(edit.subject)} is handed on in {place(open_[0].ref)}; whether that fails without a value is not known",
        missing=(f"what becomes of {code(edit.subject)} in {place(open_[0].ref)}",),
        refs=[open_[0].ref],
    )


def _settle_parameter(question: Question, bundle: Bundle, used: Found[UseFact]) -> Settled:
    edit = question.edits[0]
    if producer_of(edit):
        return _settle_produced(question, bundle, used)
    name = called(function_of(edit))[1]
    definition = definition_of(question, bundle, split(function_of(edit))[1])
    if isinstance(definition, Unsettled):
        return definition
    parameter = next((one for one in definition.parameters if one.name == edit.subject), None)
    if parameter is None or opaque_decorator(definition) is not None:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"where {code(edit.subject)} comes from was not followed",
            missing=(f"what sets {code(edit.subject)} in {code(function_of(edit))}",),
            refs=[used.ref],
        )
    calls = [one for one in found(bundle, CallFact, QueryKind.CALLERS, name) if not one.fact.in_test]
    passing = []
    for one in worst_first(question, [one for one in calls if not same_place(question, one.ref)]):
        binding = bind(definition, one.fact, edit.language)
        left_out = "undefined" if edit.language in SCRIPTS and parameter.default is None else parameter.default
        if binding.known and binding.bound.get(parameter.name, left_out) in _NOTHING:
            passing.append(one)
    if passing:
        return (_parameter_card(question, used, passing, of_a_fix(bundle)),)
    return blocked(bundle, QueryKind.CALLERS) or unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE if calls else NoFindingCode.NO_CANDIDATE,
        f"no resolved caller of {code(name)} is seen to leave {code(edit.subject)} out or to pass nothing for it",
        missing=(f"what each caller passes as {code(edit.subject)}",) if calls else (),
        refs=[one.ref for one in calls[:3]],
    )


def _settle_produced(question: Question, bundle: Bundle, used: Found[UseFact]) -> Settled:
    """Of a value that a call gives, only a way of that function which gives none tells that it can be missing."""
    edit = question.edits[0]
    producer = producer_of(edit)
    answers = [
        one
        for one in found(bundle, DefinitionFact, QueryKind.DEFINITION, producer)
        if one.fact.symbol in ("function", "method")
    ]
    missing = [one for one in answers if {"none", "nil"} & set(one.fact.returns) and not one.evidence.near_change]
    nil_serves = edit.language == "go" and used.fact.use == "call"
    if len(answers) == 1 and missing and may_miss(missing[0].fact) and not nil_serves:
        return (_produced_card(question, used, missing[0], of_a_fix(bundle)),)
    return blocked(bundle, QueryKind.DEFINITION) or unsettled(
        NoFindingCode.REFUTED if answers else NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"{code(producer)} is not seen to give nothing on one of its ways",
        missing=() if answers else (f"definition of {code(producer)}",),
        refs=[one.ref for one in answers],
    )


def _produced_card(
    question: Question, used: Found[UseFact], maker: Found[DefinitionFact], past: Found[HistoryFact] | None
) -> Draft:
    edit = question.edits[0]
    within, taken, producer = code(function_of(edit)), code(used.fact.text), code(producer_of(edit))
    return draft(
        question,
        claim=f"Removing the test {code(text(edit, 'test'))} lets {code(nothing(edit))} through to {taken} in "
        f"{within}: {producer}, defined at {place(maker.ref)}, gives it on one of its ways.",
        op=EffectOp.REMOVED,
        subject=text(edit, "test"),
        severity=Severity.IMPORTANT,
        support=[maker.ref, *([past.ref] if past else [])],
        impact=f"{producer} comes to the way on which it has no value; the error then comes out of line "
        f"{used.ref.start_line}.{said_of(past)}",
        counter=(f"A test inside {within} would refute this; none stands before line {used.ref.start_line}.",),
        uncertainty=(f"Whether what {within} passes leads {producer} to that way was not followed.",),
    )


def _parameter_card(
    question: Question, used: Found[UseFact], passing: Sequence[Found[CallFact]], past: Found[HistoryFact] | None
) -> Draft:
    edit, first = question.edits[0], passing[0]
    refs = [one.ref for one in passing]
    within, taken = code(function_of(edit)), code(used.fact.text)
    return draft(
        question,
        claim=f"Removing the test {code(text(edit, 'test'))} lets {code(nothing(edit))} through to {taken} in "
        f"{within}: {place(first.ref)} passes none for {code(edit.subject)}{first_of(refs)}.",
        op=EffectOp.REMOVED,
        subject=text(edit, "test"),
        severity=Severity.IMPORTANT,
        support=[*refs, *([past.ref] if past else [])],
        impact=f"{code(first.fact.scope) if first.fact.scope else 'That module'} runs up to the call in line "
        f"{first.ref.start_line}; the error comes out of line {used.ref.start_line}.{said_of(past)}",
        counter=(
            f"A test inside {within} would refute this; none stands before line {used.ref.start_line}.",
            f"A caller that passes a value would refute this; {place(first.ref)} does not.",
        ),
    )


def _settle_field(question: Question, bundle: Bundle, used: Found[UseFact]) -> Settled:
    edit = question.edits[0]
    field = last(edit.subject)
    guarded = [
        one
        for one in found(bundle, UseFact, QueryKind.CALLERS, edit.subject)
        if one.fact.guarded_by
        and re.search(whole_name(field), one.fact.guarded_by)
        and not one.fact.in_test
        and not same_place(question, one.ref)
        and one.fact.scope != edit.scope
    ]
    if guarded:
        return (_field_card(question, used, worst_first(question, guarded), of_a_fix(bundle)),)
    return blocked(bundle, QueryKind.CALLERS) or unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"no other place tests {code(edit.subject)} before it uses it; that it can be missing is not established",
        missing=(f"a place that leaves {code(field)} unset",),
        refs=[used.ref],
    )


def _field_card(
    question: Question, used: Found[UseFact], guarded: Sequence[Found[UseFact]], past: Found[HistoryFact] | None
) -> Draft:
    edit, first = question.edits[0], guarded[0]
    within, taken = code(function_of(edit)), code(used.fact.text)
    test = code(first.fact.guarded_by or "")
    return draft(
        question,
        claim=f"Removing the test {code(text(edit, 'test'))} leaves {taken} in {within} to fail where "
        f"{code(last(edit.subject))} is missing: {place(first.ref)} in {code(first.fact.scope)} reads it only "
        f"behind its test {test}.",
        op=EffectOp.REMOVED,
        subject=text(edit, "test"),
        severity=Severity.IMPORTANT,
        support=[first.ref, *([past.ref] if past else [])],
        impact=f"{within} is handed one of those for which {code(first.fact.scope)} keeps its test; "
        f"line {used.ref.start_line} is the first to meet it.{said_of(past)}",
        counter=(
            f"A field that is set everywhere would refute this; then the test in {place(first.ref)} has no reason.",
            f"Another test in {within} would refute this; none stands before line {used.ref.start_line}.",
        ),
        uncertainty=(f"Whether every caller of {within} makes sure of {code(last(edit.subject))} was not followed.",),
    )


RULES = (Rule("guard_removed_dereferenced", frozenset({EditOp.GUARD_REMOVED}), _raise, _settle),)
