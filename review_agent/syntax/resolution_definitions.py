"""Where a name that is used somewhere is defined: in a scope, a class, a module as imported, behind re-exports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from review_agent.syntax.model import Import
from review_agent.syntax.resolution_go import Go
from review_agent.syntax.resolution_modules import ModuleFile, modules, rivals, written
from review_agent.syntax.resolution_python import Python
from review_agent.syntax.resolution_world import Value

__all__ = ["Defined", "Doubt", "classes", "go_defined", "go_types", "placed", "python_defined", "python_types"]

Values = tuple[Value, ...]


@dataclass(frozen=True)
class Doubt:
    """A line that can bind names which the text does not show: a star import, a module's ``__getattr__``."""

    path: str
    line: int
    qualname: str
    why: str


@dataclass(frozen=True)
class Defined:
    """``places`` are functions, classes and variables (Go: by package); ``modules`` are asked for as such; ``note``
    says in words why there is nothing, or nothing sure; ``doubts`` are what may bind the name unseen. ``external``: it
    is of other code."""

    places: Values
    modules: Values = ()
    note: str = ""
    doubts: tuple[Doubt, ...] = ()
    external: bool = False


def python_defined(names: Python, path: str, scope: str, name: str) -> Defined:
    """What ``name`` (dotted) is in ``scope`` of a file: a function, a class, or a module as the file imports it."""
    index = names.index(path)
    imports = [one for one in _modules_named(index.outline.imports) if written(one) == scope] if index and scope else []
    if imports and index and not index.by_qualname.get(scope):
        return _of_module(names, path, imports[0], name)
    if scope and index and index.types(scope):
        return placed(_chased(names, (Value("class", path, scope),), name), f"`{scope}` has no `{name}`")
    if scope and not (index and index.by_qualname.get(scope)):
        return Defined((), note=f"`{scope}` is not defined in `{path}`")
    first, _, rest = name.partition(".")
    values = names.name(path, scope, first)
    found = placed(_chased(names, values, rest), f"`{name}` is bound nowhere in `{path}`")
    return found if found.places or found.external else replace(found, doubts=tuple(_doubts(names, path)))


def _modules_named(imports: Iterable[Import]) -> Iterator[Import]:
    """The modules that imports can mean: the one they take from, and what they take, which can be a module in it."""
    for item in imports:
        yield item
        if item.name and item.name != "*":
            yield replace(item, module=f"{item.module}.{item.name}" if item.module else item.name, name=None)


def _doubts(names: Python, path: str) -> Iterator[Doubt]:
    index = names.index(path)
    for item in index.imports.get(("", "*"), ()) if index else ():
        if not modules(names.world, path, item):
            why = f"`from {written(item)} import *`, line {item.line}, may bind it"
            yield Doubt(path, item.line, written(item), why)
    for symbol in index.symbols.get(("", "__getattr__"), ()) if index else ():
        why = f"`__getattr__`, line {symbol.name_line}, answers for any name"
        yield Doubt(path, symbol.name_line, symbol.qualname, why)


def _chased(names: Python | Go, values: Values, dotted: str) -> Values:
    for part in dotted.split(".") if dotted else ():
        values = tuple(got for one in values for got in names.members(one, part))
    return values


def _of_module(names: Python, path: str, item: Import, name: str) -> Defined:
    files = modules(names.world, path, item)
    if not files:
        return Defined((), note=f"module `{written(item)}` is not in this repository", external=True)
    found = [_module_value(names, one, item) for one in files]
    values = tuple(got for one in found for got in _chased(names, (one,), name))
    return Defined(placed(values, "").places, tuple(found), f"`{written(item)}` is {_paths(found)}")


def _module_value(names: Python, file: ModuleFile, item: Import) -> Value:
    """A module that is asked for as such; not sure where a file of another import root can be it as well."""
    other = next((one for one in rivals(names.world, item) if one != file.path), "")
    why = f"`{written(item)}` can be `{other}` as well as `{file.path}`" if other else ""
    return Value("module", file.path, qualname=written(item), why=why, sure=file.sure and not other)


def _paths(values: Iterable[Value]) -> str:
    return " or ".join(f"`{one.path}`" for one in values)


def python_types(names: Python, path: str, scope: str, name: str) -> Defined:
    """The classes that what ``name`` holds can be of."""
    values = [got for one in names.expression(path, scope, name) for got in names.held(one)]
    return classes(values, f"the type of `{name}` is not known")


def go_types(names: Go, path: str, scope: str, name: str, line: int = 0) -> Defined:
    """The types that what ``name`` holds can be of."""
    values = [got for one in names.expression(path, scope, name, line) for got in names.held(one)]
    return classes(values, f"the type of `{name}` is not known")


def classes(values: list[Value], nothing: str) -> Defined:
    """The types among values, or in words why there are none."""
    found = tuple(dict.fromkeys(one for one in values if one.kind in ("instance", "class")))
    reasons = [one.why for one in values if one.kind == "unknown" and one.why]
    other = [f"it is `{one.qualname}`, of other code" for one in values if one.kind in ("outside", "external")]
    return Defined(found, note="" if found else "; ".join([*reasons, *other][:1]) or nothing)


def go_defined(names: Go, path: str, scope: str, name: str) -> Defined:
    """What ``name`` (dotted) is in ``scope`` of a file: a function, a type, or a package as the file imports it."""
    index = names.world.index(path)
    imports = [one for one in index.outline.imports if one.module == scope] if index else []
    if imports:
        folder, sure = names.packages.folder_of(path, imports[0])
        if folder is None:
            return Defined((), note=f"package `{scope}` is not in this repository", external=True)
        package = Value("module", folder, qualname=scope, sure=sure)
        return Defined(placed(_chased(names, (package,), name), "").places, (package,), f"`{scope}` is `{folder}`")
    home = names.packages.home(path)
    first, _, rest = name.partition(".")
    if scope and any(one.symbol.kind not in ("function", "method") for one in names.packages.declared(home, scope)):
        return placed(_chased(names, (Value("class", home, scope),), name), f"`{scope}` has no `{name}`")
    inside = scope if index and index.by_qualname.get(scope) else ""
    if scope and not inside:
        return Defined((), note=f"`{scope}` is not defined in `{path}`")
    values = names.name(path, inside, first)
    return placed(_chased(names, values, rest), f"`{name}` is declared nowhere in its package")


def placed(values: Values, nothing: str) -> Defined:
    """Values as what a name is defined as; ``nothing`` says what it means that there are none."""
    defined = [one for one in values if one.kind in ("function", "class", "variable")]
    places = tuple({(one.path, one.qualname): one for one in reversed(defined)}.values())[::-1]
    found_modules = tuple(one for one in dict.fromkeys(values) if one.kind == "module")
    rest = [one for one in values if one.kind not in ("function", "class", "variable", "module")]
    if not rest:
        return Defined(places, found_modules, "" if places or found_modules else nothing)
    external = not places and all(one.kind == "external" for one in rest)
    return Defined(tuple(_unsure(one) for one in places), found_modules, _why(rest[0]), external=external)


def _unsure(value: Value) -> Value:
    return replace(value, sure=False)


def _why(value: Value) -> str:
    if value.kind in ("external", "outside"):
        return f"`{value.qualname}` is not in this repository"
    if value.kind == "instance":
        return f"it is a `{value.qualname}`" + (f": {value.why}" if value.why else "")
    return value.why or "it is not known what it is"
