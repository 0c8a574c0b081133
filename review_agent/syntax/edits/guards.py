"""Edits of guards: a check that went while what it guarded is still used, or that now refuses less."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from review_agent.syntax.edits import conditions
from review_agent.syntax.edits.conditions import Condition
from review_agent.syntax.edits.frame import Frame, Sighting, dotted
from review_agent.syntax.edits.scopes import Scopes, by_scope
from review_agent.syntax.model import Guard
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]

LEAVING = frozenset({"return", "raise", "continue", "break", "exit"})
# A condition that a guard's test may have moved into: its text after one of these words is looked at.
IN_LINE = re.compile(r"\b(?:if|elif|while|assert|and|or|when)\b|&&|\|\||\?")
OTHERWISE = re.compile(r"^\W*(?:else|elif)\b", re.MULTILINE)
TEST_PATH = re.compile(r"(^|/)(tests?|testing|conftest\.py)(/|$)|(^|/)test_[^/]*$|_test\.\w+$")
BARE = frozenset({"return", "return None", "return nil", "return False", "return false", "pass", "}", ")", ""})
DISPATCH = re.compile(r"^\s*(?:match|case|switch|default)\b")


@dataclass(frozen=True)
class Check:
    """A guard with the condition under which what follows is not reached."""

    guard: Guard
    refuses: Condition


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """guard_removed and guard_weakened."""
    old, new = by_scope(frame.old_outline.guards), by_scope(frame.new_outline.guards)
    for before, after in scopes.shared():
        if any(_touched(frame, one) for one in old.get(before, [])):
            renames = scopes.renames(before, after)
            olds = [_check(one, renames) for one in old[before]]
            news = [_check(one, {}) for one in new.get(after, [])]
            yield from _Scope(frame, scopes, after, renames, olds, news).edits()


def _touched(frame: Frame, guard: Guard) -> bool:
    """Whether the test itself stands on removed lines."""
    return frame.touches(Side.OLD, guard.start, max(guard.start, guard.body_start - 1))


def _check(guard: Guard, renames: Mapping[str, str]) -> Check:
    condition = conditions.parse(guard.test, renames)
    return Check(guard, conditions.negated(condition) if guard.action == "wraps" else condition)


class _Scope:
    """The guards of one scope on both sides."""

    def __init__(
        self,
        frame: Frame,
        scopes: Scopes,
        scope: str,
        renames: Mapping[str, str],
        old: Sequence[Check],
        new: Sequence[Check],
    ) -> None:
        self.frame, self.scopes, self.scope, self.renames = frame, scopes, scope, renames
        self.old, self.new = old, new
        self.last = scopes.span(Side.NEW, scope)[1]
        self.function = scopes.function(scope)

    def edits(self) -> Iterator[Sighting]:
        free = self._free()
        for one in self._gone():
            if self._is_no_guard(one.guard) or self._still_tested(one):
                continue
            weaker = next((n for n in free if self._is_weaker(one, n)), None)
            if weaker is not None:
                free.remove(weaker)
                yield from self._weakened(one.guard, weaker.guard)
            elif not self._is_replaced(one, free) and not self._has_moved(one):
                yield from self._removed(one.guard)

    def _free(self) -> list[Check]:
        """New guards on added lines that say something no old guard said."""
        return [
            one
            for one in self.new
            if self.frame.touches(Side.NEW, one.guard.start, max(one.guard.start, one.guard.body_start - 1))
            and not any(conditions.same(one.refuses, other.refuses) for other in self.old)
        ]

    def _gone(self) -> list[Check]:
        return [one for one in self.old if _touched(self.frame, one.guard)]

    def _is_no_guard(self, guard: Guard) -> bool:
        """Go's ``err != nil`` is a handler, told as error_dropped; a test's assertion or a choice guards nothing."""
        if self.frame.language == "go" and (guard.test_kind == "error" or _is_error(guard.subjects)):
            return True
        first = self.frame.text(Side.OLD, guard.start, guard.start).strip()
        if first.startswith("assert") and TEST_PATH.search(self.frame.path):
            return True
        after = self.frame.text(Side.OLD, guard.body_end + 1, guard.end)
        return guard.action not in LEAVING and OTHERWISE.search(after) is not None

    def _still_tested(self, one: Check) -> bool:
        """Whether a new guard refuses as much, or tells the same two cases apart."""
        positive = conditions.parse(one.guard.test, self.renames)
        cases = [positive, conditions.negated(positive)]
        return any(
            conditions.implies(one.refuses, new.refuses) or any(conditions.same(case, new.refuses) for case in cases)
            for new in self.new
        )

    def _is_weaker(self, one: Check, other: Check) -> bool:
        leaving = one.guard.action in LEAVING and other.guard.action in LEAVING
        if not leaving or not conditions.implies(other.refuses, one.refuses):
            return False
        lost = [part for part in one.refuses if not conditions.implies((part,), other.refuses)]
        others = [check for check in self.new if check is not other]
        return not any(self._takes_over(part, check) for part in lost for check in others)

    @staticmethod
    def _takes_over(part: frozenset[conditions.Atom], check: Check) -> bool:
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
            }
            yield Sighting(EditOp.GUARD_WEAKENED, spot, self.scope, before.subjects[0], before.test, after.test, facts)

    def _is_replaced(self, one: Check, free: Sequence[Check]) -> bool:
        """Whether another test now stands in its place: in the same run of lines, or about the same things."""
        body = range(self.frame.to_new(one.guard.body_start), self.frame.to_new(one.guard.body_end) + 1)
        if any(new.guard.body_start in body for new in self.new if new.guard.action == one.guard.action):
            return True
        run = self.frame.run_of(Side.OLD, one.guard.start)
        subjects = set(self._subjects(one.guard))
        for other in free:
            same_run = run is not None and self.frame.run_of(Side.NEW, other.guard.start) is run
            about = any(_related(a, b) for a in subjects for b in other.guard.subjects)
            if (same_run and (about or other.guard.action == one.guard.action)) or (about and self._near(one, other)):
                return True
        return self._dispatched(one.guard)

    def _near(self, one: Check, other: Check) -> bool:
        return abs(self.frame.to_new(one.guard.start) - other.guard.start) <= 10

    def _dispatched(self, guard: Guard) -> bool:
        """Whether a switch, or a handler that catches the miss, came in its place."""
        hunk = self.frame.old.get(guard.start, -1)
        added = [line for line, number in self.frame.new.items() if number == hunk]
        lines = [self.frame.new_lines[line - 1] for line in added]
        handled = any(one.scope == self.scope and one.start in added for one in self.frame.new_outline.handlers)
        return any(DISPATCH.match(line) for line in lines) or (handled and self.frame.language != "go")

    def _subjects(self, guard: Guard) -> list[str]:
        return [".".join(self.renames.get(part, part) for part in name.split(".")) for name in guard.subjects]

    def _has_moved(self, one: Check) -> bool:
        """Whether the test lives on elsewhere: another function, an expression, an assertion, or a called helper."""
        others = (guard for guard in self.frame.new_outline.guards if guard.scope != self.scope)
        added = [guard for guard in others if self.frame.touches(Side.NEW, guard.start, guard.end)]
        if any(conditions.implies(one.refuses, _check(guard, {}).refuses) for guard in added):
            return True
        return (
            self._is_inline(one)
            or self._is_handed_over(one.guard)
            or self._is_repaired(one.guard)
            or self._is_general(one.guard)
            or self._is_assigned(one)
        )

    def _is_general(self, guard: Guard) -> bool:
        """Whether what was done in the guarded case alone is now done always: its body stands on added lines."""
        if guard.action not in LEAVING or guard.action in ("continue", "break"):
            return False
        body = [text for text in self._stripped(Side.OLD, guard.body_start, guard.body_end) if text not in BARE]
        added = {self.frame.new_lines[line - 1].strip() for line in self.frame.new}
        return bool(body) and body[-1] in added

    def _is_assigned(self, one: Check) -> bool:
        """Whether an added assignment keeps the outcome of the test under a name."""
        atoms = {left.replace(" ", "") for part in one.refuses for left, _, _ in part if "(" in left}
        values = [
            re.sub(r"\s", "", assign.value)
            for assign in self.frame.new_outline.assigns
            if assign.scope == self.scope and self.frame.touches(Side.NEW, assign.start, assign.end)
        ]
        return any(
            atom in value.replace(",)", ")") for atom in (a.replace(",)", ")") for a in atoms) for value in values
        )

    def _is_inline(self, one: Check) -> bool:
        """Whether an atom of the test stands in a condition that is no guard: a ternary, a loop, an assertion."""
        start, end = self.scopes.span(Side.NEW, self.scope)
        atoms = {text for part in one.refuses for left, _, right in part for text in (left, right) if text}
        names = [text for text in atoms if re.search(r"[A-Za-z_]", text) and text not in ("None", "True", "False")]
        added = (line for line in self.frame.new if start <= line <= end)
        lines = [self.frame.new_lines[line - 1] for line in added]
        tails = [line[match.end() :] for line in lines if (match := IN_LINE.search(line))]
        return bool(names) and any(_mentions(tail, names) for tail in tails)

    def _is_handed_over(self, guard: Guard) -> bool:
        """Whether an added call takes what was tested: as a statement, in a condition, or of a helper that is new."""
        subjects = self._subjects(guard)
        new_names = {one.name for one in self.scopes.added}
        old_scope = self.scopes.old_of.get(self.scope, self.scope)
        old_callees = {call.callee for call in self.frame.old_outline.calls if call.scope == old_scope}
        for call in self.frame.new_outline.calls:
            if call.scope != self.scope or not self.frame.touches(Side.NEW, call.start, call.end):
                continue
            taken = any(dotted(name).search(arg.text) for name in subjects for arg in call.args)
            on_it = any(_related(name, call.receiver) for name in subjects) and call.name in new_names
            if (taken or on_it) and call.callee not in old_callees:
                return True
        return False

    def _is_repaired(self, guard: Guard) -> bool:
        """Whether what was tested is set anew on an added line, or comes from a parameter's default now."""
        subjects = self._subjects(guard)
        return any(
            one.scope == self.scope
            and set(subjects) & set(one.targets)
            and self.frame.touches(Side.NEW, one.start, one.end)
            for one in self.frame.new_outline.assigns
        )

    def _removed(self, guard: Guard) -> Iterator[Sighting]:
        header = (guard.start, max(guard.start, guard.body_start - 1))
        spot = self.frame.spot((Side.OLD, header))
        place = self.frame.to_new(guard.start)
        if spot is None or not guard.subjects or not self._is_used(guard, place):
            return
        facts: dict[str, FactValue] = {
            "test": guard.test,
            "testKind": guard.test_kind,
            "action": guard.action,
            "subjects": guard.subjects,
            "function": self.function,
            "guardedStart": place,
            "guardedEnd": self.last,
        }
        text = " ".join(self.frame.text(Side.OLD, guard.start, guard.end).split())[:200]
        yield Sighting(EditOp.GUARD_REMOVED, spot, self.scope, guard.subjects[0], text, None, facts)

    def _is_used(self, guard: Guard, place: int) -> bool:
        """Whether what was guarded is still there, and still works with what was tested."""
        if guard.action == "wraps":
            return self._body_stands(guard)
        if not self._guarded_stands(guard) or self._is_inside_gone(guard):
            return False
        after = [line.split("#")[0].split("//")[0] for line in self.frame.new_lines[place - 1 : self.last]]
        return any(dotted(name).search(line) for name in self._subjects(guard) for line in after)

    def _guarded_stands(self, guard: Guard) -> bool:
        """Whether any statement behind the guard, in its block, is still in the function."""
        end = self.scopes.span(Side.OLD, self.scopes.old_of.get(self.scope, self.scope))[1]
        behind = _block(self.frame.old_lines[guard.end : end], _indent(self.frame.old_lines[guard.start - 1]))
        start, last = self.scopes.span(Side.NEW, self.scope)
        stands = set(self._stripped(Side.NEW, start, last))
        return any(_renamed(line, self.renames) in stands for line in behind if len(line) > 3)

    def _is_inside_gone(self, guard: Guard) -> bool:
        """Whether the guard applied only under a condition about something that the function no longer knows."""
        start, end = self.scopes.span(Side.NEW, self.scope)
        text = self.frame.text(Side.NEW, start, end)
        around = (one.guard for one in self.old if one.guard.body_start <= guard.start <= one.guard.body_end)
        return any(
            not dotted(name).search(text)
            for outer in around
            if outer is not guard and outer.start in self.frame.old
            for name in self._subjects(outer)
        )

    def _body_stands(self, guard: Guard) -> bool:
        """Whether most of the guarded statements are still there, now outside any guard of their own."""
        body = {text for text in self._stripped(Side.OLD, guard.body_start, guard.body_end) if len(text) > 3}
        start, end = self.scopes.span(Side.NEW, self.scope)
        stands = [n for n in range(start, end + 1) if self.frame.new_lines[n - 1].strip() in body]
        inside = {n for one in self.new for n in range(one.guard.body_start, one.guard.body_end + 1)}
        kept = {self.frame.new_lines[n - 1].strip() for n in stands if n not in inside}
        return bool(body) and 2 * len(kept) > len(body)

    def _stripped(self, side: Side, start: int, end: int) -> Iterator[str]:
        yield from (line.strip() for line in self.frame.text(side, start, end).splitlines())


def _is_error(subjects: Sequence[str]) -> bool:
    return bool(subjects) and re.search(r"(?i)err$", subjects[0]) is not None


def _indent(line: str) -> int:
    text = line.expandtabs(4)
    return len(text) - len(text.lstrip())


def _block(lines: Sequence[str], indent: int) -> list[str]:
    """The lines up to the end of the block that has this indentation; all of them where the block ends at once."""
    inside = []
    for line in lines:
        if line.strip() and _indent(line) < indent:
            break
        inside.append(line.strip())
    return [line for line in inside if line] or [text for line in lines if (text := line.strip())]


def _renamed(line: str, renames: Mapping[str, str]) -> str:
    return re.sub(r"[A-Za-z_]\w*", lambda found: renames.get(found.group(), found.group()), line) if renames else line


def _related(one: str, other: str) -> bool:
    """Whether two dotted names are the same or one is a part of the other."""
    return bool(other) and (one == other or one.startswith(f"{other}.") or other.startswith(f"{one}."))


def _mentions(text: str, names: Sequence[str]) -> bool:
    folded = text.replace(" ", "")
    return any(dotted(name.replace(" ", "")).search(folded) for name in names)
