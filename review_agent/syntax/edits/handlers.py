"""Edits of error handlers: broadened, swallowing, removed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from review_agent.syntax.edits.frame import Frame, Sighting, leftover
from review_agent.syntax.edits.hierarchy import Hierarchy
from review_agent.syntax.edits.scopes import Scopes, by_scope
from review_agent.syntax.matching import Matcher
from review_agent.syntax.model import Call, Handler, Outline
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["LEAVES", "find", "lines_of", "quiet"]

LEAVES = frozenset({"raise", "return_error", "exit"})
PLAIN = frozenset({"pass", "continue", "break", "return", "raise", "return None"})
_TELLS = re.compile(r"(?i)^(?:console|\w*log\w*|print|isinstance|type|str|repr)\b")
QUIET = frozenset({"pass", "log", "continue", "return_none", "assign"})


def quiet(handler: Handler) -> bool:
    """Whether the error ends here: nothing is raised, returned or done with it."""
    return not handler.uses_error and set(handler.actions) <= QUIET


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """handler_broadened, handler_swallows, handler_removed."""
    old, new = by_scope(frame.old_outline.handlers), by_scope(frame.new_outline.handlers)
    for before, after in scopes.shared():
        pair = (old.get(before, []), new.get(after, []))
        if any(frame.touches(Side.OLD, one.start, one.end) for one in pair[0]) or any(
            frame.touches(Side.NEW, one.start, one.end) for one in pair[1]
        ):
            yield from _Comparison(frame, scopes, after, *pair).edits()


class _Comparison:
    """The handlers of one scope on both sides."""

    def __init__(
        self, frame: Frame, scopes: Scopes, scope: str, old: Sequence[Handler], new: Sequence[Handler]
    ) -> None:
        self.frame, self.scopes, self.scope, self.old, self.new = frame, scopes, scope, old, new
        self.hierarchy = Hierarchy(frame.old_outline, frame.new_outline)
        self.function = scopes.function(scope)

    def edits(self) -> Iterator[Sighting]:
        gone = leftover(self.old, self.new, self._old_key, self._old_touched, self._new_key)
        come = leftover(self.new, self.old, self._new_key, self._new_touched, self._old_key)
        for before, after in self._pairs(gone, come):
            gone.remove(before)
            come.remove(after)
            yield from self._changed(before, after)
        for after in come:
            yield from self._new_handler(after)
        for before in gone:
            yield from self._removed(before)

    def _old_key(self, one: Handler) -> tuple[object, ...]:
        return one.types, one.actions, one.source, lines_of(self.frame, Side.OLD, one.start + 1, one.end)

    def _new_key(self, one: Handler) -> tuple[object, ...]:
        return one.types, one.actions, one.source, lines_of(self.frame, Side.NEW, one.start + 1, one.end)

    def _old_touched(self, one: Handler) -> bool:
        return self.frame.touches(Side.OLD, one.start, one.end)

    def _new_touched(self, one: Handler) -> bool:
        return self.frame.touches(Side.NEW, one.start, one.end)

    def _pairs(self, gone: Sequence[Handler], come: Sequence[Handler]) -> list[tuple[Handler, Handler]]:
        """Handlers that are one another's successor: they guard the same statements, or stand in the same place."""
        scored = sorted(
            (
                (score, -i, -j)
                for i, before in enumerate(gone)
                for j, after in enumerate(come)
                if (score := self._likeness(before, after)) >= 1.0
            ),
            reverse=True,
        )
        pairs: dict[int, int] = {}
        for _, i, j in scored:
            if -i not in pairs and -j not in pairs.values():
                pairs[-i] = -j
        return [(gone[i], come[j]) for i, j in sorted(pairs.items())]

    def _likeness(self, before: Handler, after: Handler) -> float:
        guarded = self._guarded_likeness(before, after)
        related = bool(set(before.types) & set(after.types)) or self.hierarchy.covers(after.types, before.types)
        place = self.frame.to_new(before.start) == after.start
        if before.source and after.source and before.source != after.source:
            return 0.0
        return guarded + 0.5 * related + 0.5 * place if guarded > 0.3 and (related or place) else 0.0

    def _guarded_likeness(self, before: Handler, after: Handler) -> float:
        if before.source and before.source == after.source:
            return 1.0
        old = lines_of(self.frame, Side.OLD, before.try_start, before.try_end)
        new = lines_of(self.frame, Side.NEW, after.try_start, after.try_end)
        return Matcher(old[:80], new[:80]).ratio()

    def _changed(self, before: Handler, after: Handler) -> Iterator[Sighting]:
        beside = [one for one in self.old if one.try_start == before.try_start]
        caught = tuple(dict.fromkeys(name for one in beside for name in one.types))
        if self.hierarchy.covers(after.types, before.types) and not self.hierarchy.covers(caught, after.types):
            yield from self._broadened(before, after)
        used = after.uses_error and not self._ends_in(after)
        hidden = not set(after.actions) & LEAVES and not used and not self._falls_back(after)
        if set(before.actions) & LEAVES and hidden:
            yield from self._swallows(after, before)

    def _broadened(self, before: Handler, after: Handler) -> Iterator[Sighting]:
        spot = self.frame.spot((Side.NEW, (after.start, after.start)), (Side.OLD, (before.start, before.start)))
        if spot is not None and self.frame.language != "go":
            facts: dict[str, FactValue] = {
                "beforeTypes": before.types,
                "afterTypes": after.types,
                "actions": after.actions,
                **self._tried(self.frame.new_outline, after),
            }
            yield Sighting(
                EditOp.HANDLER_BROADENED,
                spot,
                self.scope,
                ", ".join(after.types),
                ", ".join(before.types),
                ", ".join(after.types),
                facts,
            )

    def _tried(self, outline: Outline, handler: Handler) -> dict[str, FactValue]:
        calls = tuple(dict.fromkeys(one.callee for one in _calls(outline, handler)))
        return {
            "tryCalls": calls or ((handler.source,) if handler.source else ()),
            "tryStart": handler.try_start,
            "tryEnd": handler.try_end,
            "function": self.function,
        }

    def _ends_in(self, handler: Handler) -> bool:
        """Whether no more than parts of the error are used, in names and calls of the handler itself: the caller is
        given neither a result nor the error."""
        if not handler.binds or set(handler.actions) - QUIET - {"call"} or "return_none" in handler.actions:
            return False
        lines = range(handler.start, handler.end + 1)
        stored = [one for one in self.frame.new_outline.assigns if one.scope == handler.scope and one.start in lines]
        if any(not target.isidentifier() for one in stored for target in one.targets):
            return False
        outside = {target for one in self.frame.new_outline.assigns if one.scope == handler.scope
                   and one.start not in lines for target in one.targets}  # fmt: skip
        if outside & {target for one in stored for target in one.targets}:
            return False
        whole = re.compile(rf"(?<![\w.]){re.escape(handler.binds)}(?![\w.\[]|\s+instanceof\b)")
        calls = [one for one in self.frame.new_outline.calls if one.scope == handler.scope and one.start in lines]
        return not any(whole.search(arg.text) for one in calls if not _TELLS.search(one.callee) for arg in one.args)

    def _falls_back(self, handler: Handler) -> bool:
        """Whether the handler gets what was tried for in another way: it sets a name to the result of a call."""
        return any(
            one.callee and one.scope == handler.scope and handler.try_end < one.start <= handler.end
            for one in self.frame.new_outline.assigns
        )

    def _swallows(self, after: Handler, before: Handler | None) -> Iterator[Sighting]:
        wanted = [(Side.NEW, (after.start, after.end))]
        if before is not None:
            wanted.append((Side.OLD, (before.start, before.end)))
        spot = self.frame.spot(*wanted)
        if spot is None or (self.frame.language == "go" and _returns_nil(after)):
            return
        facts: dict[str, FactValue] = {
            "types": after.types,
            "beforeActions": before.actions if before else (),
            "afterActions": after.actions,
            "isNew": before is None,
            **self._tried(self.frame.new_outline, after),
        }
        was = None if before is None else self._source(Side.OLD, before)
        subject = ", ".join(after.types)
        shown = self._source(Side.NEW, after)
        yield Sighting(EditOp.HANDLER_SWALLOWS, spot, self.scope, subject, was, shown, facts)

    def _source(self, side: Side, handler: Handler) -> str:
        return " ".join(self.frame.text(side, handler.start, handler.end).split())[:200]

    def _new_handler(self, after: Handler) -> Iterator[Sighting]:
        """A handler around statements that stood there before, and whose errors nobody caught."""
        if (
            self.frame.language == "go"
            or not quiet(after)
            or self._falls_back(after)
            or after.start not in self.frame.new
        ):
            return
        if self._stood_unguarded(after):
            yield from self._swallows(after, None)

    def _stood_unguarded(self, after: Handler) -> bool:
        old_scope = self.scopes.old_of.get(self.scope, self.scope)
        guarded = set(lines_of(self.frame, Side.NEW, after.try_start, after.try_end))
        span = self.scopes.span(Side.OLD, old_scope)
        stood = {line for line in lines_of(self.frame, Side.OLD, *span) if line in guarded and _is_statement(line)}
        calls = [one for one in self.frame.old_outline.calls if one.scope == old_scope]
        callees = {one.callee for one in _calls(self.frame.new_outline, after)}
        before = [one for one in calls if one.callee in callees]
        covered = [one for one in self.old if self.hierarchy.covers(one.types, after.types)]
        inside = [line for one in covered for line in lines_of(self.frame, Side.OLD, one.try_start, one.try_end)]
        if not stood or stood <= set(inside):
            return False
        return not before or any(not self.hierarchy.covers(one.caught, after.types) for one in before)

    def _removed(self, before: Handler) -> Iterator[Sighting]:
        """A handler that went while what it guarded is still there, no longer guarded."""
        spot = self.frame.spot((Side.OLD, (before.start, before.end)))
        if self.frame.language == "go" or spot is None or not self._still_tried(before):
            return
        facts = {"types": before.types, **self._tried(self.frame.old_outline, before)}
        del facts["tryStart"], facts["tryEnd"]
        subject = ", ".join(before.types)
        yield Sighting(EditOp.HANDLER_REMOVED, spot, self.scope, subject, self._source(Side.OLD, before), None, facts)

    def _still_tried(self, before: Handler) -> bool:
        callees = {one.callee for one in _calls(self.frame.old_outline, before)}
        span = self.scopes.span(Side.NEW, self.scope)
        if "suppress(" in self.frame.text(Side.NEW, *span):
            return False
        after = [one for one in self.frame.new_outline.calls if one.scope == self.scope and one.callee in callees]
        bare = [one for one in after if not self.hierarchy.touches(one.caught, before.types)]
        moved = any(
            one.types == before.types and self.frame.touches(Side.NEW, one.start, one.start)
            for one in self.frame.new_outline.handlers
        )
        if not bare or moved or self._body_stands(before, span):
            return False
        return self._statements_stand(before, span)

    def _body_stands(self, before: Handler, span: tuple[int, int]) -> bool:
        """Whether what the handler did is still done, behind a test in its place."""
        body = [line for line in lines_of(self.frame, Side.OLD, before.start + 1, before.end) if line not in PLAIN]
        stands = set(lines_of(self.frame, Side.NEW, *span))
        return bool(body) and body[-1] in stands

    def _statements_stand(self, before: Handler, span: tuple[int, int]) -> bool:
        tried = [
            line for line in lines_of(self.frame, Side.OLD, before.try_start, before.try_end) if _is_statement(line)
        ]
        stands = set(lines_of(self.frame, Side.NEW, *span))
        return any(line in stands for line in tried)


def _returns_nil(handler: Handler) -> bool:
    return bool({"return_none", "return"} & set(handler.actions))


def _calls(outline: Outline, handler: Handler) -> list[Call]:
    """Calls in the guarded statements, in the handler's own scope."""
    return [
        one for one in outline.calls if one.scope == handler.scope and handler.try_start <= one.start <= handler.try_end
    ]


def _is_statement(line: str) -> bool:
    return line not in {"try:", "else:", "finally:", "pass", "{", "}", ")", "]"} and not line.startswith(
        ("#", "except")
    )


def lines_of(frame: Frame, side: Side, start: int, end: int) -> tuple[str, ...]:
    """Source lines without indentation, blank ones left out."""
    return tuple(text for line in frame.text(side, start, end).splitlines() if (text := line.strip()))
