"""A rule of ``persistence``: a condition that decides whether something is stored now lets other cases through."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.base import (
    Seed,
    Settled,
    ask,
    blocked,
    code,
    draft,
    found,
    place,
    searched,
    seed,
    text,
    unsettled,
)
from review_agent.kinds.binding import bind
from review_agent.kinds.callers import worst_first
from review_agent.kinds.functions import called, function_of, own_definitions
from review_agent.kinds.holds import callers_of
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.storing import callee_of, strength, writing_calls
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
    SourceRef,
    UseFact,
)

__all__ = ["RULES"]

_CALLS = re.compile(r"[A-Za-z_][\w.]*\([^()]*\)?")
_SPLIT = re.compile(r"\s*(?:\band\b|\bor\b|&&|\|\|)\s*")
_FALSE = frozenset({"False", "false", "None", "null", "nil", "0", '""', "''", "undefined"})
_TRUE = frozenset({"True", "true", "1"})


def _stored(edit: Edit) -> str:
    """What the conditional body stores; "" for nothing."""
    acts = _CALLS.findall(text(edit, "body"))
    made = writing_calls(acts) or tuple(one for one in acts if strength(callee_of(one)) >= 2)
    return callee_of(made[0]) if made else ""


def _raise_changed(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    stored = _stored(edit)
    swapped = text(edit, "how") in ("and_to_or", "or_to_and")
    if in_test(edit.path) or not swapped or not stored or text(edit, "action") not in ("wraps", "assign", "body"):
        return None
    scope, name = called(function_of(edit))
    before, after = text(edit, "beforeTest"), text(edit, "afterTest")
    return seed(
        edit,
        "store_condition_changed",
        change=f"{code(stored)} in {code(function_of(edit))} runs under {code(after)} instead of {code(before)}",
        precondition="one of the two parts holds without the other where it is called",
        consequence="something is stored that was kept out, or no longer stored",
        refuted_if=("both parts always hold together", "each caller tests the other part"),
        plan=(
            ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
            ask(QueryKind.DEFINITION, name, path=edit.path, scope=scope),
            ask(QueryKind.TEXT, before, path=f"*.{edit.path.rpartition('.')[2]}"),
        ),
    )


def _settle_changed(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    own = own_definitions(bundle, edit)
    calls = [one for one in worst_first(question, callers_of(bundle, edit)) if not one.evidence.near_change]
    telling = [(one, said) for one in calls if own and (said := _telling(edit, own[0], one.fact))]
    if telling:
        call, said = telling[0]
        return (_card(question, f"{place(call.ref)} passes {said}", call.ref, call.fact.scope),)
    same = [one for one in found(bundle, UseFact, QueryKind.TEXT) if not one.evidence.near_change]
    same = [one for one in same if not one.fact.in_test]
    if same:
        said = f"{place(same[0].ref)} still asks for {code(text(edit, 'beforeTest'))}"
        return (_card(question, said, same[0].ref, ""),)
    return blocked(bundle, QueryKind.CALLERS) or unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"whether the parts of {code(text(edit, 'beforeTest'))} can hold one without the other is not established",
        missing=(f"a caller that passes a fixed value for one of them; {searched(bundle)}",),
    )


def _telling(edit: Edit, definition: DefinitionFact, call: CallFact) -> str:
    """The fixed value of a caller by which the two conditions differ, as a claim names it."""
    given = bind(definition, call, edit.language)
    parts = [one.strip("() ") for one in _SPLIT.split(text(edit, "beforeTest"))]
    to_or = text(edit, "how") == "and_to_or"
    for part in parts:
        name = re.sub(r"^(?:not\s+|!)", "", part)
        value = given.bound.get(name, "") if given.known else ""
        decided = value in _FALSE or value in _TRUE
        holds = (value in _TRUE) == (name == part)
        # `a and b` with a false never ran; `a or b` with a true always did.
        if decided and ((to_or and not holds) or (not to_or and holds)):
            return f"{code(value)} for {code(name)}"
    return ""


def _card(question: Question, said: str, ref: SourceRef, scope: str) -> Draft:
    edit = question.edits[0]
    before, after, stored = text(edit, "beforeTest"), text(edit, "afterTest"), code(_stored(edit))
    more = text(edit, "how") == "and_to_or"
    within = f" in {code(scope)}" if scope else ""
    effect = f"run {stored} where it was kept out" if more else f"leave {stored} out where it ran"
    return draft(
        question,
        claim=f"Changing {code(before)} to {code(after)} makes {code(function_of(edit))} {effect}: {said}{within}.",
        op=EffectOp.CHANGED,
        subject=before,
        to=after,
        severity=Severity.IMPORTANT,
        support=[ref],
        impact="One of the two parts holds and the other does not: "
        + ("data is written or erased that nobody released." if more else "a change is acknowledged and never kept."),
        counter=("Parts that always hold together would refute this; the place cited shows one by itself.",),
    )


RULES = (Rule("store_condition_changed", frozenset({EditOp.CONDITION_CHANGED}), _raise_changed, _settle_changed),)
