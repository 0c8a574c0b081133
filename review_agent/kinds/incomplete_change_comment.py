"""A rule of ``incomplete_change``: a function came under the comment of the one that it was copied from."""

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
    place,
    searched,
    seed,
    text,
    unsettled,
)
from review_agent.kinds.rulebook import Rule
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

RULE = "comment_of_another"


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    named, owner = text(edit, "named"), text(edit, "qualname").rpartition(".")[0]
    plan = [ask(QueryKind.DEFINITION, named, path=edit.path, scope=owner)]
    if owner:
        plan.append(ask(QueryKind.DEFINITION, named, path=edit.path))
    plan.append(ask(QueryKind.TEXT, named, path="*.go"))
    plan.append(ask(QueryKind.CALLERS, edit.subject, path=edit.path, scope=owner))
    return seed(
        edit,
        RULE,
        change=f"{code(edit.subject)} came under a comment that begins with {code(named)}",
        precondition=f"{code(named)} is another function",
        consequence=f"its documentation is told of {code(edit.subject)}",
        refuted_if=(f"nothing is called {code(named)}",),
        plan=plan,
        risk=-25,
    )


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    named = text(edit, "named")
    definitions = found(bundle, DefinitionFact, QueryKind.DEFINITION, named)
    others = [one for one in definitions if one.fact.symbol not in ("module", "field")]
    outside = [one for one in others if not one.evidence.near_change]
    if outside:
        return (_card(question, named, outside[0]),)
    if others:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"{place(others[0].ref)}, which defines {code(named)}, lies inside the change itself",
            missing=(f"a definition of {code(named)} outside the change",),
            refs=[others[0].ref],
        )
    return blocked(bundle, QueryKind.DEFINITION, QueryKind.TEXT) or _settle_nobody(question, bundle, named)


def _settle_nobody(question: Question, bundle: Bundle, named: str) -> Settled:
    """The name is nowhere but in that comment: a reader who looks for it finds nothing."""
    edit = question.edits[0]
    word = re.compile(whole_name(named))
    hits = [one for one in every(bundle, UseFact, QueryKind.TEXT, named) if word.search(one.evidence.text)]
    elsewhere = [one for one in hits if (one.ref.path, one.ref.start_line) != (edit.path, edit.start_line)]
    if elsewhere:
        return unsettled(
            NoFindingCode.NO_CANDIDATE,
            f"{place(elsewhere[0].ref)} has the word {code(named)} too; what it names was not followed",
            refs=[elsewhere[0].ref],
        )
    calls = [one for one in found(bundle, CallFact, QueryKind.CALLERS, edit.subject) if not one.evidence.near_change]
    if not calls:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"no call of {code(edit.subject)} outside the change shows which name is meant",
            missing=(f"a resolved caller ({searched(bundle, QueryKind.CALLERS)})",),
        )
    first = min(calls, key=lambda one: (one.fact.in_test, one.ref.path, one.ref.start_line))
    return (
        draft(
            question,
            claim=f"Adding {code(edit.subject)} under a comment that begins with {code(named)} documents a name that "
            f"nothing has: no other line at head has it, and {place(first.ref)} calls the function by its own.",
            op=EffectOp.ADDED,
            subject=edit.subject,
            severity=Severity.SUGGESTION,
            support=[first.ref],
            impact=f"Whoever reads the generated documentation and looks for {code(named)} finds no function.",
            counter=(f"A definition of {code(named)} would refute this; the search found none.",),
        ),
    )


def _card(question: Question, named: str, other: Found[DefinitionFact]) -> Draft:
    edit = question.edits[0]
    return draft(
        question,
        claim=f"Adding {code(edit.subject)} under a comment that begins with {code(named)} documents it as another "
        f"function: {code(named)} is defined at {place(other.ref)}.",
        op=EffectOp.ADDED,
        subject=edit.subject,
        severity=Severity.SUGGESTION,
        support=[other.ref],
        impact=f"Whoever looks up {code(edit.subject)} in the generated documentation or an editor reads about the "
        "wrong name, and a search for its words leads to the other one.",
        counter=(
            f"A comment that means to compare with {code(named)} would refute this; it opens with that name as its "
            "own subject.",
        ),
    )


RULES = (Rule(RULE, frozenset({EditOp.COMMENT_OF_ANOTHER}), _raise, _settle),)
