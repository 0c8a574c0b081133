"""A rule of ``incomplete_change``: a function came under the comment of the one that it was copied from."""

from __future__ import annotations

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
    searched,
    seed,
    text,
    unsettled,
)
from review_agent.kinds.rulebook import Rule
from review_agent.vocabulary import (
    Bundle,
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

RULE = "comment_of_another"


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    named, owner = text(edit, "named"), text(edit, "qualname").rpartition(".")[0]
    plan = [ask(QueryKind.DEFINITION, named, path=edit.path, scope=owner)]
    if owner:
        plan.append(ask(QueryKind.DEFINITION, named, path=edit.path))
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
    others = [
        one
        for one in found(bundle, DefinitionFact, QueryKind.DEFINITION, named)
        if one.fact.symbol in ("function", "method")
    ]
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
    return blocked(bundle, QueryKind.DEFINITION) or unsettled(
        NoFindingCode.NO_CANDIDATE, f"no function {code(named)} was found; {searched(bundle, QueryKind.DEFINITION)}"
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
