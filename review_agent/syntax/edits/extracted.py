"""Values that were put together on the spot and now come from a function of the same file that puts them together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from review_agent.syntax.edits.frame import Frame, Run, renamed
from review_agent.syntax.edits.scopes import CALLABLES
from review_agent.syntax.model import Arg, Call, Composite, Symbol
from review_agent.vocabulary import Side

__all__ = ["extracted"]

_TEXTS = frozenset({"template", "join", "format"})
_SIMPLE = re.compile(r"[\w.$]+(?:\([^()]*\))?")


def extracted(frame: Frame, scope: str, names: Mapping[str, str], one: Composite) -> tuple[Composite, str] | None:
    """The value that a function makes in place of the one that went, with what is passed to it for its parameters, and
    the name of that function."""
    run = frame.run_of(Side.OLD, one.start)
    for call in _calls(frame, scope, names, one, run) if run is not None and run.new else ():
        maker = _maker(frame, call)
        made = _made(frame, one, maker) if maker is not None else None
        if maker is not None and made is not None:
            given = _given(maker, call.args)
            parts = tuple(given.get(part) or _put(part, given) for part in made.components)
            held = call.targets[0] if len(call.targets) == 1 else ""
            target = held or renamed(one.target, names) if one.target else ""
            place = replace(made, target=target, call=one.call, returned=one.returned, start=call.start, end=call.end)
            return replace(place, components=parts), maker.name
    return None


def _calls(frame: Frame, scope: str, names: Mapping[str, str], one: Composite, run: Run) -> Iterator[Call]:
    """Calls in the lines that came whose result goes where the value went."""
    lines = set(run.new)
    for call in frame.new_outline.calls:
        if call.scope != scope or call.start not in lines:
            continue
        held = bool(one.target) and call.result in ("assigned", "awaited") and len(call.targets) == 1
        back = one.returned and call.result == "returned"
        if held or back or (one.call and call.result in ("argument", "subscript", "other")):
            yield call


def _maker(frame: Frame, call: Call) -> Symbol | None:
    """The one function of the file that a call can mean."""
    if call.receiver not in ("", "self", "this", "cls") and call.receiver[:1].islower() and "." in call.receiver:
        return None
    same = [one for one in frame.new_outline.symbols if one.name == call.name and one.kind in CALLABLES]
    return same[0] if len(same) == 1 and same[0].qualname != call.scope else None


def _made(frame: Frame, one: Composite, maker: Symbol) -> Composite | None:
    """The one value that a function returns, of the same sort as the one that went."""
    sorts = _TEXTS if one.kind in _TEXTS else {one.kind}
    given = [two for two in frame.new_outline.composites if two.scope == maker.qualname and two.kind in sorts]
    back = [two for two in given if two.returned]
    return back[0] if len(back) == 1 else None


def _given(maker: Symbol, args: Sequence[Arg]) -> dict[str, str]:
    """What a call passes for each parameter."""
    names = [one.name for one in maker.params if one.name not in ("self", "this", "cls")]
    plain = [one.text for one in args if one.keyword is None and not one.star]
    given = dict(zip(names, plain, strict=False))
    return given | {one.keyword: one.text for one in args if one.keyword}


def _put(part: str, given: Mapping[str, str]) -> str:
    """A part with its parameters replaced by what is passed, members and keys left alone."""
    return re.sub(
        r"(?<![\w.$\"'])[A-Za-z_$][\w$]*(?!\w)",
        lambda found: given[found[0]] if found[0] in given and _SIMPLE.fullmatch(given[found[0]]) else found[0],
        part,
    )
