"""Edits of tests: removed, skipped, or with less asserted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from review_agent.syntax.edits.frame import Frame, Lines, Sighting, leftover, renamed
from review_agent.syntax.edits.frame import words as words_of
from review_agent.syntax.edits.scopes import Scopes, by_scope
from review_agent.syntax.edits.testing_caught import caught_only, instead_of
from review_agent.syntax.edits.testing_left import calls_gone, partly_checked, same_function
from review_agent.syntax.edits.testing_reach import out_of_reach
from review_agent.syntax.edits.testing_strength import strength
from review_agent.syntax.edits.testing_subjects import (
    acts_before,
    call_texts,
    called,
    helpers,
    only_here,
    producers,
    refused,
    same_thing,
    skip_test,
)
from review_agent.syntax.edits.testing_values import unread, value_gone
from review_agent.syntax.model import Assertion, Outline, Symbol
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]

SKIPS = re.compile(r"(?i)\b(skip|skipif|skipunless|skipnow|xfail|disabled|ignore|expectedfailure|todo|pending)\b")

CROSSED = re.compile(r"\b(?:describe|context|suite|it|test)\.skip\b|\bx(?:describe|context|it|test|specify)\b")


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """test_removed, test_skipped, assertion_removed and assertion_weakened."""
    if not in_test(frame.path) and not any(one.is_test for one in frame.old_outline.symbols):
        return
    for one in scopes.removed:
        yield from _removed(frame, scopes, one)
    for old, new in [*scopes.pairs, *scopes.renamed]:
        if old.is_test or new.is_test:
            yield from _skipped(frame, old, new)
        elif _tests_in(frame.new_outline, new):
            yield from _group_skipped(frame, new, _group_skip(frame, old, new), new.start, new.end)
    for new in scopes.added:
        if new.name == "pytestmark" and SKIPS.search(new.value or ""):
            yield from _group_skipped(frame, new, (new.value or "")[:120], 1, len(frame.new_lines))
    before, after = by_scope(frame.old_outline.assertions), by_scope(frame.new_outline.assertions)
    for was, now in scopes.shared():
        yield from _assertions(frame, scopes, was, now, before.get(was, []), after.get(now, []))


def _removed(frame: Frame, scopes: Scopes, gone: Symbol) -> Iterator[Sighting]:
    """Each test that went, also with the class or group around it."""
    inside = [
        one
        for one in frame.old_outline.symbols
        if one.is_test and (one is gone or one.qualname.startswith(f"{gone.qualname}."))
    ]
    for test in inside:
        spot = frame.spot((Side.OLD, (test.start, test.end)))
        if spot is not None:
            instead = instead_of(frame, scopes, test)
            facts: dict[str, FactValue] = {
                "calls": called(frame.old_outline, test),
                "helpers": helpers(frame.old_outline),
                "instead": instead.qualname if instead is not None else "",
                "asserted": _asserted(frame.old_outline, test),
                "texts": call_texts(frame.old_outline, test.start, test.end),
                "refused": refused(frame.old_outline, test.start, test.end),
                "only": only_here(_asserted(frame.old_outline, test), "\n".join(frame.new_lines)),
                "group": gone.qualname if gone is not test else "",
                "function": test.qualname,
            }
            yield Sighting(EditOp.TEST_REMOVED, spot, test.scope, test.name, test.qualname, None, facts)


def _asserted(outline: Outline, test: Symbol) -> tuple[str, ...]:
    found = (one.text for one in outline.assertions if test.start <= one.start <= test.end)
    return tuple(dict.fromkeys(found))[:20]


def _skipped(frame: Frame, old: Symbol, new: Symbol) -> Iterator[Sighting]:
    added = [one for one in (*new.decorators, *new.modifiers) if one not in (*old.decorators, *old.modifiers)]
    why = next((one for one in added if SKIPS.search(one)), "")
    why = why or _crossed(frame, old, new)
    if not why and old.is_test and not new.is_test:
        why = frame.text(Side.NEW, new.name_line, new.name_line).strip()
    old_skips = {one.callee for one in frame.old_outline.calls if _of(one.scope, old) and SKIPS.search(one.name)}
    call = next(
        (one for one in frame.new_outline.calls if _of(one.scope, new) and SKIPS.search(one.name)
         and one.callee not in old_skips and frame.touches(Side.NEW, one.start, one.start)), None
    )  # fmt: skip
    lines = (call.start, call.start) if call is not None else (new.start, max(new.header_end, new.name_line))
    spot = frame.spot((Side.NEW, lines))
    if spot is not None and (why or call is not None):
        facts: dict[str, FactValue] = {
            "calls": called(frame.new_outline, new),
            "asserted": _asserted(frame.new_outline, new),
            "texts": call_texts(frame.new_outline, new.start, new.end),
            "refused": refused(frame.new_outline, new.start, new.end),
            "only": only_here(
                _asserted(frame.new_outline, new),
                "\n".join([*frame.new_lines[: new.start - 1], *frame.new_lines[new.end :]]),
            ),
            "until": new.end,
            "under": skip_test(frame.new_outline, call) if call is not None else "",
            "by": why or (call.callee if call else ""),
            "function": new.qualname,
        }
        yield Sighting(
            EditOp.TEST_SKIPPED, spot, new.qualname, new.name, None, why or (call.callee if call else ""), facts
        )


def _crossed(frame: Frame, old: Symbol, new: Symbol) -> str:
    """The word by which JavaScript's runners leave a test or a group of tests out, where it is new."""
    before = frame.text(Side.OLD, old.name_line, old.name_line)
    found = CROSSED.search(frame.text(Side.NEW, new.name_line, new.name_line))
    return found.group() if found and not CROSSED.search(before) else ""


