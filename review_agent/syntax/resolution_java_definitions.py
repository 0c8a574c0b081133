"""Where a name that is used somewhere in Java is defined: in a method, a class, a package as imported."""

from __future__ import annotations

from review_agent.syntax.resolution_definitions import Defined, classes, placed
from review_agent.syntax.resolution_java import Java
from review_agent.syntax.resolution_java_types import Values, union
from review_agent.syntax.resolution_world import Value

__all__ = ["java_defined", "java_types"]


def java_defined(names: Java, path: str, scope: str, name: str) -> Defined:
    """What ``name`` (dotted) is in ``scope`` of a file: a method, a type, or a member of a package it imports."""
    index = names.index(path)
    if scope and index and not index.by_qualname.get(scope) and any(i.module == scope for i in index.outline.imports):
        return _of_package(names, path, scope, name)
    if scope and index and index.types(scope):
        values = _chased(names, (Value("class", path, scope),), name)
        # A constructor is called what its class is.
        made = [Value("function", path, f"{scope}.{name}")] if index.by_qualname.get(f"{scope}.{name}") else []
        return placed(values or tuple(made), f"`{scope}` has no `{name}`")
    if scope and not (index and index.by_qualname.get(scope)):
        return Defined((), note=f"`{scope}` is not defined in `{path}`")
    first, _, rest = name.partition(".")
    values = names.name(path, scope, first) or names.method(path, scope, first, None)
    return placed(_chased(names, values, rest), f"`{name}` is declared nowhere that is seen from `{path}`")


def _chased(names: Java, values: Values, dotted: str) -> Values:
    for part in dotted.split(".") if dotted else ():
        values = union(got for one in values for got in names.members(one, part))
    return values


def _of_package(names: Java, path: str, package: str, name: str) -> Defined:
    owner = package.rpartition(".")[2]
    if owner[:1].isupper():
        holders = names.type_at(path, "", package)
        if not holders or holders[0].kind == "external":
            return Defined((), note=f"`{package}` is not in this repository", external=True)
        return placed(_chased(names, holders, name), f"`{package}` has no `{name}`")
    folders = names.package_folders(path, package)
    if not folders:
        return Defined((), note=f"package `{package}` is not in this repository", external=True)
    found = names.in_package(path, package, name)
    where = Value("module", folders[0], qualname=package, sure=len(folders) == 1)
    return Defined(placed(found, "").places, (where,), f"`{package}` is `{folders[0]}`")


def java_types(names: Java, path: str, scope: str, name: str, line: int = 0) -> Defined:
    """The types that what ``name`` holds can be of."""
    values = [got for one in names.expression(path, scope, name, line) for got in names.held(one)]
    return classes(values, f"the type of `{name}` is not known")
