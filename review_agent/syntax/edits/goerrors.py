"""Edits by which Go code stops looking at an error: assigned to the blank, unchecked, ignored, or answered with nil."""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

from review_agent.syntax.edits.frame import Frame, Sighting, Spot, dotted
from review_agent.syntax.edits.scopes import Scopes, by_scope
from review_agent.syntax.model import Call, Handler
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]

ERROR_NAME = re.compile(r"(?i)err(or)?s?\d*$|^e$")


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """error_dropped, in each of its forms."""
    old_calls, new_calls = by_scope(frame.old_outline.calls), by_scope(frame.new_outline.calls)
    old_handlers, new_handlers = by_scope(frame.old_outline.handlers), by_scope(frame.new_outline.handlers)
    for before, after in scopes.shared():
        calls = _Calls(frame, scopes, before, after, old_calls.get(before, []), new_calls.get(after, []))
        handlers = old_handlers.get(before, []), new_handlers.get(after, [])
        yield from calls.dropped(*handlers)
        yield from _return_nil(frame, scopes, after, *handlers)


class _Calls:
    """The calls of one function on both sides, the n-th of a callee with the n-th."""

    def __init__(
        self, frame: Frame, scopes: Scopes, before: str, after: str, old: Sequence[Call], new: Sequence[Call]
    ) -> None:
        self.frame, self.scopes, self.before, self.after = frame, scopes, before, after
        self.pairs = list(_paired(frame, old, new))

    def dropped(self, old: Sequence[Handler], new: Sequence[Handler]) -> Iterator[Sighting]:
        for one, other in self.pairs:
            form = self._form(one, other, old, new)
            if form:
                yield from self._sight(form, one, other)

    def _form(self, one: Call, other: Call, old: Sequence[Handler], new: Sequence[Handler]) -> str:
        if other.deferred or not self._was_looked_at(one, old):
            return ""
        if other.targets and other.targets[-1] == "_":
            return "blank"
        if other.result == "ignored":
            return "ignored"
        if not self._goes_unread(other):
            return ""
        checked = any(_handles(handler, other) for handler in new)
        was_checked = any(_handles(handler, one) for handler in old)
        return "unchecked" if was_checked and not checked else ""

    def _was_looked_at(self, call: Call, handlers: Sequence[Handler]) -> bool:
        if call.targets:
            return bool(ERROR_NAME.search(call.targets[-1])) and call.targets[-1] != "_"
        symbol = self.scopes.old_symbols.get(self.before)
        gives_error = symbol is not None and symbol.results[-1:] == ("error",)
        return any(_handles(one, call) for one in handlers) or (call.result == "returned" and gives_error)

    def _goes_unread(self, call: Call) -> bool:
        """Whether the error's name is set again, or the function ends, before anything reads it."""
        if not call.targets or call.targets[-1] == "_":
            return False
        pattern = dotted(call.targets[-1])
        end = self.scopes.span(Side.NEW, self.after)[1]
        for line in self.frame.new_lines[call.end : end]:
            code = line.split("//")[0]
            if pattern.search(code):
                return re.search(rf"{re.escape(call.targets[-1])}\s*:?=[^=]", code) is not None
        rest = self.frame.text(Side.NEW, call.end, call.end).rpartition(")")[2]
        return not pattern.search(rest)

    def _sight(self, form: str, one: Call, other: Call) -> Iterator[Sighting]:
        wanted: list[tuple[Side, tuple[int, int] | None]] = [(Side.NEW, (other.start, other.end))]
        if form == "unchecked":
            handler = [h for h in self.frame.old_outline.handlers if h.scope == self.before and _handles(h, one)]
            wanted = [(Side.OLD, (handler[0].start, handler[0].end)), *wanted] if handler else wanted
        spot = self.frame.spot(*wanted)
        if spot is not None:
            yield _sighting(self.frame, self.scopes, self.after, spot, form, (one, other))


