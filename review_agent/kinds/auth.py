"""``auth``: who may do what. Its rules stand in the files beside this one."""

from __future__ import annotations

from review_agent.kinds.rulebook import Book, BookKind
from review_agent.vocabulary import ChangeKind

__all__ = ["Auth"]


class Auth(BookKind):
    kind = ChangeKind.AUTH
    rules = Book(
        "auth_bound",
        "auth_inline",
        "auth_order",
        "auth_removed",
        "auth_routes",
        "auth_steering",
    )
