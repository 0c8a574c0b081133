"""A member that only the assertion which went had named: taken out by the same change, or left to no test."""

from __future__ import annotations

from review_agent.kinds.base import Found, code, draft, every, place, texts
from review_agent.kinds.tested import last
from review_agent.kinds.wording import snippet
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import (
    Bundle,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    QueryKind,
    QueryStatus,
    Question,
    Severity,
    UseFact,
)

__all__ = ["left_of", "lost_member", "member_card", "takes_out"]

_GOES = frozenset({EditOp.ASSIGNMENT_REMOVED, EditOp.SYMBOL_REMOVED, EditOp.PARAMETER_REMOVED, EditOp.KEY_REMOVED})
# Acts by which the product makes what an assertion is about.
_SETS = frozenset({"write", "update", "definition", "key_write", "key_tag", "sql"})


def takes_out(one: Edit, edit: Edit) -> bool:
    """Whether an edit takes out of the product what only this assertion named."""
    return one.op in _GOES and not in_test(one.path) and last(one.subject) in texts(edit, "gone")[:1]


def left_of(bundle: Bundle, name: str) -> bool:
    """Whether something may set a name at head still: a search that was not made or not ended rules out nothing."""
    results = [one for one in bundle.queries if (one.query.kind, one.query.name) == (QueryKind.PRODUCERS, name)]
    ended = (QueryStatus.ANSWERED, QueryStatus.EMPTY)
    return not results or any(one.hits or one.truncated or one.unread or one.status not in ended for one in results)


def lost_member(edit: Edit, bundle: Bundle) -> Found[UseFact] | None:
    """Where the product sets or defines what only this assertion named; null where another test names it too."""
    for name in texts(edit, "gone")[:1]:
        uses = every(bundle, UseFact, QueryKind.PRODUCERS, name)
        results = [one for one in bundle.queries if one.query.kind is QueryKind.PRODUCERS]
        if any(one.fact.in_test for one in uses) or any(one.truncated for one in results) or not results:
            return None
        made = [one for one in uses if one.fact.use in _SETS and not one.evidence.near_change]
        return made[0] if made else None
    return None


def member_card(question: Question, made: Found[UseFact], test: str) -> Draft:
    edit = question.edits[0]
    name = texts(edit, "gone")[0]
    return draft(
        question,
        claim=f"Removing {snippet(edit.before or '')} from {code(test)} leaves {code(name)} to no test: "
        f"{place(made.ref)} still sets it, and no test at head names it.",
        op=EffectOp.REMOVED,
        subject=edit.before or edit.subject,
        severity=Severity.IMPORTANT,
        support=[made.ref],
        impact=f"A later change puts another value there; {code(test)} and every other test pass.",
        counter=(f"A test elsewhere that names {code(name)} would refute this; the search of all files found none.",),
    )
