"""Edits of single lines, in files of any kind: one that was written anew where it stood, told by lines alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from posixpath import basename

from review_agent.syntax.edits import as_edits
from review_agent.syntax.edits.frame import Sighting, Spot
from review_agent.syntax.edits.supported import raised
from review_agent.syntax.enclosing import block_around
from review_agent.syntax.languages import PARSED, family_of, language_of
from review_agent.syntax.matching import Matcher
from review_agent.vocabulary import Edit, EditOp, FactValue, FileChange, Hunk, Line, Side

__all__ = ["DECLARED", "respelled"]

# Two spellings of one module: what declares it for a second module system or for a checker.
DECLARED = re.compile(r"(?:\.d)?\.(?:[cm]?[jt]s|pyi?)$")
_SPELLINGS = (".py", ".pyi", *(f"{d}.{one}{kind}s" for d in ("", ".d") for kind in "jt" for one in ("", "c", "m")))
# Code that asks for packages, as a manifest does.
_ASKING = ("setup.py", "noxfile.py")

# A longer run of changed lines is a rewrite: which line became which is a guess there.
LONGEST_RUN, LONGEST_UNEVEN = 40, 15
LONGEST_LINE = 2000
MOST_A_FILE = 12
ALIKE = 0.6
# What stands together without a blank between: a link, a version with its sign, a path, an option.
_EDGE = re.compile(r"[\w.\-/:@+~^<>=%#]")
_SPEC = r"(?:===?|>=|<=|~=|!=)\s*\d[\w.*]*(?:\s*,\s*(?:===?|>=|<=|~=|!=|<|>)\s*\d[\w.*]*)*"
_PIN = re.compile(rf"(?<![\w.\-/@])(?P<name>[A-Za-z][\w.\-]*)(?:\[[\w,. -]*\])?\s*(?P<spec>{_SPEC})")
_NAMED = re.compile(r"<artifactId>([\w.\-]+)</artifactId>")
_VERSION = re.compile(r"<version>(\d[\w.\-]*)</version>")
_ACTION = re.compile(r"\buses:\s*['\"]?(?P<name>[\w.\-]+/[\w.\-/]+)@(?P<spec>[\w.\-/]+)")


def respelled(
    change: FileChange, paths: Collection[str] = (), lines: Callable[[], Sequence[str]] = tuple
) -> tuple[Edit, ...]:
    """line_replaced: lines that took another's place and say nearly the same; minimum_raised: what one of them asks.

    ``paths`` are those at head: code is told only as far as it says something beside what its outline says. ``lines``
    gives those of the file at head.
    """
    found: list[Sighting] = []
    for number, hunk in enumerate(change.hunks):
        for old, new, around, alone in _pairs(hunk):
            found += [*raised(change.path, number, old, new), *_line(number, old, new, around, alone)]
    if language_of(change.path) in PARSED and basename(change.path) not in _ASKING:
        found = _of_code(found, _twin(change.path, paths))
    return as_edits(change, language_of(change.path) or "text", _placed(found[:MOST_A_FILE], change.path, lines))


def _placed(found: Sequence[Sighting], path: str, lines: Callable[[], Sequence[str]]) -> Iterator[Sighting]:
    """Lines that were written anew alike at several places have the block around all of these."""
    alike: dict[tuple[str | None, str | None], list[int]] = {}
    for one in found:
        if one.op is EditOp.LINE_REPLACED:
            alike.setdefault((one.before, one.after), []).append(one.spot.start)
    for one in found:
        numbers = alike.get((one.before, one.after), [])
        block = block_around(lines(), numbers, path) if len(numbers) > 1 and numbers[0] == one.spot.start else None
        where = {"blockStart": block[0], "blockEnd": block[1]} if block else {}
        yield replace(one, facts={**one.facts, **where})


def _of_code(found: Sequence[Sighting], twin: str) -> list[Sighting]:
    """All lines of a module that another file declares too; else those written anew alike at several places."""
    if twin:
        return [replace(one, facts={**one.facts, "twin": twin}) for one in found]
    alike = Counter((one.before, one.after) for one in found)
    return [one for one in found if alike[one.before, one.after] > 1]


def _twin(path: str, paths: Collection[str]) -> str:
    """Another file that declares the same module; "" for none."""
    if not DECLARED.search(path):
        return ""
    spelt = (DECLARED.sub(ending, path) for ending in _SPELLINGS)
    return next((one for one in spelt if one != path and one in paths and family_of(one) == family_of(path)), "")


def _pairs(hunk: Hunk) -> Iterator[tuple[Line, Line, tuple[str, str], bool]]:
    """Old and new lines that answer to each other, each with the old lines around it and whether it changed alone."""
    old_side = [line for line in hunk.lines if line.tag != "+"]
    place = {line.old: n for n, line in enumerate(old_side)}
    for gone, come in _runs(hunk.lines):
        for old, new in _matched(gone, come):
            at = place[old.old]
            around = [_plain(old_side[n].text) if 0 <= n < len(old_side) else "" for n in (at - 1, at + 1)]
            yield old, new, (around[0], around[1]), len(gone) == len(come) == 1


def _runs(lines: Sequence[Line]) -> Iterator[tuple[list[Line], list[Line]]]:
    gone: list[Line] = []
    come: list[Line] = []
    for line in lines:
        if line.tag == " ":
            yield gone, come
            gone, come = [], []
        else:
            (gone if line.tag == "-" else come).append(line)
    yield gone, come


def _matched(gone: Sequence[Line], come: Sequence[Line]) -> Iterator[tuple[Line, Line]]:
    if not gone or not come or max(len(gone), len(come)) > LONGEST_RUN:
        return
    if len(gone) == len(come):
        yield from ((old, new) for old, new in zip(gone, come, strict=True) if _alike(old, new) >= ALIKE)
        return
    if max(len(gone), len(come)) > LONGEST_UNEVEN:
        return
    free = list(come)
    for old in gone:
        best = max(free, key=lambda new: _alike(old, new), default=None)
        if best is not None and _alike(old, best) > ALIKE:
            free = free[free.index(best) + 1 :]
            yield old, best


def _alike(old: Line, new: Line) -> float:
    one, other = _plain(old.text), _plain(new.text)
    if not one or not other or one == other or max(len(one), len(other)) > LONGEST_LINE:
        return 0.0
    matcher = Matcher(one[:300], other[:300])
    unlike = matcher.real_quick_ratio() < ALIKE or matcher.quick_ratio() < ALIKE
    return 0.0 if unlike else matcher.ratio()


def _plain(text: str) -> str:
    return " ".join(text.split())


def _line(number: int, old: Line, new: Line, around: tuple[str, str], alone: bool) -> Iterator[Sighting]:
    before, after = _plain(old.text), _plain(new.text)
    if new.new is None or not (before + after).isprintable():
        return
    form, name, one, other = _artifact(before, after, around[0]) or _form(before, after)
    facts: dict[str, FactValue] = {
        "form": form,
        "name": name,
        "beforeText": one,
        "afterText": other,
        "lineBefore": around[0],
        "lineAfter": around[1],
        "alone": alone,
    }
    yield Sighting(EditOp.LINE_REPLACED, Spot(number, Side.NEW, new.new, new.new), "", one[:120], before, after, facts)


def _artifact(before: str, after: str, above: str) -> tuple[str, str, str, str] | None:
    """The same of a version that a Maven file asks of the artifact named in the line above."""
    name, one, other = _NAMED.fullmatch(above), _VERSION.fullmatch(before), _VERSION.fullmatch(after)
    return ("artifact", name[1], one[1], other[1]) if name and one and other else None


def _form(before: str, after: str) -> tuple[str, str, str, str]:
    """(form, name, what it was, what it became) of a line, by what is different in it."""
    for form, pattern in (("action", _ACTION), ("pin", _PIN)):
        one, other = pattern.search(before), pattern.search(after)
        if one and other and one["name"].lower() == other["name"].lower() and one["spec"] != other["spec"]:
            return form, one["name"], one["spec"], other["spec"]
    return "line", "", *_difference(before, after)


def _difference(before: str, after: str) -> tuple[str, str]:
    """What is different between two lines, whole words at its ends; the lines where one side lacks it."""
    shortest = min(len(before), len(after))
    start = next((n for n in range(shortest) if before[n] != after[n]), shortest)
    end = next((n for n in range(shortest - start) if before[-1 - n] != after[-1 - n]), shortest - start)
    while start and _EDGE.match(before[start - 1]):
        start -= 1
    while end and _EDGE.match(before[len(before) - end]):
        end -= 1
    one, other = before[start : len(before) - end].strip(), after[start : len(after) - end].strip()
    return (one, other) if one and other else (before, after)
