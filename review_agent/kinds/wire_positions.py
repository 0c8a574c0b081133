"""Functions that take a written value apart by the position of its parts: where they split, by what, what they take."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from review_agent.kinds.base import found
from review_agent.kinds.bodies import Body, body_at, body_of, split_top
from review_agent.kinds.functions import function_of
from review_agent.vocabulary import Bundle, CallFact, DefinitionFact, QueryKind, Question, SourceRef

__all__ = ["Taking", "takings"]

_SPLITS = re.compile(
    r"(?i)\.(?:r?split|r?partition|splitn|splitlimit|tokenize)\(|\bstrings\.(?:Split\w*|Cut|Fields)\(|\bCut\("
)


@dataclass(frozen=True)
class Taking:
    """A function that takes the value apart: where it splits, by what, and how many parts it takes or names."""

    ref: SourceRef
    scope: str
    line: int
    separator: str
    count: int
    names: tuple[str, ...]
    exact: bool
    shown: str
    numbers: tuple[int, ...] = ()
    places: tuple[int, ...] = ()
    held: str = ""


def takings(question: Question, bundle: Bundle) -> Iterator[Taking]:
    seen = set()
    for one in found(bundle, CallFact, QueryKind.TEXT):
        splits = _SPLITS.search(f"{one.fact.callee}(") or _SPLITS.search(f".{one.fact.callee}(")
        if one.fact.in_test or not splits or one.fact.scope == function_of(question.edits[0]):
            continue
        body = body_at(bundle, one.ref.path, one.ref.start_line)
        taking = _taking(body or body_of(one.evidence), one.ref, one.fact.scope, one.ref.start_line, one.fact.targets)
        if taking and (taking.ref, taking.line) not in seen:
            seen.add((taking.ref, taking.line))
            yield taking
    for definition in found(bundle, DefinitionFact, QueryKind.DEFINITION):
        body = body_at(bundle, definition.ref.path, definition.ref.start_line)
        for number, line in body.lines if body else ():
            taking = _taking(body, definition.ref, definition.fact.qualname, number, ()) if body else None
            if taking and _SPLITS.search(line) and (definition.ref, number) not in seen:
                seen.add((definition.ref, number))
                yield taking


_SPLIT_AT = re.compile(r"(?i)(?:split\w*|partition|Cut)\(\s*(?:[\w.]+\s*,\s*)?[\"'`]([^\"'`]+)[\"'`]")
_HEAD = r"\s*(?:const |let |var |final |String\[\] )?"
_NAMES = r"[\[(]?\s*([\w$]+(?:\s*,\s*\*?[\w$]+)+)\s*[\])]?\s*(?::=|=)"


def _taking(body: Body, ref: SourceRef, scope: str, line: int, targets: Sequence[str]) -> Taking | None:
    """What a function does with the parts from the line on at which it splits."""
    after = [one for number, one in body.lines if number >= line]
    here, head = after[0] if after else "", body.lines[0][1] if body.lines else ""
    cut = _SPLIT_AT.search(here)
    single = re.match(rf"{_HEAD}([\w$]+)(?:\s*:\s*[\w\[\], ]+)?\s*(?::=|=)", here)
    held = single[1] if single else next(iter(targets), "")
    unpacked = re.match(_HEAD + _NAMES, here) or _unpacked_later(after[1:], held)
    names = tuple(one.strip() for one in unpacked[1].split(",")) if unpacked else ()
    at = cut[1] if cut else ""
    if len(names) > 1 and not any(one.startswith("*") for one in names):
        return Taking(ref, scope, line, at, len(names), names, True, ", ".join(names))
    return _by_number(Taking(ref, scope, line, at, 0, (), False, ""), after, held, _results(head)) if held else None


def _unpacked_later(lines: Sequence[str], held: str) -> re.Match[str] | None:
    shape = re.compile(rf"{_HEAD}{_NAMES}\s*{re.escape(held)}\s*;?\s*$")
    return next((found for one in lines if held and (found := shape.match(one))), None)


def _by_number(bare: Taking, lines: Sequence[str], held: str, results: Sequence[str]) -> Taking | None:
    """The parts that are taken by their number, or counted."""
    name = re.escape(held)
    size = rf"(?:len\(\s*{name}\s*\)|{name}\.(?:length|size\(\)))"
    places = [int(at) for one in lines for at in re.findall(rf"(?<![\w.]){name}\[(\d+)\]", one)]
    counts = [(int(found[1]), found[0]) for one in lines for found in re.finditer(rf"{size}\s*[!=]==?\s*(\d+)", one)]
    lenient = any(
        re.search(rf"(?:len\(\s*{name}\s*\)|{name}\.(?:length|size\(\)))\s*(?:[<>]|in\b)", one) for one in lines
    )
    if (not places and not counts) or len({count for count, _ in counts}) > 1:
        return None
    at_least = tuple(sorted(set(places)))
    if lenient:
        return replace(bare, places=at_least, held=held) if places else None
    highest = max(places, default=-1) + 1
    count, shown = counts[0] if counts else (highest, f"{held}[{highest - 1}]")
    named = _named_places(lines, held, highest, results)
    parsed = re.compile(rf"(?:int|float|Number|parse\w+|Atoi|Decimal|valueOf|BigDecimal)\(\s*{name}\[(\d+)\]")
    numbers = tuple(int(at) for one in lines for at in parsed.findall(one))
    filled = replace(bare, count=count, names=named, exact=bool(counts), shown=shown)
    return replace(filled, numbers=numbers, places=at_least, held=held)


def _named_places(lines: Sequence[str], held: str, count: int, results: Sequence[str]) -> tuple[str, ...]:
    """What the parts are called where they are taken by number: ``total`` of ``total = parts[1]``, ``"total": …``."""
    names = [""] * count
    for line in lines:
        for name, at in re.findall(
            rf"[\"'`]?([A-Za-z_$][\w$]*)[\"'`]?\s*(?::=|=|:)\s*(?:[\w.]+\(\s*)*{re.escape(held)}\[(\d+)\]", line
        ):
            if int(at) < count:
                names[int(at)] = name
        given = re.match(r"\s*return\s+(.*)$", line)
        for index, part in enumerate(split_top(given[1]) if given and results else ()):
            place_of = re.fullmatch(rf"(?:[\w.]+\()*{re.escape(held)}\[(\d+)\]\)*", part)
            if place_of and int(place_of[1]) < count and index < len(results):
                names[int(place_of[1])] = names[int(place_of[1])] or results[index]
    return tuple(names)


def _results(head: str) -> list[str]:
    """The names that Go's signature gives the results."""
    found = re.search(r"\)\s*\(([^()]*)\)\s*\{\s*$", head)
    return [part.split()[0] for part in split_top(found[1])] if found else []
