"""A rule of ``error_handling``: a handler that catches more than before, and hides what it catches."""

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
    number,
    same_place,
    searched,
    seed,
    texts,
    unsettled,
)
from review_agent.kinds.exceptions import BROAD, last, lineage
from review_agent.kinds.failures import (
    LEAVES,
    callees,
    classes,
    ends_here,
    fails_at,
    is_a,
    no_definition,
    of_callee,
    plan_of_callees,
    raised_by,
)
from review_agent.kinds.languages import throws
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
    Side,
)

__all__ = ["RULES"]

# The plan has room for so many guarded calls, and for what derives from so many of the types caught before.
_GUARDED = 2
_TYPES = 2


def _raise_broadened(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if in_test(edit.path):
        return None
    before, after = texts(edit, "beforeTypes"), texts(edit, "afterTypes")
    asked = callees(edit)
    return seed(
        edit,
        "handler_broadened_hides",
        change=f"the handler catches {listed(after)} where it caught {listed(before)}",
        precondition="something that is called in the guarded statements raises an error that is caught only now",
        consequence="that error ends in the handler and no longer reaches whoever called",
        refuted_if=(
            "the handler raises again",
            "nothing called there raises a type that was not caught before",
            "another handler of the same statements catches it first",
        ),
        plan=(
            *plan_of_callees(edit),
            *(ask(QueryKind.CALLERS, one, path=edit.path, scope=edit.scope) for one in asked[:_GUARDED]),
            *(ask(QueryKind.IMPLEMENTERS, one, path=edit.old_path, side=Side.OLD) for one in before[:_TYPES]),
        ),
    )


def _settle_broadened(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    actions = texts(edit, "actions")
    if set(actions) & LEAVES:
        return unsettled(NoFindingCode.REFUTED, "the handler raises again, so what it catches still leaves it")
    hidden = _hidden(edit, bundle)
    if not hidden:
        return _nothing_hidden(question, bundle)
    if not ends_here(actions):
        first, raised = hidden[0]
        return unsettled(
            NoFindingCode.NEEDS_HUMAN_CONTEXT,
            f"{code(raised)} of {code(first.fact.qualname)} is caught only now; what becomes of it there is not seen",
            missing=("whether the handler hands the error on",),
            refs=[first.ref],
        )
    outside = [(one, raised) for one, raised in hidden if not same_place(question, one.ref)]
    if not outside:
        return unsettled(NoFindingCode.INSUFFICIENT_EVIDENCE, "the error is raised inside the change itself")
    return (_broadened_card(question, bundle, *outside[0]),)


def _hidden(edit: Edit, bundle: Bundle) -> list[tuple[Found[DefinitionFact], str]]:
    """The raising definitions, each with a type that it raises and that is caught only now, and by no better name."""
    return [
        (definition, raised)
        for callee in callees(edit)
        if (definition := of_callee(bundle, callee)) is not None
        for raised in raised_by(definition.fact)
        if _only_now(edit, bundle, callee, raised)
    ]


def _only_now(edit: Edit, bundle: Bundle, callee: str, raised: str) -> bool:
    before, after = texts(edit, "beforeTypes"), texts(edit, "afterTypes")
    if last(raised) in {last(one) for one in (*before, *after)}:
        # A type that the handler names was meant to be caught.
        return False
    kind = lineage(raised, classes(bundle))
    if kind.caught_by(after) is not True or is_a(bundle, raised, before) is not False:
        return False
    return _met_first(edit, bundle, callee, raised)


def _met_first(edit: Edit, bundle: Bundle, callee: str, raised: str) -> bool:
    """Whether the broadened handler is the first that catches the type, of those around the guarded call."""
    start, end = number(edit, "tryStart") or 0, number(edit, "tryEnd") or 0
    calls = [
        one
        for one in found(bundle, CallFact, QueryKind.CALLERS, callee)
        if one.ref.path == edit.path and start <= one.ref.start_line <= end
    ]
    kind = lineage(raised, classes(bundle))
    after = {last(one) for one in texts(edit, "afterTypes")}
    return bool(calls) and all(
        next((last(one) in after for one in call.fact.caught if kind.caught_by((one,))), False) for call in calls
    )


def _nothing_hidden(question: Question, bundle: Bundle) -> Unsettled:
    edit = question.edits[0]
    asked = callees(edit)
    if not asked:
        return unsettled(NoFindingCode.NO_CANDIDATE, "nothing called in the guarded statements can be followed")
    stopped = blocked(bundle, QueryKind.DEFINITION)
    if stopped is not None:
        return stopped
    known = [one for callee in asked if (one := of_callee(bundle, callee)) is not None]
    missing = no_definition(question, bundle, asked)
    if missing:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"what {listed(asked)} raise is known only in part",
            missing=missing,
            refs=[one.ref for one in known],
        )
    where = searched(bundle, QueryKind.DEFINITION)
    return unsettled(
        NoFindingCode.NO_CANDIDATE,
        f"none of {listed(asked)} is seen to raise what is caught only now; searched: {where}",
        refs=[one.ref for one in known],
    )


def _broadened_card(question: Question, bundle: Bundle, definition: Found[DefinitionFact], raised: str) -> Draft:
    edit = question.edits[0]
    before, after = texts(edit, "beforeTypes"), texts(edit, "afterTypes")
    callee = definition.fact.qualname
    wide = next((one for one in after if last(one) in BROAD), after[0])
    spot = fails_at(bundle, definition, raised)
    within = code(edit.scope) if edit.scope else "the module"
    does = ends_here(texts(edit, "actions"))
    return draft(
        question,
        claim=f"Broadening the handler of {within} from {listed(before)} to {code(wide)} hides {code(raised)}, which "
        f"{code(callee)} {throws(edit)} in {spot}: {within} {does}.",
        op=EffectOp.BROADENED,
        subject=before[0],
        to=wide if wide in after and wide != "BaseException" else None,
        severity=Severity.IMPORTANT,
        support=[spot.ref],
        impact=f"{code(callee)} meets the case of line {spot.line}; until now that stopped {within}, and whoever "
        "had started it was told.",
        counter=(
            f"A handler that raises again would refute this; this one {does}.",
            f"{code(raised)} being a kind of {listed(before)} would refute this; it is none.",
            f"A handler that catches {code(raised)} first would refute this; none stands around the call.",
        ),
    )


RULES = (Rule("handler_broadened_hides", frozenset({EditOp.HANDLER_BROADENED}), _raise_broadened, _settle_broadened),)
