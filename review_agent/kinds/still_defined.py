"""Why a name that a change took away may still be found where it was."""

from __future__ import annotations

import re

from review_agent.kinds.base import Found, Unsettled, blocked, code, every, found, listed, place, unsettled
from review_agent.kinds.functions import split
from review_agent.vocabulary import Bundle, DefinitionFact, NoFindingCode, QueryKind, Question, Side, UseFact

__all__ = ["still_there"]

# What has members of its own; in JavaScript an object or a function too.
_HOLDERS = ("class", "interface", "variable", "function")


def still_there(question: Question, bundle: Bundle, name: str, scope: str) -> Unsettled | None:
    """Why the name may still be found where it was: defined, inherited, or supplied by something not seen whole."""
    definitions = [one for one in found(bundle, DefinitionFact, QueryKind.DEFINITION, name) if one.ref.side is Side.NEW]
    if definitions:
        detail = f"{code(name)} is still defined: {place(definitions[0].ref)}"
        return unsettled(NoFindingCode.REFUTED, detail, refs=[one.ref for one in definitions])
    doubtful = [one for one in every(bundle, DefinitionFact, QueryKind.DEFINITION, name) if one.ref.side is Side.NEW]
    if doubtful:
        detail = f"{place(doubtful[0].ref)} defines a {code(name)}, which may be the same: {doubtful[0].fact.reason}"
        return unsettled(NoFindingCode.CONFLICTING_EVIDENCE, detail, refs=[one.ref for one in doubtful])
    again = _declared_again(question, bundle, name)
    if again is not None:
        detail = f"{place(again.ref)} gives the name {code(name)} anew"
        return unsettled(NoFindingCode.REFUTED, detail, refs=[again.ref])
    return blocked(bundle, QueryKind.DEFINITION) or _inherited(question, bundle, name, scope)


def _declared_again(question: Question, bundle: Bundle, name: str) -> Found[UseFact] | None:
    """A line of the same file that declares the name in a namespace, or hands something on under it."""
    shape = re.compile(rf"\b(?:type|interface|class|enum|namespace|import|as)\s+{re.escape(name)}(?![\w$])")
    lines = every(bundle, UseFact, QueryKind.TEXT, name)
    here = (one for one in lines if one.ref.path == question.path)
    return next((one for one in here if shape.search(one.evidence.text)), None)


def _inherited(question: Question, bundle: Bundle, name: str, scope: str) -> Unsettled | None:
    if not scope or question.edits[0].language == "go":
        return None
    # An inherited definition would have been found under the name itself, so the bases only have to be seen whole.
    owners = [
        one
        for one in found(bundle, DefinitionFact, QueryKind.DEFINITION, split(scope)[1])
        if one.fact.symbol in _HOLDERS and one.ref.path == question.path
    ]
    if owners and all(one.fact.closed for one in owners):
        return None
    bases = [base for one in owners for base in one.fact.bases]
    of = f" (its bases are {listed(bases)})" if bases else ""
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"not all names of {code(scope)} are seen{of}",
        missing=(f"whether {code(scope)} gets {code(name)} from elsewhere",),
        refs=[one.ref for one in owners],
    )
