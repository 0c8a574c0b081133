"""Names, modules and types of JavaScript and TypeScript."""

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
)
from review_agent.syntax.model import Symbol
from review_agent.syntax.resolution_definitions import Defined
from review_agent.syntax.resolution_javascript import JavaScript
from review_agent.syntax.resolution_javascript_definitions import javascript_defined, javascript_types
from review_agent.syntax.resolution_world import Index, Target, Value
from review_agent.syntax.words import whole_name
from review_agent.vocabulary import DefinitionFact, ImplementerFact, Resolution

__all__ = ["JavaScriptReader"]

_TYPES = ("class", "interface", "type")
# Re-exports followed from one module to the next.
_HOPS = 4
_SUFFIX = re.compile(r"(?:\.d)?\.[cm]?[jt]sx?$")
# What sets names on a module that its text does not show.
_DYNAMIC = re.compile(
    r"Object\.(?:assign|defineProperty|defineProperties)\(\s*(?:module\.)?exports\b|\bexports\[|__exportStar"
    r"|module\.exports\s*=(?!\s*(?:\{|\w+\s*;?\s*$|class\b|function\b|new\b|async\b|\())",
    re.MULTILINE,
)


class JavaScriptReader:
    levels = 3

    def __init__(self, view: View) -> None:
        self.view, self.names = view, JavaScript(view)

    def defined(self, path: str, scope: str, name: str) -> Defined:
        return javascript_defined(self.names, path, scope, name)

    def types(self, path: str, scope: str, name: str) -> Defined:
        return javascript_types(self.names, path, scope, name)

    def home_file(self, place: str, qualname: str, home: str) -> str:
        return place

    def definitions(self, defined: Defined) -> list[Found]:
        return [*_definitions(self.view, self.names, defined.places), *map(doubtful, defined.doubts)]

    def module(self, value: Value, asked: str) -> tuple[Names, str]:
        return _module(self.view, self.names, value.path), value.path

    def outside_owner(self, path: str, scope: str, name: str) -> str | None:
        values = self.names.expression(path, scope, name)
        return next((one.qualname for one in values if one.kind == "external"), None)

    def owner_words(self, owner: Owner) -> Collection[str]:
        return ()

    def implementers(self, owner: Owner, path: str) -> Iterable[Found]:
        return _implementers(self.view, self.names, owner, path)

    @staticmethod
    def declares(words: Iterable[str]) -> re.Pattern[str]:
        """A class or interface head that names one of the words, or a line that can go on with a list of bases."""
        listed = "|".join(whole_name(word) for word in words)
        return re.compile(
            rf"\b(?:extends|implements)\b.*(?:{listed})|^\s*(?:{listed})[\w<>., ]*\{{?\s*$|:\s*(?:{listed})\s*="
        )

    @staticmethod
    def mentions(target: Target) -> re.Pattern[str]:
        """An import or re-export of the target's file: by its name, or by its folder's for an index."""
        stem = _SUFFIX.sub("", basename(target.path))
        names = [stem] if stem != "index" else [basename(dirname(target.path)) or "index", "index", r"\.", r"\.\."]
        listed = "|".join(one if one.startswith("\\") else re.escape(one) for one in names)
        return re.compile(rf"(?:\bfrom\b|\brequire\(|\bimport\b)[^\n]*[\"'/](?:{listed})(?:\.[cm]?[jt]sx?)?[\"']", re.M)


def _definitions(view: View, names: JavaScript, values: Sequence[Value]) -> Iterator[Found]:
    """Every definition of JavaScript values; ambiguous where there may be others."""
    for value in values:
        index = view.index(value.path)
        listed = index.by_qualname.get(value.qualname, []) if index else []
        sure = value.sure and one_place(values) and len({one.params for one in listed}) <= 1
        resolution = Resolution.RESOLVED if sure else Resolution.AMBIGUOUS
        for symbol in listed:
            fact = _fact_of(view, names, value, symbol, resolution)
            yield definition_found(value.path, symbol, fact)


