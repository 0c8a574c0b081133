"""Edits of lines that came between others which the change left alone, inside a function that was there before."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from review_agent.syntax.edits.frame import WORD, Frame, Run, Sighting, words
from review_agent.syntax.edits.inserted_names import used_names
from review_agent.syntax.edits.scopes import CALLABLES, Scopes
from review_agent.syntax.model import Symbol
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]

_LONGEST = 12
_MOST = 8
# Lines above and below that can tell a place.
_NEAR = 6
_KEYS = 3
_LENGTH = 12
_COMMENT = re.compile(r"^\s*(?:#|//|/?\*|\"{3}|'{3}|<!--)")
# What stands in every other function tells none from another.
# Nor do hooks of components, their properties and their markup.
_SCAFFOLD = re.compile(
    r"^(?:const|let|var)\s+[\w\[\]{}\s,.:]+=\s*use[A-Z]\w*\(|^use[A-Z]\w*\(|^</?[A-Za-z][\w.]*(?:\s|/?>|$)|^[\w-]+=[{\"']|"
    r"^\w+(?::\s*[\w.<>\[\]| ]+)?[,;]$|^\w+:\s*[\w.]+\.get\("
)
# A name that a line makes.
_MADE = re.compile(r"\b(?:const|let|var|final)\s+(?:\w+\s+)?(\w+)\s*=|^\s*(\w+)(?:,\s*\w+)*\s*:?=(?!=)")
_COMMON = re.compile(
    r"^(?:[})\]]|return\b[^(]*$|except\b|catch\b|else\b|elif\b|finally\b|try\b|if err != nil|if \(?err\b|"
    r"end\b|break\b|continue\b|pass\b|import\b|from\b|package\b|@|func\b|def\b|async def\b|class\b|defer \w+\.Unlock)"
)


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """lines_inserted."""
    if in_test(frame.path):
        return
    told = 0
    for run in frame.runs:
        if run.old or not run.new or run.new[-1] - run.new[0] >= _LONGEST:
            continue
        scope = _function(frame, scopes, run)
        found = _sight(frame, scope, run) if scope is not None else None
        if found is not None and told < _MOST:
            told += 1
            yield found


def _function(frame: Frame, scopes: Scopes, run: Run) -> Symbol | None:
    """The function that the lines came into, where it stood before and none begins in them."""
    first, last = run.new[0], run.new[-1]
    around = [one for one in frame.new_outline.symbols if one.kind in CALLABLES and one.start < first <= one.end]
    inner = max(around, key=lambda one: one.start, default=None)
    if inner is None or not inner.header_end < first <= last < inner.end or inner.qualname not in scopes.old_of:
        return None
    begun = any(one.kind in CALLABLES and first <= one.start <= last for one in frame.new_outline.symbols)
    return None if begun else inner


def _sight(frame: Frame, scope: Symbol, run: Run) -> Sighting | None:
    first, last = run.new[0], run.new[-1]
    own = [text for n in run.new if _tells(text := frame.new_lines[n - 1].strip())]
    if not own or not _stands_alone(frame, scope, run) or _changed_beside(frame, scope, run):
        return None
    keys = _keys(frame, scope, first, last)
    spot = frame.spot((Side.NEW, (first, last)))
    if len(keys) < _KEYS or spot is None:
        return None
    lines = [text for n in run.new if (text := frame.new_lines[n - 1].strip())]
    facts: dict[str, FactValue] = {
        "keys": tuple(text for _, text in keys),
        "offsets": tuple(str(at) for at, _ in keys),
        "lines": tuple(line[:200] for line in lines),
        **used_names(frame, scope, run),
        "function": scope.qualname,
    }
    # What is called says more than what is named.
    subject = next((one for one in own if "(" in one), own[0])
    return Sighting(EditOp.LINES_INSERTED, spot, scope.qualname, subject, None, subject, facts)


def _tells(text: str) -> bool:
    """Whether a line is code that says something of its own."""
    plain = not _COMMENT.match(text) and not _COMMON.match(text) and not _SCAFFOLD.match(text)
    return plain and _LENGTH <= len(text) <= 160 and len(words(text)) >= 2


def _keys(frame: Frame, scope: Symbol, first: int, last: int) -> list[tuple[int, str]]:
    """Three telling lines near the place, with how far off they stand: some above it and some below."""
    above = _telling(frame.new_lines, range(first - 1, max(scope.header_end, first - 1 - _NEAR), -1))
    below = _telling(frame.new_lines, range(last + 1, min(scope.end, last + 1 + _NEAR)))
    if not above or not below:
        return []
    wanted = [above[0], below[0], *sorted([*above[1:2], *below[1:2]], key=lambda one: -len(one[1]))][:_KEYS]
    return [(n - first if n < first else n - last, text) for n, text in sorted(wanted)]


def _telling(lines: Sequence[str], numbers: range) -> list[tuple[int, str]]:
    return [(n, text) for n in numbers if _tells(text := lines[n - 1].strip())]


def _stands_alone(frame: Frame, scope: Symbol, run: Run) -> bool:
    """Whether the lines are the whole of what came for their sake: no name of theirs that the function did not know
    stands in another new line of it."""
    old = next((one for one in frame.old_outline.symbols if one.qualname == scope.qualname), None)
    if old is None:
        return False
    known = set(words(frame.text(Side.OLD, old.start, old.end)))
    here = {word for n in run.new for word in WORD.findall(frame.new_lines[n - 1])}
    others = {
        word
        for n in frame.new
        if scope.start <= n <= scope.end and n not in run.new
        for word in WORD.findall(frame.new_lines[n - 1])
    }
    made = {one or other for n in run.new for one, other in _MADE.findall(frame.new_lines[n - 1])}
    return not (here & others) - known and not made & others and not _only_moved(frame, scope, run)


def _changed_beside(frame: Frame, scope: Symbol, run: Run) -> bool:
    """Whether the same hunk changes or removes other lines of the function: what it was like before, it is no more."""
    return any(
        one.hunk == run.hunk and one.old and (scope.start <= at <= scope.end)
        for one in frame.runs
        for at in (one.new[0] if one.new else frame.to_new(one.old[0]),)
    )


def _only_moved(frame: Frame, scope: Symbol, run: Run) -> bool:
    """Whether what the lines say stood in the function before, at another place."""
    old = next((one for one in frame.old_outline.symbols if one.qualname == scope.qualname), None)
    gone = [frame.old_lines[n - 1] for n in frame.old if old is not None and old.start <= n <= old.end]
    said = [re.sub(r"^.*?(?<![=!<>])=(?![=>])\s*", "", frame.new_lines[n - 1]).strip(" ;,") for n in run.new]
    return any(len(one) >= _LENGTH and any(one in line for line in gone) for one in said)
