"""Types below a class or behind an interface, and whether they have the member asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from review_agent.stages.evidence_gather import Found
from review_agent.stages.evidence_view import View, in_test
from review_agent.syntax.model import Symbol
from review_agent.syntax.resolution_go import Go
from review_agent.syntax.resolution_python import Python
from review_agent.syntax.resolution_world import Value
from review_agent.vocabulary import ImplementerFact, Resolution

__all__ = ["Owner", "go_implementers", "go_member_pattern", "python_implementers"]

# With fewer members in common than this, two Go types have the same methods by chance (``Close``, ``String``).
_TELLING = 2


@dataclass(frozen=True)
class Owner:
    """The class or interface asked for (``value`` external for one of other code), and the member of interest."""

    value: Value
    member: str

    @property
    def name(self) -> str:
        return self.value.qualname


def python_implementers(view: View, names: Python, owner: Owner, path: str) -> list[Found]:
    """Classes of one file that have the owner among their bases, near or far."""
    index = view.index(path)
    found = []
    for symbol in index.outline.symbols if index else ():
        if symbol.kind == "class" and (path, symbol.qualname) != (owner.value.path, owner.value.qualname):
            fact = _below(names, owner, path, symbol)
            if fact is not None:
                found.append(_found(path, symbol, fact))
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


def go_member_pattern(members: Iterable[str]) -> re.Pattern[str]:
    """Finds the types that a Go file declares one of these methods on."""
    words = "|".join(re.escape(one) for one in sorted(members))
    return re.compile(rf"^func\s*\(\s*(?:\w+\s+)?\*?\s*(\w+)[^)]*\)\s*(?:{words})\s*\(", re.MULTILINE)


def go_implementers(view: View, names: Go, owner: Owner, path: str) -> Iterator[Found]:
    """Types declared in one file whose package gives them all other members of the interface."""
    wanted, _ = names.method_set(owner.value.path, owner.value.qualname)
    others = wanted - {owner.member}
    home = names.packages.home(path)
    index = view.index(path)
    for name in dict.fromkeys(go_member_pattern(others or wanted).findall(view.text(path) or "")):
        has, whole = names.method_set(home, name)
        declared = [one for one in names.packages.declared(home, name) if one.symbol.kind != "interface"]
        if index and declared and others <= has:
            one = declared[0]
            yield _found(one.path, one.symbol, _satisfies(names, owner, home, name, others, has, whole))


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


def _found(path: str, symbol: Symbol, fact: ImplementerFact) -> Found:
    return Found(path, symbol.start, max(symbol.header_end, symbol.name_line), (fact,), in_test(path))
