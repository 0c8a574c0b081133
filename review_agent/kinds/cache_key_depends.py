"""Which lines of a function make what it keeps with a part of the key, and what only looks as if it did."""

from __future__ import annotations

import re
from collections.abc import Iterator

from review_agent.kinds.base import found, texts
from review_agent.kinds.bodies import Body, calls_in, has_word, whole_of
from review_agent.kinds.cache_key_places import Keyed
from review_agent.kinds.functions import function_of, split
from review_agent.vocabulary import Bundle, DefinitionFact, Edit, QueryKind, Question

__all__ = ["depending"]

_LOGS = re.compile(r"(?i)\b(log|logger|logging|console|metrics?|statsd|span|trace|tracer|print|printf|println|slog)\b")
_EMPTY = re.compile(r"(?i)\b(none|null|nil|undefined)\b|^\s*(?:if|assert)\s+!?\s*(?:not\s+)?\(?[\w.]+\)?\s*[:{)]")
_HEAD = re.compile(r"\s*(?:[\w@]+\s+)*(?:def|func|function)\b")
_REFUSES = re.compile(r"\s*(?:raise|throw|panic)\b|\s*return\b.*\b(?:errors\.New|fmt\.Errorf|Err[A-Z]\w*)\b")
# A body of fewer lines than this declares a method that another type has.
_SHORT = 3
# A body of more lines than this may have been cut.
_LONG = 60


def depending(question: Question, bundle: Bundle, keyed: Keyed) -> Iterator[int]:
    """Lines that make the value with the component."""
    edit = question.edits[0]
    stores = {one.line for one in keyed.reads if one.act != "both"} - {one.line for one in keyed.writes}
    first, header, last = _bounds(bundle, keyed)
    ignored = {name for name in texts(edit, "takers") if _unused(bundle, edit, name, keyed)}
    for number, line in keyed.body.naming(keyed.name):
        if not header < number <= last or number < first or number in keyed.skip | stores:
            continue
        if _LOGS.search(line) or (_EMPTY.search(line) and re.match(r"\s*(?:if|assert|}?\s*else)\b", line)):
            continue
        if _builds_key(line) or _only_for(line, keyed.name, ignored):
            continue
        yield number


def _bounds(bundle: Bundle, keyed: Keyed) -> tuple[int, int, int]:
    """First line, end of the header and last line of the function that asks the store, as far as its excerpt shows."""
    at = min((one.line for one in (*keyed.reads, *keyed.writes)), default=0)
    first, last = keyed.body.ref.start_line, keyed.body.ref.end_line
    for one in found(bundle, DefinitionFact, QueryKind.DEFINITION):
        inside = first <= one.ref.start_line <= at
        if one.ref.path == keyed.body.ref.path and inside:
            first = max(first, one.ref.start_line)
    heads = [number for number, line in keyed.body.lines if first <= number < at and _HEAD.match(line)]
    first = max(heads, default=first)
    return first, _header_end(keyed.body, first), last


def _header_end(body: Body, first: int) -> int:
    """The line on which a function's parameters end."""
    depth, opened = 0, False
    for number, line in body.lines:
        if number < first:
            continue
        depth += line.count("(") - line.count(")")
        opened = opened or "(" in line
        if depth <= 0 and opened and not line.lstrip().startswith("@"):
            return number
    return first


def _builds_key(line: str) -> bool:
    return bool(re.match(r"\s*(?:const |let |var |final |String )?\w*(?:key|Key)\w*\s*(?::=|=)(?!=)", line))


def _only_for(line: str, name: str, callees: set[str]) -> bool:
    """Whether all that a line does with a name is to hand it to these."""
    handing = [one for one in calls_in(line) if any(arg == name for arg in one.args)]
    bare = line
    for one in handing:
        bare = bare.replace(f"{one.callee}({', '.join(one.args)})", "") if one.callee in callees else bare
    return bool(handing) and not has_word(bare, name)


def _unused(bundle: Bundle, edit: Edit, callee: str, keyed: Keyed) -> bool:
    """Whether a function that is handed the component makes nothing of it: it refuses some values, or logs it."""
    name = split(callee)[1]
    call = next((one for one in keyed.body.calls if one.callee == callee and keyed.name in one.args), None)
    asked = found(bundle, DefinitionFact, QueryKind.DEFINITION, callee)
    defined = [one for one in asked if split(one.fact.qualname)[1] == name]
    if call is None or len(defined) != 1 or split(function_of(edit))[1] == name:
        return False
    one = defined[0]
    names = [p.name for p in one.fact.parameters if p.name not in ("self", "this", "cls")]
    at = call.args.index(keyed.name)
    body = whole_of(bundle, one.ref)
    if body is None or at >= len(names) or not _SHORT <= len(body.lines) <= _LONG:
        return False
    header = _header_end(body, one.ref.start_line)
    lines = [(number, line) for number, line in body.lines if number > header]
    return bool(lines) and not any(_makes(lines, index, names[at]) for index in range(len(lines)))


def _makes(lines: list[tuple[int, str]], index: int, name: str) -> bool:
    """Whether a line does more with a name than refuse or log it."""
    line = lines[index][1]
    if not has_word(line, name) or _LOGS.search(line) or _REFUSES.match(line):
        return False
    following = lines[index + 1][1] if index + 1 < len(lines) else ""
    return not (re.match(r"\s*(?:}\s*)?(?:el)?(?:se )?if\b", line) and (_REFUSES.match(following) or _thrown(line)))


def _thrown(line: str) -> bool:
    return re.search(r"\)\s*\{?\s*(?:throw|raise|panic)\b", line) is not None
