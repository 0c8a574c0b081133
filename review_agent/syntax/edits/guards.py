"""Edits of guards: a check that went while what it guarded is still used, or that now refuses less."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from review_agent.syntax.edits import conditions
from review_agent.syntax.edits.conditions import Atom
from review_agent.syntax.edits.frame import Frame, Sighting
from review_agent.syntax.edits.guard_moves import Moves
from review_agent.syntax.edits.guard_scope import LEAVING, Check, GuardScope, check
from review_agent.syntax.edits.guarded import Guarded
from review_agent.syntax.edits.scopes import Scopes, by_scope
from review_agent.syntax.model import Guard, Outline
from review_agent.syntax.surroundings import (
    decorators_at,
    following,
    held_at,
    literal_at,
    literals_around,
    origin_of,
    within,
)
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]

OTHERWISE = re.compile(r"^\W*(?:else|elif)\b", re.MULTILINE)
# What a program runs on: support for it is dropped, no value is let through.
ENVIRONMENT = re.compile(
    r"(?:sys\.(?:version_info|platform|implementation)|os\.name|platform|runtime\.GO|.*\bPY\d)\b|.*TYPE_CHECKING$"
)
TEST_PATH = re.compile(r"(^|/)(tests?|testing|conftest\.py)(/|$)|(^|/)test_[^/]*$|_test\.\w+$")


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """guard_removed and guard_weakened."""
    old, new = by_scope(frame.old_outline.guards), by_scope(frame.new_outline.guards)
    for before, after in scopes.shared():
        if any(_touched(frame, one) for one in old.get(before, [])):
            renames = scopes.renames(before, after)
            for olds, news in _by_literal(frame, after, old[before], new.get(after, [])):
                gone = [check(one, renames) for one in olds]
                come = [check(one, {}) for one in news]
                yield from _Comparison(GuardScope(frame, scopes, after, renames, gone, come)).edits()


def _by_literal(
    frame: Frame, scope: str, old: Sequence[Guard], new: Sequence[Guard]
) -> Iterator[tuple[Sequence[Guard], Sequence[Guard]]]:
    """Guards of both sides that stand in the same function literal; the handlers of a router are told apart by it."""
    olds, news = _grouped(frame.old_outline, old), _grouped(frame.new_outline, new)
    kept = {
        literals_around(frame.new_outline, scope, one.start + 1)
        for one in frame.new_outline.calls
        if one.end > one.start
    }
    for key, guards in olds.items():
        yield guards, news.get(key, []) if key in kept else new


def _grouped(outline: Outline, guards: Sequence[Guard]) -> dict[tuple[str, ...], list[Guard]]:
    groups: dict[tuple[str, ...], list[Guard]] = {}
    for one in guards:
        groups.setdefault(literals_around(outline, one.scope, one.start), []).append(one)
    return groups


def _touched(frame: Frame, guard: Guard) -> bool:
    """Whether the test itself stands on removed lines."""
    return frame.touches(Side.OLD, guard.start, max(guard.start, guard.body_start - 1))


class _Comparison:
    """The guards of one scope on both sides."""

    def __init__(self, at: GuardScope) -> None:
        self.at, self.frame = at, at.frame
        self.moves, self.guarded = Moves(at), Guarded(at)
        self.function = at.scopes.function(at.scope)

    def edits(self) -> Iterator[Sighting]:
        free = self._free()
        for one in self._gone():
            if self._is_no_guard(one.guard) or self._still_tested(one):
                continue
            weaker = next((n for n in free if self._is_weaker(one, n)), None)
            if weaker is not None:
                free.remove(weaker)
                yield from self._weakened(one.guard, weaker.guard)
            elif not self.moves.is_replaced(one, free) and not self.moves.has_moved(one):
                yield from self._removed(one.guard)

    def _free(self) -> list[Check]:
        """New guards on added lines that say something no old guard said."""
        return [
            one
            for one in self.at.new
            if self.frame.touches(Side.NEW, one.guard.start, max(one.guard.start, one.guard.body_start - 1))
            and not any(conditions.same(one.refuses, other.refuses) for other in self.at.old)
        ]

    def _gone(self) -> list[Check]:
        return [one for one in self.at.old if _touched(self.frame, one.guard)]

    def _is_no_guard(self, guard: Guard) -> bool:
        """Go's ``err != nil`` is a handler, told as error_dropped; a test's assertion or a choice guards nothing."""
        if self.frame.language == "go" and (guard.test_kind == "error" or _is_error(guard.subjects)):
            return True
        first = self.frame.text(Side.OLD, guard.start, guard.start).strip()
        if first.startswith("assert") and TEST_PATH.search(self.frame.path):
            return True
        if guard.subjects and all(ENVIRONMENT.match(name) for name in guard.subjects):
            return True
        after = self.frame.text(Side.OLD, guard.body_end + 1, guard.end)
        return guard.action not in LEAVING and OTHERWISE.search(after) is not None

    def _still_tested(self, one: Check) -> bool:
        """Whether a new guard refuses as much, or tells the same two cases apart."""
        positive = conditions.parse(one.guard.test, self.at.renames)
        cases = [positive, conditions.negated(positive)]
        return any(
            conditions.implies(one.refuses, new.refuses) or any(conditions.same(case, new.refuses) for case in cases)
            for new in self.at.new
        )

    def _is_weaker(self, one: Check, other: Check) -> bool:
        leaving = one.guard.action in LEAVING and other.guard.action in LEAVING
        if not leaving or not conditions.implies(other.refuses, one.refuses):
            return False
        lost = [part for part in one.refuses if not conditions.implies((part,), other.refuses)]
        others = [check for check in self.at.new if check is not other]
        return not any(self._takes_over(part, check) for part in lost for check in others)

    @staticmethod
    def _takes_over(part: frozenset[Atom], check: Check) -> bool:
        """Whether another guard deals with the alternative that this one lost, at least in part."""
        return any(part & alternative for alternative in check.refuses)

    def _weakened(self, before: Guard, after: Guard) -> Iterator[Sighting]:
        header = (after.start, max(after.start, after.body_start - 1))
        spot = self.frame.spot((Side.NEW, header), (Side.OLD, (before.start, before.start)))
        if spot is not None and before.subjects:
            facts: dict[str, FactValue] = {
                "beforeTest": before.test,
                "afterTest": after.test,
                "testKind": before.test_kind,
                "subjects": before.subjects,
                "function": self.function,
                "action": after.action,
                "origin": origin_of(self.frame.new_outline, self.at.scope, after.start, before.subjects[0]),
                "body": self._said(Side.NEW, after),
                "following": following(self.frame.new_outline, self.at.scope, after.end),
                "decorators": decorators_at(self.frame.new_outline, self.at.scope),
                "within": within(self.frame.old_outline, before.start),
            }
            yield Sighting(
                EditOp.GUARD_WEAKENED, spot, self.at.scope, before.subjects[0], before.test, after.test, facts
            )

    def _removed(self, guard: Guard) -> Iterator[Sighting]:
        header = (guard.start, max(guard.start, guard.body_start - 1))
        spot = self.frame.spot((Side.OLD, header))
        place = self.frame.to_new(guard.start)
        if spot is None or not guard.subjects or not self.guarded.stands(guard):
            return
        used = self.guarded.is_used(guard, place)
        if not used and guard.action not in ("return", "raise", "exit"):
            return
        first, last = literal_at(self.frame.new_outline, self.at.scope, place)
        facts: dict[str, FactValue] = {
            "test": guard.test,
            "testKind": guard.test_kind,
            "action": guard.action,
            "subjects": guard.subjects,
            "function": self.function,
            "guardedStart": place,
            "guardedEnd": last or self.guarded.last,
            "literalStart": first,
            "origin": origin_of(self.frame.new_outline, self.at.scope, place + 1, guard.subjects[0]),
            "used": used,
            "body": self._said(Side.OLD, guard),
            "following": following(self.frame.new_outline, self.at.scope, place - 1),
            "decorators": decorators_at(self.frame.new_outline, self.at.scope),
            "within": within(self.frame.old_outline, guard.start),
            "held": held_at(self.frame.old_outline, guard.scope, guard.start),
        }
        text = " ".join(self.frame.text(Side.OLD, guard.start, guard.end).split())[:200]
        yield Sighting(EditOp.GUARD_REMOVED, spot, self.at.scope, guard.subjects[0], text, None, facts)

    def _said(self, side: Side, guard: Guard) -> str:
        """What a guard does where it refuses, layout aside."""
        return " ".join(self.frame.text(side, guard.body_start, guard.body_end).split())[:200]


def _is_error(subjects: Sequence[str]) -> bool:
    return bool(subjects) and re.search(r"(?i)err$", subjects[0]) is not None
