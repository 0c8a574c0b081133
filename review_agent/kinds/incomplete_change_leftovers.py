"""Rules of ``incomplete_change`` about what is left behind: code without a use, an argument without an effect."""

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
    every,
    found,
    number,
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.binding import bind
from review_agent.kinds.callers import definition_of, first_of, worst_first
from review_agent.kinds.functions import called, function_of
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wording import snippet
from review_agent.syntax.testfiles import in_test
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


def _raise_unused(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    scope, _, name = text(edit, "qualname").rpartition(".")
    return seed(
        edit,
        "last_use_removed",
        change=f"{code(name)} is not used any more where it was",
        precondition=f"no other place at head names {code(name)}",
        consequence=f"{code(name)} stays behind as code that nothing reaches",
        refuted_if=(f"another place names {code(name)}",),
        plan=(
            ask(QueryKind.DEFINITION, name, path=edit.path, scope=scope),
            ask(QueryKind.TEXT, name),
        ),
        risk=-30,
    )


def _settle_unused(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    name, line = text(edit, "qualname").rpartition(".")[2], number(edit, "definedAt") or 0
    stopped = blocked(bundle, QueryKind.DEFINITION, QueryKind.TEXT)
    if stopped is not None:
        return stopped
    defined = [
        one
        for one in found(bundle, DefinitionFact, QueryKind.DEFINITION)
        if one.ref.path == edit.path and one.ref.start_line <= line <= one.ref.end_line
    ]
    hits = every(bundle, UseFact, QueryKind.TEXT)
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    named = [one for one in hits if word.search(one.evidence.text)]
    others = [one for one in named if (one.ref.path, one.ref.start_line) != (edit.path, line)]
    if others:
        return unsettled(
            NoFindingCode.REFUTED,
            f"{place(others[0].ref)} names {code(name)} too",
            refs=[one.ref for one in others[:4]],
        )
    if len(defined) != 1 or not named:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"the definition of {code(name)} was not found alone",
            missing=(f"definition of {code(name)}; {searched(bundle, QueryKind.DEFINITION)}",),
        )
    return (_unused_card(question, name, defined[0]),)


def _unused_card(question: Question, name: str, one: Found[DefinitionFact]) -> Draft:
    edit = question.edits[0]
    where = f" in {code(edit_function)}" if (edit_function := function_of(edit)) else ""
    return draft(
        question,
        claim=f"Removing {snippet(edit.before or '')}{where} takes away the last use of {code(name)}: {place(one.ref)} "
        "still defines it, and no other line at head names it.",
        op=EffectOp.REMOVED,
        subject=edit.subject,
        severity=Severity.SUGGESTION,
        support=[one.ref],
        impact=f"Whoever reads or maintains {place(one.ref)} takes it for code that runs.",
        counter=(f"Another line that names {code(name)} would refute this; the search of the whole tree found none.",),
    )


def _raise_unread(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if in_test(edit.path) or not function_of(edit) or texts(edit, "bases"):
        return None
    scope, name = called(function_of(edit))
    return seed(
        edit,
        "parameter_no_longer_read",
        change=f"{code(name)} does not read its parameter {code(edit.subject)} any more",
        precondition=f"a caller passes {code(edit.subject)}",
        consequence="what it passes has no effect",
        refuted_if=(f"no resolved caller passes {code(edit.subject)}", f"{code(name)} keeps the signature of another"),
        plan=(
            ask(QueryKind.DEFINITION, name, path=edit.path, scope=scope),
            ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
        ),
        risk=-15,
    )


def _settle_unread(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    name = called(function_of(edit))[1]
    definition = definition_of(question, bundle, name)
    if not isinstance(definition, DefinitionFact):
        return definition
    handed = [
        one for one in every(bundle, UseFact, QueryKind.CALLERS) if one.fact.use not in ("import", "export", "call")
    ]
    if handed:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"{place(handed[0].ref)} hands {code(name)} on, so its signature may not be its own choice",
            missing=(f"who calls {code(name)} from there",),
            refs=[handed[0].ref],
        )
    calls = [
        one
        for one in found(bundle, CallFact, QueryKind.CALLERS, name)
        if not one.fact.in_test and not one.evidence.near_change and _passes(definition, one.fact, edit)
    ]
    if not calls:
        return blocked(bundle, QueryKind.CALLERS) or unsettled(
            NoFindingCode.NO_CANDIDATE,
            f"no resolved caller passes {code(edit.subject)}; {searched(bundle, QueryKind.CALLERS)}",
        )
    return (_unread_card(question, name, definition, worst_first(question, calls)),)


def _passes(definition: DefinitionFact, call: CallFact, edit: Edit) -> bool:
    binding = bind(definition, call, edit.language)
    return binding.fits and edit.subject in binding.bound


def _unread_card(question: Question, name: str, definition: DefinitionFact, calls: Sequence[Found[CallFact]]) -> Draft:
    edit, first = question.edits[0], calls[0]
    value = bind(definition, first.fact, edit.language).bound.get(edit.subject, "")
    refs = [one.ref for one in calls[:3]]
    return draft(
        question,
        claim=f"Removing the last read of {code(edit.subject)} from {code(name)} leaves what {place(first.ref)}"
        f"{first_of(refs)} passes for it, {snippet(value)}, without effect: the parameter is still there.",
        op=EffectOp.REMOVED,
        subject=edit.subject,
        severity=Severity.SUGGESTION,
        support=[first.ref],
        impact=f"A caller that counts on {code(edit.subject)} gets what {code(name)} does for everybody.",
        counter=(f"A read of {code(edit.subject)} left in {code(name)} would refute this; its body names it nowhere.",),
    )


RULES = (
    Rule("last_use_removed", frozenset({EditOp.LAST_USE_REMOVED}), _raise_unused, _settle_unused),
    Rule("parameter_no_longer_read", frozenset({EditOp.PARAMETER_UNREAD}), _raise_unread, _settle_unread),
)
