"""Edits of what a function gives back: its declared type, or the kind of container that its returns make."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from review_agent.syntax.edits.frame import Frame, Sighting
from review_agent.syntax.edits.scopes import CALLABLES, Scopes, by_scope
from review_agent.syntax.model import Assign, Return, Symbol
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["container_of", "find"]

_CONTAINERS = (
    ("generator", re.compile(r"^\((?>.+? for .)(?>.*? in .).*\)$|^(?:map|filter|zip|iter|reversed)\(")),
    ("tuple", re.compile(r"^tuple\(|^(?>\(.*?,).*\)$|^\(\)$")),
    (
        "frozen set",
        re.compile(r"^frozenset\(|^(?:Set\.of|Set\.copyOf|Collections\.unmodifiableSet|ImmutableSet\.\w+)\("),
    ),
    (
        "frozen list",
        re.compile(
            r"^(?:List\.of|List\.copyOf|Collections\.(?:unmodifiableList|emptyList|singletonList)|ImmutableList\.\w+|Arrays\.asList)\(|\.toList\(\)$|^Object\.freeze\("
        ),
    ),
    (
        "frozen map",
        re.compile(
            r"^(?:Map\.of|Map\.copyOf|Collections\.(?:unmodifiableMap|emptyMap)|MappingProxyType|types\.MappingProxyType)\("
        ),
    ),
    ("view", re.compile(r"\.(?:keys|values|items|entries)\(\)$")),
    ("set", re.compile(r"^set\(|^new (?:Hash|LinkedHash|Tree)?Set\b|^\{[^:]+\}$")),
    ("dict", re.compile(r"^dict\(|^(?>\{.*?:).*\}$|^\{\}$|^new (?:\w*Map)\b")),
    (
        "list",
        re.compile(
            r"^\[|^list\(|^sorted\(|^new (?:\w*List)\b|Collectors\.toList\(\)\)$|^append\(|^\[\]\w+\{|"
            r"^(?>.*?\.(?:map|filter|slice)\().*\)$|^Array\.from\("
        ),
    ),
)

# What only a list that can be changed lets a function do to it.
_CHANGES_LIST = re.compile(
    r"^\s*(\w+)\.(?:append|extend|insert|addAll|removeIf|sort|push|unshift|splice|addFirst|addLast|replaceAll)\("
)


def container_of(text: str) -> str:
    """The kind of container that an expression makes, "" where it does not tell."""
    folded = " ".join(text.split())
    return next((name for name, shape in _CONTAINERS if shape.search(folded)), "")


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """result_type_changed and result_container_changed."""
    old, new = by_scope(frame.old_outline.returns), by_scope(frame.new_outline.returns)
    for before, after in scopes.pairs:
        if before.kind in CALLABLES and after.kind in CALLABLES:
            yield from _typed(frame, before, after)
            yield from _made(frame, before, after, old.get(before.qualname, []), new.get(after.qualname, []))


def _typed(frame: Frame, before: Symbol, after: Symbol) -> Iterator[Sighting]:
    was, now = (", ".join(one.results) for one in (before, after))
    spot = frame.spot(
        (Side.NEW, (after.name_line, after.header_end)), (Side.OLD, (before.name_line, before.header_end))
    )
    if was and now and was != now and spot is not None and len(before.results) == len(after.results):
        facts: dict[str, FactValue] = {"function": after.qualname, "symbolKind": after.kind}
        yield Sighting(EditOp.RESULT_TYPE_CHANGED, spot, after.qualname, after.name, was, now, facts)


def _made(
    frame: Frame, before: Symbol, after: Symbol, old: Sequence[Return], new: Sequence[Return]
) -> Iterator[Sighting]:
    was, now = _container(frame, Side.OLD, before, old), _container(frame, Side.NEW, after, new)
    touched = [one for one in new if frame.touches(Side.NEW, one.start, one.end)]
    spot = frame.spot(*((Side.NEW, (one.start, one.end)) for one in touched), (Side.NEW, (after.start, after.end)))
    if was and now and was != now and spot is not None:
        facts: dict[str, FactValue] = {"function": after.qualname, "symbolKind": after.kind}
        yield Sighting(EditOp.RESULT_CONTAINER_CHANGED, spot, after.qualname, after.name, was, now, facts)


def _container(frame: Frame, side: Side, symbol: Symbol, returns: Sequence[Return]) -> str:
    """The one container that all ways give; a function that yields gives a generator."""
    text = frame.text(side, symbol.header_end + 1, symbol.end)
    if frame.language == "python" and re.search(r"^\s*(?:\w+ = )?yield\b", text, re.MULTILINE):
        return "generator"
    values = _Values(frame, side, symbol)
    first = values.of(returns[0]) if returns else ""
    return first if first and all(values.of(one) == first for one in returns) else ""


class _Values:
    """What the returns of one function give; each text and each name is looked into once, however often it returns."""

    def __init__(self, frame: Frame, side: Side, symbol: Symbol) -> None:
        self.frame, self.side, self.symbol = frame, side, symbol
        self.outline = frame.old_outline if side is Side.OLD else frame.new_outline
        self._statements: dict[tuple[int, int], str] = {}
        self._kinds: dict[str, str] = {}
        self._first_set: dict[str, Mapping[str, int]] = {}

    def of(self, one: Return) -> str:
        """The kind of container that one return gives, "" where that is not told."""
        given = self._statement(one.start, one.end) or _bare(one.text)
        if given not in self._kinds:
            self._kinds[given] = container_of(given)
        made = self._kinds[given]
        return made if made or not re.fullmatch(r"\w+", given) else self._named(given, one.start)

    def _statement(self, start: int, end: int) -> str:
        """What a return gives that has its lines to itself."""
        if (start, end) not in self._statements:
            whole = " ".join(self.frame.text(self.side, start, end).split())
            self._statements[start, end] = _bare(whole) if whole.startswith("return ") else ""
        return self._statements[start, end]

    def _named(self, name: str, line: int) -> str:
        """What a name was set to before a line, or shows to be by what is done to it."""
        if name not in self._first_set:
            self._first_set[name] = _first_lines(self.outline.sets_of(self.symbol.qualname, name))
        kinds = [kind for kind, first in self._first_set[name].items() if first < line]
        known = kinds[0] if len(kinds) == 1 else ""
        return known or ("list" if self._changed.get(name, line + 1) <= line else "")

    @cached_property
    def _changed(self) -> Mapping[str, int]:
        """By name, the first line of the function that does to it what only a list lets it do."""
        found: dict[str, int] = {}
        first = self.symbol.header_end + 1
        for number, line in enumerate(self.frame.lines(self.side, first, self.symbol.end), first):
            shown = _CHANGES_LIST.match(line)
            if shown is not None:
                found.setdefault(shown[1], number)
        return found


def _bare(text: str) -> str:
    return text.removeprefix("return").strip().rstrip(";")


def _first_lines(sets: Sequence[Assign]) -> Mapping[str, int]:
    """By kind of container, the first line that makes one."""
    found: dict[str, int] = {}
    for one in sets:
        kind = container_of(one.value)
        found[kind] = min(one.start, found.get(kind, one.start))
    return found
