"""Text from the reviewed change, made harmless for the place it is shown in."""

from __future__ import annotations

__all__ = ["terminal"]


def terminal(text: str) -> str:
    """``text`` as one line that a terminal shows as it is.

    Tabs are widened; control, format, bidi and other characters without a shape of their own stand as ``\\u{hex}``.
    """
    return "".join(c if c.isprintable() else f"\\u{{{ord(c):x}}}" for c in text.replace("\t", "    "))
