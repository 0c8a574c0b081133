"""Rules of ``api_contract`` about what calls must now pass, and about what they now get."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    Unsettled,
    ask,
    code,
    draft,
    flag,
    found,
    number,
    place,
    seed,
    text,
    texts,
)
from review_agent.kinds.binding import bind
from review_agent.kinds.callers import Verdict, first_of, listed_refs, look, settle_calls, without_card
from review_agent.kinds.functions import (
    called,
    failing,
    function_of,
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
    QueryKind,
    Question,
    Severity,
)

__all__ = ["RULES"]

Calls = Sequence[Found[CallFact]]
_HIDDEN = "what it passes is unpacked, shifted by a class receiver, or answered by a handler"


def _raise_tightened(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if nested(edit):
        return None
    name = called(function_of(edit))[1]
    how = "named" if text(edit, "how") == "keyword_only" else "passed"
    return seed(
        edit,
        "parameter_tightened",
        change=f"{code(edit.subject)} of {code(name)} must now be {how}",
        precondition=f"a caller still {'passes it by place' if how == 'named' else 'leaves it out'}",
        consequence=f"that call {failing(edit)}",
        refuted_if=(f"every resolved caller has {code(edit.subject)} {how}", "a decorator supplies it"),
        plan=plan_of_calls(edit),
        others=same_function(edit, edits),
    )


def _settle_tightened(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    definition = new_signature(question, bundle)
    if isinstance(definition, Unsettled):
        return definition
    by_name = text(edit, "how") == "keyword_only"

    def judge(call: CallFact) -> Verdict:
        binding = bind(definition, call, edit.language)
        if binding.fits:
            return Verdict.FITS
        broken = binding.surplus or edit.subject in binding.missing if by_name else edit.subject in binding.missing
        return Verdict.BREAKS if binding.known and broken and "TypeError" not in call.caught else Verdict.UNCLEAR

    return settle_calls(
        question,
        bundle,
        judge,
        lambda calls: _tightened_card(question, calls),
        name=called(function_of(edit))[1],
        fits=f"has {code(edit.subject)} as it must be",
        unclear=_HIDDEN,
    )


def _tightened_card(question: Question, calls: Calls) -> Draft:
    edit, first, refs = question.edits[0], calls[0], listed_refs(calls)
    name = called(function_of(edit))[1]
    if text(edit, "how") == "keyword_only":
        made, does = "keyword-only", "still passes it by place"
    else:
        made, does = "required", "still leaves it out"
    return draft(
        question,
        claim=f"Making {code(edit.subject)} of {code(name)} {made} breaks the call at "
        f"{place(first.ref)}{first_of(refs)}: it "
        f"{does} and {failing(edit)}.",
        op=EffectOp.CHANGED,
        subject=edit.subject,
        severity=Severity.BLOCKING,
        support=refs,
        impact=f"{reached(edit)}, whatever the other arguments are.",
        counter=(
            f"A signature that still takes such a call would refute this; the one of {code(name)} at head does not.",
        ),
    )


_RECORD = re.compile(r"(?:^|\.)(?:dataclass|define|frozen|attrs?|s|record)(?:$|\()")
_MODEL = re.compile(r"(?:^|\.)(?:BaseModel|NamedTuple|Struct)$")


def _raise_field(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    record = any(_RECORD.search(one) for one in texts(edit, "decorators")) or any(
        _MODEL.search(one) for one in texts(edit, "bases")
    )
    if (
        not flag(edit, "required")
        or edit.language != "python"
        or not record
        or "init=False" in " ".join(texts(edit, "decorators"))
    ):
        return None
    scope, _, name = text(edit, "owner").rpartition(".")
    return seed(
        edit,
        "required_field_added",
        change=f"{code(name)} now has to be given {code(edit.subject)}",
        precondition=f"a place that makes a {code(name)} does not give it",
        consequence="making it fails there",
        refuted_if=(f"every place that makes a {code(name)} gives {code(edit.subject)}", "its fields are unpacked"),
        plan=(
            ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
            ask(QueryKind.DEFINITION, name, path=edit.path, scope=scope),
        ),
    )


def _settle_field(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    name = text(edit, "owner").rpartition(".")[2]
    index = number(edit, "index") or 0
    defined = found(bundle, DefinitionFact, QueryKind.DEFINITION, name)
    if any(
        "__init__" in one.fact.members or (one.fact.bases and "BaseModel" not in one.fact.bases[0]) for one in defined
    ):
        base = [one for one in defined if one.fact.bases]
        index += 99 if base else 0

    def judge(call: CallFact) -> Verdict:
        if any(one.star for one in call.arguments) or (call.result == "other" and not call.arguments):
            return Verdict.UNCLEAR
        positional = [one for one in call.arguments if one.keyword is None]
        given = any(one.keyword == edit.subject for one in call.arguments) or len(positional) > index
        return Verdict.FITS if given else Verdict.BREAKS

    seen = look(question, bundle, judge)
    if seen.breaking and not any("__init__" in one.fact.members for one in defined):
        return (_field_card(question, name, seen.breaking),)
    return without_card(bundle, seen, name=name, fits=f"gives {code(edit.subject)}", unclear=_HIDDEN)


def _field_card(question: Question, name: str, calls: Calls) -> Draft:
    edit, first, refs = question.edits[0], calls[0], listed_refs(calls)
    return draft(
        question,
        claim=f"Adding the required field {code(edit.subject)} to {code(name)} breaks "
        f"{place(first.ref)}{first_of(refs)}: it makes a "
        f"{code(name)} and gives no {code(edit.subject)}.",
        op=EffectOp.ADDED,
        subject=edit.subject,
        severity=Severity.BLOCKING,
        support=refs,
        impact="Control reaches that line; the field has no default that takes its place.",
        counter=(f"A default for {code(edit.subject)} would refute this; its line at head has none.",),
    )


RULES = (
    Rule("parameter_tightened", frozenset({EditOp.PARAMETER_TIGHTENED}), _raise_tightened, _settle_tightened),
    Rule("required_field_added", frozenset({EditOp.FIELD_ADDED}), _raise_field, _settle_field),
)
