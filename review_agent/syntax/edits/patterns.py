"""Edits of what a function takes apart: a key of its object parameter that has another name now."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from review_agent.syntax.edits.frame import Frame, Sighting, Spot
from review_agent.syntax.edits.scopes import CALLABLES, Scopes
from review_agent.syntax.matching import Matcher
from review_agent.syntax.model import Param, Symbol
from review_agent.syntax.words import whole_name
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]

_ALIKE = 0.5


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """option_renamed."""
    for old, new in scopes.pairs:
        if old.kind in CALLABLES and new.kind in CALLABLES and not scopes.is_local(new):
            for index, (before, after) in enumerate(zip(old.params, new.params, strict=False)):
                if before.keys and after.keys and "..." not in after.keys:
                    yield from _renamed(frame, old, new, index, before, after)


def _renamed(frame: Frame, old: Symbol, new: Symbol, index: int, before: Param, after: Param) -> Iterator[Sighting]:
    for gone, come in _pairs(_names(before), _names(after), after):
        spot = _spot(frame, old, new, gone, come)
        if spot is None:
            continue
        facts: dict[str, FactValue] = {
            "function": new.qualname,
            "symbolKind": new.kind,
            "index": index,
            "keys": _names(after),
            "hasDefault": f"{come}=" in after.keys,
        }
        yield Sighting(EditOp.OPTION_RENAMED, spot, new.qualname, gone, gone, come, facts)


def _names(param: Param) -> tuple[str, ...]:
    return tuple(one.rstrip("=") for one in param.keys if one != "...")


def _pairs(old: Sequence[str], new: Sequence[str], after: Param) -> Iterator[tuple[str, str]]:
    """A key that is gone with the one that came for it: the only one, the only one without a default, or one alike."""
    gone = [one for one in old if one not in new]
    come = [one for one in new if one not in old]
    asked = [one for one in come if f"{one}=" not in after.keys]
    if len(gone) == 1 and (len(come) == 1 or len(asked) == 1):
        yield gone[0], (come if len(come) == 1 else asked)[0]
        return
    for one in gone:
        likely = max(come, key=lambda other: _likeness(one, other), default="")
        if likely and _likeness(one, likely) >= _ALIKE:
            come.remove(likely)
            yield one, likely


def _likeness(one: str, other: str) -> float:
    return Matcher(one.casefold(), other.casefold()).ratio()


def _spot(frame: Frame, old: Symbol, new: Symbol, gone: str, come: str) -> Spot | None:
    """The changed line of the header that names the new key, else the one that named the old."""
    wanted = []
    for side, symbol, name in ((Side.NEW, new, come), (Side.OLD, old, gone)):
        pattern = re.compile(rf"(?<![\w.]){whole_name(name)}")
        lines = range(symbol.name_line, symbol.header_end + 1)
        wanted += [(side, (line, line)) for line in lines if pattern.search(frame.text(side, line, line))]
    return frame.spot(*wanted)
