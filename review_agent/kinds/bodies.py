"""What the lines of an excerpt say: the functions that were read, by line, with comments and prose left out.

An excerpt is evidence like any other: what is concluded from its words falls with its ref.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from review_agent.syntax.testfiles import is_unloaded, run_line
from review_agent.vocabulary import Bundle, Evidence, Side, SourceRef

__all__ = [
    "Body",
    "Called",
    "bodies",
    "body_at",
    "calls_in",
    "has_word",
    "is_cut",
    "is_idle",
    "named",
    "results",
    "whole_of",
    "word",
]

_COMMENT = re.compile(r"^\s*(?:#|//|\*|/\*)|\s(?:#|//)\s.*$")
_CALL = re.compile(r"(?<![\w.])((?:[A-Za-z_$][\w$]*|\))(?:(?:\.|\?\.|->|::)[A-Za-z_$][\w$]*|\[[^\[\]]*\]|\(\))*)\s*\(")
_PROSE = re.compile(r"""\s*[rRuU]?(\"{3}|'{3}).*\1\s*$""")
_CLOSE = {"(": ")", "[": "]", "{": "}"}
# Lines that were wanted and not read, as what was left out is told.
_LEFT = re.compile(r"(?s)(.+) lines (\d+) to (\d+)$")
# Characters of arguments that are looked at.
_LONGEST = 600


@dataclass(frozen=True)
class Called:
    """A call as its line has it. ``args`` are split at the top level; ``line`` is where it starts."""

    callee: str
    args: tuple[str, ...]
    line: int

    @property
    def receiver(self) -> str:
        return self.callee[: -len(self.name)].rstrip(".?:->")

    @property
    def name(self) -> str:
        return re.split(r"\.|->|::", self.callee)[-1]


@dataclass(frozen=True)
class Body:
    """The lines of one excerpt, by number."""

    ref: SourceRef
    lines: tuple[tuple[int, str], ...]

    @cached_property
    def text(self) -> str:
        return "\n".join(line for _, line in self.lines)

    @cached_property
    def calls(self) -> tuple[Called, ...]:
        return tuple(calls_in(self.text, self.lines[0][0] if self.lines else 0))

    def naming(self, name: str) -> Iterator[tuple[int, str]]:
        """The lines that hold a name as a whole word."""
        shape = word(name)
        return ((number, line) for number, line in self.lines if shape.search(line))


def body_of(one: Evidence) -> Body:
    """An excerpt without its comments."""
    start, kept, prose = one.ref.start_line, [], ""
    for number, line in enumerate(one.text.splitlines(), start):
        quotes = [mark for mark in ('"""', "'''") if line.count(mark) == 1]
        if prose or quotes:
            prose = "" if prose and prose in quotes else prose or quotes[0]
            continue
        kept.append((number, "" if _COMMENT.match(line) or _PROSE.match(line) else _COMMENT.sub("", line)))
    return Body(one.ref, tuple(kept))


def bodies(bundle: Bundle, side: Side = Side.NEW) -> tuple[Body, ...]:
    """Every excerpt of a side."""
    return tuple(body_of(one) for one in bundle.evidence if one.origin == "read" and one.ref.side is side)


def body_at(bundle: Bundle, path: str, line: int, side: Side = Side.NEW) -> Body | None:
    """The smallest excerpt of a side that holds a line."""
    around = [one for one in bodies(bundle, side) if one.ref.path == path and _holds(one.ref, line)]
    return min(around, key=lambda one: one.ref.end_line - one.ref.start_line, default=None)


def whole_of(bundle: Bundle, definition: SourceRef) -> Body | None:
    """A definition that was read from its first line to its last; null where its excerpt is cut, or there is none:
    only of a whole one can be said what does not stand in it."""
    beside = (one for one in bodies(bundle, definition.side) if one.ref.path == definition.path)
    begins = [one for one in beside if one.ref.start_line == definition.start_line]
    longest = max(begins, key=lambda one: one.ref.end_line, default=None)
    return longest if longest is not None and not is_cut(bundle, longest.ref) else None