def _fact_of(view: View, names: JavaScript, value: Value, symbol: Symbol, resolution: Resolution) -> DefinitionFact:
    index = view.index(value.path)
    assert index is not None
    if symbol.kind not in _TYPES:
        return definition_fact(index, symbol, resolution, value.why, symbol.bases, closed=_is_whole(index, symbol))
    lineage = list(names.lineage(value.path, symbol.qualname))
    above = [base for at, path, qualname in lineage[1:] for base in _bases_of(view, path, qualname)]
    closed = all(at == "class" for at, _, _ in lineage) and not symbol.decorators
    return definition_fact(index, symbol, resolution, value.why, (*symbol.bases, *above), closed=closed)


def _is_whole(index: Index, symbol: Symbol) -> bool:
    """Whether an object has no members but those its literal names."""
    spread = [one for one in index.outline.composites if one.target == symbol.qualname and one.start == symbol.start]
    return not any(part.startswith("...") for one in spread for part in one.components)


def _bases_of(view: View, path: str, qualname: str) -> tuple[str, ...]:
    index = view.index(path) if path else None
    return tuple(base for symbol in (index.types(qualname) if index else ()) for base in symbol.bases)


def _module(view: View, names: JavaScript, path: str, hops: int = 0) -> Names:
    """The names that a module exports."""
    index = view.index(path)
    if index is None:
        return Names((), closed=False)
    found = [*(index.outline.exports or ())]
    closed = not index.outline.errors and not _DYNAMIC.search(view.text(path) or "")
    for item in index.imports.get(("", "*"), ()):
        file = names.modules.path(path, item.module)
        more = _module(view, names, file, hops + 1) if file and hops < _HOPS else None
        closed = closed and more is not None and more.closed and names.modules.settled(path, item.module)
        found += [one for one in more.names if one != "default"] if more else []
    whole = names.whole(path)
    if whole and whole[0].kind != "module":
        # ``module.exports = thing``: what can be taken from it are the thing's members.
        listed = [
            one for value in whole for one in (view.index(value.path) or index).by_qualname.get(value.qualname, ())
        ]
        found += [member for one in listed for member in one.members]
        closed = False
    return Names(tuple(dict.fromkeys(found)), closed)


def _implementers(view: View, names: JavaScript, owner: Owner, path: str) -> Iterator[Found]:
    """Types of one file that have the owner among their bases, near or far."""
    index = view.index(path)
    for symbol in index.outline.symbols if index else ():
        if symbol.kind in ("class", "interface") and (path, symbol.qualname) != (
            owner.value.path,
            owner.value.qualname,
        ):
            fact = _below(names, owner, path, symbol)
            if fact is not None:
                yield implementer_found(path, symbol, fact)


def _below(names: JavaScript, owner: Owner, path: str, symbol: Symbol) -> ImplementerFact | None:
    line = list(names.lineage(path, symbol.qualname))
    if owner.value.kind == "external":
        wanted = owner.name.rpartition(".")[2]
        if not any(at == "open" and base.rpartition(".")[2] == wanted for at, _, base in line):
            return None
    elif ("class", owner.value.path, owner.value.qualname) not in line:
        return None
    place = (owner.value.path, owner.value.qualname)
    between = [one for one in line if one[0] == "class" and one[1:] != place]
    return ImplementerFact(
        resolution=Resolution.RESOLVED,
        reason=f"`{owner.name}` is among its bases, line {symbol.name_line}",
        type_name=symbol.qualname,
        has_member=any(_has(names, at, qualname, owner.member) for _, at, qualname in between),
        closed=all(at == "class" for at, _, _ in line) and not symbol.decorators and not _is_abstract(symbol),
    )


def _is_abstract(symbol: Symbol) -> bool:
    return "abstract" in symbol.modifiers or symbol.kind == "interface"


def _has(names: JavaScript, path: str, qualname: str, member: str) -> bool:
    index = names.index(path)
    return any(
        member in symbol.members and not _only_declared(index, qualname, member)
        for symbol in (index.types(qualname) if index else ())
    )


def _only_declared(index: Index | None, qualname: str, member: str) -> bool:
    """Whether a type only asks for a member and does not give it."""
    found = index.by_qualname.get(f"{qualname}.{member}", ()) if index else ()
    return bool(found) and all(one.is_abstract for one in found)
