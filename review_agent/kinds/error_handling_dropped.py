"""A rule of ``error_handling``: an error that Go code no longer looks at."""

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
    listed,
    place,
    same_place,
    searched,
    seed,
    text,
    unsettled,
)
from review_agent.kinds.callers import worst_first
from review_agent.kinds.exceptions import last
from review_agent.kinds.failures import Spot, go_failures, no_definition, of_callee, returns_error
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
    Severity,
)

__all__ = ["RULES"]

Failures = Sequence[tuple[str, Spot]]

# Their errors come when the work is done or given up; to drop one there is a habit, not a loss.
_CLOSING = frozenset(
    {"Cancel", "Cleanup", "Close", "Flush", "Log", "Print", "Printf", "Println", "Remove", "RemoveAll", "Rollback"}
    | {"Shutdown", "Stop", "Sync", "Unlock", "Wait", "Write", "WriteString", "Fprintf", "Fprintln", "Fprint"}
)
# What is written to a terminal or a response; nobody can act on its error.
_PRINTS = re.compile(r"fmt\.F?[pP]rint(?:f|ln)?$")
_HOW = {
    "blank": "is assigned to the blank",
    "ignored": "is not taken",
    "unchecked": "is not looked at",
    "return_nil": "is answered with nil",
}


def _raise_dropped(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if in_test(edit.path) or not edit.subject or _PRINTS.fullmatch(edit.subject):
        return None
    plan = [ask(QueryKind.DEFINITION, edit.subject, path=edit.path, scope=edit.scope)]
    if text(edit, "form") == "return_nil" and function_of(edit):
        scope, name = called(function_of(edit))
        plan.append(ask(QueryKind.CALLERS, name, path=edit.path, scope=scope))
    return seed(
        edit,
        "error_dropped",
        change=f"the error of {code(edit.subject)} {_HOW.get(text(edit, 'form'), 'is dropped')}",
        precondition=f"{code(edit.subject)} returns an error that is not nil",
        consequence=f"{code(function_of(edit))} goes on as if {code(edit.subject)} had succeeded",
        refuted_if=(f"{code(edit.subject)} never returns an error", "the error is looked at elsewhere"),
        plan=plan,
    )


def _settle_dropped(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    callee = edit.subject
    definition = of_callee(bundle, callee)
    if definition is None:
        return blocked(bundle, QueryKind.DEFINITION) or unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"whether {code(callee)} returns an error is not established",
            missing=no_definition(question, bundle, [callee]),
        )
    if not returns_error(definition.fact):
        return unsettled(NoFindingCode.REFUTED, f"{code(callee)} returns no error", refs=[definition.ref])
    failures = go_failures(bundle, definition)
    if not failures:
        return _no_error_seen(callee, definition)
    if same_place(question, definition.ref):
        return unsettled(NoFindingCode.INSUFFICIENT_EVIDENCE, f"{code(callee)} stands inside the change itself")
    if last(callee) in _CLOSING or text(edit, "form") == "blank":
        return unsettled(
            NoFindingCode.NEEDS_HUMAN_CONTEXT,
            f"{code(callee)} can fail, but its error is set aside in so many words",
            missing=(f"why the error of {code(callee)} does not matter here",),
            refs=[definition.ref],
        )
    if text(edit, "form") == "return_nil":
        return _answered_with_nil(question, bundle, definition, failures)
    return (_dropped_card(question, definition, failures),)


def _names(failures: Failures) -> list[str]:
    return list(dict.fromkeys(error for error, _ in failures))[:3]


def _no_error_seen(callee: str, definition: Found[DefinitionFact]) -> Unsettled:
    """``return nil`` is the shape "nil"; an error that comes from elsewhere has another one."""
    if set(definition.fact.returns) == {"nil"}:
        return unsettled(NoFindingCode.REFUTED, f"every path of {code(callee)} returns nil", refs=[definition.ref])
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"{code(callee)} is not seen to return an error that is not nil; it hands on what it calls",
        missing=(f"what {code(callee)} calls",),
        refs=[definition.ref],
    )


def _dropped_card(question: Question, definition: Found[DefinitionFact], failures: Failures) -> Draft:
    edit = question.edits[0]
    callee, function = edit.subject, function_of(edit)
    error, spot = failures[0]
    return draft(
        question,
        claim=f"Dropping the error of {code(callee)} lets {code(function)} go on where {code(callee)} has failed: "
        f"{spot} returns {code(error)}, and nothing behind the call learns of it.",
        op=EffectOp.WEAKENED,
        subject=callee,
        severity=Severity.IMPORTANT,
        support=[spot.ref],
        impact=f"{code(definition.fact.qualname)} meets the case of line {spot.line}; what stands behind the call then "
        "runs on work that was not done.",
        counter=(
            f"A {code(callee)} that always returns nil would refute this; it returns {listed(_names(failures))}.",
            f"A later look at the error would refute this; the call's result {_HOW[text(edit, 'form')]}.",
        ),
    )


def _answered_with_nil(
    question: Question, bundle: Bundle, definition: Found[DefinitionFact], failures: Failures
) -> Settled:
    edit = question.edits[0]
    name = called(function_of(edit))[1]
    calls = [one for one in found(bundle, CallFact, QueryKind.CALLERS, name) if not one.fact.in_test]
    checking = [
        one
        for one in worst_first(question, calls)
        if one.fact.targets and one.fact.targets[-1] != "_" and not same_place(question, one.ref)
    ]
    if checking:
        return (_nil_card(question, failures, checking[0]),)
    stopped = blocked(bundle, QueryKind.CALLERS)
    if stopped is not None:
        return stopped
    return unsettled(
        NoFindingCode.NO_CANDIDATE,
        f"no resolved caller of {code(name)} takes its error; searched: {searched(bundle, QueryKind.CALLERS)}",
        refs=[definition.ref],
    )


def _nil_card(question: Question, failures: Failures, call: Found[CallFact]) -> Draft:
    edit = question.edits[0]
    callee, name = edit.subject, called(function_of(edit))[1]
    error, spot = failures[0]
    return draft(
        question,
        claim=f"Returning nil where {code(callee)} fails hides its {code(error)} ({spot}) from "
        f"{place(call.ref)}, which takes the error of {code(name)} into {code(call.fact.targets[-1])} and finds none.",
        op=EffectOp.CHANGED,
        subject=callee,
        severity=Severity.IMPORTANT,
        support=[spot.ref, call.ref],
        impact=f"{code(callee)} fails while {code(call.fact.scope)} runs; that caller works on with a result "
        "that was never made.",
        counter=(
            f"A {code(callee)} that always returns nil would refute this; it returns {listed(_names(failures))}.",
            f"A caller that takes no error would refute this; {place(call.ref)} takes it.",
        ),
        uncertainty=(f"Whether {code(name)} is meant to treat this failure as none is not said in code.",),
    )


RULES = (Rule("error_dropped", frozenset({EditOp.ERROR_DROPPED}), _raise_dropped, _settle_dropped),)
