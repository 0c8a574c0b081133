"""A rule of ``incomplete_change`` about one edit that a file got at several places, and not at a last like one."""

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
    number,
    place,
    searched,
    seed,
    text,
    unsettled,
)
from review_agent.kinds.looks import only_looks
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wording import snippet
from review_agent.syntax.testfiles import in_test
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

# Characters and words below which a line stands in many places that have nothing in common.
_TELLING, _WORDS = 18, 3
_MAKES = re.compile(r"^(?:[\w\s,.*(){}\[\]<>?:$]+?)\s*:?=(?!=)\s*(?P<value>.+)$")


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    before = edit.before or ""
    same = _same(edit, edits)
    telling = len(before) >= _TELLING and len(before.split()) >= _WORDS and text(edit, "form") == "line"
    # A line that changed with its neighbours is part of another change, which a line like it alone has no part in.
    alone = all(one.facts.get("alone") is True for one in same)
    if in_test(edit.path) or not telling or not alone or len(same) < 2 or same[0].edit_id != edit.edit_id:
        return None
    if _only_named(before, edit.after or "") or only_looks(edit.path, before, edit.after or ""):
        return None
    return seed(
        edit,
        "repeated_edit_left",
        change=f"{snippet(before)} became {snippet(edit.after or '')} at several places of {code(edit.path)}",
        precondition="the same line stands at one more place of the file",
        consequence="like places now differ",
        refuted_if=(
            "no such line is left",
            "as many are left as were changed",
            "it stands apart from those that changed",
        ),
        plan=(ask(QueryKind.TEXT, before, path=edit.path),),
        others=same[1:],
        risk=-15,
    )


def _same(edit: Edit, edits: Sequence[Edit]) -> list[Edit]:
    key = (edit.op, edit.path, edit.before, edit.after)
    return [one for one in edits if (one.op, one.path, one.before, one.after) == key]


def _only_named(before: str, after: str) -> bool:
    """Whether a line only got another name for what it makes: at a like place the old one may be in use."""
    was, now = (_MAKES.match(one) for one in (before, after))
    return was is not None and now is not None and was["value"] == now["value"]


def _hits(question: Question, bundle: Bundle, line: str) -> dict[int, Found[UseFact]]:
    """Lines of the file that are this one, by number."""
    path = question.edits[0].path
    return {
        one.ref.start_line: one
        for one in every(bundle, UseFact, QueryKind.TEXT, line)
        if one.ref.path == path and " ".join(one.evidence.text.split()) == line
    }


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    stopped = blocked(bundle, QueryKind.TEXT)
    if stopped is not None:
        return stopped
    left = list(_hits(question, bundle, edit.before or "").values())
    if len(left) != 1 or left[0].evidence.near_change:
        return unsettled(
            NoFindingCode.NO_CANDIDATE,
            f"no single place is left with {snippet(edit.before or '')}; {searched(bundle, QueryKind.TEXT)}",
        )
    return _apart(question, left[0]) or (_card(question, left[0]),)


def _apart(question: Question, one: Found[UseFact]) -> Unsettled | None:
    """That all places which changed stand in one block, and the one that is left outside of it."""
    edit = question.edits[0]
    first, last = number(edit, "blockStart"), number(edit, "blockEnd")
    if first is None or last is None or first <= one.ref.start_line <= last:
        return None
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"the places that changed stand together in lines {first} to {last}, and {place(one.ref)} does not: "
        "whether it is of their sort is not established",
        missing=("what the places that changed have in common with the one that is left",),
        refs=[one.ref],
    )


def _card(question: Question, one: Found[UseFact]) -> Draft:
    edit = question.edits[0]
    return draft(
        question,
        claim=f"Changing {snippet(edit.before or '')} to {snippet(edit.after or '')} at several places of "
        f"{code(edit.path)} leaves {place(one.ref)} as it was.",
        op=EffectOp.CHANGED,
        subject=edit.subject,
        to=text(edit, "afterText")[:120],
        severity=Severity.SUGGESTION,
        support=[one.ref],
        impact="Control or a reader comes to that last place and meets what this commit does away with elsewhere.",
        counter=("A purpose of its own at that place would refute this; its line is the same as the others were.",),
    )


RULES = (Rule("repeated_edit_left", frozenset({EditOp.LINE_REPLACED}), _raise, _settle),)