def _group_skip(frame: Frame, old: Symbol, new: Symbol) -> str:
    added = (one for one in (*new.decorators, *new.modifiers) if one not in (*old.decorators, *old.modifiers))
    return next((one for one in added if SKIPS.search(one)), "") or _crossed(frame, old, new)


def _tests_in(outline: Outline, group: Symbol) -> list[Symbol]:
    inside = f"{group.qualname}."
    return [one for one in outline.symbols if one.is_test and one.qualname.startswith(inside)]


def _group_skipped(frame: Frame, group: Symbol, why: str, first: int, last: int) -> Iterator[Sighting]:
    """A class, group or module whose tests are left out together."""
    outline = frame.new_outline
    tests = [one for one in outline.symbols if one.is_test and first <= one.start <= last]
    spot = frame.spot((Side.NEW, (group.start, max(group.header_end, group.name_line))))
    if not why or not tests or spot is None:
        return
    whole = first == 1
    facts: dict[str, FactValue] = {
        "calls": tuple(dict.fromkeys(name for one in tests for name in called(outline, one)))[:40],
        "asserted": tuple(dict.fromkeys(text for one in tests for text in _asserted(outline, one)))[:20],
        "texts": call_texts(outline, first, last),
        "by": why,
        "under": "",
        "inside": tests[0].qualname,
        "module": whole,
        "function": group.qualname,
    }
    yield Sighting(EditOp.TEST_SKIPPED, spot, group.qualname, group.name, None, why, facts)


def _of(scope: str, symbol: Symbol) -> bool:
    return scope == symbol.qualname or scope.startswith(f"{symbol.qualname}.")


def _assertions(
    frame: Frame, scopes: Scopes, was: str, now: str, old: Sequence[Assertion], new: Sequence[Assertion]
) -> Iterator[Sighting]:
    names = scopes.renames(was, now)

    def left(one: Assertion) -> bool:
        return frame.touches(Side.OLD, one.start, one.end)

    def came(one: Assertion) -> bool:
        return frame.touches(Side.NEW, one.start, one.end)

    gone = leftover(old, new, lambda one: renamed(one.text, names), left, lambda one: one.text)
    come = leftover(new, old, lambda one: one.text, came, lambda one: renamed(one.text, names))
    free = [one for one in come if came(one)]
    for hidden, by in out_of_reach(frame, was, now, old, new):
        yield from _sight(frame, scopes, EditOp.ASSERTION_WEAKENED, (was, now), hidden, None, by)
    lost = [one for one in gone if left(one)]
    pairs = _pairs(frame, lost, free)
    for one in lost:
        other = pairs.get(id(one))
        if other is None:
            yield from _sight(frame, scopes, EditOp.ASSERTION_REMOVED, (was, now), one, None)
        elif caught_only(frame.new_outline, other) and not caught_only(frame.old_outline, one):
            caught = ((other.start, other.end), f"catch {other.text}")
            yield from _sight(frame, scopes, EditOp.ASSERTION_WEAKENED, (was, now), one, other, caught)
        elif strength(other) < strength(one):
            yield from _sight(frame, scopes, EditOp.ASSERTION_WEAKENED, (was, now), one, other)


