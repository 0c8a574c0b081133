"""Assertions that are made only where something was thrown: a test that passes where nothing is."""

from __future__ import annotations

import re

from review_agent.syntax.edits.frame import Frame
from review_agent.syntax.edits.scopes import Scopes
from review_agent.syntax.model import Assertion, Handler, Outline, Symbol
from review_agent.vocabulary import Side

__all__ = ["caught_only", "instead_of"]

# Calls that make a test fail where no assertion was reached, or that no failure came.
_COUNTS = re.compile(r"(?:^|\.)(?:assertions|hasAssertions|plan|fail|unreachable|xfail|skip)$")


def caught_only(outline: Outline, one: Assertion) -> Handler | None:
    """The handler without which an assertion is never made, where nothing else notices that nothing was thrown."""
    if outline.language == "go" or any(_COUNTS.search(call.callee) for call in outline.calls):
        return None
    around = [
        handler
        for handler in outline.handlers
        if handler.scope == one.scope and handler.start <= one.start <= handler.end
    ]
    inner = max(around, key=lambda handler: handler.start, default=None)
    if inner is None or _fails_itself(outline, inner):
        return None
    return inner


def _fails_itself(outline: Outline, handler: Handler) -> bool:
    first, last = handler.try_start, handler.try_end
    said = [(one.scope, one.start) for one in outline.raises]
    said += [(one.scope, one.start) for one in outline.assertions]
    return any(scope == handler.scope and first <= start <= last for scope, start in said)


def instead_of(frame: Frame, scopes: Scopes, gone: Symbol) -> Symbol | None:
    """The test that a change puts in the place of another one, and that asserts only what it caught."""
    run = frame.run_of(Side.OLD, gone.end) or frame.run_of(Side.OLD, gone.start)
    for new in scopes.added_within():
        if not new.is_test or run is None or not any(new.start <= line <= new.end for line in run.new):
            continue
        asserted = [one for one in frame.new_outline.assertions if new.start <= one.start <= new.end]
        if asserted and all(caught_only(frame.new_outline, one) for one in asserted):
            return new
    return None
