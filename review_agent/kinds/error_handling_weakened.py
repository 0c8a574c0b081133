"""A rule of ``error_handling``: a test that now lets a missing value through to where it is taken apart."""

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
    place,
    same_place,
    seed,
    text,
    unsettled,
)
from review_agent.kinds.binding import bind, opaque_decorator
from review_agent.kinds.callers import definition_of, worst_first
from review_agent.kinds.functions import called, function_of, plan_of_calls, split
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wording import snippet
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

__all__ = ["RULES", "may_miss", "producer_of"]

_NAME = r"[A-Za-z_$][\w$.]*"
_MISSING = (
    re.compile(rf"(?<![\w.])({_NAME}) is None\b"),
    re.compile(rf"(?<![\w.])({_NAME}) ===? (?:null|undefined|nil|None)\b"),
    re.compile(rf"(?:\bnot |!)\(?({_NAME})\)?(?![\w.(\[]|\s*(?:[=!<>]=?|is\b|in\b|not\b))"),
    re.compile(rf"(?<![\w.])({_NAME})\.isEmpty\(\)"),
)
_PRESENT = (
    re.compile(rf"(?<![\w.])({_NAME}) is not None\b"),
    re.compile(rf"(?<![\w.])({_NAME}) !==? (?:null|undefined|nil|None)\b"),
    re.compile(rf"(?:^|\band |&& |\bor |\|\| )\(?({_NAME})\)?(?=$| and | && | or | \|\| |\))"),
    re.compile(rf"(?<![\w.])({_NAME})\.isPresent\(\)"),
)
_USED = frozenset({"attribute", "subscript", "dereference", "call"})
_NOTHING = frozenset({"None", "nil", "null", "undefined"})
_LEAVES = frozenset({"return", "raise", "continue", "break", "exit"})
_CALLEE = re.compile(r"^(?:await |<-)?([A-Za-z_$][\w$.]*)\(")


def _tested(test: str, shapes: Sequence[re.Pattern[str]]) -> set[str]:
    return {found[1] for shape in shapes for found in shape.finditer(test)}


def _let_through(edit: Edit) -> str:
    """The name for whose absence the old test cared and the new one does not, "" for none."""
    before, after = text(edit, "beforeTest"), text(edit, "afterTest")
    shapes = _MISSING if text(edit, "action") in _LEAVES else _PRESENT
    gone = _tested(before, shapes) - _tested(after, shapes)
    return min(gone, default="") if len(gone) == 1 else ""


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    subject = _let_through(edit)
    if in_test(edit.path) or not subject or not function_of(edit):
        return None
    if edit.op is EditOp.CONDITION_CHANGED and (text(edit, "how") == "negated" or _told_twice(edit, edits)):
        return None
    plan = [ask(QueryKind.USES_INSIDE, subject, path=edit.path, scope=edit.scope)]
    producer = producer_of(edit)
    if producer:
        plan.append(ask(QueryKind.DEFINITION, producer, path=edit.path, scope=edit.scope))
    elif "." not in subject:
        plan += plan_of_calls(edit)
    return seed(
        edit,
        "guard_lets_missing_through",
        change=f"{code(function_of(edit))} tests {snippet(text(edit, 'afterTest'))} where it tested "
        f"{snippet(text(edit, 'beforeTest'))}",
        precondition=f"{code(subject)} can be missing there",
        consequence=f"{code(function_of(edit))} fails where it takes {code(subject)} apart",
        refuted_if=(f"{code(subject)} is always there", f"{code(subject)} is not taken apart behind the test"),
        plan=plan,
    )


def _told_twice(edit: Edit, edits: Sequence[Edit]) -> bool:
    """Whether the same change of a test is told as a weakened guard as well."""
    test = text(edit, "beforeTest")
    return any(
        one.op is EditOp.GUARD_WEAKENED and one.hunk_id == edit.hunk_id and text(one, "beforeTest") == test
        for one in edits
    )


def producer_of(edit: Edit) -> str:
    """The callee whose result was tested, "" where it came another way."""
    made = _CALLEE.match(text(edit, "origin"))
    return made[1] if made else ""


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    subject = _let_through(edit)
    used = _taken_apart(question, bundle, subject)
    if used is None:
        return blocked(bundle, QueryKind.USES_INSIDE) or unsettled(
            NoFindingCode.REFUTED, f"{code(subject)} is not taken apart behind the new test"
        )
    if producer_of(edit):
        return _from_producer(question, bundle, subject, used)
    if "." not in subject:
        return _from_callers(question, bundle, subject, used)
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"that {code(subject)} can be missing is not established",
        missing=(f"what sets {code(subject)}",),
        refs=[used.ref],
    )


