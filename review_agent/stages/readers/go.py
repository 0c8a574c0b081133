"""Names, packages and types of Go."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from posixpath import basename, dirname

from review_agent.stages.evidence_gather import Found
from review_agent.stages.evidence_view import View
from review_agent.stages.readers.base import Names, Owner
from review_agent.stages.readers.facts import definition_fact, definition_found, implementer_found, one_place
from review_agent.syntax.resolution_definitions import Defined, go_defined, go_types
from review_agent.syntax.resolution_go import Go
from review_agent.syntax.resolution_packages import Packages
from review_agent.syntax.resolution_world import Target, Value
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import ImplementerFact, Resolution

__all__ = ["GoReader"]

# With fewer members in common than this, two Go types have the same methods by chance (``Close``, ``String``).
_TELLING = 2


class GoReader:
    levels = 0

    def __init__(self, view: View) -> None:
        self.view, self.names = view, Go(view)

    def defined(self, path: str, scope: str, name: str) -> Defined:
        return go_defined(self.names, path, scope, name)

    def types(self, path: str, scope: str, name: str) -> Defined:
        return go_types(self.names, path, scope, name)

    def home_file(self, place: str, qualname: str, home: str) -> str:
        """Go's places are packages, of which the home file is preferred."""
        paths = [one.path for one in self.names.packages.declared(place, qualname)]
        return home if home in paths or not paths else paths[0]

    def definitions(self, defined: Defined) -> list[Found]:
        return _definitions(self.view, self.names, defined.places)

    def module(self, value: Value, asked: str) -> tuple[Names, str]:
        packages = self.names.packages
        files = [one for one in packages.package_files(value.path) if not in_test(one)]
        return _package(self.view, packages, value.path), files[0] if files else ""

    def outside_owner(self, path: str, scope: str, name: str) -> str | None:
        return None

    def owner_words(self, owner: Owner) -> Collection[str]:
        """Each type behind an interface declares its other members too."""
        wanted, _ = self.names.method_set(owner.value.path, owner.value.qualname)
        return sorted(wanted - {owner.member}) or sorted(wanted)

    def implementers(self, owner: Owner, path: str) -> Iterable[Found]:
        return _implementers(self.view, self.names, owner, path)

    @staticmethod
    def declares(words: Iterable[str]) -> re.Pattern[str]:
        """Finds the types that a file declares one of these methods on."""
        listed = "|".join(re.escape(one) for one in sorted(words))
        return re.compile(rf"^func\s*\(\s*(?:\w+\s+)?\*?\s*(\w+)[^)]*\)\s*(?:{listed})\s*\(", re.MULTILINE)

    @staticmethod
    def mentions(target: Target) -> re.Pattern[str]:
        folder = re.escape(basename(dirname(target.path)) or " ")
        return re.compile(rf'^[ \t]*(?:import[ \t]+)?(?:\w+[ \t]+)?"[^"\n]*\b{folder}"', re.MULTILINE)


def _definitions(view: View, names: Go, values: Sequence[Value]) -> list[Found]:
    """Every declaration of Go values; ambiguous where a package has several or there may be others."""
    found = []
    for value in values:
        declared = names.packages.declared(value.path, value.qualname)
        sure = value.sure and one_place(values) and len({one.symbol.params for one in declared}) == 1
        resolution = Resolution.RESOLVED if sure else Resolution.AMBIGUOUS
        for one in declared:
            index = view.index(one.path)
            whole = names.method_set(value.path, value.qualname)[1] if one.symbol.kind == "struct" else True
            if index:
                fact = definition_fact(index, one.symbol, resolution, value.why, one.symbol.bases, closed=whole)
                found.append(definition_found(one.path, one.symbol, fact))
    return found


def _package(view: View, packages: Packages, folder: str) -> Names:
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


def _implementers(view: View, names: Go, owner: Owner, path: str) -> Iterator[Found]:
    """Types declared in one file whose package gives them all other members of the interface."""
    wanted, _ = names.method_set(owner.value.path, owner.value.qualname)
    others = wanted - {owner.member}
    home = names.packages.home(path)
    index = view.index(path)
    for name in dict.fromkeys(GoReader.declares(others or wanted).findall(view.text(path) or "")):
        has, whole = names.method_set(home, name)
        declared = [one for one in names.packages.declared(home, name) if one.symbol.kind != "interface"]
        if index and declared and others <= has:
            one = declared[0]
            yield implementer_found(one.path, one.symbol, _satisfies(names, owner, home, name, others, has, whole))


def _satisfies(
    names: Go, owner: Owner, home: str, name: str, others: frozenset[str], has: frozenset[str], whole: bool
) -> ImplementerFact:
    alike = all(_same_shape(names, owner, home, name, member) for member in others)
    sure = alike and len(others) >= _TELLING
    listed = ", ".join(f"`{one}`" for one in sorted(others)[:4])
    return ImplementerFact(
        resolution=Resolution.RESOLVED if sure else Resolution.AMBIGUOUS,
        reason=f"it has the other members {listed}" if others else f"`{owner.name}` has no other member to know it by",
        type_name=name,
        has_member=owner.member in has,
        closed=whole,
    )


def _same_shape(names: Go, owner: Owner, home: str, name: str, member: str) -> bool:
    """Whether a method takes and gives as many values as the interface's member does."""
    asked = names.packages.declared(owner.value.path, f"{owner.value.qualname}.{member}")
    given = names.packages.declared(home, f"{name}.{member}")
    shapes = {(len(one.symbol.params), len(one.symbol.results)) for one in asked}
    # A promoted or embedded member is declared elsewhere: nothing to compare.
    return not given or not asked or any((len(one.symbol.params), len(one.symbol.results)) in shapes for one in given)
