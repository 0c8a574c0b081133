"""The form of a key: its fixed text and what stands between, and whether two places build the same one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from review_agent.kinds.bodies import named
from review_agent.syntax.roles import words_of

__all__ = ["Shape", "of_part", "prefix_of", "shape_of", "shapes_in"]

_SLOT = "\0"
_FORMAT = re.compile(r"%(?:\[\d+\])?[-+#0 ]*\d*(?:\.\d+)?[a-zA-Z]|\{\d*\}|\{[A-Za-z_]\w*(?::[^{}]*)?\}")
_LITERAL = re.compile(
    r"""(?P<mark>[rbuf]{0,2})(?P<quote>["'`])(?P<text>(?:\\.|(?!(?P=quote)).)*)(?P=quote)""", re.IGNORECASE
)
_INSIDE = re.compile(r"\$?\{([^{}]*)\}")
_OPERAND = r"[\w.$]+(?:\([^()]*\))?(?:\[[^\[\]]*\])?(?:\.[\w$]+(?:\([^()]*\))?)*"
_ADDED = re.compile(rf"\s*\+\s*(?:({_OPERAND})|(?=[\"'`]))")
_BEFORE = re.compile(rf"({_OPERAND})\s*\+\s*$")
_STARTS = re.compile(r"(?i)\b(startswith|hasprefix|starts_with|removeprefix|delete_?prefix)\b")
_ENDS = re.compile(r"(?i)\b(endswith|hassuffix|ends_with)\b")
# A text that stops where the next part of a key would begin.
_CUT = re.compile(r"[:/|.#_-]$")
_EMPTY_WORDS = named("""
    id ids key str string name value get to self this uuid int of
""")


@dataclass(frozen=True)
class Shape:
    """``text`` has a sign where a value stands; ``names`` are those values, "" where the line does not say."""

    text: str
    names: tuple[str, ...]
    open: bool = False
    """A prefix or a pattern with a star: it stands for every key that goes on from there."""
    tail: bool = False
    """What a key ends with: it stands for every key before it."""

    @property
    def shown(self) -> str:
        return ("*" if self.tail else "") + self.text.replace(_SLOT, "{}") + ("*" if self.open else "")

    def same(self, other: Shape) -> bool:
        """Whether this stands for keys of the other form: same fixed text, values that have a word in common."""
        at = len(self.names)
        if self.tail:
            return other.text.endswith(self.text) and _alike(self.names, other.names[-at:] if at else ())
        if self.open:
            return other.text.startswith(self.text) and _alike(self.names, other.names[:at])
        return self.text == other.text and _alike(self.names, other.names)


def _alike(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return len(one) == len(other) and all(_share(a, b) for a, b in zip(one, other, strict=True))


def _share(one: str, other: str) -> bool:
    ours, theirs = (set(words_of(text)) - _EMPTY_WORDS for text in (one, other))
    return not ours or not theirs or bool(ours & theirs)


def shape_of(text: str, components: tuple[str, ...]) -> Shape:
    """The shape of a composite: its fixed text, with marks where its components stand."""
    marked = _FORMAT.sub(_SLOT, text.replace("{}", _SLOT))
    count = marked.count(_SLOT)
    names = components[:count] if len(components) >= count else (*components, *("",) * (count - len(components)))
    return Shape(marked, tuple(names))


def of_part(shape: Shape, line: str, *, drops: bool) -> Shape:
    """The shape of a text that a line takes for the beginning or the end of keys, not for a whole one."""
    if _STARTS.search(line) or (drops and _CUT.search(shape.text)):
        return replace(shape, open=True)
    return replace(shape, tail=True) if _ENDS.search(line) else shape


def prefix_of(text: str) -> str:
    """The fixed text to look for elsewhere: what the key begins with, else its first word; "" for too short a one."""
    marked = _FORMAT.sub(_SLOT, text.replace("{}", _SLOT))
    first = marked.split(_SLOT, 1)[0]
    if len(first) >= 3 and re.search(r"[A-Za-z]{2}", first):
        return first
    fixed = [one for one in marked.split(_SLOT) if re.search(r"[A-Za-z]{3}", one)]
    return max(fixed, key=len) if fixed else ""


def shapes_in(line: str) -> Iterator[Shape]:
    """The shape of every string on a line, with what is added to it."""
    taken = -1
    for found in _LITERAL.finditer(line):
        if found.start() < taken:
            continue
        text, names = _literal(found)
        before = _BEFORE.search(line[: found.start()])
        if before and not before[1].isdigit():
            text, names = _SLOT + text, (before[1], *names)
        at = found.end()
        while True:
            added = _ADDED.match(line, at)
            if added is None:
                break
            at = added.end()
            if added[1]:
                text, names = text + _SLOT, (*names, added[1])
                continue
            piece = _LITERAL.match(line, at)
            if piece is None:
                break
            more, inside = _literal(piece)
            text, names, at = text + more, (*names, *inside), piece.end()
        taken = at
        yield _with_arguments(text, names, line[at:])


def _literal(found: re.Match[str]) -> tuple[str, tuple[str, ...]]:
    text = found["text"]
    interpolated = "f" in found["mark"].lower() or found["quote"] == "`" or "${" in text
    if interpolated:
        return _INSIDE.sub(_SLOT, text), tuple(re.sub(r"[:!].*$", "", one).strip() for one in _INSIDE.findall(text))
    return _FORMAT.sub(_SLOT, text), ("",) * len(_FORMAT.findall(text))


def _with_arguments(text: str, names: tuple[str, ...], rest: str) -> Shape:
    """Names for the slots of a format, from what follows it on the line; a star or a colon at the end is open."""
    if names and not any(names):
        given = re.match(rf"\s*(?:,|%\s*\(?|\.format\()\s*((?:{_OPERAND}\s*,?\s*)+)", rest)
        listed = [one.strip() for one in given[1].split(",")] if given else []
        names = tuple(listed[: len(names)]) if len(listed) >= len(names) else names
    starred = text.endswith(("*", "%"))
    bare = text.rstrip("*%")
    return Shape(bare, names, open=starred)
