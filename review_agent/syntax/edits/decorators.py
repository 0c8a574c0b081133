"""Edits of decorators, annotations and modifiers of a symbol that stayed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from review_agent.syntax.edits.frame import Frame, Sighting
from review_agent.syntax.edits.scopes import Scopes
from review_agent.syntax.model import Symbol
from review_agent.syntax.surroundings import following
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]

# Modifiers that change what a member does, not only who may name it.
TELLING = frozenset({"synchronized", "volatile", "transient", "static", "final", "readonly", "native"})


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """decorator_removed, decorator_added and decorator_changed."""
    for old, new in [*scopes.pairs, *scopes.renamed]:
        before, after = _words(old), _words(new)
        gone = [one for one in before if one not in after]
        come = [one for one in after if one not in before]
        for one in gone:
            other = next((text for text in come if _name(text) == _name(one)), None)
            if other is not None:
                come.remove(other)
                yield from _sight(frame, EditOp.DECORATOR_CHANGED, old, new, one, other)
            else:
                yield from _sight(frame, EditOp.DECORATOR_REMOVED, old, new, one, None)
        for one in come:
            yield from _sight(frame, EditOp.DECORATOR_ADDED, old, new, None, one)
        yield from _of_parameters(frame, old, new)
        yield from _bases(frame, old, new)


def _bases(frame: Frame, old: Symbol, new: Symbol) -> Iterator[Sighting]:
    """A base or mixin that a class that stays no longer has."""
    gone = [one for one in old.bases if one not in new.bases] if old.kind == "class" == new.kind else []
    spot = frame.spot(
        (Side.OLD, (old.name_line, max(old.header_end, old.name_line))),
        (Side.NEW, (new.name_line, max(new.header_end, new.name_line))),
    )
    for base in gone if spot is not None else ():
        facts: dict[str, FactValue] = {"others": tuple(new.bases), "function": new.qualname, "exported": new.exported}
        assert spot is not None
        yield Sighting(EditOp.BASE_REMOVED, spot, new.qualname, base, base, None, facts)


def _of_parameters(frame: Frame, old: Symbol, new: Symbol) -> Iterator[Sighting]:
    """What an annotation of a parameter said and now does not."""
    now = {one.name: one.notes for one in new.params}
    for param in old.params:
        after = now.get(param.name, param.notes)
        for note in param.notes:
            if note in after:
                continue
            other = next((one for one in after if _name(one) == _name(note)), None)
            op = EditOp.DECORATOR_CHANGED if other else EditOp.DECORATOR_REMOVED
            for one in _sight(frame, op, old, new, note, other):
                facts = {**one.facts, "symbolKind": "parameter", "parameter": param.name, "others": after}
                yield replace(one, facts=facts)


def _words(symbol: Symbol) -> list[str]:
    return [*symbol.decorators, *(one for one in symbol.modifiers if one in TELLING)]


def _name(text: str) -> str:
    return text.partition("(")[0].strip()


def _sight(
    frame: Frame, op: EditOp, old: Symbol, new: Symbol, before: str | None, after: str | None
) -> Iterator[Sighting]:
    heads = (
        (Side.OLD, (old.start, max(old.header_end, old.name_line))),
        (Side.NEW, (new.start, max(new.header_end, new.name_line))),
    )
    spot = frame.spot(*(heads if op is EditOp.DECORATOR_REMOVED else heads[::-1]))
    if spot is None:
        return
    facts: dict[str, FactValue] = {
        "name": _name(after or before or ""),
        "symbolKind": new.kind,
        "modifier": (after or before) in TELLING,
        "others": tuple(new.decorators),
        "function": new.qualname,
        "calls": tuple(dict.fromkeys(_calls(frame, new)))[:40],
        "exported": new.exported,
        "following": following(frame.new_outline, new.qualname, new.start - 1),
    }
    yield Sighting(op, spot, new.qualname, _name(after or before or ""), before, after, facts)


def _calls(frame: Frame, symbol: Symbol) -> Iterator[str]:
    """Callees in the body of a decorated function, in order; of a class none."""
    if symbol.kind in ("function", "method"):
        yield from (one.callee for one in frame.new_outline.calls if one.scope == symbol.qualname)
