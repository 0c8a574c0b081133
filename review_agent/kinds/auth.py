"""``auth``: who may do what. Its rules stand in the files beside this one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from review_agent.kinds import auth_bound, auth_inline, auth_order, auth_removed, auth_routes, auth_steering
from review_agent.kinds.base import Seed, Settled
from review_agent.kinds.rulebook import book, raised, settled
from review_agent.vocabulary import Bundle, ChangeKind, Edit, Question

__all__ = ["Auth"]

_RULES = book(
    *auth_bound.RULES,
    *auth_inline.RULES,
    *auth_order.RULES,
    *auth_removed.RULES,
    *auth_routes.RULES,
    *auth_steering.RULES,
)


class Auth:
    kind = ChangeKind.AUTH

    def trigger(self, edits: Sequence[Edit]) -> Iterator[Seed]:
        return raised(_RULES, edits)

    def settle(self, question: Question, bundle: Bundle) -> Settled:
        return settled(_RULES, question, bundle)
