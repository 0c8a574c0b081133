"""Which symbol of the new side each symbol of the old side became: same name in the same place, or a rename."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

from review_agent.syntax.edits.frame import Frame, words
from review_agent.syntax.matching import Matcher
from review_agent.syntax.model import Outline, Symbol
from review_agent.vocabulary import Side

__all__ = ["CALLABLES", "CLASSES", "VALUES", "Scopes", "by_scope"]

CALLABLES = frozenset({"function", "method"})
CLASSES = frozenset({"class", "interface", "struct", "type"})
VALUES = frozenset({"constant", "variable", "field"})
ALIKE = 0.6
LONGEST = 400

F = TypeVar("F")


class Scopes:
    """Pairs of old and new symbols, and what is left on each side.

    ``pairs``: same name, or moved within the file; ``renamed``: another name; ``removed`` and ``added``: no partner
    (without the members of what has none). ``new_of`` and ``old_of`` map qualified names, "" to "".
    """

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.pairs: list[tuple[Symbol, Symbol]] = []
        self.renamed: list[tuple[Symbol, Symbol]] = []
        self.removed: list[Symbol] = []
        self.added: list[Symbol] = []
        self.new_of: dict[str, str] = {"": ""}
        self.old_of: dict[str, str] = {"": ""}
        self._old, self._new = _children(frame.old_outline), _children(frame.new_outline)
        self._match("", "")
        self._match_foreign()

    def _match_foreign(self) -> None:
        """Members of types that this file does not define: Go methods in another file than their type."""
        for prefix in [*self._old, *self._new]:
            if prefix not in self.new_of and prefix not in self.old_symbols and prefix not in self.new_symbols:
                self._match(prefix, prefix)

    def _match(self, old_scope: str, new_scope: str) -> None:
        self.new_of[old_scope], self.old_of[new_scope] = new_scope, old_scope
        old, new = self._old.get(old_scope, []), self._new.get(new_scope, [])
        old_names, new_names = {one.name for one in old}, {one.name for one in new}
        matched = list(_same_names(old, new))
        gone = [one for one in old if one.name not in new_names and self._stands_alone(one)]
        come = [one for one in new if one.name not in old_names and self._stands_alone(one)]
        renamed = _renames(self.frame, gone, come)
        self.pairs += matched
        self.renamed += renamed
        taken = {id(one) for pair in renamed for one in pair}
        self.removed += [one for one in gone if id(one) not in taken]
        self.added += [one for one in come if id(one) not in taken]
        for before, after in [*matched, *renamed]:
            if before.qualname not in self.new_of:
                self._match(before.qualname, after.qualname)

    def _stands_alone(self, symbol: Symbol) -> bool:
        """A key of an object that is written out is part of that value; a function there is one like any other."""
        return symbol.kind in CALLABLES or self._owners.get(symbol.qualname.rpartition(".")[0]) not in VALUES

    @cached_property
    def _owners(self) -> Mapping[str, str]:
        """Kind of every symbol of both sides by its qualified name."""
        return {one.qualname: one.kind for side in (self._old, self._new) for found in side.values() for one in found}

    def added_within(self) -> Iterator[Symbol]:
        """Symbols that the change adds, with the members of what is new."""
        tops = {one.qualname for one in self.added}
        for one in self.frame.new_outline.symbols:
            if any(one.qualname == top or one.qualname.startswith(f"{top}.") for top in tops):
                yield one

    @cached_property
    def new_symbols(self) -> Mapping[str, Symbol]:
        """By qualified name; of several with one name, the last."""
        return {one.qualname: one for one in self.frame.new_outline.symbols}

    @cached_property
    def old_symbols(self) -> Mapping[str, Symbol]:
        return {one.qualname: one for one in self.frame.old_outline.symbols}

    def shared(self) -> Iterator[tuple[str, str]]:
        """Pairs of scopes that stand on both sides, in the order of the old side."""
        yield from self.new_of.items()

    def span(self, side: Side, scope: str) -> tuple[int, int]:
        """First and last line of a scope; the whole file for ""."""
        symbol = (self.old_symbols if side is Side.OLD else self.new_symbols).get(scope)
        if symbol is not None:
            return symbol.start, symbol.end
        return 1, len(self.frame.old_lines if side is Side.OLD else self.frame.new_lines)

    def kind(self, scope: str) -> str:
        """Kind of the new symbol of that name, "" where there is none."""
        symbol = self.new_symbols.get(scope) or self.old_symbols.get(scope)
        return symbol.kind if symbol else ""

    def is_local(self, symbol: Symbol) -> bool:
        """Whether it is defined inside a function, out of other files' reach."""
        parent = symbol.qualname.rpartition(".")[0]
        while parent:
            if self.kind(parent) in CALLABLES:
                return True
            parent = parent.rpartition(".")[0]
        return False

    def function(self, scope: str) -> str:
        """The scope where it is a function or method, else ""."""
        return scope if self.kind(scope) in CALLABLES else ""

    def renames(self, old_scope: str, new_scope: str) -> Mapping[str, str]:
        """Names that were renamed: bound in both scopes, the old one gone, the new one in its place."""
        if (old_scope, new_scope) not in self._renames:
            self._renames[old_scope, new_scope] = self._find_renames(old_scope, new_scope)
        return self._renames[old_scope, new_scope]

    @cached_property
    def _renames(self) -> dict[tuple[str, str], Mapping[str, str]]:
        return {}

    def _find_renames(self, old_scope: str, new_scope: str) -> Mapping[str, str]:
        old, new = self.span(Side.OLD, old_scope), self.span(Side.NEW, new_scope)
        votes = self._votes(old, new)
        found = {before.name: after.name for before, after in self.renamed}
        if not votes:
            return found
        old_words = set(words(self.frame.text(Side.OLD, *old)))
        new_words = set(words(self.frame.text(Side.NEW, *new)))
        bound_old, bound_new = self._bound(Side.OLD, old_scope), self._bound(Side.NEW, new_scope)
        for before, after in votes:
            gone = before in bound_old - new_words and after in bound_new - old_words
            if gone and all(before not in pair or pair == (before, after) for pair in votes):
                found[before] = after
        return found

    def _votes(self, old: tuple[int, int], new: tuple[int, int]) -> Counter[tuple[str, str]]:
        """Words that stand in each other's place in the changed lines of a scope."""
        votes: Counter[tuple[str, str]] = Counter()
        for run in self.frame.runs:
            old_lines = [line for line in run.old if old[0] <= line <= old[1]]
            new_lines = [line for line in run.new if new[0] <= line <= new[1]]
            if old_lines and new_lines:
                votes.update(_aligned(self._words(Side.OLD, old_lines), self._words(Side.NEW, new_lines)))
        return votes

    def _words(self, side: Side, lines: Sequence[int]) -> list[str]:
        return words(self.frame.text(side, lines[0], lines[-1]))[:LONGEST]

    def _bound(self, side: Side, scope: str) -> set[str]:
        outline = self.frame.old_outline if side is Side.OLD else self.frame.new_outline
        symbol = (self.old_symbols if side is Side.OLD else self.new_symbols).get(scope)
        names = {param.name for param in symbol.params} if symbol else set()
        for assign in outline.assigns:
            if assign.scope == scope:
                names.update(target.rpartition(".")[2] for target in assign.targets)
        names.update(handler.binds for handler in outline.handlers if handler.scope == scope)
        return names


