"""Globs as in a .gitignore, whoever wrote them."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

__all__ = ["spec", "stars"]


def spec(globs: Iterable[str]) -> GitIgnoreSpec:
    """The globs, compiled. Raises ValueError for one that is none.

    A range such as ``[z-a]`` fails only in the expression that is made of a glob, and one such as ``[[:x:]]`` makes
    Python warn of that expression: the first is no glob either, the second is no concern of who wrote it.
    """
    from pathspec import GitIgnoreSpec

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        try:
            return GitIgnoreSpec.from_lines(globs)
        except re.error as error:
            raise ValueError(str(error)) from error


def stars(glob: str) -> int:
    """How many runs of stars a glob has: its time grows with the path's length to the power of them."""
    return len(re.findall(r"\*+", glob))
