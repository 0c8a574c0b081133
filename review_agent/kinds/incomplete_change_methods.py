"""A rule of ``incomplete_change``: a method renamed in all but one of the types that are called alike."""

from __future__ import annotations

from collections.abc import Sequence
from posixpath import dirname

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    ask,
    blocked,
    code,
    draft,
    every,
    place,
    seed,
    text,
    unsettled,
)
from review_agent.kinds.rulebook import Rule
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import (
    Bundle,
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


def _raise_method(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    new = text(edit, "newName")
    if (
        text(edit, "symbolKind") != "method"
        or in_test(edit.path)
        or len(edit.subject) < 3
        or edit.subject.startswith("__")
    ):
        return None
    same = [one for one in edits if one.op is edit.op and (one.subject, text(one, "newName")) == (edit.subject, new)]
    called = any(one.op is EditOp.TEXT_REPLACED and (one.before, one.after) == (edit.subject, new) for one in edits)
    if len(same) < 2 or not called or same[0].edit_id != edit.edit_id:
        return None
    return seed(
        edit,
        "method_left_under_old_name",
        change=f"{code(edit.subject)} became {code(new)} in {len(same)} types and where it is called",
        precondition=f"a type beside them still has {code(edit.subject)} and no {code(new)}",
        consequence=f"it is called as {code(new)} and has none",
        refuted_if=("no other type of theirs is left", "the type has both"),
        plan=(ask(QueryKind.PRODUCERS, edit.subject, path=edit.path), ask(QueryKind.PRODUCERS, new, path=edit.path)),
        others=same[1:],
    )


def _settle_method(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    old, new = edit.subject, text(edit, "newName")
    homes = {dirname(one.path) for one in question.edits}
    having = {(one.ref.path, one.fact.scope) for one in _defined(bundle, new)}
    left = [
        one
        for one in _defined(bundle, old)
        if not one.evidence.near_change
        and dirname(one.ref.path) in homes
        and (one.ref.path, one.fact.scope) not in having
    ]
    called = [one for one in every(bundle, UseFact, QueryKind.PRODUCERS, old) if one.fact.use == "call"]
    if len(left) == 1 and not called:
        return (_method_card(question, left[0]),)
    return blocked(bundle, QueryKind.PRODUCERS) or unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE if left else NoFindingCode.NO_CANDIDATE,
        f"{code(old)} is still called, or more than one type has it"
        if left
        else f"no type beside them still has {code(old)}",
        missing=(f"whether {code(old)} is the same method there",) if left else (),
        refs=[one.ref for one in left[:2]],
    )


def _defined(bundle: Bundle, name: str) -> list[Found[UseFact]]:
    uses = every(bundle, UseFact, QueryKind.PRODUCERS, name)
    return [one for one in uses if one.fact.use == "definition" and not one.fact.in_test]


def _method_card(question: Question, one: Found[UseFact]) -> Draft:
    edit = question.edits[0]
    old, new = code(edit.subject), code(text(edit, "newName"))
    return draft(
        question,
        claim=f"Renaming {old} to {new} in the types beside it and at their call leaves {place(one.ref)} behind: "
        "that type "
        f"still has {old} alone.",
        op=EffectOp.RENAMED,
        subject=edit.subject,
        to=text(edit, "newName"),
        severity=Severity.IMPORTANT,
        support=[one.ref],
        impact="An object of that type comes to the changed call like the others; it has no such method.",
        counter=(f"A {new} that the type inherits would refute this; no type beside them defines one for it.",),
        uncertainty=("That objects of this type come to the changed call was told by its place alone.",),
    )


RULES = (Rule("method_left_under_old_name", frozenset({EditOp.SYMBOL_RENAMED}), _raise_method, _settle_method),)
