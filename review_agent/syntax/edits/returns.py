"""Edits of what a function hands back: another shape on all paths, or a path that now returns nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from review_agent.syntax.edits.frame import Frame, Sighting, Spot
from review_agent.syntax.edits.scopes import CALLABLES, Scopes, by_scope
from review_agent.syntax.model import Return, Symbol
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]

# A longer tuple is a table: it is iterated over, not unpacked.
MOST_UNPACKED = 8
# Types whose values are no tuples, whatever expression gives them.
SINGLE = re.compile(
    r"^(?:int|float|str|bool|bytes|complex|Decimal|Fraction|date|datetime|timedelta|UUID|Path|dict\b.*)$"
)
NIL_FREE = re.compile(
    r"error$|\[|chan\b|any$|interface|u?int\d*$|float\d+$|string$|bool$|byte$|rune$|uintptr$|complex\d+$"
)


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """return_shape_changed and none_return_added of functions that stand on both sides."""
    old_returns, new_returns = by_scope(frame.old_outline.returns), by_scope(frame.new_outline.returns)
    for old, new in [*scopes.pairs, *scopes.renamed]:
        if old.kind in CALLABLES and new.kind in CALLABLES and _touched(frame, old, new):
            before, after = old_returns.get(old.qualname, []), new_returns.get(new.qualname, [])
            compare = _go if frame.language == "go" else _python
            yield from compare(frame, scopes, (old, before), (new, after))


def _touched(frame: Frame, old: Symbol, new: Symbol) -> bool:
    return frame.touches(Side.OLD, old.start, old.end) or frame.touches(Side.NEW, new.start, new.end)


Side_ = tuple[Symbol, list[Return]]


def _python(frame: Frame, scopes: Scopes, old: Side_, new: Side_) -> Iterator[Sighting]:
    if old[0].is_async != new[0].is_async or _yields(frame, Side.OLD, old[0]) or _yields(frame, Side.NEW, new[0]):
        return
    before, after = _shapes(old[1]), _shapes(new[1])
    values_before, values_after = before - {"none"}, after - {"none"}
    if len(values_before) == 1 and not values_after and "none" not in before and _has_body(frame, new[0]):
        yield from _shape_changed(frame, old, new, min(values_before), "none")
    elif len(values_before) == 1 and len(values_after) == 1 and _differs(frame, scopes, old, new):
        yield from _shape_changed(frame, old, new, min(values_before), min(values_after))
    if values_before and values_after and "none" not in before and "none" in after:
        shape = min(values_before) if len(values_before) == 1 else "other"
        yield from _none_added(frame, old, new, [one for one in new[1] if one.shape == "none"], shape)


def _shapes(returns: Sequence[Return]) -> set[str]:
    return {one.shape for one in returns}


def _yields(frame: Frame, side: Side, symbol: Symbol) -> bool:
    return re.search(r"\byield\b", frame.text(side, symbol.start, symbol.end)) is not None


def _has_body(frame: Frame, symbol: Symbol) -> bool:
    """Not a stub: its last line is more than ``...``, ``pass``, a docstring or a raise."""
    last = frame.text(Side.NEW, symbol.end, symbol.end).strip()
    ends_by_raise = any(one.scope == symbol.qualname for one in frame.new_outline.raises)
    return not symbol.is_abstract and not ends_by_raise and last not in {"...", "pass"} and not last.endswith('"""')


def _differs(frame: Frame, scopes: Scopes, old: Side_, new: Side_) -> bool:
    """Whether the two shapes cannot hold the same value: names are followed to what they were assigned."""
    before, after = _known(frame, Side.OLD, old) or _declared(old[0]), _known(frame, Side.NEW, new)
    if before is None or after is None or before == after:
        return False
    if all(shape.startswith("tuple:") and int(shape[6:]) > MOST_UNPACKED for shape in (before, after)):
        return False
    return before.startswith("tuple") or after.startswith("tuple") or not {before, after} & {"name", "literal", "none"}


def _declared(symbol: Symbol) -> str | None:
    """The shape that a declared result has where it is a single value of a known kind, null where it says nothing."""
    return "other" if len(symbol.results) == 1 and SINGLE.match(symbol.results[0]) else None


