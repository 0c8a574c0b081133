"""Go's packages: a package is a folder; which folder an import path is follows from the go.mod files of the commit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from posixpath import dirname

from review_agent.syntax.model import Import, Symbol
from review_agent.syntax.resolution_world import Target, Value, World

__all__ = ["Declared", "Packages"]

_CLAUSE = re.compile(r"^package\s+(\w+)", re.MULTILINE)
_MODULE = re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE)


@dataclass(frozen=True)
class Declared:
    """One declaration and the file that holds it."""

    path: str
    symbol: Symbol


class Packages:
    """Declarations of packages. A file is parsed only where its text shows a declaration of the name asked for."""

    def __init__(self, world: World, target: Target | None = None) -> None:
        self.world = world
        self.target = target
        self._declared: dict[tuple[str, str], tuple[Declared, ...]] = {}
        self._clauses: dict[str, str] = {}
        self._main_clauses: dict[str, str] = {}
        self._all_modules: list[tuple[str, str]] | None = None

    def clause(self, path: str) -> str:
        """The name in a file's package clause; "" where there is none."""
        if path not in self._clauses:
            found = _CLAUSE.search(self.world.text(path) or "")
            self._clauses[path] = found[1] if found else ""
        return self._clauses[path]

    def home(self, path: str) -> str:
        """The package a file belongs to: its folder, with ``#name`` where another package shares the folder.

        Such are the tests beside a package (``foo_test``) and programs that are only run by hand (``package main``).
        """
        folder, clause = dirname(path), self.clause(path)
        return folder if clause in ("", self._main_clause(folder)) else f"{folder}#{clause}"

    def _main_clause(self, folder: str) -> str:
        if folder not in self._main_clauses:
            files = [one for one in self.world.files(folder) if one.endswith(".go")]
            own = [one for one in files if not one.endswith("_test.go")] or files
            found = (self.clause(one) for one in own)
            library = next((one for one in found if one not in ("", "main", "documentation")), "")
            self._main_clauses[folder] = library or (self.clause(own[0]) if own else "")
        return self._main_clauses[folder]

    def package_files(self, package: str) -> Iterator[str]:
        """The files of a package. Its own tests count: what they declare, only they can name."""
        for path in self.world.files(package.partition("#")[0]):
            if path.endswith(".go") and self.home(path) == package:
                yield path

    def method_names(self, package: str, owner: str) -> Iterator[str]:
        """Names of the methods that a package's text declares on a type."""
        shape = re.compile(rf"^func\s*\(\s*(?:\w+\s+)?\*?\s*{re.escape(owner)}\b[^)]*\)\s*(\w+)", re.MULTILINE)
        for path in self.package_files(package):
            yield from shape.findall(self.world.text(path) or "")

    def declared(self, package: str, qualname: str) -> tuple[Declared, ...]:
        """Every declaration of a package-level name, or of a method or field as ``Type.name``."""
        key = (package, qualname)
        if key not in self._declared:
            self._declared[key] = tuple(self._declarations(package, qualname))
        return self._declared[key]

    def _declarations(self, package: str, qualname: str) -> Iterator[Declared]:
        owner, _, name = qualname.rpartition(".")
        shape = _method_shape(owner, name) if owner else _name_shape(name)
        for path in self.package_files(package):
            if shape.search(self.world.text(path) or ""):
                index = self.world.index(path)
                for symbol in index.by_qualname.get(qualname, ()) if index else ():
                    yield Declared(path, symbol)

    def imported(self, path: str, name: str) -> tuple[Value, ...]:
        """What an import of this file binds to ``name``; empty where no import does."""
        index = self.world.index(path)
        for item in index.outline.imports if index else ():
            if item.alias == "." or item.alias == "_":
                continue
            folder, sure = self.folder_of(path, item)
            if name in self._names_of(item, folder):
                why = f'import "{item.module}", line {item.line}'
                if folder is None:
                    return (Value("external", qualname=item.module, why=why),)
                return (Value("module", folder, why=why, sure=sure),)
        return ()

    def dotted(self, path: str) -> Iterator[tuple[str, Import]]:
        """Packages of the repository that a file imports into its own names (``import . "x"``)."""
        index = self.world.index(path)
        for item in index.outline.imports if index else ():
            folder, _ = self.folder_of(path, item)
            if item.alias == "." and folder is not None:
                yield folder, item

    def _names_of(self, item: Import, folder: str | None) -> tuple[str, ...]:
        if item.alias not in item.module:
            return (item.alias,)
        if folder is not None:
            return (item.alias, self._main_clause(folder))
        # A package of other code may be called a little differently than the last element of its path.
        bare = item.alias.partition(".")[0]
        return (item.alias, bare, bare.removeprefix("go-"), bare.removesuffix("-go"), bare.replace("-", "_"))

    def folder_of(self, path: str, item: Import) -> tuple[str | None, bool]:
        """The folder of an import path, and whether it is of the importer's own module; null for other code."""
        for root, module in self._modules(path):
            if item.module == module or item.module.startswith(module + "/"):
                folder = f"{root}/{item.module[len(module) + 1 :]}".strip("/")
                if self.world.is_folder(folder):
                    inner = any(
                        len(one) > len(root) and f"{folder}/".startswith(f"{one}/") for one, _ in self._modules(path)
                    )
                    return folder, root == self._modules(path)[0][0] and not inner
        return None, True

    def _modules(self, path: str) -> list[tuple[str, str]]:
        """(folder, module path) of each go.mod: the importer's own first, then the longest module paths."""
        if self._all_modules is None:
            found = [(dirname(one), _MODULE.search(self.world.text(one) or "")) for one in self.world.ending("go.mod")]
            self._all_modules = [(folder, match[1]) for folder, match in found if match]
        above = [one for one in self._all_modules if not one[0] or path.startswith(one[0] + "/")]
        own = max(above, key=lambda one: len(one[0]), default=None)
        rest = sorted((one for one in self._all_modules if one != own), key=lambda one: (-len(one[1]), one))
        return [own, *rest] if own else rest


def _name_shape(name: str) -> re.Pattern[str]:
    word = re.escape(name)
    return re.compile(rf"^(?:func|type|var|const)\s+{word}\b|^\t(?:\w+\s*,\s*)*{word}\b(?!\s*[(.:])", re.MULTILINE)


def _method_shape(owner: str, name: str) -> re.Pattern[str]:
    word, holder = re.escape(name), re.escape(owner)
    method = rf"^func\s*\(\s*(?:\w+\s+)?\*?\s*{holder}\b[^)]*\)\s*{word}\b"
    return re.compile(
        rf"{method}|^[ \t]*(?:type\s+)?{holder}\s+(?:struct|interface)\b|^[ \t]*(?:type\s+)?{holder}\s*\[", re.M
    )
