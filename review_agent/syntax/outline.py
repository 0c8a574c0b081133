"""One verb a question: the outline of a text, the uses of a name in it, its tokens."""

from __future__ import annotations

from review_agent.syntax import calls, go, python, scopes
from review_agent.syntax.adapter import Adapter
from review_agent.syntax.model import Outline, Tokens
from review_agent.syntax.tokens import Stream
from review_agent.syntax.tree import Tree

ADAPTERS: dict[str, Adapter] = {"python": python, "go": go}


def outline(text: str, language: str) -> Outline:
    """Every structural fact of a text; syntax errors are counted and the rest is still filled.

    Raises KeyError for a language that is not in ``ADAPTERS``.
    """
    adapter = ADAPTERS[language]
    tree = Tree(text, language)
    scopes.place(tree, adapter)
    stream = Stream(tree, adapter)
    return Outline(
        language=language,
        errors=tree.errors,
        lines=tree.line_count,
        package=adapter.package(tree),
        exports=adapter.exports(tree),
        has_getattr=adapter.has_getattr(tree),
        symbols=tuple(adapter.symbols(tree, stream)),
        imports=tuple(adapter.imports(tree)),
        calls=tuple(calls.calls(tree, adapter)),
        handlers=(),
        raises=(),
        returns=(),
        guards=(),
        accesses=(),
        assigns=tuple(calls.assigns(tree, adapter)),
        settings=(),
        loops=(),
    )


def tokens(text: str, language: str) -> Tokens:
    """The tokens of each line; raises KeyError for a language that is not in ``ADAPTERS``."""
    return Stream(Tree(text, language), ADAPTERS[language]).lines()
