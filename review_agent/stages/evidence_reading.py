"""Focused reading: the excerpts that a reader of the question needs, charged to the first question that asks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from review_agent.stages.evidence_alike import alike
from review_agent.stages.evidence_budget import Covered
from review_agent.stages.evidence_gather import Gather, role_of, said
from review_agent.stages.evidence_proposed import is_proposed
from review_agent.stages.evidence_view import View
from review_agent.syntax.languages import family_of
from review_agent.syntax.model import Symbol
from review_agent.syntax.testfiles import in_test, is_unloaded, run_line
from review_agent.vocabulary import (
    CallFact,
    ConfigFact,
    DefinitionFact,
    Evidence,
    ImplementerFact,
    LeftOut,
    QueryKind,
    Resolution,
    Role,
    Side,
    UseFact,
)

__all__ = ["THE_QUESTION", "read"]

# The number of no query: an excerpt around the question's own anchor.
THE_QUESTION = -1
# Enclosing functions of callers that are read, at most: the rest stand as hit lines.
_CALLERS = 2
# Functions of the changed file that are read for a hit inside them, and the lines of such a one.
_OWN, _SHORT = 3, 40
# Lines before and after a configuration key, where its block has no end of its own.
_AROUND = 6


@dataclass(frozen=True)
class Wish:
    """Lines worth reading, what they are evidence of, and the query that led there."""

    side: Side
    path: str
    start: int
    end: int
    query: int
    role: Role


def read(gather: Gather, views: dict[Side, View], covered: Covered, characters: int) -> list[Evidence]:
    """Read what the question's evidence points at, best first, within its budget; refusals are left out aloud."""
    evidence: list[Evidence] = []
    for wish in dict.fromkeys(_wishes(gather, views)):
        one = _granted(gather, wish, covered)
        if one is None:
            continue
        sources = views[wish.side].sources
        ref = sources.ref(wish.path, one.start, one.end, wish.role)
        text = said(sources, wish.path, one.start, one.end, characters)
        evidence.append(Evidence(ref=ref, query=wish.query, origin="read", text=text, facts=()))
    return evidence


def _granted(gather: Gather, wish: Wish, covered: Covered) -> Wish | None:
    budgets = gather.allowance.budgets
    end = min(wish.end, wish.start + budgets.lines_per_file - 1)
    missing = covered.missing(wish.side, wish.path, (wish.start, end))
    what = f"{wish.path} lines {wish.start} to {wish.end}"
    if missing:
        granted = gather.allowance.take_lines(wish.side, wish.path, len(missing))
        if not granted:
            why = _spent(gather, wish)
            gather.left_out.append(LeftOut(what=what, why=why))
            return None
        # What is granted is read from the top: a line beyond it ends the excerpt.
        end = end if granted == len(missing) else sorted(missing)[granted] - 1
        covered.add(wish.side, wish.path, set(range(wish.start, end + 1)))
    if end < wish.end:
        why = f"lines_per_file budget of {budgets.lines_per_file} spent"
        gather.left_out.append(LeftOut(what=f"{wish.path} lines {end + 1} to {wish.end}", why=why))
    return Wish(wish.side, wish.path, wish.start, end, wish.query, wish.role)


def _spent(gather: Gather, wish: Wish) -> str:
    budgets = gather.allowance.budgets
    if (wish.side, wish.path) in gather.allowance.read:
        return f"lines_per_file budget of {budgets.lines_per_file} spent"
    return f"files_read budget of {budgets.files_read} spent"


def _wishes(gather: Gather, views: dict[Side, View]) -> Iterator[Wish]:
    anchor = gather.question.anchor
    yield from _enclosing(views[anchor.side], anchor.side, anchor.path, anchor.start_line, THE_QUESTION, Role.USE)
    hits = [one for number in sorted(gather.evidence) for one in gather.evidence[number]]
    for one in hits:
        if any(isinstance(fact, DefinitionFact) and fact.symbol != "module" for fact in one.facts):
            yield from _body(views[one.ref.side], one)
    yield from _around_callers(gather, views, hits)
    yield from _run_by_path(views, hits)
    yield from _around_readers(gather, views, hits)
    for one in hits:
        if any(isinstance(fact, ConfigFact) and fact.act != "documents" for fact in one.facts):
            yield from _block(views[one.ref.side], one)
        elif any(isinstance(fact, ImplementerFact) for fact in one.facts):
            yield from _body(views[one.ref.side], one)
    for place in alike(gather.question, views[Side.NEW], hits):
        number = place.hit.query if place.hit is not None else THE_QUESTION
        yield Wish(Side.NEW, place.path, place.start, place.end, number, Role.USE)
    if is_proposed(gather.question):
        yield from _around_own(gather, views, hits)


