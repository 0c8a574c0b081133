"""Text of a change in a prompt: fenced so that it cannot end its fence, filled in once so that it is no template.

A fence carries a mark that is derived from the text it holds: the same text has the same fence in every run, and no
author can write a fence that closes it, as whatever they write changes the mark.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

__all__ = ["OPENING", "Fenced", "fenced", "filled"]

OPENING = "[untrusted "
_SLOT = re.compile(r"\{([a-z_]+)\}")
_LABEL = re.compile(r"[a-z][a-z0-9_]*")
_SHORTEST = 16


class Fenced(str):
    """A section whose text is fenced already: the only value that ``filled`` takes for text of the change."""

    __slots__ = ()


def fenced(label: str, text: str) -> Fenced:
    """``text`` between two lines that name its mark; ``label`` is a word of ours and says what the text is.

    Raises ValueError for a label that is no such word.
    """
    if not _LABEL.fullmatch(label):
        raise ValueError(f"{label!r} is no label of a section")
    mark = _mark(f"{label}\n{text}")
    return Fenced(f"{OPENING}{label} {mark}]\n{text}\n[end of {label} {mark}]")


def _mark(text: str) -> str:
    """A mark that does not stand in the text: the start of a hash of it, as long as it takes, then a hash of that."""
    mark, known = "", text
    while True:
        known = hashlib.sha256(known.encode("utf-8", "surrogatepass")).hexdigest()
        mark += known
        for length in range(max(_SHORTEST, len(mark) - len(known) + 1), len(mark) + 1):
            if mark[:length] not in text:
                return mark[:length]


def filled(template: str, slots: Mapping[str, str | Fenced]) -> str:
    """A template of ours with each ``{slot}`` replaced, in one pass: what a value holds is never read as a template.

    Values other than fenced ones must be plain words of ours: one line without a fence. Raises ValueError for those
    that are not, for a slot without a value, and for a value without a slot.
    """
    names = set(_SLOT.findall(template))
    if names != set(slots):
        raise ValueError(f"slots and values differ: {', '.join(sorted(names ^ set(slots)))}")
    for name, value in slots.items():
        if not isinstance(value, Fenced) and (not value.isprintable() or OPENING.strip() in value):
            raise ValueError(f"the value of {name} is text that needs a fence")
    return _SLOT.sub(lambda found: slots[found[1]], template)
