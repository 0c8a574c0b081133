"""A rule of ``error_handling``: a failure that comes as another type than its callers deal with."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    ask,
    blocked,
    code,
    draft,
    found,
    listed,
    place,
    same_place,
    searched,
    seed,
    text,
    unsettled,
)
from review_agent.kinds.callers import Verdict, first_of, look, without_card, worst_first
from review_agent.kinds.error_handling_wrapped import raise_unwrapped, settle_unwrapped
from review_agent.kinds.exceptions import BROAD, Lineage, last, lineage
from review_agent.kinds.failures import (
    classes,
)
from review_agent.kinds.functions import called, function_of
from review_agent.kinds.languages import throws
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
    NoFindingCode,
    QueryKind,
    Question,
    Severity,
    Side,
    UseFact,
)

__all__ = ["RULES"]

Calls = Sequence[Found[CallFact]]


def _raise_changed(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if edit.op is EditOp.TEMPLATE_CHANGED:
        return raise_unwrapped(edit, edits)
    if in_test(edit.path) or not function_of(edit):
        return None
    before, after = text(edit, "beforeType"), text(edit, "afterType")
    scope, name = called(function_of(edit))
    plan = [ask(QueryKind.CALLERS, name, path=edit.path, scope=scope)]
    if edit.language == "go":
        plan.append(ask(QueryKind.CALLERS, before, path=edit.path, scope=edit.scope))
    else:
        plan += [
            ask(QueryKind.DEFINITION, after, path=edit.path, scope=edit.scope),
            ask(QueryKind.DEFINITION, before, path=edit.old_path, scope=edit.scope, side=Side.OLD),
        ]
    return seed(
        edit,
        "raise_type_changed_uncaught",
        change=f"{code(name)} fails with {code(after)} where it failed with {code(before)}",
        precondition=f"a caller of {code(name)} deals with {code(before)} and not with {code(after)}",
        consequence="the error passes the handler that was written for it",
        refuted_if=(
            f"{code(after)} is a kind of {code(before)}",
            f"every resolved caller that deals with {code(before)} deals with {code(after)} too",
        ),
        plan=plan,
    )


def _settle_changed(question: Question, bundle: Bundle) -> Settled:
    if question.edits[0].op is EditOp.TEMPLATE_CHANGED:
        return settle_unwrapped(question, bundle)
    return _settle_sentinel(question, bundle) if question.edits[0].language == "go" else _settle_type(question, bundle)


def _settle_type(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    name = called(function_of(edit))[1]
    before, after = text(edit, "beforeType"), text(edit, "afterType")
    new, old = lineage(after, classes(bundle)), lineage(before, classes(bundle))
    if last(before) in new.names:
        kin = [one.ref for one in found(bundle, DefinitionFact, QueryKind.DEFINITION, after)]
        return unsettled(NoFindingCode.REFUTED, f"{code(after)} is a kind of {code(before)}", refs=kin)
    if not new.complete:
        return blocked(bundle, QueryKind.DEFINITION) or unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"what {code(after)} derives from is not known, so whether a handler of {code(before)} catches it is open",
            missing=(f"definition of {code(after)} (searched: imports of {code(question.path)})",),
        )
    seen = look(question, bundle, lambda call: _verdict(call, old, new))
    if seen.breaking:
        return (_changed_card(question, bundle, old, new, seen.breaking),)
    return without_card(
        bundle,
        seen,
        name=name,
        fits=f"catches both {code(before)} and {code(after)}, or neither",
        unclear="what it catches is not known",
    )


def _verdict(call: CallFact, old: Lineage, new: Lineage) -> Verdict:
    meant = [one for one in call.caught if last(one) in old.names - BROAD]
    return Verdict.BREAKS if meant and new.caught_by(call.caught) is False else Verdict.FITS


def _changed_card(question: Question, bundle: Bundle, old: Lineage, new: Lineage, calls: Calls) -> Draft:
    edit, first, refs = question.edits[0], calls[0], [one.ref for one in calls]
    name = called(function_of(edit))[1]
    before, after = text(edit, "beforeType"), text(edit, "afterType")
    caught = next(one for one in first.fact.caught if last(one) in old.names - BROAD)
    within = code(first.fact.scope) if first.fact.scope else "the module"
    kin = [one.ref for one in found(bundle, DefinitionFact, QueryKind.DEFINITION, after)]
    return draft(
        question,
        claim=f"Changing what {code(name)} {throws(edit)} from {code(before)} to {code(after)} lets it past "
        f"{place(first.ref)}{first_of(refs)}: the call there is guarded for {code(caught)}, and {code(after)} ends "
        f"{within} instead.",
        op=EffectOp.CHANGED,
        subject=before,
        to=after,
        severity=Severity.IMPORTANT,
        support=[*refs, *kin],
        impact=f"{code(name)} fails at the changed line while {within} runs; what its handler of {code(caught)} does "
        "is left undone.",
        counter=(
            f"{code(after)} being a kind of {code(caught)} would refute this; its bases are "
            f"{listed(sorted(new.names - {new.name, 'BaseException', 'Throwable'})) or 'none'}.",
            f"A second handler around the call would refute this; it catches {listed(first.fact.caught)} only.",
        ),
    )


def _settle_sentinel(question: Question, bundle: Bundle) -> Settled:
    """Go: a caller that compares the error with the old sentinel, and with nothing that the new one is or wraps."""
    edit = question.edits[0]
    name = called(function_of(edit))[1]
    before, after = last(text(edit, "beforeType")), last(text(edit, "afterType"))
    if re.search(whole_name(before), edit.after or ""):
        return unsettled(NoFindingCode.REFUTED, f"the new error still wraps {code(before)}")
    tests = [one for one in found(bundle, UseFact, QueryKind.CALLERS, text(edit, "beforeType")) if _compares(one)]
    calls = [one for one in found(bundle, CallFact, QueryKind.CALLERS, name) if not one.fact.in_test]
    pairs = [
        (call, test)
        for call in worst_first(question, calls)
        for test in tests
        if (call.ref.path, call.fact.scope) == (test.ref.path, test.fact.scope)
        and test.ref.start_line >= call.ref.start_line
        and not same_place(question, test.ref)
        and not _names(bundle, test, after)
    ]
    if pairs and "%w" in (edit.after or ""):
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"{place(pairs[0][1].ref)} tests for {code(before)}; whether the new error wraps it is not established",
            missing=(f"what {code(edit.after or after)} wraps",),
            refs=[pairs[0][1].ref],
        )
    if pairs:
        return (_sentinel_card(question, *pairs[0]),)
    stopped = blocked(bundle, QueryKind.CALLERS)
    if stopped is not None:
        return stopped
    if not calls:
        where = searched(bundle, QueryKind.CALLERS)
        return unsettled(NoFindingCode.NO_CANDIDATE, f"no resolved caller of {code(name)}; searched: {where}")
    return unsettled(
        NoFindingCode.NO_CANDIDATE,
        f"no resolved caller of {code(name)} is seen to tell {code(before)} from other errors; "
        f"{place(calls[0].ref)} is one of them",
        refs=[calls[0].ref],
    )


def _compares(one: Found[UseFact]) -> bool:
    return not one.fact.in_test and re.search(r"errors\.(?:Is|As)\(|[!=]=|\bcase\b", one.evidence.text) is not None


def _names(bundle: Bundle, test: Found[UseFact], after: str) -> bool:
    """Whether the same scope also names the new error."""
    around = [
        one.text
        for one in bundle.evidence
        if one.ref.path == test.ref.path and abs(one.ref.start_line - test.ref.start_line) <= 3
    ]
    return any(re.search(whole_name(after), one) for one in around)


def _sentinel_card(question: Question, call: Found[CallFact], test: Found[UseFact]) -> Draft:
    edit = question.edits[0]
    name = called(function_of(edit))[1]
    before, after = text(edit, "beforeType"), text(edit, "afterType")
    return draft(
        question,
        claim=f"Changing the error of {code(name)} from {code(before)} to {code(after)} makes the test for "
        f"{code(test.fact.text)} in {place(test.ref)} fail: {code(call.fact.scope)} takes this failure for any other.",
        op=EffectOp.CHANGED,
        subject=before,
        to=after,
        severity=Severity.IMPORTANT,
        support=[call.ref] if place(call.ref) == place(test.ref) else [call.ref, test.ref],
        impact=f"The call in line {call.ref.start_line} meets the failure that has another error now; the branch "
        f"written for {code(before)} is left out.",
        counter=(f"A new error that wraps {code(before)} would refute this; {code(edit.after or after)} does not.",),
        uncertainty=(f"Whether {code(name)} still returns {code(before)} on another path was not followed.",),
    )


RULES = (
    Rule(
        "raise_type_changed_uncaught",
        frozenset({EditOp.RAISE_TYPE_CHANGED, EditOp.TEMPLATE_CHANGED}),
        _raise_changed,
        _settle_changed,
    ),
)