def _around_own(gather: Gather, views: dict[Side, View], hits: list[Evidence]) -> Iterator[Wish]:
    """Short functions of the changed file that hold a hit: what a name is there for stands around it, close at hand."""
    anchor = gather.question.anchor
    index = views[anchor.side].index(anchor.path)
    own = [one for one in hits if (one.ref.path, one.ref.side) == (anchor.path, anchor.side)]
    found: dict[Symbol, Evidence] = {}
    for one in own:
        around = [symbol for symbol in index.outline.symbols if _holds(symbol, one.ref.start_line)] if index else []
        innermost = min(around, key=lambda symbol: symbol.end - symbol.start, default=None)
        if innermost is not None and innermost.end - innermost.start < _SHORT:
            found.setdefault(innermost, one)
    for symbol, one in list(found.items())[:_OWN]:
        yield Wish(anchor.side, anchor.path, symbol.start, symbol.end, one.query, one.ref.role)


def _around_callers(gather: Gather, views: dict[Side, View], hits: list[Evidence]) -> Iterator[Wish]:
    calls = [one for one in hits if any(_is_call(fact) for fact in one.facts)]
    best = sorted(calls, key=lambda one: (one.ref.side is Side.OLD, in_test(one.ref.path)))
    for one in best[:_CALLERS]:
        role = role_of(gather.answers[one.query].query, in_test=in_test(one.ref.path))
        yield from _enclosing(views[one.ref.side], one.ref.side, one.ref.path, one.ref.start_line, one.query, role)


def _run_by_path(views: dict[Side, View], hits: list[Evidence]) -> Iterator[Wish]:
    """The line that says that a file with a use is run by its path, where no import can name it."""
    for one in hits:
        used = any(
            isinstance(fact, CallFact | UseFact) and fact.resolution is Resolution.RESOLVED for fact in one.facts
        )
        source = views[one.ref.side].source(one.ref.path) if used and is_unloaded(one.ref.path) else None
        line = run_line(source.lines) if source is not None else 0
        if line:
            yield Wish(one.ref.side, one.ref.path, line, line, one.query, one.ref.role)


def _around_readers(gather: Gather, views: dict[Side, View], hits: list[Evidence]) -> Iterator[Wish]:
    """The functions that read a key asked for: what they do with the value stands around the line."""
    reads = [one for one in hits if any(isinstance(fact, UseFact) and fact.use == "key_read" for fact in one.facts)]
    # Where nobody asks for it as a string, a member of that name may be it: what it is asked of stands around the line.
    told = {one.query for one in reads}
    members = [one for one in hits if one.query not in told and _is_member(gather, one)]
    best = sorted(reads, key=lambda one: (one.ref.side is Side.OLD, one.near_change, in_test(one.ref.path)))
    for one in (*best[:_CALLERS], *members[:1]):
        role = role_of(gather.answers[one.query].query, in_test=in_test(one.ref.path))
        yield from _enclosing(views[one.ref.side], one.ref.side, one.ref.path, one.ref.start_line, one.query, role)


def _is_member(gather: Gather, one: Evidence) -> bool:
    asked = gather.answers[one.query].query.kind is QueryKind.PRODUCERS and family_of(one.ref.path) == "javascript"
    return asked and any(isinstance(fact, UseFact) and fact.use in ("attribute", "read") for fact in one.facts)


def _is_call(fact: object) -> bool:
    return isinstance(fact, CallFact) and fact.resolution is Resolution.RESOLVED


def _body(view: View, one: Evidence) -> Iterator[Wish]:
    index = view.index(one.ref.path)
    for symbol in index.outline.symbols if index else ():
        if symbol.start == one.ref.start_line:
            yield Wish(one.ref.side, one.ref.path, symbol.start, symbol.end, one.query, one.ref.role)
            return


def _enclosing(view: View, side: Side, path: str, line: int, query: int, role: Role) -> Iterator[Wish]:
    source, index = view.source(path), view.index(path)
    if source is None or line > len(source.lines):
        return
    around = [one for one in index.outline.symbols if _holds(one, line)] if index else []
    innermost = min(around, key=lambda one: one.end - one.start, default=None)
    if innermost is None:
        start, end = max(1, line - _AROUND), min(len(source.lines), line + _AROUND)
    else:
        start, end = innermost.start, innermost.end
    budget_window = 80
    if end - start > 2 * budget_window:
        # The head of a long function says less than what stands around the line.
        start, end = max(start, line - budget_window), min(end, line + budget_window - 1)
    yield Wish(side, path, start, end, query, role)


def _holds(symbol: Symbol, line: int) -> bool:
    return symbol.kind in ("function", "method") and symbol.start <= line <= symbol.end


def _block(view: View, one: Evidence) -> Iterator[Wish]:
    source = view.source(one.ref.path)
    last = len(source.lines) if source else one.ref.end_line
    start, end = max(1, one.ref.start_line - _AROUND), min(last, one.ref.end_line + _AROUND)
    yield Wish(one.ref.side, one.ref.path, start, end, one.query, one.ref.role)
