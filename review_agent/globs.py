"""Globs as in a .gitignore, whoever wrote them."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

__all__ = ["MOST_STARS", "StarsError", "spec", "stars"]

MOST_STARS: Final = 4
"""So many runs of stars a glob may have: its time grows with the path's length to the power of them."""

# git's classes, in ASCII and without the slash, which no bracket matches. None begins with what means something at the
# start of a bracket, and each ends with a range, so that no "-" behind it makes another.
_CLASSES: Final = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \t-\t",
    "cntrl": "\0-\x1f\x7f-\x7f",
    "digit": "0-9",
    "graph": '"-.!0-~',
    "lower": "a-z",
    "print": '"-. !0-~',
    "punct": ":-@[-`{-~!-.",
    "space": " \t-\n\r-\r",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}
_CLASS = re.compile(r"\[:(\w*):\]")
_BRACKET = re.compile(r"\\.|\[[!^]?\]?(?>(?:\[:\w*:\]|[^]/])*)\]?", re.DOTALL)


class StarsError(ValueError):
    """A glob that has too many runs of stars."""


def spec(globs: Iterable[str]) -> GitIgnoreSpec:
    """The globs, compiled. Raises ValueError for one that is none, StarsError for one of too many stars.

    A range such as ``[z-a]`` fails only in the expression that is made of a glob, and one such as ``[[a]`` makes Python
    warn of that expression: the first is no glob either, the second is no concern of who wrote it.
    """
    from pathspec import GitIgnoreSpec

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        try:
            return GitIgnoreSpec.from_lines([_plain(glob) for glob in globs])
        except re.error as error:
            raise ValueError(str(error)) from error


def stars(glob: str) -> int:
    """How many runs of stars a glob has."""
    return len(re.findall(r"\*+", glob))


def _plain(glob: str) -> str:
    """The glob with its classes, such as ``[[:alpha:]]``, as ranges: of them pathspec knows nothing."""
    if stars(glob) > MOST_STARS:
        raise StarsError(f"it has more than {MOST_STARS} runs of stars")
    return glob if glob.startswith("#") else _BRACKET.sub(_ranged, glob)


def _ranged(bracket: re.Match[str]) -> str:
    opening, inside = bracket[0][:1], bracket[0][1:]
    if opening != "[" or not _CLASS.search(inside):
        return bracket[0]
    if not _CLASS.sub("", inside).endswith("]"):
        raise ValueError("its bracket is not closed")
    return opening + _CLASS.sub(_range, inside)


def _range(named: re.Match[str]) -> str:
    if named[1] not in _CLASSES:
        raise ValueError(f"there is no class {named[0]}")
    return _CLASSES[named[1]]
