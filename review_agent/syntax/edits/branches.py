"""Edits of conditions that choose, and of exits that were added in front of something that must still run."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set

from review_agent.syntax.edits.effects import call_text
from review_agent.syntax.edits.frame import Frame, Sighting, leftover, renamed
from review_agent.syntax.edits.scopes import Scopes, by_scope
from review_agent.syntax.model import Call, Guard, Outline, Raise, Return
from review_agent.syntax.roles import role_of
from review_agent.syntax.surroundings import decorators_at, following, origin_of, within
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]

_LASTING = ("unlock", "close", "commit", "rollback", "invalidate")
_CACHE = re.compile(r"(?i)cache|memo|redis|lru")
_DROPS = re.compile(r"(?i)del|pop|remove|discard|unlink|hdel")
_NESTED = 12
_AND = re.compile(r"\band\b|&&")
_OR = re.compile(r"\bor\b|\|\|")
_COMPARES = re.compile(r"<=|>=|==|!=|<|>|\bnot in\b|\bin\b|\bis not\b|\bis\b")


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """condition_changed and exit_added."""
    old, new = by_scope(frame.old_outline.guards), by_scope(frame.new_outline.guards)
    known, ways = by_scope(frame.old_outline.returns), _ways(frame)
    for before, after in scopes.shared():
        yield from _conditions(frame, scopes, before, after, old.get(before, []), new.get(after, []))
        texts = {one.text for one in known.get(before, ())} if after in ways else set()
        yield from _exits(frame, scopes, after, texts, ways.get(after, ()))


def _ways(frame: Frame) -> Mapping[str, list[Return | Raise]]:
    """By scope, the returns and raises on added lines."""
    new = frame.new_outline
    found: dict[str, list[Return | Raise]] = defaultdict(list)
    ways: tuple[Return | Raise, ...] = (*new.returns, *new.raises)
    for one in ways:
        if frame.touches(Side.NEW, one.start, one.end):
            found[one.scope].append(one)
    return found


def _conditions(
    frame: Frame, scopes: Scopes, before: str, after: str, old: Sequence[Guard], new: Sequence[Guard]
) -> Iterator[Sighting]:
    names = scopes.renames(before, after)

    def left(one: Guard) -> bool:
        return frame.touches(Side.OLD, one.start, max(one.start, one.body_start - 1))

    def came(one: Guard) -> bool:
        return frame.touches(Side.NEW, one.start, max(one.start, one.body_start - 1))

    gone = [one for one in leftover(old, new, lambda g: renamed(g.test, names), left, lambda g: g.test) if left(one)]
    come = [one for one in leftover(new, old, lambda g: g.test, came, lambda g: renamed(g.test, names)) if came(one)]
    for one in gone:
        run = frame.run_of(Side.OLD, one.start)
        other = next((g for g in come if run is not None and frame.run_of(Side.NEW, g.start) is run), None)
        if other is not None and (set(one.subjects) & set(other.subjects) or _same_body(frame, one, other)):
            come.remove(other)
            yield from _changed(frame, scopes, after, renamed(one.test, names), one, other)


def _same_body(frame: Frame, one: Guard, other: Guard) -> bool:
    """Whether another test altogether now decides on the same statements."""
    before = frame.text(Side.OLD, one.body_start, one.body_end).split()
    return bool(before) and before == frame.text(Side.NEW, other.body_start, other.body_end).split()


def _changed(frame: Frame, scopes: Scopes, scope: str, was: str, one: Guard, other: Guard) -> Iterator[Sighting]:
    spot = frame.spot(
        (Side.NEW, (other.start, max(other.start, other.body_start - 1))), (Side.OLD, (one.start, one.end))
    )
    if spot is None:
        return
    facts: dict[str, FactValue] = {
        "how": how_changed(was, other.test),
        "beforeTest": was,
        "afterTest": other.test,
        "beforeAction": one.action,
        "action": other.action,
        "subjects": other.subjects,
        "bodyStart": other.body_start,
        "bodyEnd": other.body_end,
        "origin": origin_of(frame.new_outline, scope, other.start, next(iter((*one.subjects, *other.subjects)), "")),
        "body": " ".join(frame.text(Side.NEW, other.body_start, other.body_end).split())[:200],
        "following": following(frame.new_outline, scope, other.end),
        "decorators": decorators_at(frame.new_outline, scope),
        "within": within(frame.old_outline, one.start),
        "nested": _nested(frame.new_outline, other),
        "function": scopes.function(scope),
    }
    # A condition can read nothing: `while True`.
    subject = next(iter((*other.subjects, *one.subjects)), other.test)
    yield Sighting(EditOp.CONDITION_CHANGED, spot, scope, subject, was, other.test, facts)


def _nested(outline: Outline, outer: Guard) -> tuple[str, ...]:
    """Tests inside a guarded body that read local names alone, none of them set between the one test and the other."""
    inside = [
        one
        for one in outline.guards
        if one.scope == outer.scope and outer.body_start <= one.start <= outer.body_end and "(" not in one.test
    ]
    return tuple(dict.fromkeys(one.test for one in inside if _still_same(outline, outer, one)))[:_NESTED]


def _still_same(outline: Outline, outer: Guard, inner: Guard) -> bool:
    names = set(inner.subjects)
    if not names or any("." in name or "[" in name for name in names):
        return False
    return not any(
        names & set(one.targets)
        for one in outline.assigns
        if one.scope == outer.scope and outer.start <= one.start <= inner.start
    )


def how_changed(before: str, after: str) -> str:
    """What became of a condition: and_to_or, or_to_and, negated, comparison, or other."""
    if _AND.sub("·", before) == _OR.sub("·", after) and _AND.search(before):
        return "and_to_or"
    if _OR.sub("·", before) == _AND.sub("·", after) and _OR.search(before):
        return "or_to_and"
    bare = [re.sub(r"^\s*(?:not\s+|!)\s*\(?|\)?$", "", text).strip() for text in (before, after)]
    if bare[0] == bare[1]:
        return "negated"
    if _COMPARES.sub("·", before) == _COMPARES.sub("·", after):
        return "comparison"
    return "other"


def _exits(
    frame: Frame, scopes: Scopes, after: str, known: Set[str], ways: Sequence[Return | Raise]
) -> Iterator[Sighting]:
    """A new way out of a function in front of an act that undoes or makes lasting what was done before."""
    for one in ways:
        start, end, text = one.start, one.end, one.text
        spot = frame.spot((Side.NEW, (start, end)))
        # What stands in the returned expression itself is run by it.
        skipped = _skipped(frame, after, end) if spot is not None else ()
        if spot is None or not skipped:
            continue
        facts: dict[str, FactValue] = {
            "skips": skipped,
            "known": text in known,
            "done": _done(frame.new_outline, after, start),
            "acts": _acts(frame.new_outline, after, start),
            "function": scopes.function(after),
        }
        yield Sighting(EditOp.EXIT_ADDED, spot, after, skipped[0], None, text, facts)


def _skipped(frame: Frame, scope: str, line: int) -> tuple[str, ...]:
    """Acts of a releasing or lasting role after a line, on lines that were there before, not run on every way out."""
    outline = frame.new_outline
    final = [one for one in outline.blocks if one.kind == "finally" and one.scope == scope]
    found = [
        one.callee
        for one in outline.calls_in(scope)
        if one.start > line
        and not one.deferred
        and not frame.touches(Side.NEW, one.start, one.start)
        and (role_of(one.name) in _LASTING or _from_cache(one.callee, one.name))
        and not any(block.body_start <= one.start <= block.body_end for block in final)
    ]
    return tuple(dict.fromkeys(found))


def _from_cache(callee: str, name: str) -> bool:
    """Whether a call drops something from what its receiver names as a cache."""
    return role_of(name) in ("delete", "close", "") and _DROPS.match(name) is not None and bool(_CACHE.search(callee))


def _acts(outline: Outline, scope: str, line: int) -> tuple[str, ...]:
    """The same calls as they are written."""
    return tuple(call_text(one) for one in _before(outline, scope, line))[-20:]


def _done(outline: Outline, scope: str, line: int) -> tuple[str, ...]:
    """Callees before a line of the same function, in order."""
    return tuple(dict.fromkeys(one.callee for one in _before(outline, scope, line)))[-20:]


def _before(outline: Outline, scope: str, line: int) -> Iterator[Call]:
    """Calls that may have run when control comes to a line: none of a branch above that ends by leaving."""
    left = [
        (guard.body_start, guard.body_end)
        for guard in outline.guards
        if guard.scope == scope and guard.body_end < line and _leaves(outline, guard)
    ]
    for one in outline.calls_in(scope):
        if one.start < line and not any(first <= one.start <= last for first, last in left):
            yield one


def _leaves(outline: Outline, guard: Guard) -> bool:
    """Whether a branch ends by leaving the function, by its own last statement and not by that of a block in it."""
    inner = [(one.body_start, one.body_end) for one in outline.guards if one.start > guard.start]
    inner += [(one.start, one.end) for one in outline.loops if one.start >= guard.body_start]
    ways = [(one.start, one.end) for one in outline.returns if one.scope == guard.scope]
    ways += [(one.start, one.end) for one in outline.raises if one.scope == guard.scope]
    return any(
        # The closing brace may stand on a line of its own.
        guard.body_start <= start
        and guard.body_end - 1 <= end <= guard.body_end
        and not any(first <= start <= last for first, last in inner)
        for start, end in ways
    )
