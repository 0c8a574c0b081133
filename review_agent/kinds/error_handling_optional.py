"""A rule of ``error_handling``: a parameter that is nothing by default is used before anything tests it."""

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
    place,
    searched,
    seed,
    text,
    unsettled,
)
from review_agent.kinds.binding import bind
from review_agent.kinds.bodies import body_at
from review_agent.kinds.callers import definition_of, worst_first
from review_agent.kinds.functions import called, function_of, nested, split
from review_agent.kinds.rulebook import Rule
from review_agent.syntax.edits.optionals import ORIGIN
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

_CATCHES = re.compile(r"^\s*(?:try\s*:|try\s*\{|with\s+(?:contextlib\.)?suppress\b)")


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if text(edit, "origin") != ORIGIN or in_test(edit.path) or nested(edit):
        return None
    scope, name = split(function_of(edit))
    outer, callee = called(function_of(edit))
    none, used = code(text(edit, "producer")), f"{edit.subject}.{text(edit, 'member')}".rstrip(".")
    return seed(
        edit,
        "optional_parameter_used",
        change=f"{code(name)} now takes {code(used)} of a parameter whose default is {none}, without a test",
        precondition=f"a caller leaves {code(edit.subject)} out",
        consequence=f"{code(name)} fails on {none}",
        refuted_if=(f"every caller gives {code(edit.subject)}", "a test before the use turns it away"),
        plan=(
            ask(QueryKind.DEFINITION, name, path=edit.path, scope=scope),
            ask(QueryKind.CALLERS, callee, path=edit.path, scope=outer),
            ask(QueryKind.USES_INSIDE, edit.subject, path=edit.path, scope=edit.scope),
        ),
        risk=10,
    )


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    name = split(function_of(edit))[1]
    definition = definition_of(question, bundle, name)
    if isinstance(definition, Unsettled):
        return definition
    if _caught(question, bundle):
        return unsettled(NoFindingCode.REFUTED, f"the use of {code(edit.subject)} stands in a guarded body")
    calls = found(bundle, CallFact, QueryKind.CALLERS)
    bare = [one for one in worst_first(question, calls) if _leaves_out(edit, definition, one.fact)]
    outside = sorted((one for one in bare if not one.evidence.near_change), key=lambda one: one.fact.in_test)
    tested = _tested(question, bundle)
    if outside:
        return (_card(question, outside[0], tested),)
    head = _head(question, bundle, name)
    if tested is not None and head is not None and not _all_give(edit, definition, calls):
        return (_own_card(question, tested, head),)
    stopped = blocked(bundle, QueryKind.CALLERS)
    return stopped or unsettled(
        NoFindingCode.REFUTED if calls else NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"no call that leaves out {code(edit.subject)} is seen; searched: {searched(bundle, QueryKind.CALLERS)}",
        missing=() if calls else (f"a call of {code(name)} without {code(edit.subject)}",),
        refs=[one.ref for one in calls[:2]],
    )


def _leaves_out(edit: Edit, definition: DefinitionFact, call: CallFact) -> bool:
    """Whether a call is known to give nothing for the parameter."""
    bound = bind(definition, call, edit.language)
    given = bound.bound.get(edit.subject)
    return bound.fits and (given is None or given == text(edit, "producer"))


def _all_give(edit: Edit, definition: DefinitionFact, calls: Sequence[Found[CallFact]]) -> bool:
    return bool(calls) and all(bind(definition, one.fact, edit.language).bound.get(edit.subject) for one in calls)


def _caught(question: Question, bundle: Bundle) -> bool:
    """Whether a try stands around the use, by its indentation."""
    body = body_at(bundle, question.path, question.anchor.start_line)
    lines = [line for number, line in body.lines if number <= question.anchor.start_line] if body else []
    depth = len(lines[-1]) - len(lines[-1].lstrip()) if lines else 0
    for line in reversed(lines):
        indent = len(line) - len(line.lstrip())
        if line.strip() and indent < depth:
            if _CATCHES.match(line):
                return True
            depth = indent
    return False


def _tested(question: Question, bundle: Bundle) -> Found[UseFact] | None:
    """A test of the parameter for nothing in the same function, behind the use."""
    edit = question.edits[0]
    name = re.escape(edit.subject)
    shape = re.compile(
        rf"\b(?:if|elif|while)\b[\s(]*(?:not\s+|!)?{name}(?:\s*(?:is|is not|[!=]==?)\s*(?:None|null|undefined))?\s*[:)]"
    )
    uses = found(bundle, UseFact, QueryKind.USES_INSIDE)
    behind = [one for one in uses if one.ref.start_line > question.anchor.end_line and shape.search(one.evidence.text)]
    return behind[0] if behind else None


def _head(question: Question, bundle: Bundle, name: str) -> SourceRef | None:
    heads = [one for one in found(bundle, DefinitionFact, QueryKind.DEFINITION, name) if one.ref.path == question.path]
    far = [one.ref for one in heads if not one.evidence.near_change]
    return far[0] if far else None


def _what(edit: Edit) -> str:
    member = text(edit, "member")
    return f"{edit.subject}.{member}" if member.isidentifier() else edit.subject


def _card(question: Question, call: Found[CallFact], tested: Found[UseFact] | None) -> Draft:
    edit = question.edits[0]
    name, none = code(called(function_of(edit))[1]), code(text(edit, "producer"))
    late = f"; the test of it stands behind, in line {tested.ref.start_line}" if tested is not None else ""
    refs = [call.ref] if tested is None or tested.ref == call.ref else [call.ref, tested.ref]
    return draft(
        question,
        claim=f"Adding {code(_what(edit))} to {name} in front of any test makes it fail where {code(edit.subject)} "
        f"keeps its default {none}: {place(call.ref)} calls it without one{late}.",
        op=EffectOp.ADDED,
        subject=edit.subject,
        severity=Severity.IMPORTANT,
        support=refs,
        impact=f"A call that leaves {code(edit.subject)} out reaches line {edit.start_line} of {code(edit.path)}.",
        counter=(f"A value given to {code(edit.subject)} before the use would refute this; none is.",),
    )


def _own_card(question: Question, tested: Found[UseFact], head: SourceRef) -> Draft:
    edit = question.edits[0]
    name, none = code(called(function_of(edit))[1]), code(text(edit, "producer"))
    return draft(
        question,
        claim=f"Adding {code(_what(edit))} to {name} in front of the test of {code(edit.subject)} makes it fail where "
        f"that keeps its default {none} ({place(head)}): line {tested.ref.start_line} still tests for it, too late.",
        op=EffectOp.ADDED,
        subject=edit.subject,
        severity=Severity.IMPORTANT,
        support=[head, tested.ref],
        impact=f"A call that leaves {code(edit.subject)} out reaches line {edit.start_line} of {code(edit.path)}.",
        counter=(f"Callers that all give {code(edit.subject)} would refute this; then nothing had to test for it.",),
        uncertainty=("No call that leaves it out was resolved in this repository.",),
    )


RULES = (Rule("optional_parameter_used", frozenset({EditOp.NILABLE_DEREFERENCED}), _raise, _settle),)
