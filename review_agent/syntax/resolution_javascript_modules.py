"""Which file a JavaScript module path is: relative paths, packages of the repository, aliases of tsconfig.json."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from posixpath import dirname, join, normpath
from typing import Any

from review_agent.syntax.resolution_javascript_builds import is_built_from, settings_of
from review_agent.syntax.resolution_world import World

__all__ = ["Modules"]

_SUFFIXES = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".d.ts")
# What an import may be written as -> what the file it is built from is called.
_SOURCES = {".js": (".ts", ".tsx"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}
_BUILT = re.compile(r"(^|/)(?:dist|build|lib|out|cjs|esm)/(?:(?:cjs|esm|src)/)?")
# Manifests read before a repository counts as too large to know all its packages.
_MANIFESTS = 200
# Where a package may have its source, whatever its manifest says.
_GUESSES = ("src/index", "index", "lib/index")


@dataclass(frozen=True)
class _Package:
    """``said``: what its manifest names as its entry; ``exports``: what it gives out under which subpath."""

    folder: str
    name: str
    said: tuple[str, ...]
    exports: dict[str, Any]


class Modules:
    """Told from the tree listing and the manifests alone."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._known: dict[tuple[str, str], str | None] = {}

    def path(self, importer: str, module: str) -> str | None:
        """The file that ``module`` is for ``importer``; null for other code and for what is no code."""
        key = (dirname(importer), module)
        if key not in self._known:
            self._known[key] = self._find(importer, module)
        return self._known[key]

    def settled(self, importer: str, module: str) -> bool:
        """Whether what is written in the repository says that ``module`` is the file that ``path`` gives.

        A manifest names what a package is built to; which source that is built from is a guess, unless the settings
        of its build name that source too.
        """
        found = self.path(importer, module)
        if found is None:
            return False
        base = normpath(join(dirname(importer), module)) if module[:1] == "." else None
        if self._file(base) if base is not None else self._aliased(importer, module):
            return True
        for package in self._packages:
            if module == package.name or base == package.folder:
                return self._is_said(package, found, package.said or ("index",))
            if base is None and module.startswith(package.name + "/"):
                return self._is_said(package, found, _subpath(package, module[len(package.name) + 1 :]))
        return False

    def _is_said(self, package: _Package, found: str, said: tuple[str, ...]) -> bool:
        as_such = (self._file(normpath(join(package.folder, one))) for one in said)
        return found in as_such or is_built_from(self.world, package.folder, found)

    def _find(self, importer: str, module: str) -> str | None:
        if module[:1] == ".":
            base = normpath(join(dirname(importer), module))
            return self._file(base) or self._main("" if base == "." else base)
        if module.startswith("/") or not module:
            return None
        return self._aliased(importer, module) or self._packaged(module)

    def _file(self, base: str) -> str | None:
        """The file or folder of a path without its ending; nothing outside the repository."""
        if base.startswith("../") or base == "..":
            return None
        base = "" if base == "." else base
        return next((one for one in self._candidates(base) if self.world.has(one)), None)

    def _candidates(self, base: str) -> Iterator[str]:
        if re.search(r"\.[cm]?[jt]sx?$", base):
            yield base
            stem, dot, end = base.rpartition(".")
            yield from (stem + one for one in _SOURCES.get(dot + end, ()))
        if base:
            yield from (base + one for one in _SUFFIXES)
        folder = f"{base}/" if base else ""
        yield from (f"{folder}index{one}" for one in _SUFFIXES)

    def _packaged(self, module: str) -> str | None:
        for package in self._packages:
            if module == package.name:
                return self._entry(package)
            if module.startswith(package.name + "/"):
                return self._built(package.folder, module[len(package.name) + 1 :])
        return None

    def _main(self, folder: str) -> str | None:
        """What a package of the repository gives out, imported by its folder."""
        held = f"{folder}/package.json" if folder else "package.json"
        packages = self._packages if self.world.has(held) else ()
        return next((self._entry(one) for one in packages if one.folder == folder), None)

    def _entry(self, package: _Package) -> str | None:
        mains = dict.fromkeys((*package.said, *_GUESSES))
        return next((found for main in mains if (found := self._built(package.folder, main))), None)

    def _built(self, folder: str, path: str) -> str | None:
        """A file of a package, or the source that it is built from."""
        bare = path.removeprefix("./")
        for one in dict.fromkeys((bare, _BUILT.sub(r"\1src/", bare), _BUILT.sub(r"\1lib/", bare), f"src/{bare}")):
            stem = re.sub(r"(\.d)?\.[cm]?[jt]s$", "", one)
            found = self._file(normpath(join(folder, one))) or self._file(normpath(join(folder, stem)))
            if found:
                return found
        return None

    @cached_property
    def _packages(self) -> list[_Package]:
        paths = [one for one in self.world.ending("package.json") if "node_modules/" not in one]
        found = [_package(one, self.world.text(one)) for one in paths] if len(paths) <= _MANIFESTS else []
        return sorted((one for one in found if one is not None), key=lambda one: -len(one.name))

    def _aliased(self, importer: str, module: str) -> str | None:
        for folder, pattern, targets in self._aliases:
            if folder and not importer.startswith(folder + "/"):
                continue
            start, star, end = pattern.partition("*")
            if star and module.startswith(start) and module.endswith(end) and len(module) >= len(start) + len(end):
                middle = module[len(start) : len(module) - len(end)]
            elif module == pattern:
                middle = ""
            else:
                continue
            for target in targets:
                found = self._file(normpath(join(folder, target.replace("*", middle))))
                if found:
                    return found
        return None

    @cached_property
    def _aliases(self) -> list[tuple[str, str, tuple[str, ...]]]:
        """(folder of the settings, pattern, targets), the deepest folder first."""
        found: list[tuple[str, str, tuple[str, ...]]] = []
        for name in ("tsconfig.json", "jsconfig.json", "tsconfig.base.json"):
            paths = self.world.ending(name)
            for path in paths if len(paths) <= _MANIFESTS else ():
                found += _paths(dirname(path), settings_of(self.world.text(path)))
        return sorted(found, key=lambda one: (-len(one[0]), one[1].endswith("*"), -len(one[1])))


