"""Edits that leave a function's documentation in disagreement with it: parameters, defaults, errors that it lists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from review_agent.syntax.docs import DocLine, Entry, doc_of, errors_of, parameters_of
from review_agent.syntax.edits.frame import Frame, Lines, Sighting, Spot, dotted
from review_agent.syntax.edits.hierarchy import Hierarchy
from review_agent.syntax.edits.scopes import CALLABLES, Scopes
from review_agent.syntax.edits.transitions import is_literal, same_value
from review_agent.syntax.model import Param, Symbol
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]

_BOUND = frozenset({"self", "cls", "mcs"})
_NAMED = frozenset({"positional", "keyword_only"})
# An entry that says itself that its name is of the past.
_PAST = re.compile(r"(?i)\b(?:deprecated|removed|no longer|ignored|unused|legacy|alias|formerly|versionremoved)\b")
# A type stands for itself only where it is written as one.
_TYPE = re.compile(r"^[A-Z]\w*$")


@dataclass(frozen=True)
class Doc:
    """A function on both sides, and what its documentation lists at head."""

    frame: Frame
    old: Symbol
    new: Symbol
    lines: tuple[DocLine, ...]
    entries: Mapping[str, Entry]

    @property
    def words(self) -> frozenset[str]:
        return frozenset(re.findall(r"\w+", "\n".join(one.text for one in self.lines)))


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """doc_parameter_left, doc_parameter_missing, doc_default_left and doc_error_left."""
    if in_test(frame.path):
        return
    hierarchy = Hierarchy(frame.old_outline, frame.new_outline)
    for old, new in (*scopes.pairs, *scopes.renamed):
        if old.kind not in CALLABLES or new.kind not in CALLABLES or new.is_test:
            continue
        doc = _doc(frame, scopes, old, new)
        if doc is not None:
            yield from _left(doc)
            yield from _missing(doc)
            yield from _defaults(doc)
        yield from _errors(frame, hierarchy, old, new)


def _doc(frame: Frame, scopes: Scopes, old: Symbol, new: Symbol) -> Doc | None:
    """The documentation of a function; of a Python constructor also that of its class."""
    symbols = [new]
    owner = scopes.new_symbols.get(new.scope)
    if frame.language == "python" and new.name == "__init__" and owner is not None:
        symbols.append(owner)
    for symbol in symbols:
        lines = doc_of(frame.new_lines, symbol, frame.language)
        entries = parameters_of(lines, frame.language)
        if entries:
            return Doc(frame, old, new, lines, entries)
    return None


def _params(symbol: Symbol) -> list[Param]:
    return [one for one in symbol.params if one.name not in _BOUND]


def _open(symbol: Symbol) -> bool:
    """Whether it may take more names than its signature tells."""
    return any(one.kind == "var_keyword" or one.name[:1] in "{[" for one in symbol.params)


def _gathers(doc: Doc) -> bool:
    """Whether the new signature takes in one what came after it one by one: it can be passed there still."""
    was, now = (any(p.kind == "var_positional" for p in one.params) for one in (doc.old, doc.new))
    return now and not was


def _stale(doc: Doc, entry: Entry) -> bool:
    return entry.line not in doc.frame.new and not _PAST.search(entry.text)


def _left(doc: Doc) -> Iterator[Sighting]:
    """An entry of a parameter that the change took out of the signature."""
    was, now = [one.name for one in _params(doc.old)], [one.name for one in _params(doc.new)]
    for name, entry in doc.entries.items():
        if name not in was or name in now or _open(doc.new) or _gathers(doc) or not _stale(doc, entry):
            continue
        spot = _header(doc, name, "")
        if spot is not None:
            facts = {**_facts(doc, entry), "newName": _successor(doc, was.index(name), now, was)}
            yield Sighting(EditOp.DOC_PARAMETER_LEFT, spot, doc.new.qualname, name, name, None, facts)


def _successor(doc: Doc, index: int, now: Sequence[str], was: Sequence[str]) -> str:
    """The new parameter that stands where the old one stood, if nothing else moved."""
    if index >= len(now) or now[index] in was or len(now) != len(was) or now[index] in doc.entries:
        return ""
    return now[index]


def _missing(doc: Doc) -> Iterator[Sighting]:
    """A new parameter that documentation does not name, while it lists every other one."""
    was = {one.name for one in _params(doc.old)}
    named = [one for one in _params(doc.new) if one.kind in _NAMED and one.name[:1] not in "{["]
    kept = [one.name for one in named if one.name in was]
    if not kept or not all(name in doc.entries for name in kept):
        return
    for one in named:
        if one.name in was or one.name in doc.words or one.name.startswith("_"):
            continue
        spot = _header(doc, "", one.name)
        if spot is not None:
            facts = {**_facts(doc, _farthest(doc, kept)), "documented": tuple(kept), "default": one.default}
            yield Sighting(EditOp.DOC_PARAMETER_MISSING, spot, doc.new.qualname, one.name, None, one.name, facts)


def _farthest(doc: Doc, names: Sequence[str]) -> Entry:
    """The entry that lies farthest from what changed: the nearer ones stand in the diff's own lines of context."""
    listed = [doc.entries[name] for name in names]
    return max(listed, key=lambda one: min((abs(line - one.line) for line in doc.frame.new), default=0))


