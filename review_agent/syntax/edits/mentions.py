"""Edits of names that a change takes out of a file's code while a comment of the file goes on about them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from review_agent.syntax.code import code_lines
from review_agent.syntax.docs import doc_of
from review_agent.syntax.edits.frame import Frame, Sighting, dotted
from review_agent.syntax.edits.scopes import CALLABLES, CLASSES, Scopes
from review_agent.syntax.model import Symbol
from review_agent.syntax.prose import is_past, is_prose, names, spoken
from review_agent.syntax.testfiles import in_test
from review_agent.syntax.words import words_in
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]

_COMMENT = re.compile(r"^\s*(?://|/\*|\*(?!\*)|#)")
_LEAST = 4
# Places that one edit tells.
_MOST = 8


@dataclass(frozen=True)
class Gone:
    """A name that the file defined and has nowhere in its code any more. ``scope``: where it could be meant."""

    name: str
    kind: str
    qualname: str
    scope: str
    new_name: str
    exported: bool


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """name_left_in_comment."""
    if in_test(frame.path) or not frame.old or not frame.new_lines:
        return
    before = code_lines(frame.old_lines, frame.language)
    touched = "\n".join(before[line - 1] for line in frame.old if line <= len(before))
    removed = set(words_in(touched, frame.language))
    left = set(words_in("\n".join(code_lines(frame.new_lines, frame.language)), frame.language))
    gone = [one for one in _defined(scopes, frame) if one.name in removed - left and len(one.name) >= _LEAST]
    comments = _comments(frame) if gone else {}
    for one in gone:
        yield from _sighted(frame, scopes, one, comments)


def _defined(scopes: Scopes, frame: Frame) -> Iterator[Gone]:
    """Symbols of the old side, and the parameters of its functions, each name once."""
    renamed = {old.qualname: new.name for old, new in scopes.renamed}
    found: dict[str, Gone] = {}
    for one in frame.old_outline.symbols:
        if one.kind != "test" and not scopes.is_local(one) and not _inherited(scopes, one):
            found.setdefault(
                one.name, Gone(one.name, one.kind, one.qualname, "", renamed.get(one.qualname, ""), one.exported)
            )
    for one in frame.old_outline.symbols:
        for param in one.params if one.kind in CALLABLES and one.qualname in scopes.new_of else ():
            gone = Gone(param.name, "parameter", one.qualname, scopes.new_of[one.qualname], "", exported=False)
            found.setdefault(param.name, gone)
    yield from found.values()


def _inherited(scopes: Scopes, symbol: Symbol) -> bool:
    """Whether a member lives on in what its type is made of, which may be other people's."""
    owner = scopes.old_symbols.get(symbol.scope)
    return owner is not None and bool(owner.bases) and symbol.kind != "class"


def _comments(frame: Frame) -> Mapping[int, str]:
    """What unchanged lines of the new side say to people: comments, documentation and messages."""
    code = code_lines(frame.new_lines, frame.language)
    found = {}
    for n, text in enumerate(frame.new_lines, 1):
        # What code has no part of and is no comment of its own stands inside of a longer text.
        if code[n - 1].strip() or _COMMENT.match(text):
            found[n] = spoken(text, frame.language)[0]
    if frame.language == "python":
        for symbol in frame.new_outline.symbols:
            if symbol.kind in CALLABLES or symbol.kind in CLASSES:
                found |= {one.line: one.text for one in doc_of(frame.new_lines, symbol, "python")}
    return {n: text for n, text in found.items() if text and n not in frame.new}


def _sighted(frame: Frame, scopes: Scopes, one: Gone, comments: Mapping[int, str]) -> Iterator[Sighting]:
    span = range(1, len(frame.new_lines) + 1)
    if one.scope:
        start, end = scopes.span(Side.NEW, one.scope)
        span = range(_doc_start(frame, scopes.new_symbols.get(one.scope), start), end + 1)
    lines = [n for n, text in sorted(comments.items()) if n in span and _means(frame, one, n, text)]
    word = dotted(one.name)
    spots = [n for n in frame.old if word.search(frame.text(Side.OLD, n, n))]
    spot = frame.spot((Side.OLD, (spots[0], spots[0]))) if spots and lines else None
    if spot is None:
        return
    facts: dict[str, FactValue] = {
        "symbolKind": one.kind,
        "qualname": one.qualname,
        "newName": one.new_name,
        "exported": one.exported,
        "function": one.scope,
        "docLine": lines[0],
        "docText": frame.text(Side.NEW, lines[0], lines[0]).strip()[:200],
        "lines": tuple(str(n) for n in lines[:_MOST]),
    }
    text = frame.text(Side.OLD, spots[0], spots[0]).strip()[:200]
    yield Sighting(EditOp.NAME_LEFT_IN_COMMENT, spot, one.scope, one.name, text, None, facts)


def _doc_start(frame: Frame, symbol: Symbol | None, start: int) -> int:
    doc = doc_of(frame.new_lines, symbol, frame.language) if symbol is not None else ()
    return min(start, doc[0].line) if doc else start


def _means(frame: Frame, one: Gone, line: int, text: str) -> bool:
    """Whether a comment line names it as it is now: in a sentence, as code, and not as a thing of the past."""
    around = frame.text(Side.NEW, max(1, line - 1), min(len(frame.new_lines), line + 1))
    return names(text, one.name, one.qualname) and is_prose(text) and not is_past(around)