def _taken_apart(question: Question, bundle: Bundle, subject: str) -> Found[UseFact] | None:
    """The first place at or behind the test that fails on a missing value, with no test of its own for it."""
    edit = question.edits[0]
    after = text(edit, "afterTest")
    for one in found(bundle, UseFact, QueryKind.USES_INSIDE, subject):
        own = one.fact.guarded_by or ""
        shielded = own and own != after and subject in own
        if one.fact.use in _USED and one.ref.start_line >= edit.start_line and not shielded:
            return one
    return None


def _from_producer(question: Question, bundle: Bundle, subject: str, used: Found[UseFact]) -> Settled:
    _edit, producer = question.edits[0], producer_of(question.edits[0])
    answers = [
        one
        for one in found(bundle, DefinitionFact, QueryKind.DEFINITION, producer)
        if one.fact.symbol in ("function", "method")
    ]
    missing = [one for one in answers if {"none", "nil"} & set(one.fact.returns) and not one.evidence.near_change]
    if len(answers) == 1 and missing and may_miss(missing[0].fact):
        return (
            _card(
                question,
                subject,
                used,
                missing[0].ref,
                f"{code(producer)} at {place(missing[0].ref)} returns none on one of its ways",
            ),
        )
    return blocked(bundle, QueryKind.DEFINITION) or unsettled(
        NoFindingCode.REFUTED if answers else NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"{code(producer)} is not seen to return nothing",
        missing=() if answers else (f"definition of {code(producer)}",),
        refs=[one.ref for one in answers],
    )


def may_miss(fact: DefinitionFact) -> bool:
    """Whether nothing is given on some way and something on another (Go: with a nil error or none at all)."""
    return len(set(fact.returns)) > 1 or set(fact.returns) == {"nil"}


def _from_callers(question: Question, bundle: Bundle, subject: str, used: Found[UseFact]) -> Settled:
    edit = question.edits[0]
    name = called(function_of(edit))[1]
    definition = definition_of(question, bundle, split(function_of(edit))[1])
    if not isinstance(definition, DefinitionFact):
        return definition
    parameter = next((one for one in definition.parameters if one.name == subject), None)
    if parameter is None or opaque_decorator(definition) is not None:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"where {code(subject)} comes from was not followed",
            missing=(f"what sets {code(subject)} in {code(function_of(edit))}",),
            refs=[used.ref],
        )
    calls = [one for one in found(bundle, CallFact, QueryKind.CALLERS, name) if not one.fact.in_test]
    for one in worst_first(question, [one for one in calls if not same_place(question, one.ref)]):
        binding = bind(definition, one.fact, edit.language)
        given = binding.bound.get(parameter.name, parameter.default) if binding.known else ""
        if given in _NOTHING:
            return (_card(question, subject, used, one.ref, f"{place(one.ref)} passes none for it"),)
    return blocked(bundle, QueryKind.CALLERS) or unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE if calls else NoFindingCode.NO_CANDIDATE,
        f"no resolved caller of {code(name)} is seen to leave {code(subject)} out or to pass nothing for it",
        missing=(f"what each caller passes as {code(subject)}",) if calls else (),
        refs=[one.ref for one in calls[:3]],
    )


def _card(question: Question, subject: str, used: Found[UseFact], proof: SourceRef, why: str) -> Draft:
    edit = question.edits[0]
    before, after = text(edit, "beforeTest"), text(edit, "afterTest")
    return draft(
        question,
        claim=f"Changing the test {snippet(before)} to {snippet(after)} lets a missing {code(subject)} through to "
        f"{code(used.fact.text)} in {code(function_of(edit))}: {why}.",
        op=EffectOp.CHANGED,
        subject=before,
        to=after,
        severity=Severity.IMPORTANT,
        support=[proof],
        impact=f"That case comes up while {code(function_of(edit))} runs: nothing in it asks for {code(subject)} "
        "any more.",
        counter=(f"Another test of {code(subject)} would refute this; none stands before line {used.ref.start_line}.",),
    )


RULES = (
    Rule("guard_lets_missing_through", frozenset({EditOp.GUARD_WEAKENED, EditOp.CONDITION_CHANGED}), _raise, _settle),
)
