"""Edits of what a function gives back: its declared type, or the kind of container that its returns make."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from review_agent.syntax.edits.frame import Frame, Sighting
from review_agent.syntax.edits.scopes import CALLABLES, Scopes, by_scope
from review_agent.syntax.model import Return, Symbol
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["container_of", "find"]

_CONTAINERS = (
    ("generator", re.compile(r"^\((?!.*,$).+ for .+ in .+\)$|^(?:map|filter|zip|iter|reversed)\(")),
    ("tuple", re.compile(r"^tuple\(|^\(.*,.*\)$|^\(\)$")),
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
    ("dict", re.compile(r"^dict\(|^\{.*:.*\}$|^\{\}$|^new (?:\w*Map)\b")),
    (
        "list",
        re.compile(
            r"^\[|^list\(|^sorted\(|^new (?:\w*List)\b|Collectors\.toList\(\)\)$|^append\(|^\[\]\w+\{|"
            r"\.(?:map|filter|slice)\(.*\)$|^Array\.from\("
        ),
    ),
)

# What only a list that can be changed lets a function do to it.
_CHANGES_LIST = r"(?:append|extend|insert|addAll|removeIf|sort|push|unshift|splice|addFirst|addLast|replaceAll)"


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
    found = {_value(frame, side, symbol, one) for one in returns}
    return found.pop() if len(found) == 1 else ""


def _value(frame: Frame, side: Side, symbol: Symbol, one: Return) -> str:
    whole = " ".join(frame.text(side, one.start, one.end).split())
    given = (whole if whole.startswith("return ") else one.text).removeprefix("return").strip().rstrip(";")
    made = container_of(given)
    if made or not re.fullmatch(r"\w+", given):
        return made
    outline = frame.old_outline if side is Side.OLD else frame.new_outline
    sets = [a for a in outline.assigns if a.scope == symbol.qualname and given in a.targets and a.start < one.start]
    kinds = {container_of(a.value) for a in sets}
    known = kinds.pop() if len(kinds) == 1 else ""
    body = frame.text(side, symbol.header_end + 1, one.start)
    return known or ("list" if re.search(rf"(?m)^\s*{given}\.{_CHANGES_LIST}\(", body) else "")
