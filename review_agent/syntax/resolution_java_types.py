"""Java's types: which file declares a name that stands in a file, by nesting, imports and packages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from posixpath import dirname

from review_agent.syntax.model import Import, Symbol
from review_agent.syntax.resolution_once import Evaluations, lineage
from review_agent.syntax.resolution_world import Index, Target, Value, World

__all__ = ["JavaTypes", "Values", "outward", "split_types", "union"]

Values = tuple[Value, ...]

# A folder with more files than this is not looked through for types that stand in a file of another name.
_MOST_FILES = 40
_PACKAGE = re.compile(r"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)
_TOP = re.compile(r"^(?:[a-z-]+\s+)*(?:class|interface|enum|record|@interface)\s+(\w+)", re.MULTILINE)
_PRIMITIVES = frozenset(("void", "boolean", "byte", "char", "short", "int", "long", "float", "double"))
_LANG = frozenset(
    """Object String StringBuilder StringBuffer CharSequence Integer Long Short Byte Character Boolean Double Float
    Number Math System Thread Runnable Runtime Class ClassLoader Process ProcessBuilder Iterable Comparable Cloneable
    AutoCloseable Enum Record Void Override Deprecated SuppressWarnings FunctionalInterface SafeVarargs Throwable
    Exception RuntimeException Error IllegalArgumentException IllegalStateException NullPointerException
    IndexOutOfBoundsException ArrayIndexOutOfBoundsException ClassCastException NumberFormatException
    UnsupportedOperationException ArithmeticException InterruptedException CloneNotSupportedException AssertionError
    StackOverflowError OutOfMemoryError NoSuchFieldException NoSuchMethodException ClassNotFoundException
    SecurityException ThreadLocal StackTraceElement InheritableThreadLocal ReflectiveOperationException
    ExceptionInInitializerError NegativeArraySizeException ArrayStoreException StrictMath Package Module""".split()  # noqa: SIM905
)


class JavaTypes(Evaluations):
    """Finds types. Places of values are files and qualified names in them; what is taken to exist is the target."""

    itself = Value("unknown", why="it leads back to itself")

    def __init__(self, world: World, target: Target | None = None) -> None:
        super().__init__()
        self.world, self.target = world, target
        self._packages: dict[str, str] = {}
        self._tops: dict[str, dict[str, str]] = {}

    def index(self, path: str) -> Index | None:
        return self.world.index(path) if path.endswith(".java") else None

    def package(self, path: str) -> str:
        """The package a file says it is in; of a file that is gone, its folder as a package's name ends."""
        if path not in self._packages:
            found = _PACKAGE.search(self.world.text(path) or "")
            self._packages[path] = found[1] if found else ""
        return self._packages[path]

    def type_named(self, path: str, scope: str, name: str) -> Values:
        """What a simple type name means at a place; empty where nothing that is seen declares it."""
        return self.once(("type", path, scope, name), name, lambda: self._type_named(path, scope, name))

    def _type_named(self, path: str, scope: str, name: str) -> Iterable[Value]:
        index = self.index(path)
        for at in outward(scope):
            if at.rpartition(".")[2] == name and index is not None and index.types(at):
                return (Value("class", path, at, why=f"declared in `{path}`"),)
            found = self.nested(path, at, name) if index is None or index.types(at) else ()
            if found:
                return found
        if self._is_declared(path, name):
            return (Value("class", path, name, why=f"declared in `{path}`"),)
        listed = index.imports.get(("", name), []) if index else []
        for item in listed:
            return self.imported(path, item)
        return self._beside(path, name) or self._on_demand(path, name) or self._known_elsewhere(name)

    def _is_declared(self, path: str, qualname: str) -> bool:
        index = self.index(path)
        if index is not None and index.types(qualname):
            return True
        target = self.target
        return target is not None and (path, qualname) == (target.path, target.qualname) and target.name[:1].isupper()

    def nested(self, path: str, owner: str, name: str) -> Values:
        """A type that a class declares, or inherits from a class of the repository."""
        for at, place, qualname in self.lineage(path, owner):
            if at == "class" and self._is_declared(place, f"{qualname}.{name}"):
                return (Value("class", place, f"{qualname}.{name}", why=f"declared in `{qualname}`"),)
        return ()

    def imported(self, path: str, item: Import) -> Values:
        """What a single import names: a type of a package, a type in a type, or a static member."""
        if item.name is None or item.name == "*":
            return ()
        why = f"`import {item.module}.{item.name}`, line {item.line}"
        found = self.in_package(path, item.module, item.name)
        if not found and item.module.rpartition(".")[2][:1].isupper():
            holders = self.by_parts(path, item.module.split("."))
            found = union(got for one in holders for got in self.members(one, item.name or ""))
        external = (Value("external", qualname=f"{item.module}.{item.name}"),)
        return tuple(replace(one, why=why) for one in found or external)

    def by_parts(self, path: str, parts: list[str]) -> Values:
        """The type of a full name, ``a.b.C.D``; empty where it is not in the repository."""
        first = next((n for n, part in enumerate(parts) if part[:1].isupper()), len(parts))
        values = self.in_package(path, ".".join(parts[:first]), parts[first]) if first < len(parts) else ()
        for part in parts[first + 1 :]:
            values = union(got for one in values for got in self.nested(one.path, one.qualname, part))
        return values

    def members(self, value: Value, name: str) -> Values:
        """What ``value.name`` is: types here, the rest in the class below."""
        return self.nested(value.path, value.qualname, name)

    def _beside(self, path: str, name: str) -> Values:
        """A type of the file's own package."""
        return self.in_package(path, self.package(path), name)

    def _on_demand(self, path: str, name: str) -> Values:
        index = self.index(path)
        found: list[Value] = []
        for item in index.imports.get(("", "*"), ()) if index else ():
            why = f"`import {item.module}.*`, line {item.line}"
            parts = item.module.split(".")
            if parts[-1][:1].isupper():
                inside = [got for one in self.by_parts(path, parts) for got in self.members(one, name)]
                found += [replace(one, why=why) for one in inside if one.kind == "class"]
            else:
                found += [replace(one, why=why) for one in self.in_package(path, item.module, name)]
        return union(found)

    def _known_elsewhere(self, name: str) -> Values:
        if name in _LANG or name in _PRIMITIVES:
            return (Value("external", qualname=name, why="of java.lang"),)
        return ()

    def in_package(self, importer: str, package: str, name: str) -> Values:
        """The types of that name in a package; of several source trees the importer's own where it has one."""
        tail = f"{package.replace('.', '/')}/{name}.java" if package else f"{name}.java"
        paths = list(self.world.ending(tail))
        target = self.target
        if target is not None and target.qualname == name and target.path not in paths:
            # A file that is gone is where it was.
            paths += [target.path] if f"/{target.path}".endswith(f"/{tail}") else []
        found = [one for one in paths if self._fits(one, package) and self._is_declared(one, name)]
        if not found:
            found = list(self._in_other_file(importer, package, name))
        root = _root(importer, self.package(importer))
        own = [one for one in found if root is not None and _root(one, package) == root]
        same = own or _production(found)
        return tuple(Value("class", one, name, why=f"package `{package}`", sure=len(same) == 1) for one in same)

    def _fits(self, path: str, package: str) -> bool:
        return self.package(path) == package or self.world.text(path) is None

    def _in_other_file(self, importer: str, package: str, name: str) -> Iterator[str]:
        """A second type of a file, seen from its own folder; or the target, wherever it stands."""
        target = self.target
        if target is not None and target.qualname == name and self.package(target.path) == package:
            yield target.path
        elif self.package(importer) == package and (path := self._second_types(dirname(importer)).get(name)):
            yield path

    def _second_types(self, folder: str) -> dict[str, str]:
        if folder not in self._tops:
            paths = [one for one in self.world.files(folder) if one.endswith(".java")]
            texts = [(one, self.world.text(one) or "") for one in paths] if len(paths) <= _MOST_FILES else []
            self._tops[folder] = {name: path for path, text in texts for name in _TOP.findall(text)}
        return self._tops[folder]

    def package_folders(self, importer: str, package: str) -> list[str]:
        """The folders of a package in the source trees that a file is in or imports from."""
        roots = {_root(importer, self.package(importer))}
        index = self.index(importer)
        for item in index.outline.imports if index else ():
            for one in self.in_package(importer, item.module, item.name or "") if item.name != "*" else ():
                roots.add(_root(one.path, item.module))
        known = {one for one in roots if one is not None}
        known |= {one.replace("/test/", "/main/") for one in known}
        folders = [f"{root}{package.replace('.', '/')}" for root in sorted(known)]
        return [one for one in folders if any(path.endswith(".java") for path in self.world.files(one))]

    def lineage(self, path: str, qualname: str) -> Iterator[tuple[str, str, str]]:
        """A class and its bases, depth first: ("class", path, qualname), or ("open", "", base) where one is unknown."""
        return lineage(path, qualname, self._bases)

    def _bases(self, path: str, qualname: str) -> list[tuple[str, str]]:
        index = self.index(path)
        found: list[tuple[str, str]] = []
        for symbol in index.types(qualname) if index else ():
            for base in symbol.bases:
                values = self._base(path, symbol, base)
                classes = [(one.path, one.qualname) for one in values if one.kind == "class" and one.sure]
                found += classes if len(classes) == len(values) == 1 else [("", base)]
        return found

    def _base(self, path: str, symbol: Symbol, base: str) -> Values:
        """A base is looked for around its class, never in it: a type may not extend what it declares."""
        first, *rest = base.split(".")
        if first[:1].islower() and rest:
            return self.by_parts(path, [first, *rest])
        values = self.type_named(path, symbol.scope, first)
        for part in rest:
            values = tuple(got for one in values for got in self.nested(one.path, one.qualname, part))
        return values


def outward(scope: str) -> Iterator[str]:
    """A scope and those around it, inner first, without the file itself."""
    while scope:
        yield scope
        scope = scope.rpartition(".")[0]


def _root(path: str, package: str) -> str | None:
    """The source tree that a file lies in; null where its folder is not named after its package."""
    folder, tail = dirname(path), package.replace(".", "/")
    if not tail:
        return folder
    return folder[: -len(tail)] if f"/{folder}".endswith(f"/{tail}") else None


def _production(paths: list[str]) -> list[str]:
    own = [one for one in paths if "/test/" not in f"/{one}"]
    return own or paths


def split_types(text: str) -> list[str]:
    """The parts between commas outside angle and other brackets; none for empty text."""
    parts, depth, start = [], 0, 0
    for at, one in enumerate(text):
        depth += (one in "<([{") - (one in ">)]}" and text[at - 1 : at] != "-")
        if one == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    rest = text[start:].strip()
    return [*parts, rest] if rest else parts


def union(values: Iterable[Value]) -> Values:
    return tuple(dict.fromkeys(values))
