"""Secrets out of any text, lines kept. Patterns are passed in; policy holds them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from review_agent.errors import PolicyError

__all__ = ["Masker"]

# A search never sees more than a window of text, so a pattern that backtracks badly costs a bounded time for each
# character, not a power of the file. Two windows share the overlap: longer values are found where they fit a window.
_WINDOW = 16384
_OVERLAP = 8192
_LONGEST_VALUE = 65536

# Everything that str.splitlines takes for a line end is kept inside a masked value.
_LINE_ENDS = re.compile("(\r\n|[\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029])")
_NEGATED = re.compile(r"\[\^\]?(?:[^\]\\]|\\.)*\]")
_FLAGS = re.compile(r"\(\?([aiLmsux]+)\)")
_CROSSES_LINES = re.compile(r"\\n|\[\\s\\S\]|\[\\S\\s\]")

# A pattern with one of these may match in a line and yet not in the same line among others. A negative look at a plain
# class is no such thing: a neighbour line's newline is as little in the class as the end of the text.
_PLAIN_LOOK = re.compile(r"\(\?<?!\[(?!\^)(?:[^\]\\]|\\[.-])*\]\)")
_CLASS = re.compile(r"\[\^?\]?(?:[^\]\\]|\\.)*\]")
_NEEDS_LINE = re.compile(r"\(\?<?!|\(\?>|\\[ABZ]|[*+?}]\+")

_Span = tuple[int, int, str]


class Masker:
    """Replaces secret values by ``[masked:ID]``.

    ``patterns`` are pairs of id and regular expression; group 1 is the value, or the whole match where there is no
    group. A pattern sees one line at a time unless it says that it crosses lines: by the flag ``(?s)``, ``\\n``
    outside a negated class, or ``[\\s\\S]``. Applying a masker twice is applying it once.

    ``needs`` gives, by id, words of which a text must hold one (case aside) for the pattern to match in it: looking for
    a word is some fifty times quicker than trying a pattern. A pattern without any is tried on every text.
    """

    def __init__(self, patterns: Sequence[tuple[str, str]], needs: Mapping[str, Sequence[str]] | None = None) -> None:
        """An expression is compiled at the first text that could hold it: PolicyError then, where it does not."""
        self._needs = {name: tuple(word.lower() for word in words) for name, words in (needs or {}).items() if words}
        named = [_Named(name, pattern) for name, pattern in patterns]
        self._of_text = [one for one in named if one.crosses_lines]
        self._of_line = [one for one in named if not one.crosses_lines]
        names = "|".join(re.escape(name) for name, _ in patterns)
        self._masks = re.compile(rf"\[masked:(?:{names})\]")

    def __call__(self, text: str) -> str:
        """The text with every secret value masked; as many lines as before."""
        while (masked := self._masked_once(text)) != text:
            text = masked
        return text

    def mask_data(self, data: Any) -> Any:
        """Plain JSON data with every string masked, keys too."""
        if isinstance(data, str):
            return self(data)
        if isinstance(data, dict):
            return {self(key): self.mask_data(value) for key, value in data.items()}
        if isinstance(data, (list, tuple)):
            return [self.mask_data(item) for item in data]
        return data

    def _masked_once(self, text: str) -> str:
        lowered = text.lower()
        text = self._settled(text, [one for one in self._of_text if self._possible(one.name, lowered)])
        of_line = [one for one in self._of_line if self._possible(one.name, lowered)]
        return "".join(self._masked_lines(chunk, of_line) for chunk in _chunks(text)) if of_line else text

    def _possible(self, name: str, lowered: str) -> bool:
        words = self._needs.get(name)
        return words is None or any(word in lowered for word in words)

    def _masked_lines(self, chunk: str, of_line: Sequence[_Named]) -> str:
        # One search over several lines is far cheaper than one search a line, and nearly always finds nothing.
        lowered = chunk.lower()
        possible = [one for one in of_line if self._possible(one.name, lowered)]
        patterns = [one for one in possible if one.probe is None or next(_matches(one.probe, chunk), None)]
        if not patterns:
            return chunk
        return "\n".join(self._settled(line, patterns) for line in chunk.split("\n"))

    def _settled(self, text: str, patterns: Sequence[_Named]) -> str:
        """Masks until nothing is left to mask: a mask may change what a pattern matches next to it."""
        while spans := self._spans(text, patterns):
            for start, end, name in reversed(spans):
                text = text[:start] + _mask(text[start:end], name) + text[end:]
        return text

    def _spans(self, text: str, patterns: Sequence[_Named]) -> list[_Span]:
        """What to mask, in order and without overlap; nothing of it is masked already."""
        found = [
            (*match.span(1 if one.pattern.groups and match.group(1) is not None else 0), one.name)
            for one in patterns
            for match in _matches(one.pattern, text)
        ]
        if not found:
            return []
        taken = [match.span() for match in self._masks.finditer(text)]
        return list(_outside(_merged(found), taken, text))


class _Named:
    """One pattern, compiled when it is first needed: most texts hold none of the words that most patterns need."""

    def __init__(self, name: str, expression: str) -> None:
        self.name = name
        self._expression = expression

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        try:
            return re.compile(self._expression)
        except re.error as error:
            message = f"masking pattern {self.name} is no regular expression: {error}"
            hint = "mend it in masking.yml; `review-agent policy check` lists every problem"
            raise PolicyError(message, where=self._expression, hint=hint) from error

    @property
    def crosses_lines(self) -> bool:
        without_negated = _NEGATED.sub("", self._expression)
        dot_all = _FLAGS.match(self._expression)
        return bool(dot_all and "s" in dot_all[1]) or _CROSSES_LINES.search(without_negated) is not None

    @cached_property
    def probe(self) -> re.Pattern[str] | None:
        """A pattern that matches in whole lines if this one matches in any one of them; null if none is known."""
        plain = _CLASS.sub("", _PLAIN_LOOK.sub("", self._expression))
        return None if _NEEDS_LINE.search(plain) else re.compile(self._expression, self.pattern.flags | re.MULTILINE)


def _chunks(text: str) -> Iterator[str]:
    """The text in pieces of whole lines, about a window each; a longer line is a piece of its own."""
    start = 0
    while start < len(text):
        end = text.rfind("\n", start, start + _WINDOW) + 1
        if not end and start + _WINDOW < len(text):
            end = text.find("\n", start) + 1
        end = end if end and start + _WINDOW < len(text) else 0
        yield text[start : end or len(text)]
        start = end or len(text)


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Matches of one pattern, window by window; one may be yielded twice where two windows overlap."""
    start = 0
    while True:
        end = min(len(text), start + _WINDOW)
        for match in pattern.finditer(text, start, end):
            whole: re.Match[str] | None = match
            if match.end() == end < len(text):
                whole = pattern.match(text, match.start(), match.start() + _LONGEST_VALUE)
            if whole:
                yield whole
        if end == len(text):
            return
        start = end - _OVERLAP


def _merged(spans: Sequence[_Span]) -> list[_Span]:
    """Spans joined where they overlap; the pattern that starts first names the whole."""
    merged: list[_Span] = []
    for start, end, name in sorted(spans, key=lambda span: span[:2]):
        if merged and start < merged[-1][1]:
            before = merged.pop()
            merged.append((before[0], max(before[1], end), before[2]))
        elif start < end:
            merged.append((start, end, name))
    return merged


def _outside(spans: Sequence[_Span], taken: Sequence[tuple[int, int]], text: str) -> Iterator[_Span]:
    """The parts of spans that lie outside the masks already there and hold more than line ends."""
    for start, end, name in spans:
        for from_, to in taken:
            if from_ >= end or to <= start:
                continue
            if start < from_ and _LINE_ENDS.sub("", text[start:from_]):
                yield start, from_, name
            start = max(start, to)
        if start < end and _LINE_ENDS.sub("", text[start:end]):
            yield start, end, name


def _mask(value: str, name: str) -> str:
    parts = _LINE_ENDS.split(value)
    return "".join(part if index % 2 else f"[masked:{name}]" if part else "" for index, part in enumerate(parts))
