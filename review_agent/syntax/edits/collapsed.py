"""Values that were put together from parts and now are one of them: ``key = (tenant, sku)`` became ``key = sku``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from review_agent.syntax.edits.frame import Frame, Run, Sighting, renamed, words
from review_agent.syntax.edits.scopes import Scopes
from review_agent.syntax.model import Composite
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["collapsed"]

# A call that makes the value somewhere else: what it is handed may go into it.
_MADE = re.compile(r"(?:await )?[\w.$]+\(.*\)", re.DOTALL)


def collapsed(
    frame: Frame, scopes: Scopes, scope: str, names: Mapping[str, str], gone: Sequence[Composite]
) -> Iterator[Sighting]:
    """component_removed of values without a partner, where something else now goes to the same place."""
    for one in gone:
        run = frame.run_of(Side.OLD, one.start)
        value = _in_its_place(frame, scope, names, one, run) if run is not None else ""
        if not value:
            continue
        line = next((n for n in run.new if value in frame.text(Side.NEW, n, n)), None) if run else None
        spot = frame.spot((Side.NEW, (line, line))) if line else None
        kept = set(words(value))
        for part in one.components if spot else ():
            fresh = renamed(part, names)
            handed = _MADE.fullmatch(value) is not None and _root(fresh) in kept
            if spot is not None and fresh not in value and not set(words(fresh)) <= kept and not handed:
                yield Sighting(
                    EditOp.COMPONENT_REMOVED, spot, scope, fresh, fresh, None, _facts(scopes, scope, one, value)
                )


def _root(part: str) -> str:
    """The name that a part is read from, behind the calls that dress it."""
    dressed = re.sub(r"[\w.$]+\(", "", part)
    return next(iter(words(dressed)), "")


def _in_its_place(frame: Frame, scope: str, names: Mapping[str, str], one: Composite, run: Run) -> str:
    """The text that now stands where the value stood, "" where nothing is known to."""
    target, call = renamed(one.target, names), renamed(one.call, names)
    lines = set(run.new)
    if target:
        assigned = [a for a in frame.new_outline.assigns if a.scope == scope and a.start in lines]
        return next((a.value for a in assigned if a.targets == (target,)), "")
    if call.endswith("[]"):
        index = re.compile(rf"{re.escape(call[:-2])}\[([^\[\]]+)\]")
        found = [m for n in run.new for m in index.findall(frame.text(Side.NEW, n, n))]
        return found[0] if found else ""
    if call:
        same = [c for c in frame.new_outline.calls if c.scope == scope and c.callee == call]
        calls = [c for c in same if any(c.start <= line <= c.end for line in lines)]
        parts = [renamed(part, names) for part in one.components]
        kept = [arg.text for c in calls for arg in c.args if arg.text.strip("[](), ") in parts]
        return kept[0] if kept else ""
    if one.returned:
        texts = [r.text for r in frame.new_outline.returns if r.scope == scope and r.start in lines]
        return texts[0].removeprefix("return").strip(" ;") if texts else ""
    return ""


def _facts(scopes: Scopes, scope: str, one: Composite, value: str) -> dict[str, FactValue]:
    return {
        "composite": one.kind,
        "type": one.type,
        "target": one.target,
        "call": one.call,
        "returned": one.returned,
        "kept": tuple(part for part in one.components if part in value),
        "beforeComponents": one.components,
        "afterComponents": (value,),
        "beforeText": one.values[0] if one.values else "",
        "afterText": "{}",
        "function": scopes.function(scope),
    }
