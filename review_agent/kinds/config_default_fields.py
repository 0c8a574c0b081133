"""Rules of ``config_default`` about values that stand in code: defaults of fields, and constants."""

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
    every,
    found,
    place,
    same_place,
    searched,
    seed,
    text,
    unsettled,
)
from review_agent.kinds.callers import Verdict, listed_refs, look, old_calls, without_card, worst_first
from review_agent.kinds.functions import split
from review_agent.kinds.risk import effect_of, guards, is_risky, judgement_call
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
    Side,
    UseFact,
)

__all__ = ["RULES"]

# What makes a class's fields the parameters of its constructor.
_RECORDS = frozenset({"dataclass", "define", "frozen", "attrs", "NamedTuple", "BaseModel", "BaseSettings", "Struct"})
_READS = frozenset({"read", "call", "attribute", "subscript", "dereference", "guard"})


def _raise_field(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if text(edit, "carrier") != "field" or edit.language == "go" or not edit.scope:
        return None
    outer, owner = split(edit.scope)
    plan = [ask(QueryKind.DEFINITION, owner, path=edit.path, scope=outer)]
    if is_risky(edit):
        plan.append(ask(QueryKind.CALLERS, owner, path=edit.path, scope=outer))
        plan.append(ask(QueryKind.CALLERS, owner, path=edit.old_path, scope=outer, side=Side.OLD))
    subject, before, after = code(edit.subject), snippet(edit.before or ""), snippet(edit.after or "")
    return seed(
        edit,
        "field_default_changed",
        change=f"the default of {subject} of {code(owner)} went from {before} to {after}",
        precondition=f"code that was not updated makes a {code(owner)} without {subject}",
        consequence=f"what it makes holds {after} without being asked for it",
        refuted_if=(f"every resolved constructor call passes {subject}", "constructor calls were updated along"),
        plan=plan,
    )


def _settle_field(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    if not is_risky(edit):
        return judgement_call(edit)
    _, owner = split(edit.scope)
    closed = _not_a_record(question, bundle, owner)
    if closed is not None:
        return closed
    seen = look(question, bundle, _leaves_out(edit))
    stood = old_calls(bundle, owner)
    standing = [one for one in seen.breaking if stood is not None and stood(one)]
    if standing:
        return (_field_card(question, owner, standing),)
    if seen.breaking:
        detail = f"the calls that leave {code(edit.subject)} out were written or changed together with the default"
        return unsettled(NoFindingCode.REFUTED, detail, refs=[one.ref for one in seen.breaking])
    fits = f"passes {code(edit.subject)}"
    return without_card(bundle, seen, name=owner, fits=fits, unclear="which fields it passes is not known")


def _not_a_record(question: Question, bundle: Bundle, owner: str) -> Unsettled | None:
    classes = [
        one
        for one in found(bundle, DefinitionFact, QueryKind.DEFINITION, owner)
        if one.fact.symbol == "class" and one.ref.path == question.path
    ]
    marks = {_last(mark) for one in classes for mark in (*one.fact.decorators, *one.fact.bases)}
    written = any("__init__" in one.fact.members for one in classes)
    if marks & _RECORDS and not written:
        return None
    return blocked(bundle, QueryKind.DEFINITION) or unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"the constructor of {code(owner)} is not made from its fields",
        missing=(f"what the constructor of {code(owner)} does with {code(question.edits[0].subject)}",),
        refs=[one.ref for one in classes],
    )


def _last(mark: str) -> str:
    return mark.lstrip("@").split("(")[0].split("[")[0].rpartition(".")[2]


def _leaves_out(edit: Edit) -> Callable[[CallFact], Verdict]:
    def judge(call: CallFact) -> Verdict:
        if any(one.keyword == edit.subject for one in call.arguments):
            return Verdict.FITS
        # Which field a positional argument fills depends on the order of all fields, those of bases included.
        unknown = any(one.star or one.keyword is None for one in call.arguments)
        return Verdict.UNCLEAR if unknown else Verdict.BREAKS

    return judge


def _field_card(question: Question, owner: str, calls: Sequence[Found[CallFact]]) -> Draft:
    edit, first = question.edits[0], calls[0]
    several = " (one of several resolved calls)" if len(calls) > 1 else ""
    subject = code(edit.subject)
    return draft(
        question,
        claim=f"Changing the default of the field {subject} of {code(owner)} from {snippet(edit.before or '')} to "
        f"{snippet(edit.after or '')} reaches {place(first.ref)}{several}: the call there, not changed itself, leaves "
        f"{subject} out and now makes an object with {effect_of(edit)}.",
        op=EffectOp.CHANGED,
        subject=edit.subject,
        to=edit.after,
        severity=Severity.IMPORTANT,
        support=listed_refs(calls),
        impact=f"Something reads {subject} of the object made there, and nothing sets the field in between.",
        counter=(
            f"A value for {subject} at the call would refute this; it names other fields only and unpacks nothing.",
            "An update of the call would refute this; it reads the same at base.",
        ),
    )


def _raise_constant(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if text(edit, "carrier") != "constant":
        return None
    subject, before, after = code(edit.subject), snippet(edit.before or ""), snippet(edit.after or "")
    outer, name = edit.scope, edit.subject
    plan = [ask(QueryKind.CALLERS, name, path=edit.path, scope=outer)] if _matters(edit) else []
    plan.append(ask(QueryKind.USES_INSIDE, name, path=edit.path))
    return seed(
        edit,
        "constant_default_changed",
        change=f"{subject} went from {before} to {after}",
        precondition=f"code outside the change decides by {subject}",
        consequence="it decides the other way",
        refuted_if=(f"nothing outside the change reads {subject}", "what reads it is set another way before"),
        plan=plan,
    )


def _matters(edit: Edit) -> bool:
    return is_risky(edit) and guards(edit.subject)


def _settle_constant(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    if not _matters(edit):
        return judgement_call(edit)
    uses = [one for one in every(bundle, UseFact) if one.ref.side is Side.NEW and one.fact.use in _READS]
    resolved = [one for one in found(bundle, UseFact) if one in uses and not one.fact.in_test]
    outside = worst_first(question, [one for one in resolved if not same_place(question, one.ref)])
    if outside:
        return (_constant_card(question, outside),)
    stopped = blocked(bundle, QueryKind.CALLERS, QueryKind.USES_INSIDE)
    if stopped is not None:
        return stopped
    if uses:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"{place(uses[0].ref)} names a {code(edit.subject)} not known to be this one: {uses[0].fact.reason}",
            missing=(f"what {code(edit.subject)} is at {place(uses[0].ref)}",),
        )
    where = searched(bundle, QueryKind.CALLERS, QueryKind.USES_INSIDE)
    return unsettled(
        NoFindingCode.NO_CANDIDATE, f"nothing was found that reads {code(edit.subject)}; searched: {where}"
    )


def _constant_card(question: Question, uses: Sequence[Found[UseFact]]) -> Draft:
    edit, first = question.edits[0], uses[0]
    subject = code(edit.subject)
    several = " (one of several resolved uses)" if len(uses) > 1 else ""
    return draft(
        question,
        claim=f"Changing {subject} from {snippet(edit.before or '')} to {snippet(edit.after or '')} reaches "
        f"{place(first.ref)}{several}, which reads {subject} and now gets {effect_of(edit)}.",
        op=EffectOp.CHANGED,
        subject=edit.subject,
        to=edit.after,
        severity=Severity.IMPORTANT,
        support=listed_refs(uses),
        impact="That line runs before anything assigns the name anew.",
        counter=(f"Another definition of {subject} between the two would refute this; the use resolves to this one.",),
        uncertainty=("Whether the other value is what this change is for is not written in the repository.",),
    )


RULES = (
    Rule("field_default_changed", frozenset({EditOp.DEFAULT_CHANGED}), _raise_field, _settle_field),
    Rule("constant_default_changed", frozenset({EditOp.DEFAULT_CHANGED}), _raise_constant, _settle_constant),
)
