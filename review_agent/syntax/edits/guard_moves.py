"""Whether a guard that is gone lives on: replaced in its place, or moved to where it still refuses the same."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.syntax.edits import conditions
from review_agent.syntax.edits.frame import dotted
from review_agent.syntax.edits.guard_scope import LEAVING, Check, GuardScope, check, related
from review_agent.syntax.model import Guard
from review_agent.vocabulary import Side

__all__ = ["Moves"]

# A condition that a guard's test may have moved into: its text after one of these words is looked at.
IN_LINE = re.compile(r"\b(?:if|elif|while|assert|and|or|when)\b|&&|\|\||\?")
BARE = frozenset({"return", "return None", "return nil", "return False", "return false", "pass", "}", ")", ""})
NOTHING = re.compile(r"([A-Za-z_]\w*) (?:===?|is) (?:nil|None|null|undefined)|(?:not |!)([A-Za-z_]\w*)")
DISPATCH = re.compile(r"^\s*(?:match|case|switch|default)\b")


class Moves:
    """Asks, for one old guard of a scope at a time, what became of it."""

    def __init__(self, at: GuardScope) -> None:
        self.at = at

    def is_replaced(self, one: Check, free: Sequence[Check]) -> bool:
        """Whether another test now stands in its place: in the same run of lines, or about the same things."""
        body = range(self.at.frame.to_new(one.guard.body_start), self.at.frame.to_new(one.guard.body_end) + 1)
        if any(
            new.guard.body_start in body and not self._takes_for_granted(one.guard, new.guard)
            for new in self.at.new
            if new.guard.action == one.guard.action
        ):
            return True
        run = self.at.frame.run_of(Side.OLD, one.guard.start)
        subjects = set(self.at.subjects(one.guard))
        for other in free:
            same_run = run is not None and self.at.frame.run_of(Side.NEW, other.guard.start) is run
            if self._takes_for_granted(one.guard, other.guard):
                continue
            about = any(related(a, b) for a in subjects for b in other.guard.subjects)
            if (same_run and (about or other.guard.action == one.guard.action)) or (about and self._near(one, other)):
                return True
        return self._dispatched(one.guard)

    @staticmethod
    def _takes_for_granted(gone: Guard, come: Guard) -> bool:
        """Whether a test that something is there gave way to one that looks into it without asking."""
        absent = NOTHING.fullmatch(gone.test.strip())
        if absent is None:
            return False
        name = re.escape(absent[1] or absent[2])
        return re.search(rf"(?<![\w.!]){name}\.\w", come.test) is not None and not re.search(
            rf"{name}(?! ?\.)\s*(?:$|&&|\|\||and\b|or\b|[!=]=|is\b)|not {name}\b(?!\.)|!{name}\b(?!\.)", come.test
        )

    def _near(self, one: Check, other: Check) -> bool:
        return abs(self.at.frame.to_new(one.guard.start) - other.guard.start) <= 10

    def _dispatched(self, guard: Guard) -> bool:
        """Whether a switch, or a handler that catches the miss, came in its place."""
        hunk = self.at.frame.old.get(guard.start, -1)
        added = [line for line, number in self.at.frame.new.items() if number == hunk]
        lines = [self.at.frame.new_lines[line - 1] for line in added]
        handled = any(one.scope == self.at.scope and one.start in added for one in self.at.frame.new_outline.handlers)
        return any(DISPATCH.match(line) for line in lines) or (handled and self.at.frame.language != "go")

    def has_moved(self, one: Check) -> bool:
        """Whether the test lives on elsewhere: another function, an expression, an assertion, or a called helper."""
        others = (guard for guard in self.at.frame.new_outline.guards if guard.scope != self.at.scope)
        added = [guard for guard in others if self.at.frame.touches(Side.NEW, guard.start, guard.end)]
        if any(conditions.implies(one.refuses, check(guard, {}).refuses) for guard in added):
            return True
        if any(self._takes_for_granted(one.guard, new.guard) and self._near(one, new) for new in self.at.new):
            return self._is_repaired(one.guard) or self._is_assigned(one)
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
        body = [text for text in self.at.stripped(Side.OLD, guard.body_start, guard.body_end) if text not in BARE]
        added = {self.at.frame.new_lines[line - 1].strip() for line in self.at.frame.new}
        return bool(body) and body[-1] in added

    def _is_assigned(self, one: Check) -> bool:
        """Whether an added assignment keeps the outcome of the test under a name."""
        atoms = {left.replace(" ", "") for part in one.refuses for left, _, _ in part if "(" in left}
        values = [
            re.sub(r"\s", "", assign.value)
            for assign in self.at.frame.new_outline.assigns
            if assign.scope == self.at.scope and self.at.frame.touches(Side.NEW, assign.start, assign.end)
        ]
        return any(
            atom in value.replace(",)", ")") for atom in (a.replace(",)", ")") for a in atoms) for value in values
        )

    def _is_inline(self, one: Check) -> bool:
        """Whether an atom of the test stands in a condition that is no guard: a ternary, a loop, an assertion."""
        start, end = self.at.new_span
        atoms = {text for part in one.refuses for left, _, right in part for text in (left, right) if text}
        names = [text for text in atoms if re.search(r"[A-Za-z_]", text) and text not in ("None", "True", "False")]
        added = (line for line in self.at.frame.new if start <= line <= end)
        lines = [self.at.frame.new_lines[line - 1] for line in added]
        tails = [line[match.end() :] for line in lines if (match := IN_LINE.search(line))]
        return bool(names) and any(_mentions(tail, names) for tail in tails)

    def _is_handed_over(self, guard: Guard) -> bool:
        """Whether an added call takes what was tested: as a statement, in a condition, or of a helper that is new."""
        subjects = self.at.subjects(guard)
        new_names = {one.name for one in self.at.scopes.added}
        old_callees = {call.callee for call in self.at.frame.old_outline.calls if call.scope == self.at.old_scope}
        for call in self.at.frame.new_outline.calls:
            if call.scope != self.at.scope or not self.at.frame.touches(Side.NEW, call.start, call.end):
                continue
            taken = any(dotted(name).search(arg.text) for name in subjects for arg in call.args)
            on_it = any(related(name, call.receiver) for name in subjects) and call.name in new_names
            if (taken or on_it) and call.callee not in old_callees:
                return True
        return False

    def _is_repaired(self, guard: Guard) -> bool:
        """Whether what was tested is set anew on an added line, or comes from a parameter's default now."""
        subjects = self.at.subjects(guard)
        assigned = any(
            one.scope == self.at.scope
            and set(subjects) & set(one.targets)
            and self.at.frame.touches(Side.NEW, one.start, one.end)
            for one in self.at.frame.new_outline.assigns
        )
        return assigned or self._has_other_default(guard)

    def _has_other_default(self, guard: Guard) -> bool:
        """Whether the guard tested a parameter for its old default, which is another one now."""
        old = self.at.scopes.old_symbols.get(self.at.old_scope)
        new = self.at.scopes.new_symbols.get(self.at.scope)
        now = {param.name: param.default for param in new.params} if new else {}
        return any(
            param.name in guard.subjects
            and param.default is not None
            and dotted(param.default).search(guard.test)
            and now.get(param.name, param.default) != param.default
            for param in (old.params if old else ())
        )


def _mentions(text: str, names: Sequence[str]) -> bool:
    spaced = " ".join(conditions.TOKEN.findall(text))
    return any(dotted(name).search(spaced) for name in names)
