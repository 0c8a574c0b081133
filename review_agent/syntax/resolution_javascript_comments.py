"""Types that JavaScript's documentation comments write before a function: ``@param {T} name`` and ``@returns {T}``."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["documented"]

# Lines of a comment that are read before it counts as too long.
_LINES = 80
_RETURNS = r"@returns?\s+\{([^{}]+)\}"


def documented(lines: Sequence[str], start: int, name: str = "") -> str:
    """The type that the comment above a line gives a parameter, or, without a name, what is returned; "" for none."""
    text = _above(lines, start)
    found = re.search(rf"@param\s+\{{([^{{}}]+)\}}\s+\[?{re.escape(name)}(?![\w$.])" if name else _RETURNS, text)
    return found[1].strip().lstrip("?!").removesuffix("=") if found else ""


def _above(lines: Sequence[str], start: int) -> str:
    end = start - 1
    if not 0 < end <= len(lines) or not lines[end - 1].rstrip().endswith("*/"):
        return ""
    for first in range(end, max(end - _LINES, 0), -1):
        if "/*" in lines[first - 1]:
            return "\n".join(lines[first - 1 : end]) if "/**" in lines[first - 1] else ""
    return ""
