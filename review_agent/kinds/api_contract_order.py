"""Rule of ``api_contract`` about places: a call that still fits, but whose arguments now reach other parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    Unsettled,
    code,
    draft,
    flag,
    found,
    number,
    place,
    seed,
    texts,
    unsettled,
)
from review_agent.kinds.binding import bind, signature
from review_agent.kinds.callers import Verdict, argument, first_of, listed_refs, look, old_calls, without_card
from review_agent.kinds.functions import (
    called,
    function_of,
    leads,
    nested,
    new_signature,
    plan_of_calls,
    reached,
    same_function,
)
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
    QueryKind,
    Question,
    Severity,
)

__all__ = ["RULES"]

Orders = tuple[tuple[str, ...], tuple[str, ...]]


def _raise_reordered(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if nested(edit) or not (edit.op is EditOp.PARAMETERS_REORDERED or _inserted(edit)):
        return None
    if edit.op is EditOp.PARAMETER_ADDED and not leads(edit, edits, _inserted):
        return None
    name = called(function_of(edit))[1]
    return seed(
        edit,
        "parameters_reordered",
        change=_change(edit, name),
        precondition=f"a caller that was not updated passes {code(name)} arguments by position",
        consequence="its arguments reach other parameters than before, without an error",
        refuted_if=(
            "resolved callers pass these arguments by keyword, or were updated in this change",
            "no caller passes enough arguments to reach the places that moved",
        ),
        plan=plan_of_calls(edit, before=True),
        others=same_function(edit, edits),
    )


def _inserted(edit: Edit) -> bool:
    """An optional positional parameter: where it stands before others, it takes their places."""
    index = number(edit, "index")
    return edit.op is EditOp.PARAMETER_ADDED and not flag(edit, "required") and index is not None and index >= 0


def _change(edit: Edit, name: str) -> str:
    if edit.op is EditOp.PARAMETER_ADDED:
        return f"{code(name)} takes {code(edit.subject)} at a place that another parameter may have had"
    return f"the parameters of {code(name)} changed places"


def _orders(question: Question, definition: DefinitionFact) -> Orders | None:
    """Positional names before and after; null where nothing that was there before has another place now."""
    edit = question.edits[0]
    if edit.op is EditOp.PARAMETERS_REORDERED:
        return texts(edit, "beforeOrder"), texts(edit, "afterOrder")
    after = tuple(one.name for one in signature(definition) if one.kind == "positional")
    added = {one.subject for one in question.edits if one.op is EditOp.PARAMETER_ADDED}
    others = [one for one in question.edits if one.op is not EditOp.PARAMETER_ADDED]
    before = tuple(one for one in after if one not in added)
    return None if others or after[: len(before)] == before else (before, after)


def _moved(call: CallFact, orders: Orders) -> int | None:
    """The first place where a positional argument of this call reaches another parameter; null where none does."""
    before, after = orders
    positional = [one for one in call.arguments if one.keyword is None]
    places = range(min(len(positional), len(before), len(after)))
    return next((place for place in places if before[place] != after[place]), None)


def _settle_reordered(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    definition = new_signature(question, bundle)
    if isinstance(definition, Unsettled):
        return definition
    name = called(function_of(edit))[1]
    orders = _orders(question, definition)
    if orders is None:
        detail = f"{code(edit.subject)} came after all positional parameters that {code(name)} had"
        here = [one.ref for one in found(bundle, DefinitionFact, QueryKind.DEFINITION)]
        return unsettled(NoFindingCode.REFUTED, detail, refs=here)
    seen = look(question, bundle, _judge(definition, edit.language, orders))
    standing = list(filter(_stale(bundle, name, orders), seen.breaking))
    if standing:
        return (_card(question, definition, orders, standing),)
    if seen.breaking:
        return _not_known_stale(name, seen.breaking)
    return without_card(
        bundle,
        seen,
        name=name,
        fits="passes nothing by position at the places that moved",
        unclear="the arguments it passes are unpacked or do not fit the signature",
    )


def _judge(definition: DefinitionFact, language: str, orders: Orders) -> Callable[[CallFact], Verdict]:
    def judge(call: CallFact) -> Verdict:
        place = _moved(call, orders)
        if any(one.star for one in call.arguments) or not bind(definition, call, language).fits:
            return Verdict.UNCLEAR
        if place is None or _named(call, place) == orders[1][place]:
            return Verdict.FITS
        return Verdict.BREAKS

    return judge


def _named(call: CallFact, place: int) -> str:
    """The last name of the positional argument at a place: an argument named as its parameter is meant for it."""
    return [one for one in call.arguments if one.keyword is None][place].text.rpartition(".")[2]


def _stale(bundle: Bundle, name: str, orders: Orders) -> Callable[[Found[CallFact]], bool]:
    """Whether a call is as it was before the places moved: found the same at base, or named after the old order."""
    stood = old_calls(bundle, name)

    def stale(one: Found[CallFact]) -> bool:
        place = _moved(one.fact, orders)
        if stood is not None:
            return stood(one)
        return place is not None and _named(one.fact, place) == orders[0][place]

    return stale


def _not_known_stale(name: str, calls: Sequence[Found[CallFact]]) -> Unsettled:
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"{place(calls[0].ref)} passes {code(name)} arguments at the places that moved, but was not the same before",
        missing=(f"which parameter the call at {place(calls[0].ref)} means",),
        refs=listed_refs(calls),
    )


# Java's plain types that never stand for one another.
_PLAIN = {
    "String": "text",
    "boolean": "flag",
    "Boolean": "flag",
    **dict.fromkeys(("byte", "short", "int", "long", "float", "double", "Integer", "Long", "Double"), "number"),
}


def _refused(edit: Edit, definition: DefinitionFact, one: str, other: str) -> bool:
    """Whether a compiler refuses what was meant for one parameter where the other stands."""
    types = {param.name: _PLAIN.get(param.type or "") for param in definition.parameters}
    return edit.language == "java" and None not in (types.get(one), types.get(other)) and types[one] != types[other]


def _card(question: Question, definition: DefinitionFact, orders: Orders, calls: Sequence[Found[CallFact]]) -> Draft:
    edit, first = question.edits[0], calls[0]
    at = _moved(first.fact, orders) or 0
    given = [one for one in first.fact.arguments if one.keyword is None][at].text
    refs, name = listed_refs(calls), called(function_of(edit))[1]
    inserted = edit.op is EditOp.PARAMETER_ADDED
    refused = _refused(edit, definition, orders[0][at], orders[1][at])
    act = f"Adding {code(edit.subject)} before other parameters" if inserted else "Reordering the parameters"
    return draft(
        question,
        claim=f"{act} of {code(name)} sends {argument(first, given)} of the unchanged call at {place(first.ref)}"
        f"{first_of(refs)} to {code(orders[1][at])}, where it was {code(orders[0][at])} before"
        f"{', which does not compile' if refused else ''}.",
        op=EffectOp.ADDED if inserted else EffectOp.REORDERED,
        subject=edit.subject if inserted else orders[1][at],
        severity=Severity.IMPORTANT,
        support=refs,
        impact=f"{reached(edit)}."
        if refused
        else "The two parameters are used differently and the values passed there differ.",
        counter=(
            f"A keyword or an update in this change would refute this; the call at {place(first.ref)} passes by "
            "position and reads the same at base.",
        ),
    )


RULES = (
    Rule(
        "parameters_reordered",
        frozenset({EditOp.PARAMETERS_REORDERED, EditOp.PARAMETER_ADDED}),
        _raise_reordered,
        _settle_reordered,
    ),
)