def is_cut(bundle: Bundle, ref: SourceRef) -> bool:
    """Whether lines behind an excerpt were wanted together with it."""
    left = [found for one in bundle.left_out if (found := _LEFT.match(one.what)) and found[1] == ref.path]
    return any(int(one[2]) <= ref.end_line + 1 and int(one[3]) > ref.end_line for one in left)


def is_idle(bundle: Bundle, path: str) -> bool:
    """Whether nothing loads a file, and no line that was read of it says that it is run by its path."""
    read = (one for one in bundle.evidence if one.origin == "read" and one.ref.path == path)
    return is_unloaded(path, runs=any(run_line(one.text.splitlines()) for one in read))


def _holds(ref: SourceRef, line: int) -> bool:
    return ref.start_line <= line <= ref.end_line


def word(name: str) -> re.Pattern[str]:
    """A pattern that finds a dotted name or a piece of code as whole words."""
    before = r"(?<![\w$])" if name[:1].isalnum() or name[:1] in "_$" else ""
    after = r"(?![\w$])" if name[-1:].isalnum() or name[-1:] in "_$" else ""
    return re.compile(before + re.escape(name) + after)


def named(text: str) -> frozenset[str]:
    """The words of a list that is written as text."""
    return frozenset(text.split())


def has_word(text: str, name: str) -> bool:
    return bool(name) and word(name).search(text) is not None


def results(text: str) -> str:
    """What the returns of a text give, each to the end of its statement."""
    begins = (found.end() for found in re.finditer(r"\breturn\b", text))
    return "\n".join(text[at : _statement_end(text, at)] for at in begins)


# A line that goes on with the one above it, and one that the next line goes on with.
_GOES_ON = re.compile(r"\s*(?:[.?:&|+*/%<>=-]|(?:or|and|if|else)\b)")
_OPEN = re.compile(r"(?:[-+*/%&|?:=<>,\\]|\b(?:or|and|not|in|if|else))\s*$")


def _statement_end(text: str, at: int) -> int:
    depth, quote = 0, ""
    for index in range(at, len(text)):
        sign = text[index]
        if quote:
            quote = "" if sign == "\n" or (sign == quote and text[index - 1] != "\\") else quote
        elif sign in "\"'`":
            quote = sign
        else:
            depth += (sign in "([{") - (sign in ")]}")
        ends = depth == 0 and (sign == ";" or (sign == "\n" and not _goes_on(text[at:index], text[index + 1 :])))
        if depth < 0 or (ends and not quote):
            return index
    return len(text)


def _goes_on(said: str, following: str) -> bool:
    """Whether a statement without an open bracket has not ended with its line; one that says nothing yet has."""
    return bool(said.strip()) and (_OPEN.search(said) or _GOES_ON.match(following)) is not None


def calls_in(text: str, first: int = 1) -> Iterator[Called]:
    """Every call in a text, outer before inner."""
    for match in _CALL.finditer(text):
        inside = _balanced(text, match.end() - 1)
        yield Called(match[1], tuple(split_top(inside)), first + text.count("\n", 0, match.start()))


def _balanced(text: str, at: int) -> str:
    """What stands between the bracket at a place and the one that closes it."""
    depth = 0
    for index in range(at, min(len(text), at + _LONGEST)):
        depth += (text[index] in "([{") - (text[index] in ")]}")
        if depth == 0:
            return text[at + 1 : index]
    return text[at + 1 : at + _LONGEST]


def split_top(text: str) -> Sequence[str]:
    """The parts of an argument list, split at commas outside brackets and quotes."""
    parts, depth, quote, start = [], 0, "", 0
    for index, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote and text[index - 1] != "\\" else quote
        elif sign in "\"'`":
            quote = sign
        elif sign == "," and depth == 0:
            parts.append(text[start:index])
            start = index + 1
        else:
            depth += (sign in "([{") - (sign in ")]}")
    return [" ".join(one.split()) for one in (*parts, text[start:]) if one.strip()]
