"""Rule of ``api_contract`` about interfaces: an abstract member was added that a type below does not have."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    Unsettled,
    ask,
    blocked,
    code,
    draft,
    every,
    found,
    place,
    same_place,
    searched,
    seed,
    text,
    unsettled,
)
from review_agent.kinds.callers import first_of, listed_refs
from review_agent.kinds.functions import split
from review_agent.kinds.languages import compiled
from review_agent.kinds.rulebook import Rule
from review_agent.syntax.testfiles import in_test
from review_agent.syntax.words import whole_name
from review_agent.vocabulary import (
    Bundle,
    DefinitionFact,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    ImplementerFact,
    NoFindingCode,
    QueryKind,
    Question,
    Resolution,
    Severity,
)

__all__ = ["RULES"]

Implementers = Sequence[Found[ImplementerFact]]

# Python refuses an instance for a missing abstract member only under a metaclass that watches for it.
_ENFORCING = frozenset({"ABC", "ABCMeta", "Protocol"})


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    scope, owner = split(text(edit, "owner"))
    fails = "it no longer satisfies the interface" if compiled(edit) else "making an instance of it raises `TypeError`"
    return seed(
        edit,
        "abstract_member_without_implementer",
        change=f"{code(owner)} now demands {code(edit.subject)}",
        precondition=f"a type that stands for {code(owner)} has no {code(edit.subject)}",
        consequence=fails,
        refuted_if=(
            f"every resolved implementer has or inherits {code(edit.subject)}",
            f"nothing enforces the members of {code(owner)}",
        ),
        plan=(
            ask(QueryKind.IMPLEMENTERS, owner, path=edit.path, scope=scope),
            ask(QueryKind.DEFINITION, owner, path=edit.path, scope=scope),
            ask(QueryKind.DEFINITION, edit.subject, path=edit.path, scope=text(edit, "owner")),
        ),
    )


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    _, owner = split(text(edit, "owner"))
    toothless = None if compiled(edit) else _not_enforced(question, bundle, owner)
    if toothless is not None:
        return toothless
    asked = [one for one in every(bundle, ImplementerFact) if one.fact.type_name != owner]
    resolved = [one for one in asked if one.fact.resolution is Resolution.RESOLVED]
    lacking = [one for one in resolved if one.fact.closed and not one.fact.has_member and not _is_base(one, asked)]
    outside = [one for one in lacking if not in_test(one.ref.path) and not same_place(question, one.ref)]
    if outside:
        return (_card(question, owner, sorted(outside, key=lambda one: (one.ref.path, one.ref.start_line))),)
    return _without_card(question, bundle, owner, asked, lacking)


def _not_enforced(question: Question, bundle: Bundle, owner: str) -> Unsettled | None:
    definitions = found(bundle, DefinitionFact, QueryKind.DEFINITION, owner)
    words = {word for one in definitions for base in one.fact.bases for word in _words(base)}
    if words & _ENFORCING:
        return None
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"no base of {code(owner)} that refuses instances with missing members was seen",
        missing=(f"the metaclass of {code(owner)}",),
        refs=[one.ref for one in definitions],
    )


def _words(base: str) -> list[str]:
    return base.replace("=", ".").replace("[", ".").split(".")


def _is_base(one: Found[ImplementerFact], asked: Implementers) -> bool:
    """Whether another implementer's header names this type: what it lacks, the types below it can have."""
    name = re.compile(whole_name(one.fact.type_name.rpartition(".")[2]))
    return any(other.ref != one.ref and name.search(other.evidence.text) for other in asked)


def _without_card(
    question: Question, bundle: Bundle, owner: str, asked: Implementers, lacking: Implementers
) -> Unsettled:
    edit = question.edits[0]
    stopped = blocked(bundle, QueryKind.IMPLEMENTERS)
    if stopped is not None:
        return stopped
    if lacking:
        detail = f"only test doubles, or types inside the change, lack {code(edit.subject)}"
        return unsettled(NoFindingCode.NO_CANDIDATE, detail, refs=[one.ref for one in lacking])
    open_ones = [one for one in asked if not one.fact.has_member]
    if open_ones:
        first = open_ones[0]
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"{code(first.fact.type_name)} at {place(first.ref)} is a base, or gets members that are not seen",
            missing=(f"what has {code(edit.subject)} where {code(first.fact.type_name)} is used",),
            refs=[one.ref for one in open_ones],
        )
    if asked:
        detail = f"every implementer of {code(owner)} has {code(edit.subject)}; {place(asked[0].ref)} is one"
        return unsettled(NoFindingCode.REFUTED, detail, refs=[one.ref for one in asked])
    where = searched(bundle, QueryKind.IMPLEMENTERS)
    return unsettled(NoFindingCode.NO_CANDIDATE, f"no implementer of {code(owner)} was found; searched: {where}")


def _card(question: Question, owner: str, lacking: Implementers) -> Draft:
    edit, first = question.edits[0], lacking[0]
    name, refs = first.fact.type_name, listed_refs(lacking)
    return draft(
        question,
        claim=f"Adding {code(edit.subject)} to what {code(owner)} demands leaves {code(name)} at {place(first.ref)} "
        f"without it{first_of(refs, 'resolved implementer')}: {_fails(edit, owner)}.",
        op=EffectOp.ADDED,
        subject=edit.subject,
        severity=Severity.IMPORTANT,
        support=refs,
        impact=_impact(edit, owner, name),
        counter=(
            f"An inherited {code(edit.subject)} would refute this; all bases of {code(name)} were seen, none has it.",
        ),
        uncertainty=()
        if edit.language in ("java", "typescript", "tsx")
        else (f"Whether {code(name)} is meant to be used by itself, not only as a base, was not searched.",),
    )


def _fails(edit: Edit, owner: str) -> str:
    if edit.language in ("java", "typescript", "tsx"):
        return "the class does not compile"
    return f"it no longer satisfies {code(owner)}" if compiled(edit) else "making an instance of it raises `TypeError`"


def _impact(edit: Edit, owner: str, name: str) -> str:
    if edit.language in ("java", "typescript", "tsx"):
        return f"The module that holds {code(name)} is built."
    if edit.language == "go":
        return f"A value of {code(name)} is assigned, passed or returned as {code(owner)} in a package that is built."
    return f"Something constructs {code(name)} itself and not a type below it that fills the gap."


RULES = (Rule("abstract_member_without_implementer", frozenset({EditOp.ABSTRACT_MEMBER_ADDED}), _raise, _settle),)