def by_scope(facts: Iterable[F]) -> Mapping[str, list[F]]:
    """Facts in order, grouped by their scope."""
    groups: dict[str, list[F]] = defaultdict(list)
    for fact in facts:
        groups[fact.scope].append(fact)  # type: ignore[attr-defined]
    return groups


def _children(outline: Outline) -> Mapping[str, list[Symbol]]:
    """Symbols by the qualified name they stand under, in the order of the file."""
    children: dict[str, list[Symbol]] = defaultdict(list)
    for symbol in sorted(outline.symbols, key=lambda one: one.start):
        children[symbol.qualname.rpartition(".")[0]].append(symbol)
    return children


def _same_names(old: Sequence[Symbol], new: Sequence[Symbol]) -> Iterator[tuple[Symbol, Symbol]]:
    """Symbols of one name in pairs; where a name is defined several times, counted from the last definition."""
    candidates: dict[str, list[Symbol]] = defaultdict(list)
    for one in new:
        candidates[one.name].append(one)
    pairs = [(one, candidates[one.name].pop()) for one in reversed(old) if candidates[one.name]]
    yield from reversed(pairs)


def _renames(frame: Frame, gone: Sequence[Symbol], come: Sequence[Symbol]) -> list[tuple[Symbol, Symbol]]:
    """The best pairs of what is gone and what has come, each used once."""
    scored = [
        (score, -i, -j)
        for i, old in enumerate(gone)
        for j, new in enumerate(come)
        if (score := _likeness(frame, old, new)) >= ALIKE
    ]
    pairs: dict[int, int] = {}
    for _, i, j in sorted(scored, reverse=True):
        if -i not in pairs and -j not in pairs.values():
            pairs[-i] = -j
    return [(gone[i], come[j]) for i, j in sorted(pairs.items())]


