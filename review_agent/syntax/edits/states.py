"""State that a function sets and puts back: what is set still and put back no more, or set beside what is put back."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from review_agent.syntax.edits.apart import apart
from review_agent.syntax.edits.frame import Frame, Lines, Sighting
from review_agent.syntax.edits.making import made_by, makes
from review_agent.syntax.edits.scopes import Scopes
from review_agent.syntax.model import Assign, Outline
from review_agent.syntax.roles import role_of, words_of
from review_agent.syntax.scoped import grouped
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]

RANK = {"final": 3, "teardown": 3, "deferred": 3, "plain": 1, "none": 0}
_SAVED = re.compile(r"^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*(?:\s*(?:or|\|\||\?\?)\s*\S+)?$")
# Flags go back by their opposite.
_FLAGS = {"True": "False", "False": "True", "true": "false", "false": "true"}
_SETS = re.compile(r"(?i)^(?:set[a-z]|signal$|umask$|chdir$|activate$|filterwarnings$)")
_PLAIN = frozenset({"None", "True", "False", "null", "true", "false", "nil", "undefined"})
_UNSETS = re.compile(r"(?i)^(?:pop|unset\w*|clear\w*|del\w*|remove\w*|reset\w*|restore\w*|deactivate)$")
_TEARDOWN = frozenset(
    {"teardown", "after", "cleanup", "exit", "stop", "close", "restore", "reset", "undo", "end", "finalize", "finalise"}
)
_SELF = frozenset({"self", "this", "cls"})


@dataclass(frozen=True)
class State:
    """``key`` names what is set: a target, or a callee with the key that it sets. ``saved``: the value is a name that
    can hold what was there before; ``unsets``: it is taken off again."""

    key: str
    receiver: str
    name: str
    text: str
    start: int
    end: int
    scope: str
    saved: bool
    unsets: bool = False
    value: str = ""


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """release_weakened, of state."""
    old, new = _States(frame.old_outline), _States(frame.new_outline)
    for before, after in scopes.shared():
        if scopes.function(after) and not _is_shared(old.outline, before) and not _is_shared(new.outline, after):
            yield from _put_back_no_more(frame, scopes, before, after, old, new)
            yield from _beside(frame, scopes, before, after, old, new)


def _is_shared(outline: Outline, scope: str) -> bool:
    """Whether overloads share a name: what one of them sets, the other does not put back. Constructors set for good."""
    owner, _, name = scope.rpartition(".")
    is_maker = name == owner.rpartition(".")[2]
    return is_maker or (outline.language == "java" and len(outline.symbols_named(scope)) > 1)


class _States:
    """Everything of one outline that is set on something that outlives a function."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.all = sorted([*_assigned(outline), *_called(outline)], key=lambda one: one.start)
        self._by_scope = grouped(self.all)
        self._by_key: dict[str, list[State]] = defaultdict(list)
        for one in self.all:
            self._by_key[one.key].append(one)

    def sets(self, scope: str) -> list[State]:
        """The first setting of each key in a scope."""
        found: dict[str, State] = {}
        for one in self._by_scope.get(scope, ()) if not _tears(scope) else ():
            if not one.unsets:
                found.setdefault(one.key, one)
        return list(found.values())

    def form(self, one: State) -> tuple[str, State | None]:
        """How a setting is put back: in a finally clause, deferred, in the tear-down beside it, on the way, or not."""
        same = [b for b in self._by_key[one.key] if b is not one and (b.saved or b.unsets or _flips(one, b))]
        later = [b for b in same if b.scope == one.scope and b.start > one.start]
        later = [b for b in later if not apart(self.outline, one.start, b.start)]
        best = max(((self._place(b), b) for b in later), key=lambda pair: RANK[pair[0]], default=None)
        owner = one.scope.rpartition(".")[0]
        torn = [b for b in same if owner and b.scope.rpartition(".")[0] == owner and b.scope != one.scope]
        torn = [b for b in torn if _tears(b.scope)]
        if torn and (best is None or best[0] == "plain"):
            return "teardown", torn[0]
        return best if best is not None else ("none", None)

    def _place(self, one: State) -> str:
        if self.outline.is_final(one.scope, one.start):
            return "final"
        deferred = (call for call in self.outline.calls_in(one.scope) if call.deferred)
        return "deferred" if any(call.start <= one.start <= call.end for call in deferred) else "plain"


