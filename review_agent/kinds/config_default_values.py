"""Rules of ``config_default`` about defaults in code: of a parameter, of a field, of a constant."""

from __future__ import annotations

from collections.abc import Callable, Sequence

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
    seed,
    text,
    unsettled,
)
from review_agent.kinds.binding import bind
from review_agent.kinds.callers import Verdict, listed_refs, look, old_calls, without_card
from review_agent.kinds.functions import called, function_of, nested, new_signature, plan_of_calls
from review_agent.kinds.risk import effect_of, is_risky, judgement_call, transition_of
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wording import snippet
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
    UseFact,
)

__all__ = ["RULES"]

Calls = Sequence[Found[CallFact]]

_FOR_NOTHING = ("is None", "is not None", "== nil", "!= nil", "== null", "!= null")
_READS = frozenset({"read", "call", "attribute", "subscript", "dereference", "guard"})


def _raise_parameter(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if text(edit, "carrier") != "parameter" or nested(edit):
        return None
    name = called(function_of(edit))[1]
    plan = list(plan_of_calls(edit, before=True)) if is_risky(edit) else list(plan_of_calls(edit)[:1])
    if is_risky(edit):
        plan.append(ask(QueryKind.USES_INSIDE, edit.subject, path=edit.path, scope=function_of(edit)))
    return seed(
        edit,
        "parameter_default_changed",
        change=f"the default of {code(edit.subject)} of {code(name)} went from {snippet(edit.before or '')} to "
        f"{snippet(edit.after or '')}",
        precondition=f"a caller that was not updated leaves {code(edit.subject)} out",
        consequence=f"that caller gets {snippet(edit.after or '')} without asking for it",
        refuted_if=(
            f"every resolved caller passes {code(edit.subject)}",
            f"{code(name)} treats both values alike, or never reads it",
            "callers were updated along with the default",
        ),
        plan=plan,
    )


def _settle_parameter(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    if not is_risky(edit):
        return judgement_call(edit)
    definition = new_signature(question, bundle)
    if isinstance(definition, Unsettled):
        return definition
    unread = _not_read(question, bundle)
    if unread is not None:
        return unread
    name = called(function_of(edit))[1]
    seen = look(question, bundle, _omits(edit, definition))
    stood = old_calls(bundle, name)
    if stood is None:
        return _no_old_side(bundle, name)
    pinned = [one for one in seen.fitting if _pins(edit, definition, one) and not stood(one)]
    if pinned:
        return _pinned(edit, pinned)
    standing = [one for one in seen.breaking if stood(one)]
    if standing:
        return (_parameter_card(question, bundle, name, standing),)
    if seen.breaking:
        return unsettled(
            NoFindingCode.REFUTED,
            f"the callers that leave {code(edit.subject)} out were written or changed together with the default",
            refs=[one.ref for one in seen.breaking],
        )
    return without_card(
        bundle, seen, name=name, fits=f"passes {code(edit.subject)}", unclear="what it passes is unpacked or shifted"
    )


def _omits(edit: Edit, definition: DefinitionFact) -> Callable[[CallFact], Verdict]:
    def judge(call: CallFact) -> Verdict:
        binding = bind(definition, call, edit.language)
        if not binding.fits:
            return Verdict.UNCLEAR
        return Verdict.FITS if edit.subject in binding.bound else Verdict.BREAKS

    return judge


def _pins(edit: Edit, definition: DefinitionFact, one: Found[CallFact]) -> bool:
    """Whether a call passes the old default by hand."""
    return bind(definition, one.fact, edit.language).bound.get(edit.subject) == edit.before


def _pinned(edit: Edit, pinned: Calls) -> Unsettled:
    before = snippet(edit.before or "")
    return unsettled(
        NoFindingCode.CONFLICTING_EVIDENCE,
        f"this change passes the old {before} by hand at {place(pinned[0].ref)}; the callers were gone "
        "through, and those without it left as they were",
        missing=("whether the callers left alone were meant to follow the new default",),
        refs=[one.ref for one in pinned],
    )


def _no_old_side(bundle: Bundle, name: str) -> Unsettled:
    return blocked(bundle, QueryKind.CALLERS) or unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"whether the callers of {code(name)} were updated is not known",
        missing=(f"callers of {code(name)} at base",),
    )


def _inside(edit: Edit, bundle: Bundle) -> tuple[Found[UseFact], ...]:
    return found(bundle, UseFact, QueryKind.USES_INSIDE, edit.subject)


def _reads(edit: Edit, bundle: Bundle) -> list[Found[UseFact]]:
    return [one for one in _inside(edit, bundle) if one.fact.use in _READS]


def _not_read(question: Question, bundle: Bundle) -> Unsettled | None:
    """Why the default itself makes no difference: nothing reads it, or the body tests for nothing and repairs it."""
    edit = question.edits[0]
    stopped = blocked(bundle, QueryKind.USES_INSIDE)
    if stopped is not None:
        return stopped
    uses = _reads(edit, bundle)
    if not uses:
        return unsettled(NoFindingCode.REFUTED, f"nothing inside {code(function_of(edit))} reads {code(edit.subject)}")
    handled = [one for one in _inside(edit, bundle) if _answers_for_nothing(edit, one)]
    if transition_of(edit) in ("to_none", "from_none") and handled:
        return unsettled(
            NoFindingCode.NEEDS_HUMAN_CONTEXT,
            f"{place(handled[0].ref)} decides what applies where {code(edit.subject)} has no value",
            missing=("whether what applies then is what callers had before",),
            refs=[one.ref for one in handled],
        )
    return None


def _answers_for_nothing(edit: Edit, one: Found[UseFact]) -> bool:
    """Whether a place in the body tests the parameter for a missing value, or puts another in its place."""
    guarded = one.fact.guarded_by is not None and edit.subject in one.fact.guarded_by
    return guarded or one.fact.use in ("guard", "write") or any(test in one.evidence.text for test in _FOR_NOTHING)


def _parameter_card(question: Question, bundle: Bundle, name: str, calls: Calls) -> Draft:
    edit, first, read = question.edits[0], calls[0], _reads(question.edits[0], bundle)[0]
    several = " (one of several resolved callers)" if len(calls) > 1 else ""
    subject, after = code(edit.subject), snippet(edit.after or "")
    return draft(
        question,
        claim=f"Changing the default of {subject} in {code(name)} from {snippet(edit.before or '')} to {after} reaches "
        f"{place(first.ref)}{several}: the call there, not changed itself, passes no {subject} and now runs with "
        f"{effect_of(edit)}.",
        op=EffectOp.CHANGED,
        subject=edit.subject,
        to=edit.after,
        severity=Severity.IMPORTANT,
        support=[*listed_refs(calls), read.ref],
        impact=f"The call gets as far as {place(read.ref)}, where {code(name)} reads {subject}.",
        counter=(
            f"An update of the callers would refute this; the call at {place(first.ref)} reads the same at base.",
            f"A value for {subject} at the call would refute this; it passes none and unpacks nothing.",
        ),
    )


RULES = (Rule("parameter_default_changed", frozenset({EditOp.DEFAULT_CHANGED}), _raise_parameter, _settle_parameter),)
