"""What else takes a value of a function: the calls that are handed a name beside the one that an edit is about."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.syntax.edits.frame import Frame
from review_agent.syntax.model import Arg
from review_agent.syntax.roles import words_of

__all__ = ["takers", "users"]

# Callees that are told of one edit.
_MOST = 3


def takers(frame: Frame, scope: str, part: str) -> tuple[str, ...]:
    """Callees that are handed what a part of a value is read from: in its function, or in those that call it."""
    root = re.match(r"(?:(?:self|this)\.)?[A-Za-z_$][\w$]*", part)
    if root is None or not scope.rpartition(".")[2]:
        return ()
    if (scope, root[0]) not in frame.takers:
        frame.takers[scope, root[0]] = _handed(frame, scope, root[0])
    return frame.takers[scope, root[0]]


def _handed(frame: Frame, scope: str, root: str) -> tuple[str, ...]:
    name = scope.rpartition(".")[2]
    calls = frame.new_outline.calls
    within = {scope, *(one.scope for one in calls if one.name == name and one.scope)}
    shape = re.compile(rf"(?<![\w.$]){re.escape(root)}(?![\w$])")
    handed = (
        one.callee
        for one in calls
        if one.scope in within and one.name != name and "key" not in words_of(one.name) and _hands(one.args, shape)
    )
    return tuple(dict.fromkeys(handed))[:_MOST]


def _hands(args: Sequence[Arg], shape: re.Pattern[str]) -> bool:
    return any(shape.fullmatch(one.text) for one in args)


def users(frame: Frame, scope: str, target: str) -> tuple[str, ...]:
    """What the calls of a function that are handed a value by its name are made on: the stores that a key goes to."""
    made = [one for one in frame.new_outline.calls if one.scope == scope and one.receiver]
    handed = (one.receiver for one in made if target and any(arg.text == target for arg in one.args[:2]))
    return tuple(dict.fromkeys(handed))[:_MOST]
