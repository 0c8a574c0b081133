"""What the past says of lines that went: did they come with a fix, and does a test of that fix still stand."""

from __future__ import annotations

from review_agent.kinds.base import Found, ask, every, place
from review_agent.vocabulary import Bundle, Edit, HistoryFact, PlanQuery, QueryKind, Role, Side

__all__ = ["asking_the_past", "of_a_fix", "said_of"]


def asking_the_past(edit: Edit) -> tuple[PlanQuery, ...]:
    """The query of a plan that asks where the lines that an edit removed came from; none where it removed none."""
    if edit.side is not Side.OLD:
        return ()
    lines = f"{edit.start_line}-{edit.end_line}"
    return (ask(QueryKind.HISTORY, lines, path=edit.old_path, side=Side.OLD),)


def of_a_fix(bundle: Bundle) -> Found[HistoryFact] | None:
    """The test that came with the fix which wrote the lines, outside the change; null where there is none.

    It is never enough for a card: what a fix once mended may have been mended elsewhere since.
    """
    tests = (one for one in every(bundle, HistoryFact, QueryKind.HISTORY) if one.ref.role is Role.TEST)
    return next((one for one in tests if one.fact.fixes and not one.evidence.near_change), None)


def said_of(test: Found[HistoryFact] | None) -> str:
    """A sentence to put behind an impact; empty where there is no such test."""
    return f" The test came with a fix, and so did {place(test.ref)}, which still stands." if test is not None else ""
