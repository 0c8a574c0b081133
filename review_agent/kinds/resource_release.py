"""``resource_release``: what is taken and given back. Its rules stand in the files beside this one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from review_agent.kinds import (
    resource_release_acts,
    resource_release_copied,
    resource_release_lives,
    resource_release_states,
)
from review_agent.kinds.base import Seed, Settled
from review_agent.kinds.rulebook import book, raised, settled
from review_agent.vocabulary import Bundle, ChangeKind, Edit, Question

__all__ = ["ResourceRelease"]

_RULES = book(
    *resource_release_lives.RULES,
    *resource_release_acts.RULES,
    *resource_release_states.RULES,
    *resource_release_copied.RULES,
)


class ResourceRelease:
    kind = ChangeKind.RESOURCE_RELEASE

    def trigger(self, edits: Sequence[Edit]) -> Iterator[Seed]:
        return raised(_RULES, edits)

    def settle(self, question: Question, bundle: Bundle) -> Settled:
        return settled(_RULES, question, bundle)