def _assigned(outline: Outline) -> Iterator[State]:
    for one in outline.assigns:
        for target in one.targets:
            receiver, _, name = target.replace("[", ".[").rpartition(".")
            if receiver and one.scope:
                saved = _SAVED.match(one.value) is not None and one.value not in _PLAIN
                text = f"{target} = {one.value}"[:200]
                yield State(
                    target, receiver, name.strip("[]\"'"), text, one.start, one.end, one.scope, saved, value=one.value
                )


def _called(outline: Outline) -> Iterator[State]:
    for one in outline.calls:
        undoes = _UNSETS.match(one.name) is not None
        sets = role_of(one.name) == "state" or _SETS.match(one.name) is not None
        bare = not one.receiver and not undoes and len(one.args) == 1
        if not one.scope or not (one.receiver or bare) or not (sets or undoes):
            continue
        first = one.args[0].text if one.args else ""
        keyed = len(one.args) > 1 or (undoes and bool(one.args))
        value = one.args[-1].text if one.args else ""
        saved = _SAVED.match(value) is not None and value not in _PLAIN
        key = f"{one.receiver}[{first}]" if keyed else f"{one.receiver}.{one.name}"
        text = f"{one.callee}({', '.join(arg.text for arg in one.args)})"[:200]
        yield State(key, one.receiver, one.name, text, one.start, one.end, one.scope, saved, undoes)


def _flips(one: State, other: State) -> bool:
    counted = (one.value[:1], other.value[:1]) in (("+", "-"), ("-", "+")) and one.value[1:] == other.value[1:]
    return counted or (bool(other.value) and _FLAGS.get(one.value, "") == other.value)


def _tears(scope: str) -> bool:
    name = scope.rpartition(".")[2]
    return name.lower() in _TEARDOWN or bool(_TEARDOWN & set(words_of(name)[:1])) or name == "__exit__"


def _put_back_no_more(
    frame: Frame, scopes: Scopes, before: str, after: str, old: _States, new: _States
) -> Iterator[Sighting]:
    now = {one.key: one for one in new.sets(after)}
    for one in old.sets(before):
        form, back = old.form(one)
        other = now.get(one.key)
        if back is None or other is None or _put_back_otherwise(frame, back) or _handed_on(new.outline, after, back):
            continue
        if form == "plain" and not _was_kept(old.outline, one, back):
            continue
        if _is_own(old.outline, one) or _is_own(new.outline, other):
            continue
        form_now, back_now = new.form(other)
        if RANK[form_now] < RANK[form]:
            last = back_now.start if back_now is not None else 10**9
            run = [c.callee for c in new.outline.calls if c.scope == after and other.end < c.start < last]
            ways = [one.start for one in new.outline.returns if one.scope == after and one.text.startswith("yield")]
            run[:0] = ["yield"] if any(other.end < line < last for line in ways) else []
            place = (Side.OLD, (back.start, back.end))
            yield from _sight(frame, scopes, after, other, (form, form_now), place, back, between=run)


def _was_kept(outline: Outline, one: State, back: State) -> bool:
    """Whether a second setting on the way puts back what was there: it is the opposite of the first, or its value was
    taken before from where it goes; of calls, from another call."""
    if back.unsets or _flips(one, back):
        return True
    given = re.search(r"([\w$.]+)\)$", back.text)
    value = back.value or (given[1] if given else "")
    return any(
        value in each.targets
        and each.start <= one.end
        and (one.key in each.value if back.value else _asks(outline, each, one.receiver))
        for each in outline.assigns
        if each.scope in (one.scope, "")
    )


def _asks(outline: Outline, one: Assign, receiver: str) -> bool:
    """Whether a value was asked for; what was made on the spot, of other things, stood nowhere before."""
    of_it = bool(receiver) and re.search(rf"(?<![\w.]){re.escape(receiver)}\b", one.value) is not None
    return "(" in one.value and (of_it or not makes(one.value, outline.language))


def _handed_on(outline: Outline, scope: str, back: State) -> bool:
    """Whether what puts it back is given to something that calls it in the end: ``stack.callback(restore, old)``."""
    name = f"{back.receiver}.{back.name}" if back.receiver else back.name
    return any(arg.text == name for call in outline.calls_in(scope) for arg in call.args)


