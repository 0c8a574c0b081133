"""Rules of ``api_contract`` about awaiting: a coroutine taken for its result, a result taken for a coroutine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from review_agent.kinds.base import Found, Seed, Settled, Unsettled, code, draft, place, seed, unsettled
from review_agent.kinds.callers import Verdict, first_of, listed_refs, settle_calls
from review_agent.kinds.functions import called, function_of, nested, new_signature, plan_of_calls
from review_agent.kinds.languages import SCRIPTS
from review_agent.kinds.rulebook import Rule
from review_agent.vocabulary import (
    Bundle,
    CallFact,
    DefinitionFact,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    NoFindingCode,
    Question,
    Severity,
)

__all__ = ["RULES"]

Calls = Sequence[Found[CallFact]]

# A coroutine has none of these; every other use may hand it to something that awaits it.
_NO_COROUTINE = {
    "ignored": "drops the coroutine, so the body never runs",
    "attribute": "takes an attribute of the coroutine, which has none of the result's",
    "subscript": "indexes the coroutine, which cannot be indexed",
    "compared": "compares the coroutine, not the result",
    "computed": "computes with the coroutine, which is no number and no text",
    "condition": "tests the coroutine, which is always true",
    "unpacked": "unpacks the coroutine, which cannot be unpacked",
}
_NO_PROMISE = {
    "ignored": "does not wait for it: what follows runs before it is done, and no handler there meets its error",
    "attribute": "takes an attribute of the promise, which has none of the result's",
    "subscript": "indexes the promise, which holds no item of the result",
    "compared": "compares the promise, not the result",
    "computed": "computes with the promise, not with what it will give",
    "condition": "tests the promise, which is always true",
    "unpacked": "takes the promise apart, which has none of the result's parts",
}
_AWAITABLE = ("Awaitable", "Coroutine", "Future", "Task")
_PLAIN = ("none", "literal", "dict", "list", "tuple:")


def _raise_async(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if nested(edit) or edit.language == "go":
        return None
    name = called(function_of(edit))[1]
    return seed(
        edit,
        "became_async_not_awaited",
        change=f"calling {code(name)} now gives a {_pending(edit)}",
        precondition=f"a caller uses what {code(name)} gives without awaiting it",
        consequence=f"the caller does not wait for the body, or the {_pending(edit)} is taken for its result",
        refuted_if=(
            "every resolved caller awaits the call or hands it to something that does",
            f"a decorator runs the {_pending(edit)} to its end",
        ),
        plan=plan_of_calls(edit),
    )


def _pending(edit: Edit) -> str:
    return "promise" if edit.language in SCRIPTS else "coroutine"


def _taken_for_result(edit: Edit) -> Mapping[str, str]:
    return _NO_PROMISE if edit.language in SCRIPTS else _NO_COROUTINE


def _settle_async(question: Question, bundle: Bundle) -> Settled:
    definition = new_signature(question, bundle)
    if isinstance(definition, Unsettled):
        return definition
    name = called(function_of(question.edits[0]))[1]

    def judge(call: CallFact) -> Verdict:
        if call.awaited or call.result == "awaited":
            return Verdict.FITS
        return Verdict.BREAKS if call.result in _NO_COROUTINE and definition.is_async else Verdict.UNCLEAR

    return settle_calls(
        question,
        bundle,
        judge,
        lambda calls: _async_card(question, name, calls),
        name=name,
        fits="awaits it",
        unclear="whether what it gets is awaited later is not known",
    )


def _async_card(question: Question, name: str, calls: Calls) -> Draft:
    first, refs = calls[0], listed_refs(calls)
    return draft(
        question,
        claim=f"Making {code(name)} asynchronous breaks {place(first.ref)}, which does not await it{first_of(refs)}: "
        f"the call {_taken_for_result(question.edits[0])[first.fact.result]}.",
        op=EffectOp.CHANGED,
        subject=question.edits[0].subject,
        severity=Severity.BLOCKING,
        support=refs,
        impact="Control reaches the call, in a synchronous caller as well as in an asynchronous one.",
        counter=(
            f"An await, or handing the {_pending(question.edits[0])} on, would refute this; {place(first.ref)} does "
            "neither.",
            f"A decorator that runs the {_pending(question.edits[0])} would refute this; {code(name)} has none.",
        ),
    )


def _raise_sync(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    # JavaScript lets anything be awaited.
    if nested(edit) or edit.language in ("go", *SCRIPTS):
        return None
    name = called(function_of(edit))[1]
    return seed(
        edit,
        "became_sync_still_awaited",
        change=f"calling {code(name)} now gives its result at once, not a coroutine",
        precondition=f"a caller still awaits {code(name)}, and what it returns cannot be awaited",
        consequence="the await raises `TypeError` after the body has run",
        refuted_if=("what it returns can be awaited", "no resolved caller awaits it"),
        plan=plan_of_calls(edit),
    )


def _settle_sync(question: Question, bundle: Bundle) -> Settled:
    definition = new_signature(question, bundle)
    if isinstance(definition, Unsettled):
        return definition
    name = called(function_of(question.edits[0]))[1]
    if not _cannot_be_awaited(definition):
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"{code(name)} may still return something that can be awaited",
            missing=(f"the type of what {code(name)} returns",),
        )
    return settle_calls(
        question,
        bundle,
        lambda call: Verdict.BREAKS if call.awaited or call.result == "awaited" else Verdict.FITS,
        lambda calls: _sync_card(question, name, calls),
        name=name,
        fits="takes the result without an await",
        unclear="whether it is awaited is not known",
    )


def _cannot_be_awaited(definition: DefinitionFact) -> bool:
    if definition.is_async or any(word in result for result in definition.results for word in _AWAITABLE):
        return False
    return all(shape.startswith(_PLAIN) for shape in definition.returns)


def _sync_card(question: Question, name: str, calls: Calls) -> Draft:
    first, refs = calls[0], listed_refs(calls)
    return draft(
        question,
        claim=f"Making {code(name)} synchronous strands {place(first.ref)}{first_of(refs)}: it still awaits the call, "
        "whose result cannot be awaited, and raises `TypeError`.",
        op=EffectOp.CHANGED,
        subject=question.edits[0].subject,
        severity=Severity.BLOCKING,
        support=refs,
        impact="Control reaches the await; the body has already run by then, with all its effects.",
        counter=(f"A returned awaitable would refute this; {code(name)} returns only plain values.",),
    )


RULES = (
    Rule("became_async_not_awaited", frozenset({EditOp.BECAME_ASYNC}), _raise_async, _settle_async),
    Rule("became_sync_still_awaited", frozenset({EditOp.BECAME_SYNC}), _raise_sync, _settle_sync),
)
