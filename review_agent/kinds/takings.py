"""What evidence shows of a thing that is taken: where, by whom, what can end the way before it is given back."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.base import Found, found
from review_agent.kinds.functions import called, function_of
from review_agent.syntax.edits.lives import ends, paired
from review_agent.syntax.roles import opposite, role_of
from review_agent.vocabulary import Bundle, CallFact, DefinitionFact, Edit, QueryKind, Side, UseFact

__all__ = ["callers_outside", "gives_back", "last", "outside", "raising", "takes", "undoes"]

_NAMING = frozenset({"import", "export", "text", "write", "catch"})
_PREFIX = re.compile(r"^(?:de|un|dis|re|end|stop|clear|remove)", re.IGNORECASE)


def last(dotted: str) -> str:
    return dotted.rpartition(".")[2]


def undoes(one: str, other: str) -> bool:
    """Whether two called names are an act and its undoing, in either order."""
    if opposite(one, other) or paired(one, other) or paired(other, one):
        return True
    first, second = sorted((one.lower(), other.lower()), key=len)
    return first != second and _PREFIX.sub("", second) == first


def gives_back(name: str) -> bool:
    return ends(name) or role_of(name) == "rollback"


def outside(one: Found[CallFact] | Found[UseFact] | Found[DefinitionFact]) -> bool:
    return not one.evidence.near_change


def takes(bundle: Bundle, edit: Edit, name: str) -> list[Found[UseFact]]:
    """The uses of a callee's name inside the edit's function at head."""
    uses = found(bundle, UseFact, QueryKind.USES_INSIDE, name)
    inside = [one for one in uses if one.ref.side is Side.NEW and one.ref.path == edit.path]
    scope = function_of(edit)
    return [one for one in inside if one.fact.scope == scope or one.fact.scope.startswith(f"{scope}.")]


def callers_outside(bundle: Bundle, edit: Edit, function: str = "") -> list[Found[CallFact] | Found[UseFact]]:
    """Where the product calls the edit's function or hands it on, outside the change, other files first."""
    own = function or function_of(edit)
    name = called(own)[1]
    calls: list[Found[CallFact] | Found[UseFact]] = list(found(bundle, CallFact, QueryKind.CALLERS, name))
    calls += [one for one in found(bundle, UseFact, QueryKind.CALLERS, name) if one.fact.use not in _NAMING]
    good = [
        one
        for one in calls
        if one.ref.side is Side.NEW and not one.fact.in_test and outside(one) and one.fact.scope != own
    ]
    return sorted(good, key=lambda one: (isinstance(one.fact, UseFact), one.ref.path == edit.path, one.ref.path))


def raising(bundle: Bundle, edit: Edit, names: Sequence[str]) -> tuple[Found[DefinitionFact], str, str] | None:
    """The first of these callees whose definition raises, with the type that it raises."""
    for name in names:
        for one in found(bundle, DefinitionFact, QueryKind.DEFINITION, name):
            kinds = [kind for kind in one.fact.raises if kind]
            if kinds and one.ref.side is Side.NEW:
                return one, name, kinds[0]
    return None
