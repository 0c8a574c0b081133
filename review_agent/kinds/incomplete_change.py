"""``incomplete_change``: the same edit at some of several like places. Its rules stand in the files beside this one."""

from __future__ import annotations

from review_agent.kinds.rulebook import Book, BookKind
from review_agent.vocabulary import ChangeKind

__all__ = ["IncompleteChange"]


class IncompleteChange(BookKind):
    kind = ChangeKind.INCOMPLETE_CHANGE
    rules = Book(
        "incomplete_change_replacements",
        "incomplete_change_steps",
        "incomplete_change_slots",
        "incomplete_change_pairs",
        "incomplete_change_members",
        "incomplete_change_dead",
        "incomplete_change_leftovers",
        "incomplete_change_inserted",
        "incomplete_change_comment",
        "incomplete_change_untested",
        "incomplete_change_unshown",
        "incomplete_change_documented",
        "incomplete_change_mentions",
        "incomplete_change_listed",
        "incomplete_change_links",
        "incomplete_change_paths",
        "incomplete_change_callers",
        "incomplete_change_methods",
        "incomplete_change_cases",
        "incomplete_change_contradicted",
        "incomplete_change_counters",
        "incomplete_change_agree",
        "incomplete_change_pins",
        "incomplete_change_minimum",
        "incomplete_change_twins",
        "incomplete_change_repeated",
        "incomplete_change_copied",
        "incomplete_change_untried",
    )
