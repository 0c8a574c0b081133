"""Edits of what a function raises, or in Go returns as its error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from review_agent.syntax.edits.frame import Frame, Sighting, leftover
from review_agent.syntax.edits.hierarchy import Hierarchy
from review_agent.syntax.edits.scopes import Scopes, by_scope
from review_agent.syntax.model import Raise
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]

# Errors that no caller can tell by type or identity.
NAMELESS = frozenset({"", "errors.New", "fmt.Errorf", "errors.Errorf", "xerrors.Errorf", "errors.Wrap", "errors.Wrapf"})


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """raise_type_changed: the same failure of a function now comes as another type."""
    old, new = by_scope(frame.old_outline.raises), by_scope(frame.new_outline.raises)
    hierarchy = Hierarchy(frame.old_outline, frame.new_outline)
    for before, after in scopes.shared():
        pairs = _pairs(frame, scopes.renames(before, after), old.get(before, []), new.get(after, []))
        for one, other in pairs:
            if not _still_caught(hierarchy, one, other):
                yield from _changed(frame, scopes, after, one, other)


def _pairs(
    frame: Frame, names: Mapping[str, str], old: Sequence[Raise], new: Sequence[Raise]
) -> list[tuple[Raise, Raise]]:
    """Raises whose type went, with the one that came in the same run of changed lines, or the only one that came."""

    def key(one: Raise) -> str:
        return names.get(one.type, one.type)

    def gone_touched(one: Raise) -> bool:
        return frame.touches(Side.OLD, one.start, one.end)

    def come_touched(one: Raise) -> bool:
        return frame.touches(Side.NEW, one.start, one.end)

    gone = [one for one in leftover(old, new, key, gone_touched) if gone_touched(one)]
    come = [one for one in leftover(new, old, key, come_touched, key) if come_touched(one)]
    if len(gone) == 1 and len(come) == 1:
        return [(gone[0], come[0])]
    return [pair for run in frame.runs for pair in _within(run.old, run.new, gone, come)]


def _within(
    old_lines: Sequence[int], new_lines: Sequence[int], gone: Sequence[Raise], come: Sequence[Raise]
) -> list[tuple[Raise, Raise]]:
    olds = [one for one in gone if one.start in old_lines]
    news = [one for one in come if one.start in new_lines]
    return list(zip(olds, news, strict=True)) if len(olds) == len(news) else []


def _still_caught(hierarchy: Hierarchy, one: Raise, other: Raise) -> bool:
    """Whether a caller that expects the old type gets along with the new one, or could not tell the old one."""
    if one.type in NAMELESS or not other.type or one.type == other.type:
        return True
    return other.wraps == one.type or hierarchy.is_a(other.type, one.type)


def _changed(frame: Frame, scopes: Scopes, scope: str, one: Raise, other: Raise) -> Iterator[Sighting]:
    spot = frame.spot((Side.NEW, (other.start, other.end)), (Side.OLD, (one.start, one.end)))
    if spot is None:
        return
    facts: dict[str, FactValue] = {
        "beforeType": one.type,
        "afterType": other.type,
        "function": scopes.function(scope),
        "symbolKind": scopes.kind(scope),
    }
    yield Sighting(EditOp.RAISE_TYPE_CHANGED, spot, scope, one.type, one.text, other.text, facts)
