"""What evidence shows of a thing that is taken: where, by whom, what can end the way before it is given back."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.base import Found, code, found, place, text
from review_agent.kinds.functions import called, function_of
from review_agent.syntax.edits.giving import ends, paired
from review_agent.syntax.roles import opposite, role_of
from review_agent.vocabulary import Bundle, CallFact, DefinitionFact, Edit, QueryKind, Side, SourceRef, UseFact

__all__ = ["callers_outside", "gives_back", "last", "outside", "raising", "takes", "undoes", "why_it_matters"]

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


def why_it_matters(bundle: Bundle, edit: Edit, taken: SourceRef) -> tuple[list[SourceRef], str]:
    """A place outside the change that shows the loss: who calls, what the opener is, or how others give it back."""
    for function in (function_of(edit), text(edit, "outOf")):
        calls = callers_outside(bundle, edit, function) if function else []
        if calls:
            it = "it" if function == function_of(edit) else code(last(function))
            return [calls[0].ref], f"; {place(calls[0].ref)} {_relies(calls[0])} {it}"
    makers = [
        one
        for one in found(bundle, DefinitionFact, QueryKind.DEFINITION, text(edit, "openerNow"))
        if outside(one) and one.fact.symbol != "module"
    ]
    if makers:
        return [makers[0].ref], f"; {place(makers[0].ref)} says what it opens"
    others = _others_give_back(bundle, edit)
    if others:
        return [others[0].ref], f"; {code(others[0].fact.scope)}, {place(others[0].ref)}, gives its own back"
    lines = [one for one in takes(bundle, edit, last(text(edit, "openerNow"))) if outside(one)]
    return ([], "") if not lines or lines[0].ref != taken else ([lines[0].ref], "")


def _relies(one: Found[CallFact] | Found[UseFact]) -> str:
    return "calls" if isinstance(one.fact, CallFact) else "uses"


def _others_give_back(bundle: Bundle, edit: Edit) -> list[Found[UseFact]]:
    release = last(text(edit, "release"))
    uses = found(bundle, UseFact, QueryKind.USES_INSIDE, release) if release else ()
    return [one for one in uses if outside(one) and one.fact.scope and one.fact.scope != function_of(edit)]
