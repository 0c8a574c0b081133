"""Uses of members, values and calls in one outline, each with what is held there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from review_agent.syntax.edits.effects import call_text
from review_agent.syntax.holding import hold_key, hold_kind
from review_agent.syntax.model import MemberUse, Outline
from review_agent.syntax.surroundings import ACQUIRES, RELEASES, RUNS_HELD, held_at

__all__ = ["MOST", "HeldUses", "Use", "is_lock"]

MOST = 40
_VALUES = frozenset({"variable", "constant"})
# Methods that change what they are called on: lists, maps, sets, queues and counters of four languages.
_CHANGING = """
    add addAll addFirst addLast append appendleft clear compute computeIfAbsent delete discard extend insert merge
    offer poll pop popitem popleft push put putAll putIfAbsent remove removeAll removeFirst removeIf removeLast set
    setdefault shift sort splice subtract unshift update write
"""
MUTATORS = frozenset(_CHANGING.split())


@dataclass(frozen=True)
class Use:
    """A call, or a use of a member or of a module's own value. ``what``: call, member, value."""

    what: str
    name: str
    act: str
    owner: str
    scope: str
    start: int
    end: int
    holds: Mapping[str, str]
    text: str = ""


class HeldUses:
    """The uses of one outline by scope, with what is held at each."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.values = {one.name for one in outline.symbols if one.kind in _VALUES and not one.scope}
        self.holding = bool(outline.blocks) or any(
            one.name in ACQUIRES or RUNS_HELD.match(one.name) for one in outline.calls
        )
        self.holding = self.holding or any("synchronized" in one.modifiers for one in outline.symbols)
        self._known: dict[str, list[Use]] = {}
        self._held: dict[tuple[str, int], Mapping[str, str]] = {}

    def of(self, scope: str) -> list[Use]:
        if scope not in self._known:
            self._known[scope] = list(self._uses(scope)) if self.holding else []
        return self._known[scope]

    def members(self) -> Iterator[Use]:
        """Every use of a member in the file."""
        for one in self.outline.member_uses:
            yield self._member(one)

    def _member(self, one: MemberUse) -> Use:
        name, _, rest = one.path.partition(".")
        act = "update" if one.act == "call" and rest.rpartition(".")[2] in MUTATORS else one.act
        return self._use(
            "member", name, "read" if act == "call" and rest else act, one.owner, one.scope, one.line, one.line
        )

    def _uses(self, scope: str) -> Iterator[Use]:
        for call in self.outline.calls:
            if call.scope == scope and call.name not in RELEASES and not call.deferred:
                yield replace(
                    self._use("call", call.callee, "call", "", scope, call.start, call.end), text=call_text(call)
                )
                yield from self._values((call.receiver, *(one.text for one in call.args)), "call", scope, call.start)
        for one in self.outline.member_uses:
            if one.scope == scope and not is_lock(one.path):
                yield self._member(one)
        for assign in self.outline.assigns:
            if assign.scope == scope:
                yield from self._values(assign.targets, "write", scope, assign.start)
                yield from self._values((assign.value,), "read", scope, assign.start)

    def _values(self, texts: Iterable[str], act: str, scope: str, line: int) -> Iterator[Use]:
        roots = {text.partition(".")[0].partition("[")[0] for text in texts}
        for name in sorted(roots & self.values):
            if not is_lock(name):
                yield self._use("value", name, act, "", scope, line, line)

    def _use(self, what: str, name: str, act: str, owner: str, scope: str, start: int, end: int) -> Use:
        if (scope, start) not in self._held:
            held = held_at(self.outline, scope, start)
            self._held[scope, start] = {hold_key(one): one for one in held if hold_kind(one)}
        return Use(what, name, act, owner, scope, start, end, self._held[scope, start])


def is_lock(path: str) -> bool:
    return hold_kind(path) == "lock" or path.rpartition(".")[2] in ACQUIRES or path.rpartition(".")[2] in RELEASES
