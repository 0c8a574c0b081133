"""A rule of ``resource_release``: state of the process that is set and not put back."""

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
    flag,
    found,
    number,
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.functions import called, function_of, split
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.takings import callers_outside, last, outside, takes
from review_agent.kinds.wording import snippet
from review_agent.vocabulary import (
    Bundle,
    CallFact,
    Edit,
    EditOp,
    EffectOp,
    NoFindingCode,
    PlanQuery,
    QueryKind,
    Question,
    Severity,
    SourceRef,
    UseFact,
)

__all__ = ["RULES"]

RULE = "state_not_restored"
_READS = frozenset({"read", "key_read", "call", "attribute"})


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if not flag(edit, "state") or not function_of(edit):
        return None
    scope, name = called(function_of(edit))
    opener = text(edit, "opener")
    return seed(
        edit,
        RULE,
        change=f"{code(name)} sets {snippet(text(edit, 'taken'))} and does not put it back on every way out",
        precondition="what it sets outlives the call and others read it",
        consequence="others run under a setting that was meant for one",
        refuted_if=("another place puts it back", "nobody else reads it"),
        plan=(
            ask(QueryKind.USES_INSIDE, opener, path=edit.path),
            *([ask(QueryKind.USES_INSIDE, opener, path=edit.path, scope=function_of(edit))] if _is_bare(edit) else []),
            ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
            *(ask(QueryKind.USES_INSIDE, one, path=edit.path) for one in texts(edit, "beside")[:1]),
            *([ask(QueryKind.PRODUCERS, opener)] if "=" in text(edit, "taken") else []),
            *([_torn_query(edit)] if text(edit, "besideScope") else []),
        ),
    )


def _torn_query(edit: Edit) -> PlanQuery:
    """Who runs the function that puts the others back."""
    scope, name = split(text(edit, "besideScope"))
    return ask(QueryKind.CALLERS, name, path=edit.path, scope=scope)


def _is_bare(edit: Edit) -> bool:
    """Whether what sets it is a function by its plain name, which the file may have from another one."""
    return text(edit, "taken").startswith(f"{text(edit, 'opener')}(")


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    opener = text(edit, "opener")
    sets = [one for one in takes(bundle, edit, opener) if one.ref.start_line >= (number(edit, "takenLine") or 0)]
    if not sets:
        return blocked(bundle, QueryKind.USES_INSIDE) or unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"where {code(function_of(edit))} sets {code(opener)} was not found at head",
            missing=(f"the line that sets {code(opener)}",),
        )
    if text(edit, "formAfter") == "plain" and (edit.language == "go" or not texts(edit, "between")):
        return unsettled(NoFindingCode.REFUTED, f"nothing between setting {code(opener)} and putting it back can fail")
    why = _who_meets_it(bundle, edit)
    if why is None:
        return blocked(bundle, QueryKind.CALLERS) or unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"nobody outside the change is seen to meet what {code(function_of(edit))} leaves set",
            missing=(f"a caller or a reader of {code(opener)} (searched: {searched(bundle)})",),
        )
    met, clause = why
    line = sets[0].ref
    refs = list(dict.fromkeys([line, *met]))
    return (
        draft(
            question,
            claim=f"{_opening(edit)}: {snippet(text(edit, 'taken'))} in line {line.start_line} outlives "
            f"{code(last(function_of(edit)))}{_when(edit)}, {clause}.",
            op=EffectOp.ADDED if text(edit, "form") == "sibling" else _op(edit),
            subject=edit.subject,
            severity=Severity.IMPORTANT,
            support=refs,
            impact=f"Whoever runs next in the same process meets {code(opener)} as it was left; the order of runs "
            "decides the result.",
            counter=(f"A further place that puts {code(opener)} back would refute this; {code(edit.path)} has none.",),
        ),
    )


def _op(edit: Edit) -> EffectOp:
    return EffectOp.REMOVED if text(edit, "formAfter") == "none" else EffectOp.WEAKENED


def _opening(edit: Edit) -> str:
    if text(edit, "form") == "sibling":
        return f"Adding {snippet(text(edit, 'taken'))} without putting it back"
    return f"Dropping {snippet(text(edit, 'release'))}" + (
        "" if text(edit, "formAfter") == "none" else " from where it ran on every way out"
    )


def _when(edit: Edit) -> str:
    if text(edit, "formAfter") == "none":
        return ""
    way = texts(edit, "between")[0]
    return " when the block at its `yield` fails" if way == "yield" else f" when {code(way)} fails"


def _who_meets_it(bundle: Bundle, edit: Edit) -> tuple[list[SourceRef], str] | None:
    """Who is hit: a reader elsewhere, a caller; of a setting beside others, the place that puts those back."""
    beside = _put_back_beside(bundle, edit)
    if beside is not None:
        return beside
    calls = callers_outside(bundle, edit)
    if calls:
        return [calls[0].ref], f"and {place(calls[0].ref)} calls it and goes on"
    opener = text(edit, "opener")
    readers = [
        one
        for one in found(bundle, UseFact, QueryKind.PRODUCERS, opener)
        if one.fact.use in _READS and outside(one) and one.ref.path != edit.path
    ]
    if readers:
        return [readers[0].ref], f"and {place(readers[0].ref)} reads {code(opener)}"
    others = [one for one in _uses(bundle, opener) if outside(one) and one.fact.scope != function_of(edit)]
    others = [one for one in others if _of_the_same(one.fact.text, edit)]
    if others:
        return [others[0].ref], f"and {code(others[0].fact.scope or 'the module')}, {place(others[0].ref)}, uses it"
    return None


def _of_the_same(used: str, edit: Edit) -> bool:
    """Whether a use can be of what was set: a member of the same name is, on a thing that is called alike."""
    opener = re.escape(text(edit, "opener"))
    ours, theirs = (re.match(rf"(?:[\w$]+\.)*([\w$]+)\.{opener}\b", said) for said in (text(edit, "taken"), used))
    return ours is None or theirs is None or ours[1] == theirs[1]


def _put_back_beside(bundle: Bundle, edit: Edit) -> tuple[list[SourceRef], str] | None:
    """The place that puts back what stands beside; where it lies in the change, with the one that runs it."""
    for name in texts(edit, "beside")[:1]:
        backs = [one for one in _uses(bundle, name) if one.fact.scope == text(edit, "besideScope")]
        far = [one for one in (backs or _uses(bundle, name)) if outside(one)]
        runs = [one for one in found(bundle, CallFact, QueryKind.CALLERS, _torn_query(edit).name) if outside(one)]
        if not far and not (backs and runs):
            continue
        ref = (far or backs)[-1].ref
        same = last(text(edit, "besideBack").partition("(")[0]) == text(edit, "opener")
        what = f"puts back {snippet(text(edit, 'besideBack'))} alone" if same else f"puts {code(name)} back"
        if far:
            return [ref], f"while {place(ref)} {what}"
        return [ref, runs[0].ref], f"while {place(ref)}, which {place(runs[0].ref)} runs, {what}"
    return None


def _uses(bundle: Bundle, name: str) -> list[Found[UseFact]]:
    return [one for one in found(bundle, UseFact, QueryKind.USES_INSIDE, name) if one.fact.scope]


RULES = (Rule(RULE, frozenset({EditOp.RELEASE_WEAKENED}), _raise, _settle),)
