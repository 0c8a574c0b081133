"""A rule of ``error_handling``: a handler that now ends an error on which a caller relies."""

from __future__ import annotations

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
    texts,
    unsettled,
)
from review_agent.kinds.callers import first_of, worst_first
from review_agent.kinds.exceptions import BROAD, last
from review_agent.kinds.failures import (
    LEAVES,
    ends_here,
    of_callee,
    plan_of_callees,
)
from review_agent.kinds.functions import called, function_of, split
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wording import in_tests
from review_agent.vocabulary import (
    Bundle,
    CallFact,
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


def _raise_swallows(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if in_tests(edit.path) or not function_of(edit):
        return None
    scope, name = called(function_of(edit))
    others = [
        one
        for one in edits
        if one.op is EditOp.NONE_RETURN_ADDED and (one.path, function_of(one)) == (edit.path, function_of(edit))
    ]
    return seed(
        edit,
        "handler_swallows",
        change=f"{code(name)} no longer lets {listed(texts(edit, 'types'))} leave it",
        precondition=f"a caller of {code(name)} relies on that error",
        consequence="the caller takes a failure for a success",
        refuted_if=(f"no resolved caller of {code(name)} relies on the error", "the error still leaves another way"),
        plan=(
            ask(QueryKind.DEFINITION, split(function_of(edit))[1], path=edit.path, scope=split(function_of(edit))[0]),
            ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
            *plan_of_callees(edit),
        ),
        others=others,
    )


def _settle_swallows(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    if set(texts(edit, "afterActions")) & LEAVES:
        return unsettled(NoFindingCode.REFUTED, "the handler still lets the error leave")
    relying = _relying(question, bundle)
    if relying:
        return (_swallows_card(question, bundle, relying),)
    stopped = blocked(bundle, QueryKind.CALLERS)
    if stopped is not None:
        return stopped
    return _no_relying(question, bundle)


def _calls(question: Question, bundle: Bundle) -> list[Found[CallFact]]:
    """The resolved callers of the edit's function outside tests and outside the change, worst first."""
    name = called(function_of(question.edits[0]))[1]
    calls = found(bundle, CallFact, QueryKind.CALLERS, name)
    return worst_first(question, [one for one in calls if not one.fact.in_test and not same_place(question, one.ref)])


def _relying(question: Question, bundle: Bundle) -> list[Found[CallFact]]:
    edit = question.edits[0]
    if edit.language == "go":
        return []
    narrow = {last(one) for one in texts(edit, "types")} - BROAD
    raised = _still_raised(question, bundle)
    if raised is None or raised & narrow:
        return []
    return [one for one in _calls(question, bundle) if narrow & {last(name) for name in one.fact.caught}]


def _still_raised(question: Question, bundle: Bundle) -> set[str] | None:
    """What the function itself is still seen to raise; null where its definition is not known."""
    definition = of_callee(bundle, split(function_of(question.edits[0]))[1])
    return None if definition is None else {last(one) for one in definition.fact.raises}


def _no_relying(question: Question, bundle: Bundle) -> Unsettled:
    name = called(function_of(question.edits[0]))[1]
    calls = _calls(question, bundle)
    where = searched(bundle, QueryKind.CALLERS)
    if not calls:
        return unsettled(NoFindingCode.NO_CANDIDATE, f"no resolved caller of {code(name)} was found; searched: {where}")
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"no resolved caller of {code(name)} is seen to rely on the error; {place(calls[0].ref)} is one of them",
        missing=(f"a caller of {code(name)} that catches {listed(texts(question.edits[0], 'types'))}",),
        refs=[calls[0].ref],
    )


def _swallows_card(question: Question, bundle: Bundle, relying: Sequence[Found[CallFact]]) -> Draft:
    edit, first = question.edits[0], relying[0]
    name = called(function_of(edit))[1]
    narrow = {last(one) for one in texts(edit, "types")} - BROAD
    caught = next(one for one in first.fact.caught if last(one) in narrow)
    does = ends_here(texts(edit, "afterActions")) or "ends it"
    refs = [one.ref for one in relying]
    caller = code(first.fact.scope) if first.fact.scope else "the calling module"
    return draft(
        question,
        claim=f"Swallowing {code(caught)} inside {code(name)} leaves {place(first.ref)}{first_of(refs)} with a handler "
        f"of {code(caught)} that the call no longer reaches: a failure there passes for success, {code(name)} {does}.",
        op=EffectOp.WEAKENED,
        subject=text(edit, "types") or texts(edit, "types")[0],
        severity=Severity.IMPORTANT,
        support=refs,
        impact=f"What {code(name)} tries fails with {code(caught)}; {caller} goes on behind the call.",
        counter=(
            f"Another {code(caught)} raised by {code(name)} would refute this; it is seen to raise none.",
            f"A caller that does without the error would refute this; {place(first.ref)} catches {code(caught)}.",
        ),
        uncertainty=(f"Whether anything else that {code(name)} calls raises {code(caught)} was not followed.",),
    )


RULES = (Rule("handler_swallows", frozenset({EditOp.HANDLER_SWALLOWS}), _raise_swallows, _settle_swallows),)