def _put_back_otherwise(frame: Frame, back: State) -> bool:
    """Whether a call that came in the place of what put it back works with the same thing or the saved value."""
    run = frame.run_of(Side.OLD, back.start)
    lines = "\n".join(frame.new_lines[line - 1] for line in run.new) if run is not None else ""
    names = {back.receiver.partition(".")[0] or back.name, back.value.rpartition(".")[2]}
    names -= {"", "self", "this", "os", "sys"}
    return any(re.search(rf"\(.*(?<![\w.]){re.escape(name)}\b", lines) for name in names)


def _beside(frame: Frame, scopes: Scopes, before: str, after: str, old: _States, new: _States) -> Iterator[Sighting]:
    """A setting that came to others of the same receiver which are all put back, and is not."""
    known = {one.key for one in old.sets(before)}
    sets = new.sets(after)
    for one in sets:
        if one.key in known or not frame.touches(Side.NEW, one.start, one.end) or new.form(one)[1] is not None:
            continue
        beside = [b for b in sets if one.receiver == b.receiver != "" and b.key != one.key and b.key in known]
        backs = [new.form(b) for b in beside]
        own = bool(beside) and all(_really(new.outline, b, *back) for b, back in zip(beside, backs, strict=True))
        back = backs[0][1] if own else None
        like = None if own else _like(new, one, [b for b in sets if b.key in known])
        if (own or like is not None) and _is_lasting(new.outline, one):
            place = (Side.NEW, (one.start, one.end))
            told = beside if own else [like[0]] if like else []
            back = back or (like[1] if like else None)
            yield from _sight(frame, scopes, after, one, ("sibling", "none"), place, None, told, by=back)


def _really(outline: Outline, one: State, form: str, back: State | None) -> bool:
    """Whether a second setting on the way puts back what was there: its value was taken from there before."""
    if back is None or form != "plain" or back.unsets or _flips(one, back):
        return back is not None
    return any(
        back.value in each.targets and one.key in each.value
        for each in outline.assigns
        if each.scope == one.scope and each.start <= one.start
    )


def _like(states: _States, one: State, known: Sequence[State]) -> tuple[State, State] | None:
    """The same call with the same value on something else, which the tear-down beside it puts back, and this not."""
    owner = one.scope.rpartition(".")[0]
    torn = [b for b in states.all if owner and b.scope.rpartition(".")[0] == owner and _tears(b.scope)]
    if any(b.key == one.key for b in torn) or "(" not in one.text:
        return None
    given = one.text.partition("(")[2]
    like = next((b for b in known if b.name == one.name and b.text.partition("(")[2] == given), None)
    back = next((b for b in torn if b.name == one.name and b.saved), None)
    return (like, back) if like is not None and back is not None and one.receiver != like.receiver else None


def _is_own(outline: Outline, one: State) -> bool:
    """Whether what is set on was made for this run of the function: it ends with it."""
    return bool(one.receiver) and made_by(outline, one.scope, one.receiver, one.start)


def _is_lasting(outline: Outline, one: State) -> bool:
    """Whether what is set on was not made in the same function."""
    root = one.receiver.partition(".")[0]
    bound = root not in _SELF and any(a.scope == one.scope and root in a.targets for a in outline.assigns)
    return not bound and not _is_own(outline, one)


def _sight(
    frame: Frame,
    scopes: Scopes,
    scope: str,
    one: State,
    forms: tuple[str, str],
    place: tuple[Side, Lines],
    back: State | None,
    beside: Sequence[State] = (),
    between: Sequence[str] = (),
    by: State | None = None,
) -> Iterator[Sighting]:
    spot = frame.spot(place, (Side.NEW, (one.start, one.end)))
    if spot is None:
        return
    facts: dict[str, FactValue] = {
        "state": True,
        "thing": "",
        "opener": one.name,
        "openerNow": one.name,
        "taken": one.text,
        "takenLine": one.start,
        "key": one.key,
        "form": forms[0],
        "formAfter": forms[1],
        "release": back.text if back is not None else "",
        "between": tuple(dict.fromkeys(between))[:12],
        "beside": tuple(b.name for b in beside),
        "besideBack": by.text if by is not None else "",
        "besideScope": by.scope if by is not None else "",
        "function": scopes.function(scope),
    }
    subject = back.text if back is not None else one.text
    yield Sighting(EditOp.RELEASE_WEAKENED, spot, scope, subject, subject if back else None, None, facts)
