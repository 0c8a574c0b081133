"""The block around lines of a file of any kind, told by its layout: indentation, and the heads of its sections."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

__all__ = ["block_around"]

_HEADING = re.compile(r"(#{1,6})\s")
_SECTION = re.compile(r"\[\[?[^\[\]]+\]\]?\s*$")
_DOCUMENT = re.compile(r"(?i)\.(?:md|mdx|markdown)$")
_SECTIONED = re.compile(r"(?i)\.(?:toml|ini|cfg|conf|properties)$|(?:^|/)\.(?:editorconfig|gitconfig)$")
# Remarks stand wherever their writer put them.
_REMARK = re.compile(r"\s*(?:#|//|/?\*|--|<!--)")
# Deeper than any heading: what stands at the margin of a document belongs to the heading above.
_MARGIN = 10


def block_around(lines: Sequence[str], numbers: Sequence[int], path: str) -> tuple[int, int] | None:
    """First and last line of the smallest block that has all of some lines; null where only the file has them all."""
    depths = [_depth(line, path) for line in lines]
    heads = [set(_heads(depths, number)) for number in numbers if number <= len(lines)]
    common = set.intersection(*heads) if heads else set()
    if not common:
        return None
    first = max(common)
    after = range(first + 1, len(lines) + 1)
    last = next((n - 1 for n in after if 0 <= depths[n - 1] <= depths[first - 1]), len(lines))
    return first, last


def _heads(depths: Sequence[int], number: int) -> Iterator[int]:
    """The lines above that a line stands below of, the nearest first."""
    depth = depths[number - 1]
    for n in range(number - 1, 0, -1):
        if 0 <= depths[n - 1] < depth:
            yield n
            depth = depths[n - 1]


def _depth(line: str, path: str) -> int:
    """How deep a line stands; -1 for one that tells nothing."""
    text = line.expandtabs(4)
    indent = len(text) - len(text.lstrip())
    if _DOCUMENT.search(path):
        heading = _HEADING.match(line)
        return -1 if not text.strip() else len(heading[1]) if heading else _MARGIN + indent
    if not text.strip() or _REMARK.match(line):
        return -1
    if _SECTIONED.search(path):
        return 0 if _SECTION.match(line) else 1 + indent
    return indent
