"""A rule of ``serialization``: parts of a joined or listed value that moved, went or came, and a reader by position."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from review_agent.kinds.base import (
    Seed,
    Settled,
    ask,
    blocked,
    code,
    draft,
    found,
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.bodies import Body, body_at, body_of, split_top
from review_agent.kinds.cache_key_parts import is_key
from review_agent.kinds.functions import function_of, split
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wire_codecs import counterparts_of, paired
from review_agent.syntax.roles import words_of
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import (
    Bundle,
    CallFact,
    DefinitionFact,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    NoFindingCode,
    QueryKind,
    Question,
    Severity,
    SourceRef,
)

__all__ = ["RULES"]

_OPS = frozenset({EditOp.COMPONENT_REMOVED, EditOp.COMPONENT_ADDED, EditOp.TEMPLATE_CHANGED})
_TEXTS = frozenset({"template", "join", "format"})
_SLOT = re.compile(r"\{[^{}]*\}|%(?:\[\d+\])?[-+#0 ]*\d*(?:\.\d+)?[a-zA-Z]")
_SPLITS = re.compile(
    r"(?i)\.(?:r?split|r?partition|splitn|splitlimit|tokenize)\(|\bstrings\.(?:Split\w*|Cut|Fields)\(|\bCut\("
)


def _separator(edit: Edit) -> str:
    """The fixed text between the parts of a joined value, the same between all of them; "" for others."""
    pieces = _SLOT.split(text(edit, "beforeText"))[1:-1]
    return pieces[0] if pieces and len(set(pieces)) == 1 and 0 < len(pieces[0]) <= 3 else ""


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    before, after = texts(edit, "beforeComponents"), texts(edit, "afterComponents")
    name = split(function_of(edit))[1]
    goes = _goes(edit)
    if in_test(edit.path) or not name or not goes or len(before) < 2 or not _first(edit, edits):
        return None
    separator = _separator(edit)
    if text(edit, "composite") in _TEXTS and not separator:
        return None
    scope = split(function_of(edit))[0]
    plan = [ask(QueryKind.DEFINITION, one, path=edit.path, scope=scope) for one in counterparts_of(name)[:2]]
    for quote in ('"', "'") if separator else ():
        plan.append(ask(QueryKind.TEXT, f"{quote}{separator}{quote}", scope="calls"))
    return seed(
        edit,
        "positions_changed",
        change=f"{code(name)} writes {len(after)} parts in place of {len(before)}"
        if len(before) != len(after)
        else f"{code(name)} writes its parts in another form",
        precondition="a reader takes the value apart by position as it was",
        consequence="the reader meets another part than it expects, or none",
        refuted_if=("every reader takes the parts as they stand now", "nothing takes the value apart"),
        plan=plan,
        risk=2,
    )


def _goes(edit: Edit) -> bool:
    """Whether the value is written somewhere: a text that is no key, or a row."""
    return (text(edit, "composite") in _TEXTS and not is_key(edit)) or _row(edit)


def _row(edit: Edit) -> bool:
    """A list or tuple that is written as a row."""
    call = text(edit, "call").rpartition(".")[2].lower()
    return call in ("writerow", "write", "append", "pack", "execute", "push", "writenext", "printrecord", "addrow")


def _first(edit: Edit, edits: Sequence[Edit]) -> bool:
    same = [one for one in edits if one.op in _OPS and one.hunk_id == edit.hunk_id and _goes(one)]
    same = [one for one in same if texts(one, "beforeComponents") == texts(edit, "beforeComponents")]
    return bool(same) and same[0].edit_id == edit.edit_id


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


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    name = split(function_of(edit))[1]
    takings = [one for one in _takings(question, bundle) if paired(name, split(one.scope)[1])]
    wrong = [(one, why) for one in takings if (why := _wrong(edit, one))]
    outside = [(one, why) for one, why in wrong if not _near(bundle, one.ref)]
    if outside:
        return (_card(question, *outside[0]),)
    stopped = blocked(bundle, QueryKind.DEFINITION) if not takings else None
    if takings and not wrong:
        return unsettled(
            NoFindingCode.REFUTED,
            f"{code(takings[0].scope)} takes the value apart as it is written now; {place(takings[0].ref)}",
            refs=[one.ref for one in takings],
        )
    return stopped or unsettled(
        NoFindingCode.NO_CANDIDATE, f"nothing that takes the value of {code(name)} apart was found; {searched(bundle)}"
    )


def _near(bundle: Bundle, ref: SourceRef) -> bool:
    return any(one.near_change for one in bundle.evidence if one.ref == ref)


def _takings(question: Question, bundle: Bundle) -> Iterator[Taking]:
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
    if (not places and not counts) or lenient or len({count for count, _ in counts}) > 1:
        return None
    highest = max(places, default=-1) + 1
    count, shown = counts[0] if counts else (highest, f"{held}[{highest - 1}]")
    named = _named_places(lines, held, highest, results)
    parsed = re.compile(rf"(?:int|float|Number|parse\w+|Atoi|Decimal|valueOf|BigDecimal)\(\s*{name}\[(\d+)\]")
    numbers = tuple(int(at) for one in lines for at in parsed.findall(one))
    return replace(bare, count=count, names=named, exact=bool(counts), shown=shown, numbers=numbers)


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


def _wrong(edit: Edit, one: Taking) -> str:
    """Why a reader does not fit what is written now; "" where it does, or where it never did fit."""
    before, after = texts(edit, "beforeComponents"), texts(edit, "afterComponents")
    was, now = _separator(edit), _fixed(edit)
    if one.separator and was and one.separator.strip() != was.strip():
        return ""
    if one.separator and now and was != now and one.separator.strip() == was.strip():
        return f"it still splits at {code(was)}"
    if one.exact and one.count == len(before) != len(after):
        return f"it still goes by {code(one.shown)}"
    if not one.exact and one.count <= len(before) and one.count > len(after):
        return f"it still takes {code(one.shown)}"
    for at in one.numbers if len(before) == len(after) else ():
        if at < len(after) and _counts(before[at]) and not _counts(after[at]):
            return f"it still reads a number where {code(after[at])} is now"
    if len(before) == len(after) and one.count <= len(after):
        for at, name in enumerate(one.names):
            if name and _about(name, before[at]) and not _about(name, after[at]):
                return f"it still takes {code(name)} from where {code(after[at])} is now"
    return ""


def _counts(component: str) -> bool:
    """Whether a part is a number written as text."""
    shape = r"^(?:str|String\.valueOf|String|strconv\.\w+|fmt\.Sprint)\(|\.toString\(|\.toFixed\("
    return re.search(shape, component) is not None


def _fixed(edit: Edit) -> str:
    pieces = _SLOT.split(text(edit, "afterText"))[1:-1]
    return pieces[0] if pieces and len(set(pieces)) == 1 else ""


def _about(name: str, component: str) -> bool:
    empty = {"str", "string", "get", "self", "this", "id", "format", "value", "int"}
    return bool((set(words_of(name)) & set(words_of(component))) - (empty if len(words_of(name)) > 1 else set()))


def _card(question: Question, one: Taking, why: str) -> Draft:
    edit = question.edits[0]
    name = split(function_of(edit))[1]
    verb, op, subject = "Changing", EffectOp.CHANGED, function_of(edit)
    if edit.op is EditOp.COMPONENT_REMOVED:
        verb, op, subject = "Removing", EffectOp.REMOVED, edit.subject
    elif edit.op is EditOp.COMPONENT_ADDED:
        verb, op, subject = "Adding", EffectOp.ADDED, edit.subject
    what = {
        "Removing": f"{code(subject)} from what {code(name)} writes",
        "Adding": f"{code(subject)} to what {code(name)} writes",
        "Changing": f"the form that {code(name)} writes",
    }[verb]
    return draft(
        question,
        claim=f"{verb} {what} leaves {code(split(one.scope)[1])} in {place(one.ref)} behind: {why}.",
        op=op,
        subject=subject,
        severity=Severity.BLOCKING,
        support=[one.ref],
        impact="A value of the new form is handed to that reader: it fails on it, or takes one field for another.",
        counter=(f"A reader that tells the forms apart would refute this; {code(split(one.scope)[1])} knows one.",),
    )


RULES = (Rule("positions_changed", _OPS, _raise, _settle),)
