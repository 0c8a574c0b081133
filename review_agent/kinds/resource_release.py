"""``resource_release``: what is taken and given back. Its rules stand in the files beside this one."""

from __future__ import annotations

from review_agent.kinds.rulebook import Book, BookKind
from review_agent.vocabulary import ChangeKind

__all__ = ["ResourceRelease"]


class ResourceRelease(BookKind):
    kind = ChangeKind.RESOURCE_RELEASE
    rules = Book(
        "resource_release_lives",
        "resource_release_acts",
        "resource_release_states",
        "resource_release_copied",
    )
