"""A rule of ``error_handling``: a value that can be missing is used as if it never were."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    code,
    draft,
    every,
    place,
    seed,
)
from review_agent.kinds.callers import Verdict, first_of, look, without_card
from review_agent.kinds.error_handling_lookups import raise_lookup, settle_lookup
from review_agent.kinds.exceptions import BROAD, last
from review_agent.kinds.failures import excerpt_around
from review_agent.kinds.functions import called, function_of, nested, plan_of_calls
from review_agent.kinds.languages import SCRIPTS, comment_of, nothing
from review_agent.kinds.rulebook import Rule
from review_agent.syntax.testfiles import in_test
from review_agent.syntax.words import whole_name
from review_agent.vocabulary import (
    Bundle,
    CallFact,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    QueryKind,
    Question,
    Severity,
    SourceRef,
)

__all__ = ["RULES"]

# What a caller does with a result that fails at once where there is none.
_FAILS = {
    "attribute": "takes an attribute of the result without a test",
    "subscript": "indexes the result without a test",
    "called": "calls the result without a test",
    "iterated": "iterates over the result without a test",
    "context": "enters the result as a context without a test",
    "unpacked": "unpacks the result without a test",
}
# These around a call may be there for the very miss.
_MISSES = BROAD | {"AttributeError", "TypeError", "NullPointerException"}
_CATCHES = re.compile(rf"\b(?:except\b(?:\s*:|.*\b(?:{'|'.join(sorted(_MISSES))})\b)|catch\b)")


def _raise_none(edit: Edit) -> Seed | None:
    if nested(edit):
        return None
    name = called(function_of(edit))[1]
    none = nothing(edit)
    return seed(
        edit,
        "missing_value_dereferenced",
        change=f"{code(name)} now returns {code(none)} on a path where it gave a value or failed",
        precondition=f"a caller uses what {code(name)} gives without looking whether there is anything",
        consequence=f"the caller fails on {code(none)}, away from the cause",
        refuted_if=("every resolved caller tests the result before it uses it",),
        plan=plan_of_calls(edit),
    )


@dataclass(frozen=True)
class _Miss:
    """A caller that fails on a missing result: where it stands, and what it does there."""

    ref: SourceRef
    line: int
    does: str


def _settle_none(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    name = called(function_of(edit))[1]
    # Two calls on different lines can be the same fact: what is known of a call hangs on the object.
    calls = every(bundle, CallFact, QueryKind.CALLERS)
    misses = {id(one.fact): miss for one in calls if (miss := _miss(edit, bundle, one)) is not None}

    def judge(call: CallFact) -> Verdict:
        if id(call) in misses:
            return Verdict.BREAKS
        return Verdict.FITS if call.result in ("ignored", "condition", "compared") else Verdict.UNCLEAR

    seen = look(question, bundle, judge)
    if seen.breaking:
        return (_none_card(question, seen.breaking, [misses[id(one.fact)] for one in seen.breaking]),)
    return without_card(
        bundle,
        seen,
        name=name,
        fits="looks at the result or leaves it",
        unclear="whether it looks at the result before it uses it is not seen",
    )


def _miss(edit: Edit, bundle: Bundle, one: Found[CallFact]) -> _Miss | None:
    call = one.fact
    if {last(caught) for caught in call.caught} & _MISSES or (call.awaited and edit.language not in SCRIPTS):
        return None
    if edit.language != "go" and call.result in _FAILS:
        return _Miss(one.ref, one.ref.start_line, _FAILS[call.result])
    wanted = 2 if call.result == "unpacked" and edit.language == "go" else 1
    if call.result in ("assigned", "unpacked") and len(call.targets) == wanted and call.targets[0] != "_":
        return _used_after(edit, bundle, one, call.targets[0])
    return None


def _used_after(edit: Edit, bundle: Bundle, one: Found[CallFact], target: str) -> _Miss | None:
    """The first use behind the call, in what was read of the caller, if it fails on nothing and no test is in it."""
    excerpt = excerpt_around(bundle, one.ref)
    if excerpt is None or _mentions(target, one.evidence.text) != 1 or _CATCHES.search(excerpt.text):
        return None
    lines = excerpt.text.splitlines()[one.ref.end_line - excerpt.ref.start_line + 1 :]
    for number, line in enumerate(lines, one.ref.end_line + 1):
        said = line.split(comment_of(edit))[0]
        if _mentions(target, said):
            fails = _only_used(target, said, edit.language)
            return _Miss(excerpt.ref, number, _said(one, target)) if fails else None
    return None


def _said(one: Found[CallFact], target: str) -> str:
    """What a caller does with a result under a name; in Go the error beside a missing result is nil too."""
    beside = one.fact.targets[1:]
    checked = f", and the {code(beside[0])} beside it is nil as well" if beside and beside[0] != "_" else ""
    return f"uses {code(target)} of line {one.ref.start_line} without a test{checked}"


def _mentions(name: str, line: str) -> int:
    return len(re.findall(rf"(?<![\w.]){whole_name(name)}", line))


def _only_used(name: str, line: str, language: str) -> bool:
    """Whether every mention of a name on a line takes something of it; a Go method can do without its receiver."""
    called = r"(?!\w*\()" if language == "go" else ""
    return _mentions(name, line) == len(re.findall(rf"(?<![\w.\"']){re.escape(name)}(?:\.{called}|\[)", line))


def _none_card(question: Question, calls: Sequence[Found[CallFact]], misses: Sequence[_Miss]) -> Draft:
    edit, first, miss = question.edits[0], calls[0], misses[0]
    name = called(function_of(edit))[1]
    refs = [one.ref for one in misses]
    within = code(first.fact.scope) if first.fact.scope else "the module"
    return draft(
        question,
        claim=f"Returning {code(nothing(edit))} from {code(name)} makes {code(miss.ref.path)} line {miss.line} fail"
        f"{first_of(refs)}: there {within} {miss.does}.",
        op=EffectOp.CHANGED,
        subject=edit.subject,
        severity=Severity.IMPORTANT,
        support=refs,
        impact=f"The call in line {first.ref.start_line} meets the case of {place(question.anchor)}; the error then "
        "says nothing of what was not found.",
        counter=(
            "A test between call and use would refute this; "
            + ("the call itself is used." if miss.line == first.ref.start_line else f"line {miss.line} comes first."),
            "A handler of the miss around the call would refute this; "
            + ("there is none." if not first.fact.caught else "those around it catch other errors."),
        ),
        uncertainty=(f"Whether what {within} passes leads {code(name)} to that path was not followed.",),
    )


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if in_test(edit.path):
        return None
    return _raise_none(edit) if edit.op is EditOp.NONE_RETURN_ADDED else raise_lookup(edit)


def _settle(question: Question, bundle: Bundle) -> Settled:
    settle = _settle_none if question.edits[0].op is EditOp.NONE_RETURN_ADDED else settle_lookup
    return settle(question, bundle)


RULES = (
    Rule(
        "missing_value_dereferenced",
        frozenset({EditOp.NONE_RETURN_ADDED, EditOp.NILABLE_DEREFERENCED}),
        _raise,
        _settle,
    ),
)
