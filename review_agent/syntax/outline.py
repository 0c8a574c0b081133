"""One verb a question: the outline of a text, the uses of a name in it, its tokens."""

from __future__ import annotations

from collections.abc import Collection

from review_agent.syntax import calls, composites, go, guards, java, javascript, python, returns
from review_agent.syntax.adapter import Adapter
from review_agent.syntax.context import Context
from review_agent.syntax.model import NameUse, Outline, Tokens
from review_agent.syntax.settings_helpers import through_helpers
from review_agent.syntax.tokens import Stream
from review_agent.syntax.tree import Tree
from review_agent.syntax.uses import uses as find_uses

ADAPTERS: dict[str, Adapter] = {
    "python": python,
    "go": go,
    "java": java,
    **dict.fromkeys(("javascript", "typescript", "tsx"), javascript),
}


def outline(text: str, language: str) -> Outline:
    """Every structural fact of a text; syntax errors are counted and the rest is still filled.

    Raises KeyError for a language that is not in ``ADAPTERS``.
    """
    context = Context(text, language, ADAPTERS[language])
    adapter, tree = context.adapter, context.tree
    symbols, called = tuple(adapter.symbols(tree, context.stream)), tuple(calls.calls(tree, adapter))
    settings = tuple(adapter.settings(context))
    return Outline(
        language=language,
        errors=tree.errors,
        lines=tree.line_count,
        package=adapter.package(tree),
        exports=adapter.exports(tree),
        has_getattr=adapter.has_getattr(tree),
        symbols=symbols,
        imports=tuple(context.imports),
        calls=called,
        handlers=tuple(adapter.handlers(context)),
        raises=tuple(adapter.raises(context)),
        returns=tuple(returns.returns(context)),
        guards=tuple(guards.guards(context)),
        accesses=tuple(adapter.accesses(context)),
        assigns=tuple(calls.assigns(tree, adapter)),
        settings=(*settings, *through_helpers(tree.data, symbols, called, settings)),
        loops=tuple(guards.loops(context)),
        blocks=tuple(adapter.blocks(context)),
        composites=tuple(composites.composites(context)),
        sqls=tuple(composites.sqls(context)),
        assertions=tuple(adapter.assertions(context)),
        member_uses=tuple(adapter.member_uses(context)),
    )


def uses(text: str, language: str, names: Collection[str]) -> tuple[NameUse, ...]:
    """Every occurrence of the names as identifiers; raises KeyError for a language not in ``ADAPTERS``."""
    return find_uses(Context(text, language, ADAPTERS[language]), names)


def tokens(text: str, language: str) -> Tokens:
    """The tokens of each line; raises KeyError for a language that is not in ``ADAPTERS``."""
    return Stream(Tree(text, language), ADAPTERS[language]).lines()
