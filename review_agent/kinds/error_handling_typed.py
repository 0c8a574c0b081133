"""A rule of ``error_handling`` about Go: a nil pointer beside an error that a caller hands on as an interface."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.absence import unread
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
    seed,
    unsettled,
)
from review_agent.kinds.bodies import Body, body_at, split_top, whole_of
from review_agent.kinds.callers import worst_first
from review_agent.kinds.failures import excerpt_around
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
    Evidence,
    NoFindingCode,
    QueryKind,
    Question,
    Severity,
)

__all__ = ["RULES"]

_POINTER = re.compile(r"^\*[\w.]+$")
_NAMED = re.compile(r"^(?:\w+\.)?[A-Za-z]\w*$")
_RESULTS = re.compile(r"\(([^()]*)\)\s*\{\s*$")
_RETURN = re.compile(r"^\s*return\s+(.+)$")


def _turned(edit: Edit) -> tuple[int, str, str] | None:
    """(which result, its type before, its type now) where an interface can have become a pointer, beside an error."""
    before, after = ([part.strip() for part in (one or "").split(",")] for one in (edit.before, edit.after))
    if len(before) != len(after) or len(after) < 2 or after[-1] != "error":
        return None
    pairs = enumerate(zip(before, after, strict=True))
    return next((((n, a, b) for n, (a, b) in pairs if _POINTER.match(b) and _NAMED.match(a))), None)


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    turned = _turned(edit) if edit.language == "go" and not in_test(edit.path) else None
    if turned is None:
        return None
    scope, name = called(function_of(edit))
    _, before, after = turned
    return seed(
        edit,
        "typed_nil_beside_error",
        change=f"{code(name)} now returns {code(after)} where it returned {code(before)}",
        precondition=f"it returns nil beside an error, and a caller hands both on with the first as {code(before)}",
        consequence="a nil pointer in an interface is not nil: whoever asks the result itself takes it for one",
        refuted_if=(f"{code(name)} never returns nil", "every caller looks at the error before it hands anything on"),
        plan=(
            ask(QueryKind.DEFINITION, name, path=edit.path, scope=scope),
            ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
        ),
        risk=10,
    )


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    turned = _turned(edit)
    name = called(function_of(edit))[1]
    defined = found(bundle, DefinitionFact, QueryKind.DEFINITION, name)
    own = [one for one in defined if (one.ref.path, one.fact.qualname) == (edit.path, function_of(edit))]
    body = (whole_of(bundle, own[0].ref) if own else None) or body_at(bundle, edit.path, edit.start_line)
    if turned is None or body is None or not _gives_nil(body, turned[0]):
        return (
            blocked(bundle, QueryKind.DEFINITION)
            or unread(bundle, own)
            or unsettled(NoFindingCode.REFUTED, f"{code(name)} is not seen to return nil beside an error")
        )
    calls = [one for one in found(bundle, CallFact, QueryKind.CALLERS) if not one.fact.in_test]
    for one in worst_first(question, calls):
        around = excerpt_around(bundle, one.ref)
        if around is not None and not one.evidence.near_change and _hands_on(one.fact, around, turned):
            return (_card(question, name, one, turned),)
    return blocked(bundle, QueryKind.CALLERS) or unsettled(
        NoFindingCode.REFUTED if calls else NoFindingCode.NO_CANDIDATE,
        f"no caller of {code(name)} that was read hands its results on untested",
        refs=[one.ref for one in calls[:2]],
    )


def _gives_nil(body: Body, index: int) -> bool:
    for _, line in body.lines:
        said = _RETURN.match(line)
        parts = split_top(said[1]) if said else ()
        if len(parts) > index + 1 and parts[index] == "nil":
            return True
    return False


def _hands_on(call: CallFact, around: Evidence, turned: tuple[int, str, str]) -> bool:
    """Whether a caller returns all results as they came, the pointer as what it was before."""
    index, before, _ = turned
    header = next((line for line in around.text.splitlines() if line.rstrip().endswith("{")), "")
    results = _RESULTS.search(header)
    types = [one.split()[-1] for one in split_top(results[1])] if results else []
    return call.result == "returned" and len(types) > index and types[index] == before


def _card(question: Question, name: str, call: Found[CallFact], turned: tuple[int, str, str]) -> Draft:
    edit = question.edits[0]
    _, before, after = turned
    within = code(call.fact.scope)
    return draft(
        question,
        claim=f"Changing what {code(name)} returns from {code(before)} to {code(after)} makes the nil beside its error "
        f"a typed one: {place(call.ref)} in {within} hands both on as they come, and as {code(before)} it is not nil.",
        op=EffectOp.CHANGED,
        subject=edit.subject,
        severity=Severity.IMPORTANT,
        support=[call.ref],
        impact=f"{code(name)} fails; whoever then compares the result of {within} with nil goes on with a pointer to "
        "nothing, and the first use of a field ends the program.",
        counter=(f"A test of the error in {within} before it returns would refute this; it returns the call itself.",),
        uncertainty=("Whether anybody looks at the result where the error is set was not followed.",),
    )


RULES = (Rule("typed_nil_beside_error", frozenset({EditOp.RESULT_TYPE_CHANGED}), _raise, _settle),)
