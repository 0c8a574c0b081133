"""One parsed text with everything the collectors share: surroundings, control flow, bindings, tokens."""

from __future__ import annotations

from functools import cached_property

from review_agent.syntax.adapter import Adapter
from review_agent.syntax.bindings import Bindings
from review_agent.syntax.flow import Flow
from review_agent.syntax.model import Import
from review_agent.syntax.scopes import place
from review_agent.syntax.tokens import Stream
from review_agent.syntax.tree import Tree


class Context:
    def __init__(self, text: str, language: str, adapter: Adapter) -> None:
        self.adapter = adapter
        self.tree = Tree(text, language)
        adapter.prepare(self.tree)
        place(self.tree, adapter)
        self.flow = Flow(adapter)

    @cached_property
    def bindings(self) -> Bindings:
        return Bindings(self.tree, self.adapter)

    @cached_property
    def stream(self) -> Stream:
        return Stream(self.tree, self.adapter)

    @cached_property
    def imports(self) -> list[Import]:
        return self.adapter.imports(self.tree)

    @cached_property
    def modules(self) -> frozenset[str]:
        """Local names of whole modules or packages."""
        return frozenset(i.alias for i in self.imports if i.name is None)