def _known(frame: Frame, side: Side, one: Side_) -> str | None:
    """The shape of all values a function returns, null where it cannot be told."""
    outline = frame.old_outline if side is Side.OLD else frame.new_outline
    shapes = set()
    for value in one[1]:
        if value.shape == "none":
            continue
        if value.shape in ("call", "other"):
            return None
        if value.shape == "name" and any(_gives(a.targets, a.scope, value) for a in outline.assigns):
            return None
        shapes.add(value.shape)
    return shapes.pop() if len(shapes) == 1 else None


def _gives(targets: Sequence[str], scope: str, value: Return) -> bool:
    """Whether an assignment sets the name that is returned."""
    return scope == value.scope and value.text.removeprefix("return").strip() in targets


def _shape_changed(frame: Frame, old: Side_, new: Side_, before: str, after: str) -> Iterator[Sighting]:
    wanted = [(Side.NEW, (one.start, one.end)) for one in new[1] if one.shape == after]
    wanted += [(Side.OLD, (one.start, one.end)) for one in old[1] if one.shape == before]
    spot = frame.spot(*wanted)
    if spot is not None:
        yield _sight(EditOp.RETURN_SHAPE_CHANGED, spot, old, new, {"beforeShape": before, "afterShape": after})


def _none_added(frame: Frame, old: Side_, new: Side_, nones: Sequence[Return], before: str) -> Iterator[Sighting]:
    wanted = [(Side.NEW, (one.start, one.end)) for one in nones]
    wanted += [(Side.OLD, (one.start, one.end)) for one in old[1]]
    spot = frame.spot(*wanted, (Side.OLD, (old[0].header_end + 1, old[0].end)))
    if spot is not None:
        yield _sight(EditOp.NONE_RETURN_ADDED, spot, old, new, {"beforeShape": before})


def _sight(op: EditOp, spot: Spot, old: Side_, new: Side_, facts: dict[str, FactValue]) -> Sighting:
    symbol = new[0]
    shown = {"function": symbol.qualname, "symbolKind": symbol.kind} if op is EditOp.RETURN_SHAPE_CHANGED else {}
    named: dict[str, FactValue] = {"function": symbol.qualname, "symbolKind": symbol.kind, **shown, **facts}
    return Sighting(op, spot, symbol.qualname, symbol.name, _texts(old[1]), _texts(new[1]), named)


def _texts(returns: Sequence[Return]) -> str | None:
    texts = list(dict.fromkeys(one.text or one.shape for one in returns))
    return " | ".join(texts)[:200] or None


def _go(frame: Frame, scopes: Scopes, old: Side_, new: Side_) -> Iterator[Sighting]:
    """Go's signature tells the shape; a nil result without an error is the path that returns nothing."""
    before, after = len(old[0].results), len(new[0].results)
    if before != after:
        yield from _results_changed(frame, old, new, _go_shape(before), _go_shape(after))
    elif _may_be_nil(new[0].results):
        count = sum(1 for one in old[1] if _is_nil(one))
        nones = [one for one in new[1] if _is_nil(one)]
        added = [one for one in nones if frame.touches(Side.NEW, one.start, one.end)]
        if added and count == 0:
            yield from _none_added(frame, old, new, added, _go_shape(before))


def _go_shape(results: int) -> str:
    return "none" if results == 0 else "other" if results == 1 else f"tuple:{results}"


def _results_changed(frame: Frame, old: Side_, new: Side_, before: str, after: str) -> Iterator[Sighting]:
    headers = [(Side.NEW, (new[0].name_line, new[0].header_end)), (Side.OLD, (old[0].name_line, old[0].header_end))]
    spot = frame.spot(*headers)
    if spot is not None and before != "none":
        yield _sight(EditOp.RETURN_SHAPE_CHANGED, spot, old, new, {"beforeShape": before, "afterShape": after})


def _may_be_nil(results: Sequence[str]) -> bool:
    """``(*T)`` or ``(*T, error)``, or a named type in its place: nil there is a value that callers may dereference."""
    if not results or len(results) > 2 or (len(results) == 2 and results[1].split()[-1] != "error"):
        return False
    return not NIL_FREE.search(results[0].split()[-1]) and (results[0].startswith("*") or len(results) == 2)


def _is_nil(one: Return) -> bool:
    text = one.text.removeprefix("return").replace(" ", "")
    return text in ("nil", "nil,nil")
