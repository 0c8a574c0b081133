"""Assertions that stand where they stood and are not reached, or not heard, any more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from review_agent.syntax.edits.frame import Frame, Lines
from review_agent.syntax.model import Assertion, Handler
from review_agent.vocabulary import Side

__all__ = ["out_of_reach"]

_HEARD = frozenset({"raise", "return_error", "exit"})
_FAILURES = frozenset(
    {"BaseException", "Exception", "AssertionError", "Throwable", "Error", "AssertionFailedError", ""}
)

Hidden = tuple[Assertion, tuple[Lines, str]]


def out_of_reach(
    frame: Frame, was: str, now: str, old: Sequence[Assertion], new: Sequence[Assertion]
) -> Iterator[Hidden]:
    """Each surviving assertion with the new lines that hide it and their words."""
    before = {one.text for one in old}
    alive = [one for one in new if one.text in before]
    found: dict[str, Hidden] = {}
    for lines, text, first, last in (*_leaving(frame, now), *_swallowing(frame, now), *_conditioned(frame, now, new)):
        for one in alive:
            if first <= one.start <= last and not _already(frame, was, one):
                found.setdefault(one.text, (one, (lines, text)))
    yield from list(found.values())[:3]


def _leaving(frame: Frame, scope: str) -> Iterator[tuple[Lines, str, int, int]]:
    """New returns that no condition stands before."""
    outline = frame.new_outline
    symbol = next((one for one in outline.symbols if one.qualname == scope), None)
    for one in outline.returns:
        if one.scope != scope or symbol is None or (not one.text and one.start == symbol.end):
            continue
        inside = any(
            guard.scope == scope and guard.body_start <= one.start <= guard.body_end for guard in outline.guards
        ) or any(loop.scope == scope and loop.start <= one.start <= loop.end for loop in outline.loops)
        inside = inside or any(
            handler.scope == scope and handler.start <= one.start <= handler.end for handler in outline.handlers
        )
        if not inside and frame.touches(Side.NEW, one.start, one.end):
            yield (one.start, one.end), f"return {one.text}".strip(), one.end + 1, symbol.end


def _swallowing(frame: Frame, scope: str) -> Iterator[tuple[Lines, str, int, int]]:
    """New handlers that hear a failed assertion and go on."""
    for one in frame.new_outline.handlers:
        if one.scope == scope and _deaf(one) and frame.touches(Side.NEW, one.start, one.start):
            text = f"catch {', '.join(one.types)}" if frame.language != "python" else f"except {', '.join(one.types)}"
            yield (one.start, one.start), text, one.try_start, one.try_end


def _conditioned(frame: Frame, scope: str, asserted: Sequence[Assertion]) -> Iterator[tuple[Lines, str, int, int]]:
    """New conditions around assertions, those aside that are assertions themselves."""
    own = {(one.start, one.text) for one in asserted}
    for one in frame.new_outline.guards:
        heads = one.scope == scope and one.action == "wraps" and frame.touches(Side.NEW, one.start, one.start)
        if heads and one.body_start > one.start and not any(text == one.test for _, text in own):
            yield (one.start, one.start), f"if {one.test}", one.body_start, one.body_end


def _deaf(one: Handler) -> bool:
    heard = _HEARD & set(one.actions)
    return bool(_FAILURES & {name.rpartition(".")[2] for name in one.types}) and not heard and not one.uses_error


def _already(frame: Frame, was: str, one: Assertion) -> bool:
    """Whether the same assertion was hidden before."""
    for old in frame.old_outline.assertions:
        if old.scope == was and old.text == one.text:
            return any(
                handler.scope == was and handler.try_start <= old.start <= handler.try_end and _deaf(handler)
                for handler in frame.old_outline.handlers
            )
    return False
