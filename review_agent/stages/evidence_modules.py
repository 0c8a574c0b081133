"""A module or package as one definition: all its names, and whether there can be more than are seen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from posixpath import basename, dirname

from review_agent.stages.evidence_definitions import plain_definition
from review_agent.stages.evidence_view import View
from review_agent.syntax.resolution_modules import is_package, modules
from review_agent.syntax.resolution_packages import Packages
from review_agent.syntax.resolution_world import Index, Value
from review_agent.vocabulary import DefinitionFact, Resolution

__all__ = ["Names", "go_package", "module_fact", "python_module"]

# Every module has these without saying so.
_GIVEN = ("__name__", "__file__", "__doc__", "__path__", "__spec__", "__package__", "__loader__", "__dict__")
# A call of one of these at module level can bind names that the text does not show.
_DYNAMIC = frozenset({"globals", "exec", "eval", "setattr", "vars", "locals"})
# Star imports followed from one module to the next.
_HOPS = 3


@dataclass(frozen=True)
class Names:
    """All names of a module; ``closed`` is false where there can be more."""

    names: tuple[str, ...]
    closed: bool


def python_module(view: View, path: str, asked: str = "", hops: int = 0) -> Names:
    """The names of a Python module; ``asked`` is looked for among the rarer bindings (``for``, ``global``) too."""
    index = view.index(path)
    submodules = tuple(_submodules(view, path))
    if index is None:
        # A folder without ``__init__.py`` has its modules and nothing else.
        return Names((*submodules, *_GIVEN), path.endswith("/") or _is_empty(view, path))
    names = [*_bound(index), *submodules, *_GIVEN]
    names += [asked] if asked and _bound_elsewhere(view, path, asked) else []
    closed = not index.outline.has_getattr and not index.outline.errors and not _is_dynamic(index)
    for item in index.imports.get(("", "*"), ()):
        files = modules(view, path, item)
        more = python_module(view, files[0].path, asked, hops + 1) if len(files) == 1 and hops < _HOPS else None
        closed = closed and more is not None and more.closed
        names += _exported(view, files[0].path, more) if more else ()
    return Names(tuple(dict.fromkeys(names)), closed)


def _is_empty(view: View, path: str) -> bool:
    text = view.text(path)
    return text is not None and not text.strip()


def _bound(index: Index) -> Iterator[str]:
    yield from (symbol.name for symbol in index.outline.symbols if not symbol.scope)
    yield from (item.alias for item in index.outline.imports if not item.scope and item.alias != "*")
    for assign in index.outline.assigns:
        yield from (target for target in assign.targets if not assign.scope and "." not in target)
    for scope, target in index.contexts:
        if not scope:
            yield target


def _bound_elsewhere(view: View, path: str, name: str) -> bool:
    writes = [use for use in view.uses(path, name) if use.use == "write" and not use.receiver]
    if any(not use.scope for use in writes):
        return True
    declared = re.search(rf"^[ \t]*global\b[^#\n]*\b{re.escape(name)}\b", view.text(path) or "", re.MULTILINE)
    return bool(writes and declared)


def _is_dynamic(index: Index) -> bool:
    return any(not call.scope and call.callee.rpartition(".")[2] in _DYNAMIC for call in index.outline.calls)


def _submodules(view: View, path: str) -> Iterator[str]:
    if not is_package(path):
        return
    folder = path.rstrip("/") if path.endswith("/") else dirname(path)
    yield from (basename(one).removesuffix(".py") for one in view.files(folder) if one.endswith(".py") and one != path)
    yield from view.folders(folder)


def _exported(view: View, path: str, names: Names) -> tuple[str, ...]:
    index = view.index(path)
    exports = index.outline.exports if index else None
    return exports if exports is not None else tuple(one for one in names.names if not one.startswith("_"))


def go_package(view: View, packages: Packages, folder: str) -> Names:
    """The package-level names of a Go package, tests left out."""
    names: list[str] = []
    closed = True
    for path in packages.package_files(folder):
        if path.endswith("_test.go"):
            continue
        index, text = view.index(path), view.text(path) or ""
        # Generators and cgo make names that are in no file of the commit.
        closed = closed and index is not None and not index.outline.errors
        closed = closed and "//go:generate" not in text and not re.search(r'^import "C"|^\t"C"$', text, re.MULTILINE)
        names += [one.name for one in index.outline.symbols if not one.scope and not one.receiver] if index else []
    return Names(tuple(dict.fromkeys(names)), closed)


def module_fact(value: Value, names: Names) -> DefinitionFact:
    """A module as a definition: its names are its members."""
    return plain_definition(
        Resolution.RESOLVED if value.sure else Resolution.AMBIGUOUS,
        f"`{value.qualname}` is `{value.path}`",
        symbol="module",
        qualname=value.qualname,
        members=names.names,
        closed=names.closed,
    )
