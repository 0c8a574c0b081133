"""Where a JavaScript name that is used somewhere is defined: in a scope, a class, a module as imported."""

from __future__ import annotations

from review_agent.syntax.model import Import
from review_agent.syntax.resolution_definitions import Defined, Doubt, classes, placed
from review_agent.syntax.resolution_javascript import JavaScript
from review_agent.syntax.resolution_javascript_scopes import Values
from review_agent.syntax.resolution_world import Value

__all__ = ["javascript_defined", "javascript_types"]

_FUNCTIONS = ("function", "method", "test")


def javascript_defined(names: JavaScript, path: str, scope: str, name: str) -> Defined:
    """What ``name`` (dotted) is in ``scope`` of a file: a function, a class, or a module as the file imports it."""
    index = names.index(path)
    symbols = index.by_qualname.get(scope, []) if index and scope else []
    imports = [one for one in index.outline.imports if one.module == scope] if index and scope else []
    if imports and not symbols:
        return _of_module(names, path, imports[0], name)
    if symbols and not any(one.kind in _FUNCTIONS for one in symbols):
        return placed(_chased(names, (Value("instance", path, scope),), name), f"`{scope}` has no `{name}`")
    if scope and index and not symbols:
        return Defined((), note=f"`{scope}` is not defined in `{path}`")
    first, _, rest = name.partition(".")
    own = first in ("this", "super")
    values = names.expression(path, scope, first) if own else names.name(path, scope, first)
    if not values and not rest and index:
        values = names.exported(path, name)
    if not values and symbols:
        # A member is asked for by the function that holds it: ``Foo.bar = function …``.
        values = names.members(Value("function", path, scope), first)
    return placed(_chased(names, values, rest), f"`{name}` is bound nowhere in `{path}`")


def _chased(names: JavaScript, values: Values, dotted: str) -> Values:
    for part in dotted.split(".") if dotted else ():
        values = tuple(got for one in values for got in names.members(one, part))
    return values


def _of_module(names: JavaScript, path: str, item: Import, name: str) -> Defined:
    file = names.modules.path(path, item.module)
    if file is None:
        if not item.module.startswith("."):
            return Defined((), note=f'module "{item.module}" is not in this repository', external=True)
        return Defined((), note=f'"{item.module}" is no file of this repository')
    sure = names.modules.settled(path, item.module)
    why = "" if sure else f"nothing says that `{item.module}` is built from `{file}`"
    module = Value("module", file, qualname=item.module, why=why, sure=sure)
    first, _, rest = name.partition(".")
    found = _chased(names, names.exported(file, first), rest)
    return Defined(placed(found, "").places, (module,), f'"{item.module}" is `{file}`', tuple(_doubts(names, file)))


def _doubts(names: JavaScript, path: str) -> list[Doubt]:
    index = names.index(path)
    stars = index.imports.get(("", "*"), ()) if index else ()
    unknown = [one for one in stars if names.modules.path(path, one.module) is None]
    return [
        Doubt(path, one.line, one.module, f'`export * from "{one.module}"`, line {one.line}, may give it')
        for one in unknown
    ]


def javascript_types(names: JavaScript, path: str, scope: str, name: str) -> Defined:
    """The classes and interfaces that what ``name`` holds can be of."""
    values = [got for one in names.expression(path, scope, name) for got in names.held(one)]
    return classes(values, f"the type of `{name}` is not known")
