"""Whether what a guard guarded is still there, and still works with what was tested."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from review_agent.syntax.edits.frame import dotted
from review_agent.syntax.edits.guard_scope import GuardScope
from review_agent.syntax.matching import Matcher
from review_agent.syntax.model import Guard
from review_agent.vocabulary import Side

__all__ = ["Guarded"]

# How much a statement behind a guard may differ and still be the one that was guarded.
ALIKE = 0.6


class Guarded:
    """Asks, for one old guard of a scope at a time, about the statements it guarded."""

    def __init__(self, at: GuardScope) -> None:
        self.at = at
        self.last = at.new_span[1]

    def stands(self, guard: Guard) -> bool:
        """Whether what was guarded is still there."""
        if guard.action == "wraps":
            return self._body_stands(guard)
        return self._guarded_stands(guard) and not self._is_inside_gone(guard)

    def is_used(self, guard: Guard, place: int) -> bool:
        """Whether what was guarded still works with what was tested."""
        if guard.action == "wraps":
            return True
        after = [line.split("#")[0].split("//")[0] for line in self.at.frame.new_lines[place - 1 : self.last]]
        return any(dotted(name).search(line) for name in self.at.subjects(guard) for line in after)

    def _guarded_stands(self, guard: Guard) -> bool:
        """Whether any statement behind the guard, in its block, is still in the function, be it changed."""
        end = self.at.scopes.span(Side.OLD, self.at.old_scope)[1]
        behind = _block(self.at.frame.old_lines[guard.end : end], _indent(self.at.frame.old_lines[guard.start - 1]))
        start, last = self.at.new_span
        stands = set(self.at.stripped(Side.NEW, start, last))
        if any(_renamed(line, self.at.renames) in stands for line in behind if len(line) > 3):
            return True
        run = self.at.frame.run_of(Side.OLD, guard.start)
        added = [self.at.frame.new_lines[line - 1].strip() for line in (run.new if run else ())]
        using = [line for line in behind if any(dotted(name).search(line) for name in guard.subjects)]
        return any(Matcher(one, other).ratio() > ALIKE for one in using for other in added)

    def _is_inside_gone(self, guard: Guard) -> bool:
        """Whether the guard applied only under a condition about something that the function no longer knows."""
        start, end = self.at.new_span
        text = self.at.frame.text(Side.NEW, start, end)
        around = (one.guard for one in self.at.old if one.guard.body_start <= guard.start <= one.guard.body_end)
        return any(
            not dotted(name).search(text)
            for outer in around
            if outer is not guard and outer.start in self.at.frame.old
            for name in self.at.subjects(outer)
        )

    def _body_stands(self, guard: Guard) -> bool:
        """Whether most of the guarded statements are still there, now outside any guard of their own."""
        body = {text for text in self.at.stripped(Side.OLD, guard.body_start, guard.body_end) if len(text) > 3}
        start, end = self.at.new_span
        stands = [n for n in range(start, end + 1) if self.at.frame.new_lines[n - 1].strip() in body]
        inside = {n for one in self.at.new for n in range(one.guard.body_start, one.guard.body_end + 1)}
        kept = {self.at.frame.new_lines[n - 1].strip() for n in stands if n not in inside}
        return bool(body) and 2 * len(kept) > len(body)


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
