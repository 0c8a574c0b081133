"""What rules about routes share: the question, which places show a guard, what is said where too few do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from review_agent.kinds.base import (
    Found,
    Seed,
    Unsettled,
    blocked,
    code,
    seed,
    unsettled,
)
from review_agent.vocabulary import (
    Bundle,
    CallFact,
    DefinitionFact,
    Edit,
    NoFindingCode,
    PlanQuery,
    QueryKind,
    Question,
)

__all__ = ["FEWEST", "MOST_OTHERS", "AnyFound", "is_new", "route_seed", "shown", "too_few"]

FEWEST = 2
MOST_OTHERS = 20

AnyFound = Found[DefinitionFact] | Found[CallFact]
Place = TypeVar("Place", Found[DefinitionFact], Found[CallFact])


def route_seed(edit: Edit, rule: str, *, change: str, plan: Sequence[PlanQuery], others: Sequence[Edit] = ()) -> Seed:
    return seed(
        edit,
        rule,
        change=change,
        precondition="the routes beside it all ask",
        consequence="whoever sends a request gets by this route what the others keep from them",
        refuted_if=("a route beside it does without as well", "the router, the class or the handler itself asks"),
        plan=plan,
        others=others,
    )


def is_new(question: Question, one: AnyFound) -> bool:
    """Whether a place is itself one that the change adds."""
    added = [edit for edit in question.edits if edit.path == one.ref.path]
    return any(edit.start_line <= one.ref.end_line and one.ref.start_line <= edit.end_line for edit in added)


def shown(routes: Sequence[Place]) -> list[Place]:
    """Two of the routes, one of them away from the change; empty where there are no such two."""
    ordered = sorted(routes, key=_is_near)
    fits = len(ordered) >= FEWEST and not _is_near(ordered[0])
    return ordered[:FEWEST] if fits else []


def _is_near(one: AnyFound) -> bool:
    return one.evidence.near_change


def too_few(bundle: Bundle, name: str, kind: QueryKind) -> Unsettled:
    return blocked(bundle, kind) or unsettled(
        NoFindingCode.NO_CANDIDATE, f"beside {code(name)} no two routes outside the change share a guard"
    )