def _paired(frame: Frame, old: Sequence[Call], new: Sequence[Call]) -> Iterator[tuple[Call, Call]]:
    """Calls with the same callee; those whose arguments are the same find each other first."""
    twins = _by(new, _looks)
    waiting = []
    for one in old:
        alike = twins.get(_looks(one))
        if alike:
            yield one, alike.popleft()
        else:
            waiting.append(one)
    free = {id(one) for alike in twins.values() for one in alike}
    left = _by((one for one in new if id(one) in free), _callee)
    often = Counter(one.callee for one in waiting)
    for one in waiting:
        same = left.get(one.callee, deque())
        partner = next((other for other in same if other.args == one.args), None)
        partner = partner or next((other for other in same if _same_place(frame, one, other)), None)
        if partner is None and len(same) == 1 == often[one.callee]:
            partner = same[0]
        if partner is not None:
            same.remove(partner)
            yield one, partner


def _by(calls: Iterable[Call], key: Callable[[Call], Hashable]) -> dict[Hashable, deque[Call]]:
    groups: dict[Hashable, deque[Call]] = defaultdict(deque)
    for one in calls:
        groups[key(one)].append(one)
    return groups


def _callee(call: Call) -> str:
    return call.callee


def _same_place(frame: Frame, one: Call, other: Call) -> bool:
    """Whether both stand in the same run of changed lines, or on the same line but for shifts."""
    run = frame.run_of(Side.OLD, one.start)
    together = run is not None and frame.run_of(Side.NEW, other.start) is run
    return together or frame.to_new(one.start) == other.start


def _looks(call: Call) -> tuple[object, ...]:
    return call.callee, call.args, call.result, call.targets


def _handles(handler: Handler, call: Call) -> bool:
    """Whether the handler looks at the error of this very call."""
    near = call.start <= handler.start and handler.try_start <= call.end and call.start <= handler.try_end
    return handler.source == call.callee and near


def _sighting(frame: Frame, scopes: Scopes, scope: str, spot: Spot, form: str, calls: tuple[Call, Call]) -> Sighting:
    one, other = calls
    facts: dict[str, FactValue] = {
        "form": form,
        "function": scopes.function(scope),
        "receiver": other.receiver,
    }
    before = " ".join(frame.text(Side.OLD, one.start, one.end).split())[:200]
    after = " ".join(frame.text(Side.NEW, other.start, other.end).split())[:200]
    return Sighting(EditOp.ERROR_DROPPED, spot, scope, other.callee, before, after, facts)


def _return_nil(
    frame: Frame, scopes: Scopes, scope: str, old: Sequence[Handler], new: Sequence[Handler]
) -> Iterator[Sighting]:
    """A handler that returned the error of a call and now returns none."""
    for after in new:
        spot = frame.spot((Side.NEW, (after.start, after.end)))
        before = _predecessor(frame, after, old, new) if spot is not None else None
        if before is None or spot is None or "return_error" not in before.actions or after.uses_error:
            continue
        if "return_error" in after.actions or not _gives_nil(frame, after):
            continue
        facts: dict[str, FactValue] = {
            "form": "return_nil",
            "function": scopes.function(scope),
            "receiver": after.source.rpartition(".")[0],
        }
        was = " ".join(frame.text(Side.OLD, before.start, before.end).split())[:200]
        shown = " ".join(frame.text(Side.NEW, after.start, after.end).split())[:200]
        yield Sighting(EditOp.ERROR_DROPPED, spot, scope, after.source, was, shown, facts)


def _predecessor(frame: Frame, after: Handler, old: Sequence[Handler], new: Sequence[Handler]) -> Handler | None:
    """The old handler of the same call: the only one on both sides, else the one that stood in the same place."""
    olds = [one for one in old if one.source == after.source]
    news = [one for one in new if one.source == after.source]
    if len(olds) == len(news):
        return olds[news.index(after)] if after.source else None
    return next((one for one in olds if frame.to_new(one.start) == after.start), None)


def _gives_nil(frame: Frame, handler: Handler) -> bool:
    """Whether the handler's last return ends in nil."""
    returns = [one for one in frame.new_outline.returns if handler.start <= one.start <= handler.end]
    return bool(returns) and re.search(r"(^|[\s,])nil$", returns[-1].text.strip()) is not None
