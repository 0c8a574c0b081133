"""Rules of ``error_handling`` about Go's errors as values: one that no longer wraps, and a nil that is not nil."""

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
    searched,
    seed,
    texts,
    unsettled,
)
from review_agent.kinds.callers import worst_first
from review_agent.kinds.failures import excerpt_around
from review_agent.kinds.functions import called, function_of
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
    Evidence,
    NoFindingCode,
    QueryKind,
    Question,
    Severity,
    UseFact,
)

__all__ = ["RULES"]

_MATCHES = ("errors.Is(", "errors.As(")
_POINTER = re.compile(r"^\*[\w.]+$")


def _function(edit: Edit) -> str:
    return function_of(edit) or next((one for one in texts(edit, "scopes") if one), "")


def _raise_unwrapped(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    before, after = edit.before or "", edit.after or ""
    if edit.language != "go" or in_test(edit.path) or before.count("%w") <= after.count("%w") or not _function(edit):
        return None
    if edit.op is EditOp.ARGUMENT_CHANGED and any(
        one.op is EditOp.TEXT_REPLACED and (one.path, one.before) == (edit.path, before) for one in edits
    ):
        return None
    scope, name = called(_function(edit))
    return seed(
        edit,
        "error_no_longer_wrapped",
        change=f"{code(name)} returns {snippet(after)}, which holds the cause as text only",
        precondition=f"a caller of {code(name)} asks with {code('errors.Is')} or {code('errors.As')} for the cause",
        consequence="the test fails and the caller takes this failure for any other",
        refuted_if=("no caller looks for a cause", "the error is wrapped on the way all the same"),
        plan=(
            ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
            *(ask(QueryKind.TEXT, one) for one in _MATCHES),
        ),
    )


def _settle_unwrapped(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    name = called(_function(edit))[1]
    calls = [one for one in found(bundle, CallFact, QueryKind.CALLERS) if not one.fact.in_test]
    for one in worst_first(question, calls):
        test = _test_of(bundle, one)
        if test is not None and not test.evidence.near_change and not same_place(question, one.ref):
            return (_unwrapped_card(question, name, one, test),)
    stopped = blocked(bundle, QueryKind.CALLERS)
    if stopped is not None:
        return stopped
    return unsettled(
        NoFindingCode.NO_CANDIDATE if not calls else NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"no caller of {code(name)} that was read looks for the cause; searched: {searched(bundle, QueryKind.CALLERS)}",
        missing=(f"a caller of {code(name)} that matches the cause",) if calls else (),
        refs=[one.ref for one in calls[:2]],
    )


def _test_of(bundle: Bundle, call: Found[CallFact]) -> Found[UseFact] | None:
    """The line behind a call, in the same function, that matches an error."""
    around = excerpt_around(bundle, call.ref)
    if around is None:
        return None
    names = [one for one in call.fact.targets if one != "_"]
    return next(
        (
            one
            for one in found(bundle, UseFact, QueryKind.TEXT)
            if one.ref.path == call.ref.path
            and call.ref.start_line <= one.ref.start_line <= around.ref.end_line
            and any(re.search(rf"\b{re.escape(name)}\b", one.evidence.text) for name in names)
        ),
        None,
    )


def _unwrapped_card(question: Question, name: str, call: Found[CallFact], test: Found[UseFact]) -> Draft:
    edit = question.edits[0]
    matched = re.search(r"errors\.(?:Is|As)\([^()]*\)?", test.evidence.text)
    return draft(
        question,
        claim=f"Changing {snippet(edit.before or '')} to {snippet(edit.after or '')} in {code(name)} makes "
        f"{code(matched[0] if matched else 'errors.Is')} at {place(test.ref)} fail: {code(call.fact.scope)} calls "
        "it at "
        f"{place(call.ref)} and looks for a cause that is only text now.",
        op=EffectOp.CHANGED,
        subject=edit.before or "",
        to=edit.after,
        severity=Severity.IMPORTANT,
        support=[call.ref] if place(call.ref) == place(test.ref) else [call.ref, test.ref],
        impact="The failure that is looked for there comes from below; the branch written for it is left out.",
        counter=("Another verb that keeps the cause would refute this; the new format has none.",),
        uncertainty=(f"Whether {code(name)} meets the very error that is matched there was not followed.",),
    )


def _raise_typed_nil(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    before, after = ((one or "").split(", ")[-1] for one in (edit.before, edit.after))
    if edit.language != "go" or in_test(edit.path) or not _POINTER.match(after) or _POINTER.match(before):
        return None
    scope, name = called(function_of(edit))
    return seed(
        edit,
        "typed_nil_returned",
        change=f"{code(name)} now returns {code(after)} where it returned {code(before)}",
        precondition=f"{code(name)} returns nil on a way, and a caller hands its result on as {code(before)}",
        consequence="a nil pointer in an interface is not nil: the caller's caller takes success for a failure",
        refuted_if=(f"{code(name)} never returns nil", "every caller tests the pointer itself"),
        plan=(
            ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
            ask(QueryKind.DEFINITION, name, path=edit.path, scope=scope),
        ),
    )


def _settle_typed_nil(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    name = called(function_of(edit))[1]
    defined = [one for one in found(bundle, DefinitionFact, QueryKind.DEFINITION) if one.ref.path == question.path]
    if not any("nil" in one.fact.returns or "none" in one.fact.returns for one in defined):
        return blocked(bundle, QueryKind.DEFINITION) or unsettled(
            NoFindingCode.REFUTED, f"{code(name)} is not seen to return nil", refs=[one.ref for one in defined]
        )
    was = (edit.before or "").split(", ")[-1]
    calls = [one for one in found(bundle, CallFact, QueryKind.CALLERS) if not one.fact.in_test]
    for one in worst_first(question, calls):
        around = excerpt_around(bundle, one.ref)
        if around is not None and not same_place(question, one.ref) and _hands_on(one, around, was):
            return (_typed_nil_card(question, name, one, was),)
    stopped = blocked(bundle, QueryKind.CALLERS)
    return stopped or unsettled(
        NoFindingCode.REFUTED if calls else NoFindingCode.NO_CANDIDATE,
        f"no caller of {code(name)} that was read hands its result on as {code(was)}",
        refs=[one.ref for one in calls[:2]],
    )


def _hands_on(call: Found[CallFact], around: Evidence, was: str) -> bool:
    """Whether a caller returns the pointer as the interface, or keeps it in a variable of that type."""
    lines = around.text.splitlines()
    header = lines[0]
    gives = re.search(rf"(?:\)|\s)\(?(?:[^()]*,\s*)?(?:\w+ )?{re.escape(was)}\)?\s*\{{\s*$", header) is not None
    if call.fact.result == "returned":
        return gives
    target = call.fact.targets[-1] if call.fact.targets else ""
    if not target:
        return False
    declared = any(re.search(rf"\bvar {re.escape(target)} {re.escape(was)}\b", line) for line in lines)
    returned = any(re.match(rf"\s*return (?:.*, )?{re.escape(target)}$", line) for line in lines)
    tested = any(re.search(rf"\b{re.escape(target)} [!=]= nil", line) for line in lines)
    return declared or (gives and returned and not tested)


def _typed_nil_card(question: Question, name: str, call: Found[CallFact], was: str) -> Draft:
    edit = question.edits[0]
    return draft(
        question,
        claim=f"Changing what {code(name)} returns from {code(was)} to {code((edit.after or '').split(', ')[-1])} "
        "makes its nil a "
        f"typed one: {place(call.ref)} in {code(call.fact.scope)} hands it on as {code(was)}, which is never nil then.",
        op=EffectOp.CHANGED,
        subject=edit.before or "",
        to=edit.after,
        severity=Severity.BLOCKING,
        support=[call.ref],
        impact=f"Whoever compares the result of {code(call.fact.scope)} with nil takes every success for a failure.",
        counter=(f"A test of the pointer before it is handed on would refute this; none stands at {place(call.ref)}.",),
    )


RULES = (
    Rule(
        "error_no_longer_wrapped",
        frozenset({EditOp.TEXT_REPLACED, EditOp.ARGUMENT_CHANGED}),
        _raise_unwrapped,
        _settle_unwrapped,
    ),
    Rule("typed_nil_returned", frozenset({EditOp.RESULT_TYPE_CHANGED}), _raise_typed_nil, _settle_typed_nil),
)
