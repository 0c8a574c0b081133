"""What collecting evidence asks of a family of languages: where names are defined, and how types hang together."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Protocol

from review_agent.stages.evidence_gather import Found
from review_agent.stages.evidence_view import View
from review_agent.syntax.resolution_definitions import Defined
from review_agent.syntax.resolution_world import Target, Value

__all__ = ["Family", "Names", "Owner", "Reader"]


@dataclass(frozen=True)
class Names:
    """All names of a module; ``closed`` is false where there can be more."""

    names: tuple[str, ...]
    closed: bool


@dataclass(frozen=True)
class Owner:
    """The class or interface asked for (``value`` external for one of other code), and the member of interest."""

    value: Value
    member: str

    @property
    def name(self) -> str:
        return self.value.qualname


class Reader(Protocol):
    """One side of a repository in one family of languages, without any target taken to exist."""

    levels: int
    """How many levels of types below an owner are searched one after the other; 0 where members make the type."""

    def defined(self, path: str, scope: str, name: str) -> Defined:
        """Where a (dotted) name used in a scope of a file is defined."""
        ...

    def types(self, path: str, scope: str, name: str) -> Defined:
        """The types that what the name holds can be of."""
        ...

    def home_file(self, place: str, qualname: str, home: str) -> str:
        """The file of a defined place; where several files can hold it, ``home`` if it is one of them."""
        ...

    def definitions(self, defined: Defined) -> list[Found]:
        """Every definition as a fact; ambiguous where there may be others."""
        ...

    def module(self, value: Value, asked: str) -> tuple[Names, str]:
        """All names of a module (``asked`` is looked for among rare bindings too), and the path of a file to cite it
        by, "" for none."""
        ...

    def outside_owner(self, path: str, scope: str, name: str) -> str | None:
        """The qualified name of a type of other code that types here may derive from; null where that cannot be."""
        ...

    def owner_words(self, owner: Owner) -> Collection[str]:
        """The words any one of which stands in each file with a type below the owner."""
        ...

    def implementers(self, owner: Owner, path: str) -> Iterable[Found]:
        """The types of one file that have the owner above them, or its members."""
        ...


@dataclass(frozen=True)
class Family:
    """``declares`` finds a line that may declare a type below one of these words; ``mentions`` finds an import line
    that names a target's home."""

    reader: Callable[[View], Reader]
    declares: Callable[[Iterable[str]], re.Pattern[str]]
    mentions: Callable[[Target], re.Pattern[str]]
