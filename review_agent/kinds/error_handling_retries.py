"""A rule of ``error_handling``: a retry that lost its end."""

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
    found,
    listed,
    place,
    same_place,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.exceptions import last
from review_agent.kinds.failures import callees, fails_at, no_definition, of_callee, plan_of_callees, raised_by
from review_agent.kinds.rulebook import Rule
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import (
    Bundle,
    DefinitionFact,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    NoFindingCode,
    QueryKind,
    Question,
    Severity,
    UseFact,
)

__all__ = ["RULES"]


def _raise_retry(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if in_test(edit.path):
        return None
    before = text(edit, "beforeTest")
    caps = texts(edit, "capNames")[:2]
    return seed(
        edit,
        "retry_unbounded",
        change=f"the loop around {listed(texts(edit, 'tryCalls'))} lost its bound {code(before)}",
        precondition="what is tried can go on failing, and the handler goes on with the loop",
        consequence="the loop never ends, and nobody is told of the failure",
        refuted_if=("what is tried never fails twice", "something else ends the loop"),
        plan=(
            *plan_of_callees(edit),
            *(ask(QueryKind.USES_INSIDE, one, path=edit.path, scope=edit.scope) for one in caps),
        ),
    )


def _settle_retry(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    bounds = [one for one in found(bundle, UseFact, QueryKind.USES_INSIDE) if one.fact.use in ("read", "guard")]
    if bounds:
        return unsettled(
            NoFindingCode.CONFLICTING_EVIDENCE,
            f"{code(bounds[0].fact.text)} is still read in {code(edit.scope)}; whether it ends the loop is open",
            missing=(f"what {code(bounds[0].fact.text)} does at {place(bounds[0].ref)}",),
            refs=[bounds[0].ref],
        )
    stopped = blocked(bundle, QueryKind.DEFINITION) if callees(edit) else None
    if stopped is not None:
        return stopped
    failing = _failing(question, bundle)
    if failing is None:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"that {listed(texts(edit, 'tryCalls'))} can go on failing is not established",
            missing=no_definition(question, bundle, callees(edit)) or ("an error that stays",),
        )
    return (_retry_card(question, bundle, *failing),)


def _failing(question: Question, bundle: Bundle) -> tuple[Found[DefinitionFact], str] | None:
    """A tried definition outside the change with an error that the loop's handlers catch."""
    edit = question.edits[0]
    types = {last(one) for one in texts(edit, "types")}
    for callee in callees(edit):
        definition = of_callee(bundle, callee)
        if definition is None or same_place(question, definition.ref):
            continue
        for raised in raised_by(definition.fact):
            if types & {"error", "Exception", "BaseException", last(raised)}:
                return definition, raised
    return None


def _retry_card(question: Question, bundle: Bundle, definition: Found[DefinitionFact], raised: str) -> Draft:
    edit = question.edits[0]
    before, after = text(edit, "beforeTest"), text(edit, "afterTest")
    within = code(edit.scope) if edit.scope else "the module"
    spot = fails_at(bundle, definition, raised)
    return draft(
        question,
        claim=f"Removing the bound {code(before)} makes {within} try {code(definition.fact.qualname)} for ever: "
        f"{spot} fails with {code(raised)}, and the handler goes on with the loop every time.",
        op=EffectOp.REMOVED,
        subject=before,
        severity=Severity.IMPORTANT,
        support=[spot.ref],
        impact=f"The cause of {code(raised)} stays, so that the next turn fails like the last; the caller of {within} "
        "waits and gets no error.",
        counter=(
            "A return, break or raise in the handler would refute this; it has none.",
            f"Another bound would refute this; the loop runs on {code(after)}."
            if after
            else "Another bound would refute this; none is left.",
        ),
    )


RULES = (Rule("retry_unbounded", frozenset({EditOp.RETRY_UNBOUNDED}), _raise_retry, _settle_retry),)
