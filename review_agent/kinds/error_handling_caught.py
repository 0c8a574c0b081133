"""A rule of ``error_handling``: what a handler is to catch is no exception at all."""

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
    place,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.exceptions import is_builtin
from review_agent.kinds.functions import function_of
from review_agent.kinds.rulebook import Rule
from review_agent.syntax.testfiles import in_test
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
    Resolution,
    Severity,
    UseFact,
)

__all__ = ["RULES"]

_NAME = re.compile(r"[A-Za-z_][\w.]*")
_NO_CLASS = frozenset({"function", "method", "module", "constant", "variable"})


def _new_types(edit: Edit) -> tuple[str, ...]:
    if edit.op is EditOp.HANDLER_BROADENED:
        return tuple(one for one in texts(edit, "afterTypes") if one not in texts(edit, "beforeTypes"))
    if edit.op is EditOp.TEXT_REPLACED:
        return tuple(edit.after or "" for line in texts(edit, "texts")[:1] if re.match(r"except\b", line))
    if text(edit, "composite") in ("tuple", "list") and text(edit, "target"):
        return (edit.after or "",)
    return ()


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    types = [one for one in _new_types(edit) if _NAME.fullmatch(one) and not is_builtin(one)]
    if edit.language != "python" or in_test(edit.path) or not types:
        return None
    plan = [ask(QueryKind.DEFINITION, one, path=edit.path, scope=edit.scope) for one in types[:3]]
    target = text(edit, "target")
    if target:
        plan.append(ask(QueryKind.CALLERS, target.rpartition(".")[2], path=edit.path, scope=edit.scope))
    return seed(
        edit,
        "caught_is_no_exception",
        change=f"{code(types[0])} came to what is caught",
        precondition=f"{code(types[0])} is no class of exceptions",
        consequence="the handler itself fails with `TypeError` as soon as an exception reaches it",
        refuted_if=(f"{code(types[0])} is a class", "nothing catches by that list"),
        plan=plan,
    )


def _settle(question: Question, bundle: Bundle) -> Settled:
    defined = [
        one for one in every(bundle, DefinitionFact, QueryKind.DEFINITION) if one.fact.resolution is Resolution.RESOLVED
    ]
    wrong = [one for one in defined if one.fact.symbol in _NO_CLASS and not _may_be_class(one.fact)]
    if not wrong:
        return blocked(bundle, QueryKind.DEFINITION) or unsettled(
            NoFindingCode.REFUTED if defined else NoFindingCode.INSUFFICIENT_EVIDENCE,
            "what is caught is a class" if defined else "what is caught was not found in this repository",
            missing=() if defined else (f"definition of {code(question.plan[0].name)}",),
            refs=[one.ref for one in defined],
        )
    caught = None
    if text(question.edits[0], "target"):
        caught = next((one for one in every(bundle, UseFact, QueryKind.CALLERS) if "except" in one.evidence.text), None)
        if caught is None:
            return unsettled(NoFindingCode.NO_CANDIDATE, "nothing is seen to catch by that list")
    if wrong[0].evidence.near_change and caught is None:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            "the name is defined inside the change itself",
            missing=("a definition outside",),
        )
    name = bundle.queries[wrong[0].evidence.query].query.name
    return (_card(question, name, wrong[0], caught),)


def _may_be_class(fact: DefinitionFact) -> bool:
    """A name set to a class, or to something that is not seen, can hold one."""
    if fact.symbol == "module":
        return False
    if fact.symbol in ("constant", "variable"):
        return fact.value is None or re.match(r"[\"'\d\[{]|True|False", fact.value) is None
    return False


def _card(question: Question, name: str, wrong: Found[DefinitionFact], caught: Found[UseFact] | None) -> Draft:
    edit = question.edits[0]
    what = wrong.fact.symbol
    where = f"; {place(caught.ref)} catches by it" if caught is not None else ""
    return draft(
        question,
        claim=f"Adding {code(name)} to what is caught makes the handler itself fail: {place(wrong.ref)} shows a "
        f"{what}, no class "
        f"of exceptions{where}.",
        op=EffectOp.ADDED if edit.op is not EditOp.TEXT_REPLACED else EffectOp.CHANGED,
        subject=name,
        severity=Severity.IMPORTANT,
        support=[wrong.ref, *([caught.ref] if caught is not None else [])],
        impact=f"Any exception comes out of the guarded statements of {code(function_of(edit) or edit.path)}: "
        "`TypeError` takes its place.",
        counter=(f"A class of the name {code(name)} would refute this; what it resolves to is a {what}.",),
    )


RULES = (
    Rule(
        "caught_is_no_exception",
        frozenset({EditOp.HANDLER_BROADENED, EditOp.COMPONENT_ADDED, EditOp.TEXT_REPLACED, EditOp.COMPONENT_REMOVED}),
        _raise,
        _settle,
    ),
)
