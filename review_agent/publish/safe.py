"""Text from the reviewed change, made harmless for the place it is shown in."""

from __future__ import annotations

import unicodedata

__all__ = ["terminal"]


def terminal(text: str) -> str:
    """``text`` as one line a terminal shows as it is: tabs widened, control, format and bidi characters escaped."""
    return "".join(_visible(character) for character in text.replace("\t", "    "))


def _visible(character: str) -> str:
    if character != " " and unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp"):
        return f"\\u{{{ord(character):x}}}"
    return character
