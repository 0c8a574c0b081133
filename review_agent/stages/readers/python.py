"""Names, modules and classes of Python."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from posixpath import basename, dirname

from review_agent.stages.evidence_gather import Found
from review_agent.stages.evidence_view import View
from review_agent.stages.readers.base import Names, Owner
from review_agent.stages.readers.facts import (
    definition_fact,
    definition_found,
    doubtful,
    implementer_found,
    one_place,
    plain_definition,
)
from review_agent.syntax.model import Assign, Symbol
from review_agent.syntax.resolution_definitions import Defined, python_defined, python_types
from review_agent.syntax.resolution_modules import is_package, modules
from review_agent.syntax.resolution_python import Python
from review_agent.syntax.resolution_world import Index, Target, Value
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import DefinitionFact, ImplementerFact, Resolution

__all__ = ["PythonReader"]

_METACLASS = re.compile(r"\bmetaclass\s*=\s*([\w.]+)")
# Every module has these without saying so.
_GIVEN = ("__name__", "__file__", "__doc__", "__path__", "__spec__", "__package__", "__loader__", "__dict__")
# A call of one of these at module level can bind names that the text does not show.
_DYNAMIC = frozenset({"globals", "exec", "eval", "setattr", "vars", "locals"})
# Star imports followed from one module to the next.
_HOPS = 3


class PythonReader:
    levels = 3

    def __init__(self, view: View) -> None:
        self.view, self.names = view, Python(view)

    def defined(self, path: str, scope: str, name: str) -> Defined:
        return python_defined(self.names, path, scope, name)

    def types(self, path: str, scope: str, name: str) -> Defined:
        return python_types(self.names, path, scope, name)

    def home_file(self, place: str, qualname: str, home: str) -> str:
        return place

    def definitions(self, defined: Defined) -> list[Found]:
        return [*_definitions(self.view, self.names, defined.places), *map(doubtful, defined.doubts)]

    def module(self, value: Value, asked: str) -> tuple[Names, str]:
        return _module(self.view, value.path, asked), value.path

    def outside_owner(self, path: str, scope: str, name: str) -> str | None:
        values = self.names.expression(path, scope, name)
        return next((one.qualname for one in values if one.kind == "external"), name)

    def owner_words(self, owner: Owner) -> Collection[str]:
        return ()

    def implementers(self, owner: Owner, path: str) -> Iterable[Found]:
        return _implementers(self.view, self.names, owner, path)

    @staticmethod
    def declares(words: Iterable[str]) -> re.Pattern[str]:
        """A class statement that names one of the words as a base, or a line that can go on with a list of bases."""
        listed = "|".join(re.escape(word) for word in words)
        return re.compile(rf"^\s*class\b.*\b(?:{listed})\b|^\s*(?:\w+\.)*(?:{listed})\b[\w\[\]., ]*\)?\s*:?\s*$")

    @staticmethod
    def mentions(target: Target) -> re.Pattern[str]:
        module = basename(target.path.removesuffix("/__init__.py")).removesuffix(".py")
        names = "|".join(re.escape(one) for one in (module, target.scope.split(".")[0] or target.name))
        return re.compile(rf"^[ \t]*(?:from|import)\b.*\b(?:{names})\b", re.MULTILINE)


def _definitions(view: View, names: Python, values: Sequence[Value]) -> list[Found]:
    """Every definition of Python values; ambiguous where there may be others."""
    found = []
    for value in values:
        resolution = Resolution.RESOLVED if value.sure and one_place(values) else Resolution.AMBIGUOUS
        index = view.index(value.path)
        listed = list(_places(view, value))
        for path, symbol in listed:
            fact = _fact_of(view, names, path, symbol, resolution, value.why)
            found.append(definition_found(path, symbol, fact))
        if not listed and index:
            found += [_assigned(value, one, resolution) for one in _assigns(index, value)[:1]]
    return found


def _places(view: View, value: Value) -> Iterator[tuple[str, Symbol]]:
    """The files and symbols of a Python value; overloads and the setters of a property are not its definition."""
    index = view.index(value.path)
    for symbol in index.by_qualname.get(value.qualname, ()) if index else ():
        if not any(re.search(r"\boverload$|\.(setter|deleter)$", one) for one in symbol.decorators):
            yield value.path, symbol


def _fact_of(view: View, names: Python, path: str, symbol: Symbol, resolution: Resolution, why: str) -> DefinitionFact:
    index = view.index(path)
    assert index is not None
    if symbol.kind != "class":
        return definition_fact(index, symbol, resolution, why, symbol.bases, closed=True)
    lineage = list(names.lineage(path, symbol.qualname))
    source = view.source(path)
    header = " ".join(source.lines[symbol.start - 1 : max(symbol.header_end, symbol.start)]) if source else ""
    meta = [f"metaclass={one}" for one in _METACLASS.findall(header)]
    above = [base for _, at, qualname in lineage[1:] for base in _bases_of(view, at, qualname)]
    closed = all(one[0] == "class" for one in lineage) and "__getattr__" not in symbol.members
    return definition_fact(index, symbol, resolution, why, (*symbol.bases, *meta, *above), closed=closed)


def _bases_of(view: View, path: str, qualname: str) -> tuple[str, ...]:
    index = view.index(path) if path else None
    return tuple(base for symbol in (index.types(qualname) if index else ()) for base in symbol.bases)


def _assigns(index: Index, value: Value) -> list[Assign]:
    scope, _, name = value.qualname.rpartition(".")
    own = [one for one in index.outline.assigns if one.scope == scope and name in one.targets]
    inside = [
        one
        for one in index.outline.assigns
        if scope and one.scope.startswith(f"{scope}.") and any(_is_own(target, name) for target in one.targets)
    ]
    return own or inside


def _is_own(target: str, name: str) -> bool:
    """Whether a target is the attribute on the object itself, by whatever name its method calls it."""
    return target.count(".") == 1 and target.endswith(f".{name}")


def _assigned(value: Value, assign: Assign, resolution: Resolution) -> Found:
    fact = plain_definition(
        resolution,
        value.why or f"`{value.qualname}` is assigned here",
        symbol="field" if "." in value.qualname else "variable",
        qualname=value.qualname,
        value=assign.value,
    )
    return Found(value.path, assign.start, assign.end, (fact,), in_test(value.path))


def _module(view: View, path: str, asked: str = "", hops: int = 0) -> Names:
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
        more = _module(view, files[0].path, asked, hops + 1) if len(files) == 1 and hops < _HOPS else None
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


def _implementers(view: View, names: Python, owner: Owner, path: str) -> list[Found]:
    """Classes of one file that have the owner among their bases, near or far."""
    index = view.index(path)
    found = []
    for symbol in index.outline.symbols if index else ():
        if symbol.kind == "class" and (path, symbol.qualname) != (owner.value.path, owner.value.qualname):
            fact = _below(names, owner, path, symbol)
            if fact is not None:
                found.append(implementer_found(path, symbol, fact))
    return found


def _below(names: Python, owner: Owner, path: str, symbol: Symbol) -> ImplementerFact | None:
    near = [value for base in symbol.bases for value in names.expression(path, symbol.scope, base)]
    line = list(names.lineage(path, symbol.qualname))
    if owner.value.kind == "external":
        mentioned = any(
            owner.name in _external_bases(names, at, qualname) for kind, at, qualname in line if kind == "class"
        )
    else:
        mentioned = ("class", owner.value.path, owner.value.qualname) in line
    if not mentioned:
        return None
    unsure = owner.value.kind != "external" and len({(one.path, one.qualname) for one in near}) > len(symbol.bases)
    between = [one for one in line if one[1:] != (owner.value.path, owner.value.qualname) and one[0] == "class"]
    return ImplementerFact(
        resolution=Resolution.AMBIGUOUS if unsure else Resolution.RESOLVED,
        reason=f"`{owner.name}` is among its bases, line {symbol.name_line}",
        type_name=symbol.qualname,
        has_member=any(_has(names, at, qualname, owner.member) for _, at, qualname in between),
        closed=all(at == "class" for at, _, _ in line) and not _dynamic(symbol),
    )


def _external_bases(names: Python, path: str, qualname: str) -> set[str]:
    index = names.index(path)
    bases = [(one.scope, base) for one in (index.types(qualname) if index else ()) for base in one.bases]
    values = [value for scope, base in bases for value in names.expression(path, scope, base)]
    return {value.qualname for value in values if value.kind == "external"}


def _has(names: Python, path: str, qualname: str, member: str) -> bool:
    index = names.index(path)
    return any(member in symbol.members for symbol in (index.types(qualname) if index else ()))


def _dynamic(symbol: Symbol) -> bool:
    """A decorator of a class may give it members."""
    return bool(symbol.decorators) or "__getattr__" in symbol.members
