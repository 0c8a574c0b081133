"""Names, packages and types of Java."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from review_agent.stages.evidence_gather import Found
from review_agent.stages.evidence_view import View
from review_agent.stages.readers.base import Names, Owner
from review_agent.stages.readers.facts import definition_fact, definition_found, implementer_found, one_place
from review_agent.syntax.model import Symbol
from review_agent.syntax.resolution_definitions import Defined
from review_agent.syntax.resolution_java import Java
from review_agent.syntax.resolution_java_definitions import java_defined, java_types
from review_agent.syntax.resolution_world import Target, Value
from review_agent.syntax.words import whole_name
from review_agent.vocabulary import DefinitionFact, ImplementerFact, Resolution

__all__ = ["JavaReader"]

_TYPES = ("class", "interface")
# What makes classes that no file of the commit holds.
_GENERATORS = re.compile(
    r"protobuf|antlr|jooq|openapi|swagger-codegen|avro|thrift|grpc|lombok|mapstruct|immutables|querydsl|auto-value|jaxb"
    r"|annotationProcessor|build-helper|generated-sources|kapt|dagger|cxf-codegen|wsimport|javacc|jflex"
)
_BUILDS = ("pom.xml", "build.gradle", "build.gradle.kts")


class JavaReader:
    levels = 3

    def __init__(self, view: View) -> None:
        self.view, self.names = view, Java(view)

    def defined(self, path: str, scope: str, name: str) -> Defined:
        return java_defined(self.names, path, scope, name)

    def types(self, path: str, scope: str, name: str) -> Defined:
        return java_types(self.names, path, scope, name)

    def home_file(self, place: str, qualname: str, home: str) -> str:
        return place

    def definitions(self, defined: Defined) -> list[Found]:
        return list(_definitions(self.view, self.names, defined.places))

    def module(self, value: Value, asked: str) -> tuple[Names, str]:
        files = [one for one in self.view.files(value.path) if one.endswith(".java")]
        return _package(self.view, files, value), files[0] if files else ""

    def outside_owner(self, path: str, scope: str, name: str) -> str | None:
        """A type as its import names it; what a file does not import by name may be anything."""
        values = self.names.expression(path, scope, name)
        return next((one.qualname for one in values if one.kind == "external" and "." in one.qualname), None)

    def owner_words(self, owner: Owner) -> Collection[str]:
        return ()

    def implementers(self, owner: Owner, path: str) -> Iterable[Found]:
        return _implementers(self.view, self.names, owner, path)

    @staticmethod
    def declares(words: Iterable[str]) -> re.Pattern[str]:
        """A line that names one of the words as a base, goes on with a list of bases, or opens an anonymous class."""
        listed = "|".join(whole_name(word) for word in words)
        return re.compile(
            rf"\b(?:extends|implements)\b.*(?:{listed})|\bnew\s+(?:\w+\.)*(?:{listed}).*\{{"
            rf"|^\s*(?:[\w.]+(?:<[^<>]*>)?\s*,\s*)*(?:\w+\.)*(?:{listed})(?:<.*>)?\s*(?:,.*|\{{)?\s*$"
        )

    @staticmethod
    def mentions(target: Target) -> re.Pattern[str]:
        owner = whole_name(target.scope.split(".")[0] or target.name)
        return re.compile(rf"^[ \t]*import\b.*{owner}", re.MULTILINE)


def _definitions(view: View, names: Java, values: Sequence[Value]) -> Iterator[Found]:
    """Every declaration of Java values: each overload is one; ambiguous where others may be meant."""
    for value in values:
        index = view.index(value.path)
        sure = value.sure and one_place(values)
        resolution = Resolution.RESOLVED if sure else Resolution.AMBIGUOUS
        for symbol in index.by_qualname.get(value.qualname, ()) if index else ():
            if symbol.kind == "method" or value.kind != "function":
                yield definition_found(value.path, symbol, _fact(view, names, value, symbol, resolution))


def _fact(view: View, names: Java, value: Value, symbol: Symbol, resolution: Resolution) -> DefinitionFact:
    index = view.index(value.path)
    assert index is not None
    if symbol.kind not in _TYPES:
        return definition_fact(index, symbol, resolution, value.why, symbol.bases, closed=True)
    lineage = list(names.lineage(value.path, symbol.qualname))
    above = [base for _, at, qualname in lineage[1:] for base in _bases_of(view, at, qualname)]
    closed = names.seen_whole(value.path, symbol.qualname)
    return definition_fact(index, symbol, resolution, value.why, (*symbol.bases, *above), closed=closed)


def _bases_of(view: View, path: str, qualname: str) -> tuple[str, ...]:
    index = view.index(path) if path else None
    return tuple(base for symbol in (index.types(qualname) if index else ()) for base in symbol.bases)


def _package(view: View, files: Sequence[str], value: Value) -> Names:
    """The types of a package, by the names of its files and by what those declare besides."""
    names: list[str] = []
    closed = value.sure
    for path in files:
        index = view.index(path)
        closed = closed and index is not None and not index.outline.errors
        names += [one.name for one in index.outline.symbols if not one.scope] if index else []
    builds = [view.text(one) or "" for name in _BUILDS for one in view.ending(name)]
    return Names(tuple(dict.fromkeys(names)), closed and not any(_GENERATORS.search(text) for text in builds))


def _implementers(view: View, names: Java, owner: Owner, path: str) -> Iterator[Found]:
    """Types of one file that have the owner among their bases, near or far."""
    index = view.index(path)
    for symbol in index.outline.symbols if index else ():
        if symbol.kind in _TYPES and (path, symbol.qualname) != (owner.value.path, owner.value.qualname):
            fact = _below(names, owner, path, symbol)
            if fact is not None:
                yield implementer_found(path, symbol, fact)


def _below(names: Java, owner: Owner, path: str, symbol: Symbol) -> ImplementerFact | None:
    line = list(names.lineage(path, symbol.qualname))
    if owner.value.kind == "external":
        mentioned = any(owner.name in _external(names, at, qualname) for kind, at, qualname in line if kind == "class")
    else:
        mentioned = ("class", owner.value.path, owner.value.qualname) in line
    if not mentioned:
        return None
    between = [one for one in line if one[1:] != (owner.value.path, owner.value.qualname) and one[0] == "class"]
    # What an abstract type lacks, the types below it have.
    whole = not symbol.is_abstract and symbol.kind != "interface"
    return ImplementerFact(
        resolution=Resolution.RESOLVED,
        reason=f"`{owner.name}` is among its bases, line {symbol.name_line}",
        type_name=symbol.qualname,
        has_member=any(_has(names, at, qualname, owner.member) for _, at, qualname in between),
        closed=whole and names.seen_whole(path, symbol.qualname),
    )


def _external(names: Java, path: str, qualname: str) -> set[str]:
    index = names.index(path)
    bases = [(one.scope, base) for one in (index.types(qualname) if index else ()) for base in one.bases]
    values = [value for scope, base in bases for value in names.type_named(path, scope, base.split(".")[0])]
    return {value.qualname for value in values if value.kind == "external"}


def _has(names: Java, path: str, qualname: str, member: str) -> bool:
    """Whether a type has a body for a member: an interface's own abstract one is none."""
    index = names.index(path)
    declared = index.by_qualname.get(f"{qualname}.{member}", ()) if index else ()
    return any(not one.is_abstract for one in declared)
