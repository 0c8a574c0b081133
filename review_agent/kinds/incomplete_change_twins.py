"""Rule of ``incomplete_change`` about twins: what waits and what does not were alike, one of them was changed."""

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
    every,
    flag,
    number,
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.functions import function_of
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wording import snippet
from review_agent.vocabulary import (
    Bundle,
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


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    here, twin = code(function_of(edit)), code(text(edit, "twin"))
    first = next(
        one
        for one in edits
        if (one.op, one.path, one.before, one.after) == (edit.op, edit.path, edit.before, edit.after)
    )
    if first.edit_id != edit.edit_id:
        return None
    return seed(
        edit,
        "twin_left_behind",
        change=f"{here} was changed where {twin} had the same lines",
        precondition=f"{twin} has them still and does the same for other callers",
        consequence="callers of the one get what callers of the other do not",
        refuted_if=(f"{twin} has what came, or never had what went",),
        plan=(ask(QueryKind.TEXT, text(edit, "twinText"), path=edit.path),),
        risk=10,
    )


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    line = number(edit, "twinLine")
    here = [
        one
        for one in every(bundle, UseFact, QueryKind.TEXT)
        if one.ref.path == edit.path and one.ref.start_line == line
    ]
    if not here:
        return blocked(bundle, QueryKind.TEXT) or unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"the line of {code(text(edit, 'twin'))} was not found",
            missing=(f"{snippet(text(edit, 'twinText'))}; {searched(bundle, QueryKind.TEXT)}",),
        )
    if here[0].evidence.near_change:
        return unsettled(
            NoFindingCode.NEEDS_HUMAN_CONTEXT,
            f"{place(here[0].ref)} stands beside the change: whoever made it saw it",
            missing=("why the twin was left",),
            refs=[here[0].ref],
        )
    return (_card(question, here[0]),)


def _card(question: Question, one: Found[UseFact]) -> Draft:
    edit = question.edits[0]
    op, claim = _said(edit, one)
    return draft(
        question,
        claim=claim,
        op=op,
        subject=edit.subject,
        to=(edit.after or "")[:120] if op is EffectOp.CHANGED else None,
        severity=Severity.SUGGESTION if flag(edit, "signature") else Severity.IMPORTANT,
        support=[one.ref],
        impact="A program moves between the two kinds of callers, or uses both: one of them misses this change.",
        counter=(
            f"Something that only {code(function_of(edit))} needs would refute this; both were alike in these lines "
            "until now.",
        ),
    )


def _said(edit: Edit, one: Found[UseFact]) -> tuple[EffectOp, str]:
    """What happened, as an effect and as the claim."""
    gone, come = texts(edit, "removed"), texts(edit, "added")
    here, twin = code(function_of(edit)), f"its twin {code(text(edit, 'twin'))}"
    kept = snippet(text(edit, "twinText"))
    if gone and come:
        now = f"{snippet(come[0])} in {here}"
        return EffectOp.CHANGED, f"Changing {kept} to {now} leaves {twin} with the old one: {place(one.ref)} has it."
    if come:
        said = f"Adding {snippet(come[0])} to {here} leaves {twin} without it"
        return EffectOp.ADDED, f"{said}: {place(one.ref)}, {kept}, is where it belongs."
    return EffectOp.REMOVED, f"Removing {kept} from {here} leaves it in {twin}: {place(one.ref)} still has it."


RULES = (Rule("twin_left_behind", frozenset({EditOp.TWIN_LEFT}), _raise, _settle),)
