"""``incomplete_change``: the same edit at some of several like places. Its rules stand in the files beside this one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from review_agent.kinds import (
    incomplete_change_agree,
    incomplete_change_callers,
    incomplete_change_cases,
    incomplete_change_comment,
    incomplete_change_contradicted,
    incomplete_change_counters,
    incomplete_change_dead,
    incomplete_change_documented,
    incomplete_change_inserted,
    incomplete_change_leftovers,
    incomplete_change_links,
    incomplete_change_listed,
    incomplete_change_members,
    incomplete_change_mentions,
    incomplete_change_methods,
    incomplete_change_minimum,
    incomplete_change_pairs,
    incomplete_change_paths,
    incomplete_change_pins,
    incomplete_change_repeated,
    incomplete_change_replacements,
    incomplete_change_slots,
    incomplete_change_steps,
    incomplete_change_twins,
    incomplete_change_unshown,
    incomplete_change_untested,
)
from review_agent.kinds.base import Seed, Settled
from review_agent.kinds.rulebook import book, raised, settled
from review_agent.vocabulary import Bundle, ChangeKind, Edit, Question

__all__ = ["IncompleteChange"]

_RULES = book(
    *incomplete_change_replacements.RULES,
    *incomplete_change_steps.RULES,
    *incomplete_change_slots.RULES,
    *incomplete_change_pairs.RULES,
    *incomplete_change_members.RULES,
    *incomplete_change_dead.RULES,
    *incomplete_change_leftovers.RULES,
    *incomplete_change_inserted.RULES,
    *incomplete_change_comment.RULES,
    *incomplete_change_untested.RULES,
    *incomplete_change_unshown.RULES,
    *incomplete_change_documented.RULES,
    *incomplete_change_mentions.RULES,
    *incomplete_change_listed.RULES,
    *incomplete_change_links.RULES,
    *incomplete_change_paths.RULES,
    *incomplete_change_callers.RULES,
    *incomplete_change_methods.RULES,
    *incomplete_change_cases.RULES,
    *incomplete_change_contradicted.RULES,
    *incomplete_change_counters.RULES,
    *incomplete_change_agree.RULES,
    *incomplete_change_pins.RULES,
    *incomplete_change_minimum.RULES,
    *incomplete_change_twins.RULES,
    *incomplete_change_repeated.RULES,
)


class IncompleteChange:
    kind = ChangeKind.INCOMPLETE_CHANGE

    def trigger(self, edits: Sequence[Edit]) -> Iterator[Seed]:
        return raised(_RULES, edits)

    def settle(self, question: Question, bundle: Bundle) -> Settled:
        return settled(_RULES, question, bundle)
