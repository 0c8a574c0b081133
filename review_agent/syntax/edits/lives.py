"""What one function takes, under which name, and how it gives it back: on every way out, on some, or not."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from review_agent.syntax.edits.apart import apart
from review_agent.syntax.edits.frame import Lines
from review_agent.syntax.edits.giving import ends, gives, pairs, returns_to
from review_agent.syntax.edits.taking import Takings
from review_agent.syntax.model import Block, Call, Outline
from review_agent.syntax.roles import role_of
from review_agent.syntax.words import whole_name

__all__ = ["RANK", "Life", "Lives"]

# Constructors of plain values: what they make holds nothing that could be given back.
_MADE = """
    set frozenset list dict tuple str bytes int float bool sorted make append Set Map Array Object
"""
_VALUES = frozenset(_MADE.split())

# Hooks of a component: the framework keeps what they make, and ends it.
_HOOK = re.compile(r"^use[A-Z]\w*$")
# How sure a way of giving back is.
RANK = {"block": 3, "deferred": 3, "final": 3, "handled": 3, "plain": 1, "handed": 1, "none": 0}
_TIMED = re.compile(r"(?i)^with(?:timeout|cancel|deadline)")
_LISTENS = re.compile(r"(?i)^(?:subscribe|watch|listen|observe|on|add\w*listener|on[A-Z]\w*|open|connect|register)")
_KEEPS = re.compile(
    r"(?i)enter_?(?:async_)?context|closing|callback|cleanup|finali[sz]|defer|closelater|onclose|atexit|register|push|"
    r"append|addresource|manage|using|takeuntil|track|add$"
)
_ALL = frozenset({"Exception", "BaseException", "Throwable", "Error", ""})
_LOG = re.compile(r"(?i)^(?:log\w*|console|slog|fmt|print)$")


@dataclass(frozen=True)
class Life:
    """``thing`` is the name it is held under, "" for none; ``opener`` the callee that gives it; ``release`` what gives
    it back, as a callee, on ``given`` lines. ``form``: block, deferred, final, handled (a handler and the plain way),
    plain or none."""

    thing: str
    opener: str
    text: str
    start: int
    end: int
    form: str
    release: str
    given: Lines | None
    result: str = ""


class Lives:
    """The takings of one scope of an outline."""

    def __init__(self, outline: Outline, scope: str, lines: Sequence[str] = ()) -> None:
        self.outline, self.scope, self.lines = outline, scope, lines
        self.calls = outline.calls_in(scope)
        self.blocks = [one for one in outline.blocks if one.scope == scope]
        self._held = [one for one in self.blocks if one.kind in ("with", "try_resource")]
        self._heads = {line for one in self._held for line in range(one.start, max(one.body_start, one.start + 1))}
        self._finals = [one for one in self.blocks if one.kind == "finally"]
        self._handlers = [
            one
            for one in outline.handlers
            if one.scope == scope and not one.source and _ALL & {name.rpartition(".")[2] for name in one.types}
        ]

    def all(self) -> Iterator[Life]:
        """Every taking that the function gives back somehow."""
        for block in self._held:
            if "(" in block.subject:
                yield self._of_block(block)
        for call in self.calls:
            if not self._in_head(call):
                life = self._of_call(call)
                if life is not None and life.form != "none":
                    yield life

    def same(self, opener: str, thing: str, taken: Set[int]) -> Life | None:
        """The taking that answers to one of the other side: by the same callee, else under the same name."""
        for block in self._held_by_head.get(opener, ()):
            if block.start not in taken:
                return self._of_block(block)
        by_name = [one for one in self._takers.by_thing(thing) if self._is_free(one, taken)]
        by_opener = [one for one in self._takers.by_callee(opener) if self._is_free(one, taken)]
        if by_name and by_opener:
            by_opener.sort(key=lambda one: self._thing(one) != thing)
        for one in [*by_opener, *by_name]:
            return self._of_call(one) or self._bare(one, "none", "", None)
        return None

    @cached_property
    def _takers(self) -> Takings:
        return Takings(self.calls, self._thing)

    @cached_property
    def _held_by_head(self) -> Mapping[str, Sequence[Block]]:
        found: dict[str, list[Block]] = defaultdict(list)
        for block in self._held:
            found[_head(block.subject)].append(block)
        return found

    def _is_free(self, call: Call, taken: Set[int]) -> bool:
        return call.start not in taken and not self._in_head(call)

    def _of_block(self, block: Block) -> Life:
        lines = (block.start, max(block.start, block.body_start - 1))
        opener = _head(block.subject)
        return Life(block.binds, opener, block.subject, lines[0], lines[1], "block", "", lines)

    def _in_head(self, call: Call) -> bool:
        """Whether a call stands in the head of a block that gives back what it takes."""
        return call.result == "context" or call.start in self._heads

    def _of_call(self, call: Call) -> Life | None:
        """A taking by a plain call, with the best release that follows it."""
        if call.callee in _VALUES or _HOOK.match(call.name):
            return None
        if gives(call) and role_of(call.name) != "open" and not call.targets:
            return None
        near = self._takers.may_release(call, self._thing(call))
        releases = [one for one in near if one is not call and self._releases(call, one)]
        if not releases:
            return self._bare(call, *self._returned(call))
        form, best = max(((self._form(one, releases), one) for one in releases), key=lambda pair: RANK[pair[0]])
        return self._bare(call, form, best.callee, (best.start, best.end))

    def _returned(self, call: Call) -> tuple[str, str, Lines | None]:
        """A handle that a function literal hands back, as an effect does with what ends it."""
        if not _LISTENS.match(call.name):
            return "none", "", None
        line = self.lines[call.start - 1] if len(self.lines) >= call.start else ""
        if call.result == "returned" or f"=> {call.callee}(" in line:
            return "handed", "", (call.start, call.end)
        thing = self._thing(call)
        shape = re.compile(rf"\breturn\s+(?:\(\)\s*=>\s*)?{whole_name(thing)}(?!\.\w+\()") if thing else None
        for number, line in enumerate(self.lines[call.end : call.end + 40], call.end + 1):
            if shape is not None and shape.search(line):
                return "handed", "return", (number, number)
        return "none", "", None

    def _bare(self, call: Call, form: str, release: str, given: Lines | None) -> Life:
        written = f"{call.callee}({', '.join(arg.text for arg in call.args)})"[:200]
        return Life(self._thing(call), call.callee, written, call.start, call.end, form, release, given, call.result)

    def _thing(self, call: Call) -> str:
        return next((one for one in call.targets if one not in ("_", "err")), "") if call.targets else ""

    def _releases(self, taken: Call, one: Call) -> bool:
        """Whether a call gives back what another took: the thing itself, or by the opposite act on its receiver."""
        if one.deferred and one.receiver == taken.receiver != "" and not self._thing(taken):
            # Deferred on what the taking was made on, it ends that too, wherever it stands.
            return pairs(taken, one) or role_of(one.name) in ("close", "rollback")
        return (
            one.start >= taken.start
            and self._answers_to(taken, one)
            and not apart(self.outline, taken.start, one.start)
        )

    def _answers_to(self, taken: Call, one: Call) -> bool:
        thing = self._thing(taken)
        if one.callee in taken.targets:
            return ends(one.name) or _LISTENS.match(taken.name) is not None or _TIMED.match(taken.name) is not None
        if thing and "." not in thing and _about(one, thing):
            return returns_to(taken, one, thing)
        same = taken.receiver == one.receiver and (not taken.args or not one.args or taken.args[0] == one.args[0])
        return not thing and same and pairs(taken, one)

    def _form(self, one: Call, releases: list[Call]) -> str:
        if one.deferred:
            return "deferred"
        if any(block.body_start <= one.start <= block.body_end for block in self._finals):
            return "final"
        handled = [other for other in releases if self._in_handler(other)]
        if self._in_handler(one):
            return "handled" if len(handled) < len(releases) else "plain"
        return "handled" if handled else "plain"

    def _in_handler(self, one: Call) -> bool:
        return any(other.start <= one.start <= other.end for other in self._handlers)

    def handed(self, life: Life) -> tuple[str, ...]:
        """How the thing gets another owner: returned, stored, or given to something that keeps it."""
        found = ["returned"] if life.result in ("returned", "yielded") else []
        if not life.thing:
            return tuple(found)
        if "." in life.thing or "[" in life.thing:
            found.append("stored")
        word = re.escape(life.thing)
        whole = re.compile(rf"(?:^|[,({{\[:&\s]){word}(?:$|[,)}}\]\s])")
        for one in self.outline.returns:
            yields = one.text.startswith("yield")
            leaves = one.scope == self.scope and one.start >= life.start and not yields
            if leaves and whole.search(one.text) and _owning(one.text):
                found.append("returned")
        for assign in self.outline.assigns:
            kept = any("." in target or "[" in target for target in assign.targets)
            if assign.scope == self.scope and kept and assign.start > life.start and whole.search(assign.value):
                found.append("stored")
        for call in self.calls:
            given = any(re.search(rf"(?<![\w.]){word}(?![\w(])", arg.text) for arg in call.args)
            keeps = _KEEPS.search(call.name) is not None or (call.name[:1].isupper() and _wraps(call))
            if call.start >= life.start and given and keeps:
                found.append(f"given to {call.callee}")
        return tuple(dict.fromkeys(found))

    def _gap(self, life: Life) -> Lines:
        """The lines on which the thing is held and nothing yet makes sure that it is given back."""
        if life.given is None or life.form == "handed":
            return life.end, 10**9
        if life.form == "final":
            return life.end, self._protected_from(life.given[0])
        return life.end, life.given[0]

    def _protected_from(self, line: int) -> int:
        """Where the first ``try`` begins whose ``finally`` holds a line, itself or by a ``finally`` within it."""
        spans = [(one.start, one.end) for one in self.blocks if one.kind == "try"]
        finals = [one.start for one in self.blocks if one.kind == "finally" and one.body_start <= line <= one.body_end]
        own = (max((start for start, end in spans if start <= final <= end), default=final) for final in finals)
        return min(own, default=line)

    def ways(self, life: Life) -> list[tuple[int, str]]:
        """Returns and raises in that gap, those aside that say the taking failed."""
        first, last = self._gap(life)
        failed = [
            (one.start, one.end)
            for one in self.outline.handlers
            if one.scope == self.scope and one.source == life.opener and one.try_start <= life.end <= one.start
        ]
        found = [(one.start, one.text) for one in self.outline.returns if one.scope == self.scope]
        found += [(one.start, one.text) for one in self.outline.raises if one.scope == self.scope]
        by_line = dict(reversed(found))
        return [
            (line, text)
            for line, text in sorted(by_line.items())
            if first < line < last
            and not any(start <= line <= end for start, end in failed)
            and not apart(self.outline, life.start, line)
        ]

    def calls_in_gap(self, life: Life) -> list[tuple[int, str]]:
        """Callees that run in that gap."""
        first, last = self._gap(life)
        return [
            (one.start, one.callee)
            for one in self.calls
            if first < one.start < last
            and not apart(self.outline, life.start, one.start)
            and one.callee != life.release
            and not one.deferred
            and not _LOG.match(one.callee.partition(".")[0])
        ]


def _head(subject: str) -> str:
    """The callee of what is held: of a chain of calls, the last one."""
    depth, at = 0, -1
    for place, sign in enumerate(subject):
        if sign == "(" and depth == 0:
            at = place
        depth += (sign in "([{") - (sign in ")]}")
    head = subject[:at] if at >= 0 else subject
    return head.strip().removeprefix("await ").removeprefix("new ").strip()


def _about(one: Call, thing: str) -> bool:
    """Whether a call is on a thing or takes it."""
    on = one.receiver == thing or one.receiver.startswith(f"{thing}.") or one.callee == thing
    return on or any(arg.text == thing or arg.text.startswith(f"{thing}.") for arg in one.args)


def _owning(text: str) -> bool:
    """Whether a returned text hands its parts on: the bare name, a list of them, or something made of them."""
    callee = re.match(r"^(?:await\s+|new\s+|&)?([\w.]+)\s*\(", text)
    return callee is None or callee[1].rpartition(".")[2][:1].isupper()


def _wraps(call: Call) -> bool:
    return call.result in ("assigned", "returned", "argument", "context")
