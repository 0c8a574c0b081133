"""What resolvers of languages with classes share: bases above the target's class, members looked up on a receiver."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Generic, Protocol, TypeVar

from review_agent.syntax.model import Import
from review_agent.syntax.resolution_verdict import Verdict, judge, maybe, told
from review_agent.syntax.resolution_world import Target, Value
from review_agent.vocabulary import Resolution

__all__ = ["ClassResolver", "MemberResolver"]

Values = tuple[Value, ...]


class _Names(Protocol):
    """Names of one commit, as a language evaluates them."""

    def lineage(self, path: str, qualname: str) -> Iterator[tuple[str, str, str]]: ...

    def imported(self, path: str, item: Import) -> Values: ...

    def members(self, value: Value, name: str) -> Values: ...


N = TypeVar("N", bound=_Names)


class ClassResolver(ABC, Generic[N]):
    """Resolves occurrences of one target's name in one commit, over the ``names`` of its language."""

    _unbound = "the import binds nothing"

    def __init__(self, target: Target, names: N) -> None:
        self.target, self.names = target, names
        self._above: set[tuple[str, str]] | None = None
        self._open_bases: set[str] = set()

    def at(self, path: str, scope: str, receiver: str, name: str, line: int) -> Verdict:
        """Whether ``receiver.name`` (no receiver: the bare name) at a line is the target."""
        try:
            return self._at(path, scope, receiver, name, line)
        except RecursionError:
            # Source text can be written to overflow any evaluation; then nothing is known of it.
            return maybe(f"what `{name}` is here is nested too deeply to follow")

    @abstractmethod
    def _at(self, path: str, scope: str, receiver: str, name: str, line: int) -> Verdict: ...

    def _is_above(self, place: tuple[str, str]) -> bool:
        """Whether a type is a base of the target's class: a value of it may be one of the target's."""
        if self._above is None:
            lineage = list(self.names.lineage(self.target.path, self.target.scope)) if self.target.scope else []
            self._above = {(path, name) for at, path, name in lineage[1:] if at == "class"}
            self._open_bases = {name.rpartition(".")[2] for at, _, name in lineage if at == "open"}
        return place in self._above

    def _is_open_above(self, value: Value) -> bool:
        """Whether a type of other code is called as a base of the target's class that is not in the repository."""
        self._is_above(("", ""))
        return value.qualname.rpartition(".")[2] in self._open_bases

    def imported(self, path: str, item: Import) -> Verdict:
        """Whether an import binds the target."""
        return self._judge(self.names.imported(path, item), self._unbound)

    def _judge(self, values: Values, nothing: str) -> Verdict:
        return judge(values, (self.target.path, self.target.qualname), nothing)


class MemberResolver(ClassResolver[N]):
    """Where a member is found by its name alone, whatever it is called with."""

    def _member(self, receiver: str, value: Value, name: str) -> Verdict:
        if value.kind == "unknown":
            return maybe(f"receiver `{receiver}` of unknown type" + (f": {value.why}" if value.why else ""))
        said = told(receiver, value)
        if value.kind in ("outside", "external"):
            return self._outside(said, value)
        found = self.names.members(value, name)
        if not found:
            return self._missing(said, receiver, value, name)
        verdict = self._judge(found, said)
        if verdict.resolution is Resolution.UNRESOLVED and self._is_above((value.path, value.qualname)):
            return maybe(f"{said}, and `{self.target.scope}` below it has its own `{name}`")
        reason = said if verdict.resolution is Resolution.RESOLVED else f"{said}: {verdict.reason}"
        return Verdict(verdict.resolution, reason)

    @abstractmethod
    def _outside(self, said: str, value: Value) -> Verdict: ...

    @abstractmethod
    def _missing(self, said: str, receiver: str, value: Value, name: str) -> Verdict: ...
