"""Edits of one of two functions that do the same, one for callers that wait and one for callers that do not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from review_agent.syntax.edits.frame import Frame, Lines, Sighting
from review_agent.syntax.edits.scopes import CALLABLES, Scopes
from review_agent.syntax.matching import Matcher
from review_agent.syntax.model import Symbol
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]

_LEAST = 4
_ALIKE = 0.75
_LONGEST = 400
# What tells one of the two from the other, wherever it stands in their names and code.
_MARK = re.compile(r"Async(?=[A-Z]|$)|(?<=[a-z])Sync(?=[A-Z]|$)|^Sync(?=[A-Z])|(?<![A-Za-z])async_|_async(?![A-Za-z])")
_LEAD = re.compile(r"^a(?=(?:close|read|iter|next|send)\w*$)")
_WORDS = re.compile(r"\b(?:async|await)\s+|Async(?=[A-Z])|async_|\ba(?=(?:close|read|iter|next|enter|exit|send)\b)")
# Means of one of the two worlds: the other has no use for them.
_OWN = re.compile(
    r"\b(?:asyncio|anyio|trio|sniffio|gevent|threading|Thread\w*|concurrent|futures|executor|sleep|gather|loop)\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"[=(\[{:]")
_REMARK = re.compile(r"^\s*(?:#|//|/?\*)")


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """twin_left: a function was changed where its twin had the same lines, and has them still."""
    if in_test(frame.path):
        return
    pairs = [pair for pair in scopes.pairs if pair[0].kind in CALLABLES and pair[1].kind in CALLABLES]
    by_name = {after.qualname: (before, after) for before, after in pairs}
    for before, after in pairs:
        touched = frame.touches(Side.NEW, after.start, after.end) or frame.touches(Side.OLD, before.start, before.end)
        if before.end - before.start < _LEAST or not touched:
            continue
        for name in _counterparts(after.qualname, by_name):
            yield from _compared(frame, before, after, by_name[name])


def _counterparts(qualname: str, known: dict[str, tuple[Symbol, Symbol]]) -> Iterator[str]:
    """The functions of the file that have the same name once the mark of the two worlds is taken away."""
    bare = _bare(qualname)
    yield from (name for name in known if name != qualname and _bare(name) == bare)


def _bare(qualname: str) -> str:
    parts = (
        re.sub(r"^a(?=(?:close|read|iter|next|send)\w*$)", "", _MARK.sub("", part)) for part in qualname.split(".")
    )
    return ".".join({"__aenter__": "__enter__", "__aexit__": "__exit__"}.get(part, part) for part in parts)


@dataclass(frozen=True)
class _Text:
    """The lines of a function as they stand and without what tells the two worlds apart."""

    start: int
    raw: tuple[str, ...]
    plain: tuple[str, ...]


def _text(lines: Sequence[str], symbol: Symbol) -> _Text:
    raw = tuple(lines[symbol.start - 1 : symbol.end])
    return _Text(symbol.start, raw, tuple(" ".join(_WORDS.sub("", line).split()) for line in raw))


def _compared(frame: Frame, before: Symbol, after: Symbol, twin: tuple[Symbol, Symbol]) -> Iterator[Sighting]:
    was, now = _text(frame.old_lines, before), _text(frame.new_lines, after)
    other, still = _text(frame.old_lines, twin[0]), _text(frame.new_lines, twin[1])
    if other.raw != still.raw or max(len(was.raw), len(other.raw)) > _LONGEST:
        return
    matcher = Matcher(was.plain, other.plain)
    if matcher.ratio() < _ALIKE or was.plain == now.plain:
        return
    changes = Matcher(was.plain, now.plain).get_opcodes()
    for op, start, end, first, last in changes:
        gone: Sequence[int] = [n for n in range(start, end) if _tells(was.plain[n])]
        come: Sequence[int] = [n for n in range(first, last) if _tells(now.plain[n])]
        if op == "equal" or not (gone or come) or _own_means(was, gone) or _own_means(now, come):
            continue
        gone, come = _nearest_first(was, gone, now, come)
        kept = _line_in(matcher, gone[0] if gone else start - 1)
        if kept is None or not _left(was, gone, now, come, other):
            continue
        yield from _sighting(frame, after, twin[1], (was, gone), (now, come), still.start + kept)
        return


def _nearest_first(
    was: _Text, gone: Sequence[int], now: _Text, come: Sequence[int]
) -> tuple[Sequence[int], Sequence[int]]:
    """What went and what came, the two lines in front that are most alike."""
    if not gone or not come or len(gone) * len(come) > _LONGEST:
        return gone, come
    pairs = ((one, other) for one in gone for other in come)
    one, other = max(pairs, key=lambda pair: Matcher(was.plain[pair[0]], now.plain[pair[1]]).ratio())
    return [one, *(n for n in gone if n != one)], [other, *(n for n in come if n != other)]


def _tells(line: str) -> bool:
    return len(line) > 3 and not _REMARK.match(line) and _CODE.search(line) is not None


def _own_means(text: _Text, lines: Sequence[int]) -> bool:
    return any(_OWN.search(text.raw[n]) for n in lines)


def _left(was: _Text, gone: Sequence[int], now: _Text, come: Sequence[int], other: _Text) -> bool:
    """Whether the twin has all that went and nothing of what came."""
    kept = set(other.plain)
    return all(was.plain[n] in kept for n in gone) and not any(now.plain[n] in kept for n in come)


def _line_in(matcher: Matcher[str], line: int) -> int | None:
    """Where a line of the old function stands in its twin."""
    for one, other, size in matcher.get_matching_blocks():
        if one <= line < one + size:
            return other + line - one
    return None


def _span(lines: Sequence[tuple[int, str]]) -> Lines | None:
    numbers = [number for number, _ in lines]
    return (min(numbers), max(numbers)) if numbers else None


def _sighting(
    frame: Frame,
    after: Symbol,
    twin: Symbol,
    was: tuple[_Text, Sequence[int]],
    now: tuple[_Text, Sequence[int]],
    line: int,
) -> Iterator[Sighting]:
    old, new = ([(text.start + n, text.raw[n].strip()) for n in lines] for text, lines in (was, now))
    spot = frame.spot(
        *(
            (side, (min(lines)[0], max(lines)[0]) if lines else None)
            for side, lines in ((Side.NEW, new), (Side.OLD, old))
        )
    )
    if spot is None:
        return
    facts: dict[str, FactValue] = {
        "function": after.qualname,
        "twin": twin.qualname,
        "twinLine": line,
        "twinText": frame.text(Side.NEW, line, line).strip(),
        "removed": tuple(text for _, text in old[:4]),
        "added": tuple(text for _, text in new[:4]),
        "signature": (new or old)[0][0] <= (after.header_end if new else was[0].start + after.header_end - after.start),
    }
    before, then = old[0][1] if old else None, new[0][1] if new else None
    yield Sighting(EditOp.TWIN_LEFT, spot, after.qualname, (before or then or "")[:120], before, then, facts)