def _likeness(frame: Frame, old: Symbol, new: Symbol) -> float:
    """0 to 1: how likely the new symbol is the old one under another name."""
    if old.name_line not in frame.old or new.name_line not in frame.new:
        return 0.0
    if not _same_sort(old.kind, new.kind):
        return 0.0
    together = _together(frame, old, new)
    if old.kind in VALUES:
        return _value_likeness(old, new) if together else 0.0
    if old.is_abstract or new.is_abstract:
        return _value_likeness(old, new) if together and _types(old) == _types(new) else 0.0
    small = old.end - old.start < 3
    if old.body == new.body and (together or not small):
        return 1.0
    same_run = frame.run_of(Side.OLD, old.name_line) is frame.run_of(Side.NEW, new.name_line)
    likeness = _text_likeness(_body(frame, Side.OLD, old), _body(frame, Side.NEW, new))
    return likeness if together and (same_run or likeness > 0.8) else 0.0


def _types(symbol: Symbol) -> tuple[str, ...]:
    return tuple(param.type or param.name for param in symbol.params)


def _same_sort(old: str, new: str) -> bool:
    return any(old in sort and new in sort for sort in (CALLABLES, CLASSES, VALUES))


def _together(frame: Frame, old: Symbol, new: Symbol) -> bool:
    """Whether both names stand in the same hunk."""
    return frame.old[old.name_line] == frame.new[new.name_line]


def _value_likeness(old: Symbol, new: Symbol) -> float:
    names = Matcher(old.name.casefold(), new.name.casefold()).ratio()
    if old.value == new.value and old.results == new.results:
        return 0.6 + 0.4 * names if names > 0.4 else 0.0
    return names if names > 0.7 else 0.0


def _body(frame: Frame, side: Side, symbol: Symbol) -> tuple[str, ...]:
    text = frame.text(side, symbol.header_end + 1, min(symbol.end, symbol.header_end + LONGEST))
    return tuple(stripped for line in text.splitlines() if (stripped := line.strip()))


def _text_likeness(old: Sequence[str], new: Sequence[str]) -> float:
    return Matcher(old, new).ratio() if old and new else 0.0


def _aligned(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, str]]:
    matcher = Matcher(old, new)
    for tag, i, j, k, m in matcher.get_opcodes():
        if tag == "replace" and j - i == m - k:
            yield from zip(old[i:j], new[k:m], strict=True)
