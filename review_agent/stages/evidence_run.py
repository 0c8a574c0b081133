"""What all questions of a run share: both sides, the search, the resolvers, the lines read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from review_agent.policy.model import Policy
from review_agent.stages.evidence_budget import Covered
from review_agent.stages.evidence_search import Search
from review_agent.stages.evidence_view import View
from review_agent.syntax.languages import language_of
from review_agent.syntax.resolution import Resolver, resolver
from review_agent.syntax.resolution_definitions import Defined, go_defined, go_types, python_defined, python_types
from review_agent.syntax.resolution_go import Go
from review_agent.syntax.resolution_python import Python
from review_agent.syntax.resolution_world import Target
from review_agent.vocabulary import PlanQuery, Side

__all__ = ["Run"]


@dataclass
class Run:
    """One collecting over all questions. Evaluators (one a side) and resolvers (one a target) remember."""

    policy: Policy
    views: Mapping[Side, View]
    search: Search
    covered: Covered = field(default_factory=Covered)
    _python: dict[Side, Python] = field(default_factory=dict)
    _go: dict[Side, Go] = field(default_factory=dict)
    _resolvers: dict[tuple[Side, Target], Resolver] = field(default_factory=dict)

    def python(self, side: Side) -> Python:
        """Python's names on one side, without any target taken to exist."""
        return self._python.setdefault(side, Python(self.views[side]))

    def go(self, side: Side) -> Go:
        """Go's names on one side, without any target taken to exist."""
        return self._go.setdefault(side, Go(self.views[side]))

    def defined(self, query: PlanQuery) -> Defined:
        """Where the name of a query is defined, seen from the query's path and scope."""
        if language_of(query.path) == "go":
            return go_defined(self.go(query.side), query.path, query.scope, query.name)
        return python_defined(self.python(query.side), query.path, query.scope, query.name)

    def typed(self, query: PlanQuery) -> Defined:
        """Where the types are defined that the name of a query can be of."""
        if language_of(query.path) == "go":
            return go_types(self.go(query.side), query.path, query.scope, query.name)
        return python_types(self.python(query.side), query.path, query.scope, query.name)

    def resolver(self, side: Side, target: Target) -> Resolver:
        """The resolver of occurrences of a target on one side."""
        key = (side, target)
        if key not in self._resolvers:
            language = language_of(target.path) or ""
            self._resolvers[key] = resolver(self.views[side], language, target)
        return self._resolvers[key]

    def target(self, query: PlanQuery) -> Target | None:
        """What the occurrences of a query's name are held against; null where it is of other code.

        A name that its path only imports is followed to where it is defined; one that is defined nowhere (any more)
        stands where the query says it is at home.
        """
        defined = self.defined(query)
        sure = [one for one in defined.places if one.sure]
        if len(sure) == 1 and len(defined.places) == 1:
            path = self._file_of(query.side, sure[0].path, sure[0].qualname, query.path)
            scope, _, name = sure[0].qualname.rpartition(".")
            return Target(path, scope, name)
        if defined.external:
            return None
        dotted = f"{query.scope}.{query.name}" if query.scope else query.name
        scope, _, name = dotted.rpartition(".")
        return Target(query.path, scope, name)

    def _file_of(self, side: Side, place: str, qualname: str, home: str) -> str:
        """The file of a place: Go's places are packages, of which the home file is preferred."""
        if language_of(home) != "go":
            return place
        declared = self.go(side).packages.declared(place, qualname)
        paths = [one.path for one in declared]
        return home if home in paths or not paths else paths[0]