def _pairs(frame: Frame, lost: Sequence[Assertion], free: Sequence[Assertion]) -> dict[int, Assertion]:
    """What stands in the place of an assertion that went: in the same lines and about the same, else what came."""
    pairs: dict[int, Assertion] = {}
    left = list(free)
    for near, alike in ((True, True), (True, False), (False, True), (False, False)):
        for one in lost:
            runs = _runs(frame, Side.OLD, one)
            other = next(
                (
                    new
                    for new in left
                    if (not near or runs & _runs(frame, Side.NEW, new))
                    and (not alike or _subjects(new) & _subjects(one))
                ),
                None,
            )
            if id(one) not in pairs and other is not None:
                left.remove(other)
                pairs[id(one)] = other
    return pairs


def _runs(frame: Frame, side: Side, one: Assertion) -> set[int]:
    found = (frame.run_of(side, line) for line in range(one.start, min(one.end, one.start + 40) + 1))
    return {id(run) for run in found if run is not None}


def _subjects(one: Assertion) -> set[str]:
    return set(one.names) - {"self", "assert", "expect", "t", "require", "Assertions", one.name}


def _sight(
    frame: Frame,
    scopes: Scopes,
    op: EditOp,
    between: tuple[str, str],
    one: Assertion,
    other: Assertion | None,
    by: tuple[Lines, str] | None = None,
) -> Iterator[Sighting]:
    """An assertion that went, became another one, or (``by`` lines of the new side) is not reached any more."""
    was, scope = between
    old = (Side.OLD, (one.start, one.end))
    spot = frame.spot(old) if other is None else frame.spot((Side.NEW, (other.start, other.end)), old)
    spot = frame.spot((Side.NEW, by[0])) if by is not None else spot
    if spot is None:
        return
    rest = [a for a in frame.new_outline.assertions if a.scope == scope]
    known = set(words_of("\n".join(frame.new_lines)))
    went = other is None and by is None
    still = tuple(a.text for a in rest if same_thing(a, one) and strength(a) >= strength(one)) if by is None else ()
    facts: dict[str, FactValue] = {
        "names": one.names,
        "name": one.name,
        "strengthBefore": strength(one),
        "strengthAfter": strength(other) if other is not None else 0,
        "left": len(rest),
        "still": still or (same_function(frame, was, scope, one) if went else ()),
        "partly": partly_checked(frame, was, scope, one) if went else (),
        "callsGone": calls_gone(frame, scopes, was, scope) if went else (),
        "gone": tuple(name for name in one.names if name not in known),
        "unread": unread(frame, scopes, scope, one),
        "valueGone": value_gone(frame, scopes, (was, scope), one),
        "subjects": _subjects_of(frame, was, one),
        "helpers": helpers(frame.old_outline),
        "texts": call_texts(frame.old_outline, *scopes.span(Side.OLD, was)),
        "by": by[1] if by is not None else "",
        "function": scopes.function(scope) or scope,
    }
    after = by[1] if by is not None else other.text if other is not None else None
    yield Sighting(op, spot, scope, one.text[:120], one.text, after, facts)


def _subjects_of(frame: Frame, was: str, one: Assertion) -> tuple[str, ...]:
    """What gives an asserted value; where only helpers of the test file do, what ran before."""
    made, own = producers(frame.old_outline, was, one), helpers(frame.old_outline)
    read = [name for name in made if f"{name}(" in one.text]
    aside = bool(read) and all(name in own for name in read)
    return acts_before(frame.old_outline, was, one) if aside else made
