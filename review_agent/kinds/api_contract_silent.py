"""Signatures in JavaScript, where no call is refused: a parameter without an argument is `undefined`, an argument
without a parameter is left out of account. Only what goes wrong by that gives a card."""

from __future__ import annotations

from collections.abc import Sequence

from review_agent.kinds.base import (
    Found,
    Settled,
    Unsettled,
    ask,
    blocked,
    code,
    draft,
    found,
    number,
    place,
    same_place,
    unsettled,
)
from review_agent.kinds.binding import bind, signature
from review_agent.kinds.callers import Verdict, argument, first_of, listed_refs, settle_calls
from review_agent.kinds.functions import called, function_of
from review_agent.vocabulary import (
    Bundle,
    CallFact,
    DefinitionFact,
    Draft,
    Edit,
    EffectOp,
    NoFindingCode,
    PlanQuery,
    QueryKind,
    Question,
    Severity,
    UseFact,
)

__all__ = ["plan_of_uses", "settle_left_out", "settle_shifted"]

# What fails at once where there is no value.
_FAILS = frozenset({"attribute", "subscript", "call"})

Calls = Sequence[Found[CallFact]]


def plan_of_uses(edit: Edit) -> tuple[PlanQuery, ...]:
    """What the function does with the parameter."""
    return (ask(QueryKind.USES_INSIDE, edit.subject, path=edit.path, scope=function_of(edit)),)


def settle_left_out(question: Question, bundle: Bundle, definition: DefinitionFact) -> Settled:
    """A card where a caller leaves the new parameter out and the body cannot do without it."""
    edit = question.edits[0]
    uses = found(bundle, UseFact, QueryKind.USES_INSIDE, edit.subject)
    failing = _failing(edit, bundle, uses)
    if isinstance(failing, Unsettled):
        return failing

    def judge(call: CallFact) -> Verdict:
        binding = bind(definition, call, edit.language)
        if not binding.known or "TypeError" in call.caught:
            return Verdict.UNCLEAR
        return Verdict.BREAKS if binding.missing == (edit.subject,) else _others(binding.missing, edit.subject)

    return settle_calls(
        question,
        bundle,
        judge,
        lambda calls: _left_out_card(question, failing, calls),
        name=called(function_of(edit))[1],
        fits=f"passes a value for {code(edit.subject)}",
        unclear="which of its parameters it fills is not known",
    )


def _others(missing: Sequence[str], subject: str) -> Verdict:
    return Verdict.UNCLEAR if subject in missing else Verdict.FITS


def _failing(edit: Edit, bundle: Bundle, uses: Sequence[Found[UseFact]]) -> Found[UseFact] | Unsettled:
    """The first use that fails without a value, or why none is known to."""
    written = [one for one in uses if one.fact.use == "write"]
    bare = [one for one in uses if one.fact.use in _FAILS and not one.fact.guarded_by]
    if bare and not written:
        return bare[0]
    stopped = blocked(bundle, QueryKind.USES_INSIDE)
    if stopped is not None:
        return stopped
    if uses and all(one.fact.guarded_by for one in uses):
        detail = f"{code(function_of(edit))} tests {code(edit.subject)} before it uses it; {place(uses[0].ref)} is one"
        return unsettled(NoFindingCode.REFUTED, detail, refs=[one.ref for one in uses])
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"a call that leaves {code(edit.subject)} out gives it `undefined`, and no use is seen to fail on that",
        missing=(f"what {code(function_of(edit))} does without {code(edit.subject)}",),
        refs=[one.ref for one in uses[:3]],
    )


def _left_out_card(question: Question, failing: Found[UseFact], calls: Calls) -> Draft:
    edit, first = question.edits[0], calls[0]
    name, refs = called(function_of(edit))[1], listed_refs(calls)
    does = code(failing.fact.text)
    if not same_place(question, failing.ref):
        refs.append(failing.ref)
    return draft(
        question,
        claim=f"Adding the parameter {code(edit.subject)} to {code(name)} breaks the call at {place(first.ref)}"
        f"{first_of(listed_refs(calls))}: it passes none, so {code(edit.subject)} is `undefined` there and {does} "
        "raises `TypeError`.",
        op=EffectOp.ADDED,
        subject=edit.subject,
        severity=Severity.BLOCKING,
        support=refs,
        impact=f"Control goes from that call to {does}, before which nothing tests for a value.",
        counter=(
            f"A default for {code(edit.subject)} would refute this; the signature at head was read and has none.",
            f"An unpacked argument that holds it would refute this; {place(first.ref)} unpacks nothing.",
        ),
    )


def settle_shifted(question: Question, bundle: Bundle, definition: DefinitionFact) -> Settled:
    """A card where a caller still passes the removed argument, so that those behind it fill other parameters."""
    edit = question.edits[0]
    names = tuple(one.name for one in signature(definition) if one.kind == "positional")
    at = number(edit, "index") or 0

    def judge(call: CallFact) -> Verdict:
        binding = bind(definition, call, edit.language)
        if not binding.known or (binding.surplus and at >= len(names)):
            return Verdict.UNCLEAR
        return Verdict.BREAKS if binding.surplus else Verdict.FITS

    return settle_calls(
        question,
        bundle,
        judge,
        lambda calls: _shifted_card(question, names[at], at, calls),
        name=called(function_of(edit))[1],
        fits=f"does without {code(edit.subject)}",
        unclear="an argument too many is left out of account; whether that matters is not known",
    )


def _shifted_card(question: Question, taking: str, at: int, calls: Calls) -> Draft:
    edit, first = question.edits[0], calls[0]
    name, refs = called(function_of(edit))[1], listed_refs(calls)
    given = argument(first, first.fact.arguments[at].text)
    return draft(
        question,
        claim=f"Removing the parameter {code(edit.subject)} from {code(name)} strands {place(first.ref)}"
        f"{first_of(refs)}: the call still passes {given} for it, which now fills {code(taking)}, and what stood "
        "behind it is one place off.",
        op=EffectOp.REMOVED,
        subject=edit.subject,
        severity=Severity.BLOCKING,
        support=refs,
        impact=f"Control reaches the call; nothing refuses it, and {code(name)} goes on with the wrong {code(taking)}.",
        counter=(
            "A signature that takes any number of arguments would refute this; this one does not.",
            f"A call adapted in this change would refute this; {place(first.ref)} was read at head.",
        ),
    )
