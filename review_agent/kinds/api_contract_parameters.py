"""Rules of ``api_contract`` about signatures: a parameter added, removed or renamed, and calls not updated."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from review_agent.kinds.api_contract_silent import plan_of_uses, settle_left_out, settle_shifted
from review_agent.kinds.base import Found, Seed, Settled, Unsettled, code, draft, flag, listed, place, seed, text
from review_agent.kinds.binding import Binding, bind
from review_agent.kinds.callers import Verdict, argument, first_of, listed_refs, overloads, settle_calls
from review_agent.kinds.functions import (
    called,
    failing,
    function_of,
    leads,
    nested,
    new_signature,
    plan_of_calls,
    reached,
    same_function,
)
from review_agent.kinds.languages import BY_PLACE, COMPILED, compiled, silent
from review_agent.kinds.rulebook import Rule
from review_agent.vocabulary import (
    Bundle,
    CallFact,
    DefinitionFact,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    Question,
    Severity,
)

__all__ = ["RULES"]

_HIDDEN = "what it passes is unpacked, shifted by a class receiver, or answered by a handler for `TypeError`"
_HIDDEN_COMPILED = "what it passes cannot be told from its text, or fits another definition of that name"

Calls = Sequence[Found[CallFact]]


def _judge(
    question: Question, bundle: Bundle, definition: DefinitionFact, breaks: Callable[[Binding], bool]
) -> Callable[..., Verdict]:
    """A call that fits the signature, or an overload, fits; else it breaks only if this change explains why."""
    language = question.edits[0].language
    others = overloads(question, bundle, definition) if language == "java" else ()

    def judge(call: CallFact) -> Verdict:
        binding = bind(definition, call, language)
        if binding.fits or any(bind(other, call, language).fits for other in others):
            return Verdict.FITS
        # Who catches this very error tries out what the callee takes; a broader handler only hides the failure.
        tried = language not in COMPILED and "TypeError" in call.caught
        return Verdict.BREAKS if binding.known and not tried and breaks(binding) else Verdict.UNCLEAR

    return judge


def _names(question: Question, *ops: EditOp) -> tuple[str, ...]:
    return tuple(one.subject for one in question.edits if one.op in ops)


def _raise_added(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if not flag(edit, "required") or nested(edit) or not leads(edit, edits, lambda one: flag(one, "required")):
        return None
    name = called(function_of(edit))[1]
    return seed(
        edit,
        "required_parameter_added",
        change=f"{code(name)} now requires {code(edit.subject)}, which it did not take before",
        precondition=f"a caller still passes {code(name)} the arguments of the old signature",
        consequence=f"that call leaves a required parameter without a value and {failing(edit)}",
        refuted_if=(
            f"every resolved caller passes {code(edit.subject)}",
            "the call unpacks arguments that can hold it",
            "a decorator supplies it",
        ),
        plan=(*plan_of_calls(edit), *(plan_of_uses(edit) if silent(edit) else ())),
        others=same_function(edit, edits),
    )


def _settle_added(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    definition = new_signature(question, bundle)
    if isinstance(definition, Unsettled):
        return definition
    if silent(edit):
        return settle_left_out(question, bundle, definition)
    required = [one for one in question.edits if one.op is EditOp.PARAMETER_ADDED and flag(one, "required")]
    gone = set(_names(question, EditOp.PARAMETER_REMOVED, EditOp.PARAMETER_RENAMED))

    def breaks(binding: Binding) -> bool:
        return 0 < len(binding.missing) <= len(required) and set(binding.unexpected) <= gone and not binding.surplus

    return settle_calls(
        question,
        bundle,
        _judge(question, bundle, definition, breaks),
        lambda calls: _added_card(question, definition, calls),
        name=called(function_of(edit))[1],
        fits=f"passes a value for {code(edit.subject)}",
        unclear=_HIDDEN_COMPILED if compiled(edit) else _HIDDEN,
    )


def _added_card(question: Question, definition: DefinitionFact, calls: Calls) -> Draft:
    edit, first = question.edits[0], calls[0]
    name = called(function_of(edit))[1]
    missing = bind(definition, first.fact, edit.language).missing
    refs = listed_refs(calls)
    return draft(
        question,
        claim=f"Adding the required parameter {code(edit.subject)} to {code(name)} breaks the call at "
        f"{place(first.ref)}{first_of(refs)}: {_lacking(edit, missing)} and {failing(edit)}.",
        op=EffectOp.ADDED,
        subject=edit.subject,
        severity=Severity.BLOCKING,
        support=refs,
        impact=f"{reached(edit)}; the new signature has no default that could stand in.",
        counter=(
            f"A default for {code(edit.subject)} would refute this; the signature at head was read and has none.",
            f"An unpacked argument that holds it would refute this; {place(first.ref)} unpacks nothing.",
        ),
    )


def _lacking(edit: Edit, missing: Sequence[str]) -> str:
    if edit.subject in missing:
        return f"it gives {listed(missing)} no value"
    return f"its arguments now fill other places, leave {listed(missing)} without a value"


def _raise_removed(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if nested(edit) or not leads(edit, edits):
        return None
    name = called(function_of(edit))[1]
    return seed(
        edit,
        "parameter_removed_still_passed",
        change=f"{code(name)} no longer takes {code(edit.subject)}",
        precondition=f"a caller still passes {code(name)} a value for {code(edit.subject)}",
        consequence=f"that call passes an argument which no parameter takes and {failing(edit)}",
        refuted_if=(
            f"no resolved caller passes {code(edit.subject)}",
            "the new signature takes any keyword or any number of arguments",
            "a decorator takes it off before the call",
        ),
        plan=plan_of_calls(edit),
        others=same_function(edit, edits),
    )


def _settle_removed(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    definition = new_signature(question, bundle)
    if isinstance(definition, Unsettled):
        return definition
    if silent(edit):
        return settle_shifted(question, bundle, definition)
    removed = set(_names(question, EditOp.PARAMETER_REMOVED))
    renamed = set(_names(question, EditOp.PARAMETER_RENAMED))

    def breaks(binding: Binding) -> bool:
        refused = set(binding.unexpected)
        return bool(binding.surplus or refused & removed) and refused <= removed | renamed

    return settle_calls(
        question,
        bundle,
        _judge(question, bundle, definition, breaks),
        lambda calls: _removed_card(question, definition, calls),
        name=called(function_of(edit))[1],
        fits=f"does without {code(edit.subject)}",
        unclear=_HIDDEN_COMPILED if compiled(edit) else _HIDDEN,
    )


def _removed_card(question: Question, definition: DefinitionFact, calls: Calls) -> Draft:
    edit, first = question.edits[0], calls[0]
    binding = bind(definition, first.fact, edit.language)
    subject = next(
        (one for one in _names(question, EditOp.PARAMETER_REMOVED) if one in binding.unexpected), edit.subject
    )
    if subject in binding.unexpected:
        passed = f"the keyword {code(subject)}, which nothing takes any more"
    else:
        passed = f"{argument(first, binding.surplus[0])}, for which no place is left"
    refs = listed_refs(calls)
    return draft(
        question,
        claim=f"Removing the parameter {code(subject)} from {code(called(function_of(edit))[1])} strands "
        f"{place(first.ref)}{first_of(refs)}: the call still passes {passed}, and {failing(edit)}.",
        op=EffectOp.REMOVED,
        subject=subject,
        severity=Severity.BLOCKING,
        support=refs,
        impact=f"{reached(edit)}, whatever value the surplus argument has.",
        counter=(
            "A signature that takes any keyword or any number of arguments would refute this; this one does not.",
            *_handled(edit, place(first.ref)),
        ),
    )


def _handled(edit: Edit, where: str) -> tuple[str, ...]:
    """What would keep the call from ending its function, where it is carried out at all."""
    if compiled(edit):
        return ()
    return (f"A handler for {code('TypeError')} would refute this; none stands around {where}.",)


def _raise_renamed(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if nested(edit) or edit.language in BY_PLACE:
        return None
    name = called(function_of(edit))[1]
    return seed(
        edit,
        "parameter_renamed_still_passed",
        change=f"the parameter {code(edit.subject)} of {code(name)} is now called {code(text(edit, 'newName'))}",
        precondition=f"a caller still passes {code(edit.subject)} by keyword",
        consequence=f"{code(name)} knows no such keyword and the call {failing(edit)}",
        refuted_if=(
            "resolved callers pass it by position or by the new keyword",
            "the new signature takes any keyword",
            "a decorator translates the old keyword",
        ),
        plan=plan_of_calls(edit),
        others=same_function(edit, edits),
    )


def _settle_renamed(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    definition = new_signature(question, bundle)
    if isinstance(definition, Unsettled):
        return definition
    return settle_calls(
        question,
        bundle,
        _judge(question, bundle, definition, lambda one: edit.subject in one.unexpected),
        lambda calls: _renamed_card(question, calls),
        name=called(function_of(edit))[1],
        fits=f"does without the keyword {code(edit.subject)}",
        unclear=_HIDDEN_COMPILED if compiled(edit) else _HIDDEN,
    )


def _renamed_card(question: Question, calls: Calls) -> Draft:
    edit, first = question.edits[0], calls[0]
    new, refs = text(edit, "newName"), listed_refs(calls)
    return draft(
        question,
        claim=f"Renaming the parameter {code(edit.subject)} of {code(called(function_of(edit))[1])} to {code(new)} "
        f"strands {place(first.ref)}{first_of(refs)}: the call still passes the keyword {code(edit.subject)}, which "
        f"nothing takes any more, and {failing(edit)}.",
        op=EffectOp.RENAMED,
        subject=edit.subject,
        to=new,
        severity=Severity.BLOCKING,
        support=refs,
        impact=f"{reached(edit)}, whatever value it passes.",
        counter=(
            "A signature that takes any keyword would refute this; the one at head does not.",
            *_handled(edit, place(first.ref)),
        ),
    )


RULES = (
    Rule("required_parameter_added", frozenset({EditOp.PARAMETER_ADDED}), _raise_added, _settle_added),
    Rule("parameter_removed_still_passed", frozenset({EditOp.PARAMETER_REMOVED}), _raise_removed, _settle_removed),
    Rule("parameter_renamed_still_passed", frozenset({EditOp.PARAMETER_RENAMED}), _raise_renamed, _settle_renamed),
)
