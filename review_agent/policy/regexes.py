"""Regular expressions from a policy file: refused where they do not compile or could take for ever."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["fault"]

# A bounded repetition up to this often is unrolled work, not a risk.
_SMALL = 100
_PIECE = re.compile(
    r"""(?P<escape>\\.)
      | (?P<cls>\[\^?\]?(?:\\.|[^\]\\])*\])
      | (?P<open>\((?:\?(?:[:=!>]|<[=!]|P?<\w+>|[aiLmsux-]+:?))?)
      | (?P<close>\))
      | (?P<bar>\|)
      | (?P<repeat>(?:[*+?]|\{\d*,?\d*\})[?+]?)
      | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)


@dataclass
class _Group:
    """What stands in a group so far: whether something in it repeats without a small bound, and its first pieces."""

    repeats: bool = False
    starts: tuple[str, ...] = ()
    branch_begins: bool = True


def fault(pattern: str) -> str:
    """Why a pattern is refused, "" if it is not: bad syntax, an empty match, or a repetition inside a repetition."""
    try:
        compiled = re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        return f"not a regular expression: {error}"
    if compiled.search(""):
        return "it matches the empty text, so it would match everywhere"
    return _nested(pattern)


def _nested(pattern: str) -> str:
    groups = [_Group()]
    closed: _Group | None = None
    for piece in _PIECE.finditer(pattern):
        kind, text = piece.lastgroup, piece.group()
        if kind == "repeat":
            if _unbounded(text):
                if closed is not None and closed.repeats:
                    return "a repetition inside a repetition can take for ever on a text that nearly matches"
                if closed is not None and len(set(closed.starts)) < len(closed.starts):
                    return "repeated alternatives that begin alike can take for ever on a text that nearly matches"
                groups[-1].repeats = True
            closed = None
            continue
        closed = _step(groups, kind or "other", text)
    return ""


def _step(groups: list[_Group], kind: str, text: str) -> _Group | None:
    """Take one piece; returns the group it closed, with what it passes on to the group around it."""
    if kind == "open":
        groups.append(_Group())
    elif kind == "bar":
        groups[-1].branch_begins = True
    elif kind == "close" and len(groups) > 1:
        done = groups.pop()
        groups[-1].repeats |= done.repeats
        groups[-1].branch_begins = False
        return done
    elif groups[-1].branch_begins:
        groups[-1].starts += (text,)
        groups[-1].branch_begins = False
    return None


def _unbounded(repeat: str) -> bool:
    """True for ``*``, ``+`` and for bounds above a small one; a possessive one never gives back, so it is safe."""
    if repeat.endswith("+") and len(repeat) > 1:
        return False
    if repeat[0] in "*+":
        return True
    top = repeat.rstrip("?").rstrip("}").rpartition(",")[2].lstrip("{")
    return repeat[0] == "{" and (top == "" or int(top) > _SMALL)
