"""A rule of ``config_default``: a default that was filled in for who left it out is filled in no more."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
    same_place,
    seed,
    text,
    unsettled,
)
from review_agent.kinds.binding import bind
from review_agent.kinds.callers import worst_first
from review_agent.kinds.functions import called, function_of
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wording import snippet
from review_agent.syntax.testfiles import in_test
from review_agent.syntax.words import whole_name
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

_NOTHING = frozenset({"None", "nil", "null", "undefined", "0", '""', "''"})


def _raise_normal(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    subject = edit.subject
    if in_test(edit.path) or text(edit, "action") not in ("assign", "wraps") or not function_of(edit):
        return None
    sets = re.search(rf"(?<![\w.]){re.escape(subject)}\s*(?::?=|\|\|=|\?\?=)\s*([^\s=][^;{{}}]*)", edit.before or "")
    zero = re.search(
        r"== 0\b|<= 0\b|== nil|is None|===? (?:null|undefined)|== \"\"|== ''|^not |^!|\.isEmpty\(\)", text(edit, "test")
    )
    if not sets or not zero:
        return None
    scope, name = called(function_of(edit))
    return seed(
        edit,
        "default_no_longer_filled_in",
        change=f"{code(name)} no longer fills in {snippet(sets[1].strip())} for {code(subject)}",
        precondition=f"a caller of {code(name)} leaves {code(subject)} to its default",
        consequence=f"{code(name)} goes on with no value for {code(subject)}",
        refuted_if=(f"every caller gives {code(subject)}", "the default is filled in elsewhere"),
        plan=(
            ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
            ask(
                QueryKind.DEFINITION,
                function_of(edit).rpartition(".")[2],
                path=edit.path,
                scope=function_of(edit).rpartition(".")[0],
            ),
            ask(QueryKind.USES_INSIDE, subject, path=edit.path, scope=edit.scope),
        ),
    )


def _settle_normal(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    name = called(function_of(edit))[1]
    used = [one for one in found(bundle, UseFact, QueryKind.USES_INSIDE) if one.fact.use != "write"]
    filled = [one for one in found(bundle, UseFact, QueryKind.USES_INSIDE) if one.fact.use == "write"]
    if filled or not used:
        return unsettled(
            NoFindingCode.REFUTED,
            f"{code(edit.subject)} is {'set anew' if filled else 'not read'} in {code(name)}",
            refs=[one.ref for one in filled],
        )
    definition = next(
        (one.fact for one in found(bundle, DefinitionFact, QueryKind.DEFINITION) if one.ref.path == question.path), None
    )
    calls = [one for one in found(bundle, CallFact, QueryKind.CALLERS) if not one.fact.in_test]
    for one in worst_first(question, [one for one in calls if not same_place(question, one.ref)]):
        if definition is not None and _leaves_out(edit, definition, one.fact):
            return (_normal_card(question, name, one),)
    return blocked(bundle, QueryKind.CALLERS) or unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE if calls else NoFindingCode.NO_CANDIDATE,
        f"no caller of {code(name)} is seen to leave {code(edit.subject)} to its default",
        missing=(f"what each caller gives for {code(edit.subject)}",) if calls else (),
        refs=[one.ref for one in calls[:3]],
    )


def _leaves_out(edit: Edit, definition: DefinitionFact, call: CallFact) -> bool:
    """Whether a call gives nothing for the subject: the parameter itself, or the field of a literal that it passes."""
    owner, _, field = edit.subject.rpartition(".")
    binding = bind(definition, call, edit.language)
    name = owner or field
    parameter = next((one for one in definition.parameters if one.name == name), None)
    if parameter is None or not binding.known:
        return False
    given = binding.bound.get(name, parameter.default or "")
    if not owner:
        return given in _NOTHING
    argument = next((one for one in call.arguments if one.text == given), None)
    literal = given if re.search(r"[{(]", given) else argument.origin if argument else ""
    made = re.match(r"^&?(?:new )?[\w.]*\s*[{(](.*)[})]$", literal, re.DOTALL)
    return made is not None and not re.search(rf"(?i){whole_name(field)}", made[1]) and "..." not in made[1]


def _normal_card(question: Question, name: str, one: Found[CallFact]) -> Draft:
    edit = question.edits[0]
    return draft(
        question,
        claim=f"Removing the test {code(text(edit, 'test'))} that filled in {code(edit.subject)} leaves "
        f"{place(one.ref)} without its "
        f"default: that call of {code(name)} gives none.",
        op=EffectOp.REMOVED,
        subject=text(edit, "test"),
        severity=Severity.IMPORTANT,
        support=[one.ref],
        impact=f"{code(one.fact.scope or one.ref.path)} runs; the code behind works with the zero value as if it "
        "had been asked for.",
        counter=(f"A value given at the call would refute this; {place(one.ref)} gives none.",),
    )


RULES = (Rule("default_no_longer_filled_in", frozenset({EditOp.GUARD_REMOVED}), _raise_normal, _settle_normal),)