def _defaults(doc: Doc) -> Iterator[Sighting]:
    """An entry that states the default of before."""
    before = {one.name: one.default for one in _params(doc.old)}
    body = doc.frame.text(Side.NEW, doc.new.header_end + 1, doc.new.end)
    for one in _params(doc.new):
        was, now, entry = before.get(one.name), one.default, doc.entries.get(one.name)
        if was is None or now is None or entry is None or not is_literal(was) or same_value(was, now):
            continue
        # A placeholder may stand for the old value still.
        if not is_literal(now) or (now in ("None", "null") and _value(was).search(body)):
            continue
        line = _stated(doc, entry, one.name, was)
        spot = _header(doc, one.name, one.name)
        if line is not None and spot is not None and line.line not in doc.frame.new:
            facts = {**_facts(doc, entry), "docLine": line.line, "docText": line.text.strip()[:200]}
            yield Sighting(EditOp.DOC_DEFAULT_LEFT, spot, doc.new.qualname, one.name, was, now, facts)


def _value(text: str) -> re.Pattern[str]:
    bare = text.strip("\"'") or text
    return re.compile(rf"(?<![\w.-]){re.escape(bare)}(?![\w]|\.\d)")


def _stated(doc: Doc, entry: Entry, name: str, value: str) -> DocLine | None:
    """The line of an entry that says which value stands where none is given."""
    bare = re.escape(value.strip("\"'") or value)
    said = re.compile(rf"(?i)\bdefault(?:s|ed)?(?:\s+(?:to|is|value|of|as|=))*\W{{0,6}}{bare}(?![\w]|\.\d)")
    bracket = re.compile(rf"\[{re.escape(name)}\s*=\s*[\"']?{bare}[\"']?\]")
    last = entry.line + entry.text.count("\n")
    inside = [one for one in doc.lines if entry.line <= one.line <= last]
    return next((one for one in inside if said.search(one.text) or bracket.search(one.text)), None)


def _errors(frame: Frame, hierarchy: Hierarchy, old: Symbol, new: Symbol) -> Iterator[Sighting]:
    """An entry of an error that the function raised and now raises no more, nor anything new that it calls."""
    was, now = _raised(frame, Side.OLD, old.qualname), _raised(frame, Side.NEW, new.qualname)
    gone = {one: line for one, line in was.items() if one not in now and line in frame.old and _TYPE.match(one)}
    if not gone or "" in now or _new_calls(frame, old, new):
        return
    everywhere = {_last(one.type) for one in frame.new_outline.raises}
    header = frame.text(Side.NEW, new.start, new.header_end)
    for name, entry in errors_of(doc_of(frame.new_lines, new, frame.language), frame.language).items():
        if name not in gone or name in everywhere or entry.line in frame.new or dotted(name).search(header):
            continue
        if any(hierarchy.is_a(one, name) for one in now) or _PAST.search(entry.text):
            continue
        spot = frame.spot((Side.OLD, (gone[name], gone[name])))
        if spot is not None:
            facts = _where(frame, new, entry.line)
            before = frame.text(Side.OLD, gone[name], gone[name]).strip()[:200]
            yield Sighting(EditOp.DOC_ERROR_LEFT, spot, new.qualname, name, before, None, facts)


def _raised(frame: Frame, side: Side, scope: str) -> dict[str, int]:
    """The types that a function raises itself, each with a line."""
    outline = frame.old_outline if side is Side.OLD else frame.new_outline
    return {_last(one.type): one.start for one in outline.raises if one.scope == scope}


def _last(name: str) -> str:
    return name.partition("(")[0].rpartition(".")[2]


def _new_calls(frame: Frame, old: Symbol, new: Symbol) -> bool:
    """Whether it calls something that it did not: the check may have moved there."""
    before = {one.callee for one in frame.old_outline.calls if one.scope == old.qualname}
    return any(one.callee not in before for one in frame.new_outline.calls if one.scope == new.qualname)


def _facts(doc: Doc, entry: Entry) -> dict[str, FactValue]:
    return _where(doc.frame, doc.new, entry.line)


def _where(frame: Frame, symbol: Symbol, line: int) -> dict[str, FactValue]:
    return {
        "function": symbol.qualname,
        "symbolKind": symbol.kind,
        "docLine": line,
        "docText": frame.text(Side.NEW, line, line).strip()[:200],
    }


def _header(doc: Doc, old_name: str, new_name: str) -> Spot | None:
    """The changed line of the signature that names the parameter, else the changed lines of the signature."""
    wanted: list[tuple[Side, Lines | None]] = []
    sides = ((Side.NEW, doc.new, new_name), (Side.OLD, doc.old, old_name))
    for side, symbol, name in sides:
        for line in range(symbol.name_line, symbol.header_end + 1) if name else ():
            if dotted(name).search(doc.frame.text(side, line, line)):
                wanted.append((side, (line, line)))
    return doc.frame.spot(*wanted, *((side, (symbol.name_line, symbol.header_end)) for side, symbol, _ in sides))
