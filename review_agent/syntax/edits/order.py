"""Edits of when an act happens: now only under a condition, behind a way out, or before what it stood behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from review_agent.syntax.edits.effects import ACTS
from review_agent.syntax.edits.frame import Frame, Sighting, renamed
from review_agent.syntax.edits.scopes import Scopes
from review_agent.syntax.model import Guard, Outline
from review_agent.syntax.roles import role_of
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]

_LEAVES = frozenset({"return", "raise", "exit", "continue", "break"})
MOST = 40


@dataclass(frozen=True)
class Act:
    """A call that acts or an assignment that outlives the function. ``text``: all of it, as the new side writes."""

    subject: str
    text: str
    start: int
    end: int
    names: tuple[str, ...]
    form: str


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """act_conditioned and act_moved: for acts that stand on both sides, once each, and were touched."""
    told = 0
    for before, after in scopes.shared():
        names = scopes.renames(before, after)
        old = {one.text: one for one in _acts(frame.old_outline, before, names)}
        new = list(_acts(frame.new_outline, after, {}))
        once = Counter(one.text for one in new)
        for act in new:
            other = old.get(act.text)
            if other is None or once[act.text] != 1 or told >= MOST or not _touched(frame, act, other):
                continue
            for told_of in (_conditioned, _moved):
                sighting = told_of(frame, scopes, before, after, other, act)
                if sighting is not None:
                    told += 1
                    yield sighting


def _acts(outline: Outline, scope: str, words: Mapping[str, str]) -> Iterator[Act]:
    for one in outline.calls:
        if one.scope == scope and (one.result in ACTS or one.deferred or role_of(one.name)):
            given = ", ".join(f"{arg.keyword}={arg.text}" if arg.keyword else arg.text for arg in one.args)
            text = renamed(f"{one.callee}({given})", words)
            yield Act(renamed(one.callee, words), text, one.start, one.end, tuple(arg.text for arg in one.args), "call")
    for assign in outline.assigns:
        if assign.scope == scope and any("." in target or "[" in target for target in assign.targets):
            text = renamed(f"{', '.join(assign.targets)} = {assign.value}", words)
            target = next(target for target in assign.targets if "." in target or "[" in target)
            yield Act(renamed(target, words), text, assign.start, assign.end, (assign.value,), "assignment")


def _touched(frame: Frame, act: Act, other: Act) -> bool:
    return frame.touches(Side.NEW, act.start, act.end) or frame.touches(Side.OLD, other.start, other.end)


def _facts(scopes: Scopes, scope: str, act: Act) -> dict[str, FactValue]:
    return {
        "form": act.form,
        "name": act.subject.rpartition(".")[2],
        "receiver": act.subject.rpartition(".")[0],
        "role": role_of(act.subject.rpartition(".")[2]) if act.form == "call" else "",
        "arguments": act.names,
        "function": scopes.function(scope),
    }


def _conditioned(frame: Frame, scopes: Scopes, before: str, after: str, other: Act, act: Act) -> Sighting | None:
    """The act now stands under a condition, or behind a way out, that it did not stand under before."""
    was, now = _around(frame.old_outline, before, other.start), _around(frame.new_outline, after, act.start)
    fresh = [one.test for one in now if one.test not in {two.test for two in was}]
    ways = [one.test for one in _passed(frame.new_outline, after, act.start)]
    open_before = {one.test for one in _passed(frame.old_outline, before, other.start)}
    later = {one.test for one in frame.old_outline.guards if one.scope == before and one.start > other.start}
    behind = [test for test in ways if test in later and test not in open_before]
    spot = frame.spot((Side.NEW, (act.start, act.end)), (Side.OLD, (other.start, other.end)))
    if spot is None or not (fresh or behind) or len(now) < len(was):
        return None
    facts: dict[str, FactValue] = {**_facts(scopes, after, act), "how": "condition" if fresh else "behind_exit"}
    return Sighting(EditOp.ACT_CONDITIONED, spot, after, act.subject, act.text[:200], (fresh or behind)[0], facts)


def _around(outline: Outline, scope: str, line: int) -> list[Guard]:
    return [g for g in outline.guards if g.scope == scope and g.body_start <= line <= g.body_end and g.start < line]


def _passed(outline: Outline, scope: str, line: int) -> list[Guard]:
    """Guards in front of a line that leave the function."""
    return [g for g in outline.guards if g.scope == scope and g.end < line and g.action in ("return", "raise", "exit")]


def _moved(frame: Frame, scopes: Scopes, before: str, after: str, other: Act, act: Act) -> Sighting | None:
    """The act now stands before statements that it stood behind."""
    passed = _statements(frame.old_outline, before, 0, other.start)
    follows = _statements(frame.new_outline, after, act.end, 10**9)
    now_before = [one for one in dict.fromkeys(passed) if one in follows and passed.count(one) == follows.count(one)]
    spot = frame.spot((Side.NEW, (act.start, act.end)))
    if not now_before or spot is None:
        return None
    facts: dict[str, FactValue] = {**_facts(scopes, after, act), "nowBefore": tuple(now_before)[:12]}
    return Sighting(EditOp.ACT_MOVED, spot, after, act.subject, None, act.text[:200], facts)


def _statements(outline: Outline, scope: str, after: int, until: int) -> Sequence[str]:
    """Calls, lasting and local assignments and tests that leave between two lines of a function, as texts."""
    found = [(c.start, f"{c.callee}()") for c in outline.calls if c.scope == scope]
    found += [(a.start, f"{', '.join(a.targets)} =") for a in outline.assigns if a.scope == scope]
    found += [(g.start, f"if {g.test}") for g in outline.guards if g.scope == scope and g.action in _LEAVES]
    return [text for line, text in sorted(found) if after < line < until]
