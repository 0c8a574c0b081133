"""Rule of ``api_contract`` about results: a call that takes another shape apart than the one it gets."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.base import Found, Seed, Settled, Unsettled, code, draft, found, place, seed, text, unsettled
from review_agent.kinds.callers import Verdict, first_of, listed_refs, settle_calls
from review_agent.kinds.functions import called, function_of, nested, new_signature, plan_of_calls
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wording import LONGEST
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

Calls = Sequence[Found[CallFact]]


def _raise_shape(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if nested(edit):
        return None
    name = called(function_of(edit))[1]
    return seed(
        edit,
        "return_shape_changed",
        change=f"{code(name)} returns {_shape(text(edit, 'afterShape'))} where it returned "
        f"{_shape(text(edit, 'beforeShape'))}",
        precondition=f"a caller still takes the result of {code(name)} apart as before",
        consequence=_shape_fails(edit),
        refuted_if=("every resolved caller takes the new shape", "a decorator makes another result of it"),
        plan=plan_of_calls(edit),
    )


_COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def _shape(shape: str) -> str:
    kind, _, size = shape.partition(":")
    words = {"none": "nothing", "nil": "nil", "dict": "a mapping", "list": "a list"}
    if kind != "tuple":
        return words.get(kind, "a single value")
    return f"{_COUNTS[int(size)] if size.isdigit() and int(size) < len(_COUNTS) else 'many'} values"


def _example(edit: Edit) -> str:
    """The new result as it stands in the code, where there is one and it is short."""
    after = edit.after or ""
    return f" ({code(after)})" if after and " | " not in after and len(after) <= LONGEST else ""


def _shape_fails(edit: Edit) -> str:
    if edit.language == "java":
        return "what is done with the result does not compile, or fails"
    return "the call does not compile" if edit.language == "go" else "taking the result apart raises an error"


def _comes_to(edit: Edit) -> str:
    if edit.language == "java":
        return "does not compile, or fails on `null`"
    return "does not compile" if edit.language == "go" else "raises an error"


def _settle_shape(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    definition = new_signature(question, bundle)
    if isinstance(definition, Unsettled):
        return definition
    if definition.is_async and edit.language != "go":
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"{code(definition.qualname)} is asynchronous; what its awaited result is taken apart into is not known",
            missing=("the use of the awaited result",),
        )
    name = called(function_of(edit))[1]
    single = _single_takers(edit, bundle)

    def judge(call: CallFact) -> Verdict:
        return Verdict.BREAKS if id(call) in single else _shape_verdict(edit, definition, call)

    return settle_calls(
        question,
        bundle,
        judge,
        lambda calls: _shape_card(question, name, calls, single.get(id(calls[0].fact), "")),
        name=name,
        fits="takes the new shape",
        unclear="what it does with the result is not known",
    )


def _shape_verdict(edit: Edit, definition: DefinitionFact, call: CallFact) -> Verdict:
    if call.result == "ignored":
        return Verdict.FITS
    if edit.language == "go":
        return _go_verdict(len(definition.results), call)
    return _python_verdict(text(edit, "beforeShape"), text(edit, "afterShape"), call)


# Functions of Python that take one number, or compare it with another, and raise where that is a tuple.
_NUMBER = r"(?:round|abs|float|int|Decimal|Fraction)"


def _single_takers(edit: Edit, bundle: Bundle) -> dict[int, str]:
    """Calls whose result goes straight into a function that needs a single value, with that function's name."""
    now_several = text(edit, "afterShape").startswith("tuple:") and not text(edit, "beforeShape").startswith("tuple:")
    if edit.language != "python" or not now_several:
        return {}
    calls = found(bundle, CallFact, QueryKind.CALLERS)
    taken = {id(one.fact): _single_taker(one.evidence.text, one.fact.callee) for one in calls}
    return {key: taker for key, taker in taken.items() if taker}


def _single_taker(line: str, callee: str) -> str:
    whole = rf"{re.escape(callee)}\((?:[^()]|\([^()]*\))*\)"
    number = re.search(rf"(?<![\w.])({_NUMBER})\(\s*{whole}\s*[,)]", line)
    beside = re.search(rf"(?<![\w.])(max|min)\(\s*(?:{whole}\s*,|[^(),]+,\s*{whole})", line)
    several = len(re.findall(whole, line)) > 1
    return "" if several else next((one[1] for one in (number, beside) if one), "")


def _go_verdict(results: int, call: CallFact) -> Verdict:
    if call.result in ("assigned", "unpacked"):
        return Verdict.FITS if len(call.targets) == results else Verdict.BREAKS
    if call.result in ("attribute", "compared", "condition", "subscript"):
        return Verdict.FITS if results == 1 else Verdict.BREAKS
    return Verdict.UNCLEAR


def _python_verdict(before: str, after: str, call: CallFact) -> Verdict:
    if call.result == "unpacked":
        starred = any(one.startswith("*") for one in call.targets)
        if after == f"tuple:{len(call.targets)}" and not starred:
            return Verdict.FITS
        return Verdict.BREAKS if after == "none" or (after.startswith("tuple:") and not starred) else Verdict.UNCLEAR
    if after == "none" and call.result in ("attribute", "subscript", "iterated", "called", "context"):
        return Verdict.BREAKS
    if after.startswith("tuple:") and not before.startswith("tuple:") and call.result in ("attribute", "called"):
        return Verdict.BREAKS
    return Verdict.UNCLEAR


_TAKES = {
    "assigned": "takes one value",
    "attribute": "takes an attribute of the result",
    "called": "calls the result",
    "compared": "compares the result as one value",
    "condition": "tests the result as one value",
    "context": "enters the result as a context",
    "iterated": "iterates over the result",
    "subscript": "indexes the result",
}


def _shape_card(question: Question, name: str, calls: Calls, taker: str) -> Draft:
    edit, first, refs = question.edits[0], calls[0], listed_refs(calls)
    before, after = _shape(text(edit, "beforeShape")), _shape(text(edit, "afterShape"))
    return draft(
        question,
        claim=f"Changing what {code(name)} returns from {before} to {after}{_example(edit)} strands "
        f"{place(first.ref)}{first_of(refs)}: it still {_taken(first.fact, taker)}, which "
        f"{_comes_to(edit)}.",
        op=EffectOp.CHANGED,
        subject=edit.subject,
        to=edit.after,
        severity=Severity.BLOCKING,
        support=refs,
        impact="The package that holds the call is built."
        if edit.language == "go"
        else "Control comes back from the call by any of its paths: all of them return the new shape.",
        counter=(
            f"A decorator that makes another result of it would refute this; {code(name)} has none.",
            f"A caller adapted in this change would refute this; {place(first.ref)} was read at head.",
        ),
    )


def _taken(call: CallFact, taker: str) -> str:
    if taker:
        return f"gives the result to {code(taker)} as one value"
    if call.result == "unpacked":
        return f"unpacks the result into {', '.join(code(one) for one in call.targets)}"
    return _TAKES[call.result]


RULES = (Rule("return_shape_changed", frozenset({EditOp.RETURN_SHAPE_CHANGED}), _raise_shape, _settle_shape),)
