"""What drops a cached value in the place of a drop that went: what is called, what was added, another function."""

from __future__ import annotations

from review_agent.kinds.base import Found, Unsettled, code, found, unsettled
from review_agent.kinds.bodies import body_at
from review_agent.kinds.cache_key_drops import instead
from review_agent.kinds.cache_key_staleness import WRITING
from review_agent.kinds.functions import function_of, split
from review_agent.vocabulary import (
    Bundle,
    CallFact,
    DefinitionFact,
    EditOp,
    NoFindingCode,
    QueryKind,
    Question,
    Side,
)

__all__ = ["by_callee", "moved", "through_added"]


def by_callee(question: Question, bundle: Bundle, callee: str) -> Found[DefinitionFact] | None:
    """What the function calls, where that drops the value."""
    own = {split(function_of(question.edits[0]))[1], callee, callee.rpartition(".")[2]}
    for one in found(bundle, DefinitionFact, QueryKind.DEFINITION):
        body = body_at(bundle, one.ref.path, one.ref.start_line)
        if split(one.fact.qualname)[1] not in own and body is not None and instead(body, callee):
            return one
    return None


def through_added(question: Question, bundle: Bundle) -> Unsettled | None:
    """A function of one's own that the change calls in the same place and that makes changes by further calls: whether
    it drops the value on its way was not followed."""
    edit = question.edits[0]
    if edit.op not in (EditOp.CALL_REMOVED, EditOp.CALL_REPLACED):
        return None
    own = {split(function_of(edit))[1], edit.subject.rpartition(".")[2]}
    for one in found(bundle, DefinitionFact, QueryKind.DEFINITION):
        name = split(one.fact.qualname)[1]
        writes = next((call for call in one.fact.calls if WRITING.search(f"{call}(")), "")
        if name not in own and one.evidence.near_change and one.fact.symbol in ("function", "method") and writes:
            return unsettled(
                NoFindingCode.INSUFFICIENT_EVIDENCE,
                f"{code(name)} was put in its place; whether its {code(writes)} drops the value is not established",
                missing=(f"what {code(writes)} does with the cached value",),
                refs=[one.ref],
            )
    return None


def moved(question: Question, bundle: Bundle, callee: str) -> Found[CallFact] | None:
    """A like drop that the same change brings to another function."""
    edit = question.edits[0]
    if edit.op not in (EditOp.CALL_REMOVED, EditOp.CALL_REPLACED):
        return None
    for one in found(bundle, CallFact):
        like = one.fact.callee.rpartition(".")[2] == callee.rpartition(".")[2]
        other = one.fact.scope != function_of(edit) or one.ref.path != edit.path
        if like and other and one.evidence.near_change and one.ref.side is Side.NEW and not one.fact.in_test:
            return one
    return None
