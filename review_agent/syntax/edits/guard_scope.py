"""The guards of one scope on both sides, as the finders of guards share them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from review_agent.syntax.edits import conditions
from review_agent.syntax.edits.conditions import Condition
from review_agent.syntax.edits.frame import Frame
from review_agent.syntax.edits.scopes import Scopes
from review_agent.syntax.model import Guard
from review_agent.vocabulary import Side

__all__ = ["LEAVING", "Check", "GuardScope", "check", "related"]

LEAVING = frozenset({"return", "raise", "continue", "break", "exit"})


@dataclass(frozen=True)
class Check:
    """A guard with the condition under which what follows is not reached."""

    guard: Guard
    refuses: Condition


def check(guard: Guard, renames: Mapping[str, str]) -> Check:
    """The guard's test as a condition, in the new side's names; negated where the test lets its body be reached."""
    condition = conditions.parse(guard.test, renames)
    return Check(guard, conditions.negated(condition) if guard.action == "wraps" else condition)


@dataclass(frozen=True)
class GuardScope:
    """``scope`` is the new qualified name; ``renames`` maps old local names to new ones."""

    frame: Frame
    scopes: Scopes
    scope: str
    renames: Mapping[str, str]
    old: Sequence[Check]
    new: Sequence[Check]

    @property
    def old_scope(self) -> str:
        return self.scopes.old_of.get(self.scope, self.scope)

    @property
    def new_span(self) -> tuple[int, int]:
        return self.scopes.span(Side.NEW, self.scope)

    def subjects(self, guard: Guard) -> list[str]:
        """What an old guard tests, in the new side's names."""
        return [".".join(self.renames.get(part, part) for part in name.split(".")) for name in guard.subjects]

    def stripped(self, side: Side, start: int, end: int) -> Iterator[str]:
        """Source lines without indentation."""
        yield from (line.strip() for line in self.frame.text(side, start, end).splitlines())


def related(one: str, other: str) -> bool:
    """Whether two dotted names are the same or one is a part of the other."""
    return bool(other) and (one == other or one.startswith(f"{other}.") or other.startswith(f"{one}."))
