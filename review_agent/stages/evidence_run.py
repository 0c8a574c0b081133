"""What all questions of a run share: both sides, the search, the resolvers, the lines read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from review_agent.policy.model import Policy
from review_agent.stages.evidence_budget import Covered
from review_agent.stages.evidence_search import Search
from review_agent.stages.evidence_view import View
from review_agent.stages.readers import reader
from review_agent.stages.readers.base import Reader
from review_agent.syntax.languages import family_of, language_of
from review_agent.syntax.resolution import Resolver, resolver
from review_agent.syntax.resolution_definitions import Defined
from review_agent.syntax.resolution_world import Target
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import PlanQuery, Side

__all__ = ["Run"]


@dataclass
class Run:
    """One collecting over all questions. Evaluators (one a side) and resolvers (one a target) remember."""

    policy: Policy
    views: Mapping[Side, View]
    search: Search
    covered: Covered = field(default_factory=Covered)
    _readers: dict[tuple[Side, str], Reader] = field(default_factory=dict)
    _resolvers: dict[tuple[Side, Target], Resolver] = field(default_factory=dict)

    def reader(self, query: PlanQuery) -> Reader:
        """The names of a query's side in the language of its path, without any target taken to exist."""
        key = (query.side, family_of(query.path))
        if key not in self._readers:
            self._readers[key] = reader(self.views[query.side], query.path)
        return self._readers[key]

    def defined(self, query: PlanQuery) -> Defined:
        """Where the name of a query is defined, seen from the query's path and scope."""
        return self.reader(query).defined(query.path, query.scope, query.name)

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
        stands where the query says it is at home. What tests named is followed as they named it before the change:
        a test that went took its imports with it.
        """
        defined = self.defined(query)
        sure = [one for one in defined.places if one.sure]
        if len(sure) == 1 and len(defined.places) == 1:
            path = self.reader(query).home_file(sure[0].path, sure[0].qualname, query.path)
            scope, _, name = sure[0].qualname.rpartition(".")
            return Target(path, scope, name)
        before = self.before(query) if in_test(query.path) and not defined.places else None
        if before is not None:
            return before
        if defined.external:
            return None
        dotted = f"{query.scope}.{query.name}" if query.scope else query.name
        scope, _, name = dotted.rpartition(".")
        return Target(query.path, scope, name)

    def before(self, query: PlanQuery) -> Target | None:
        """What the name of a query at head meant at base, seen from the same place; null where that is not one."""
        if query.side is not Side.NEW:
            return None
        asked = query.model_copy(update={"side": Side.OLD})
        places = self.defined(asked).places
        if len(places) != 1 or not places[0].sure:
            return None
        path = self.reader(asked).home_file(places[0].path, places[0].qualname, query.path)
        scope, _, name = places[0].qualname.rpartition(".")
        return Target(path, scope, name)