def _package(path: str, text: str | None) -> _Package | None:
    held = settings_of(text)
    name = held.get("name")
    if not isinstance(name, str) or not name:
        return None
    mains = [held.get(key) for key in ("source", "main", "module", "types", "typings")]
    exports = held.get("exports")
    mains += list(_leaves(exports.get(".", exports) if isinstance(exports, dict) else exports))
    said = tuple(dict.fromkeys(one for one in mains if isinstance(one, str)))
    return _Package(dirname(path), name, said, exports if isinstance(exports, dict) else {})


def _subpath(package: _Package, rest: str) -> tuple[str, ...]:
    """What a manifest says that a subpath of its package is; the path itself where it limits none."""
    if not package.exports:
        return (rest,)
    starred = (one for one in _leaves(package.exports.get("./*")))
    return (*_leaves(package.exports.get(f"./{rest}")), *(one.replace("*", rest) for one in starred))


def _leaves(value: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict) and depth < 4:
        for one in value.values():
            yield from _leaves(one, depth + 1)


def _paths(folder: str, held: dict[str, Any]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    options = held.get("compilerOptions")
    if not isinstance(options, dict):
        return
    base, paths = options.get("baseUrl"), options.get("paths")
    root = base if isinstance(base, str) else "."
    for pattern, targets in paths.items() if isinstance(paths, dict) else ():
        if isinstance(targets, list):
            yield folder, pattern, tuple(join(root, one) for one in targets if isinstance(one, str))
    if isinstance(base, str):
        yield folder, "*", (join(base, "*"),)
