"""What stands around a line of an outline: what is held there, what ran before, what a name was set to, who decorates.

All by the order of lines within one function; a branch not taken counts as run, so nothing here proves more than "the
text says so".
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from heapq import nsmallest

from review_agent.syntax.model import Block, Call, Outline, Param, Symbol
from review_agent.syntax.words import whole_name

__all__ = [
    "ACQUIRES",
    "RELEASES",
    "RUNS_HELD",
    "calls_around",
    "decorators_at",
    "following",
    "held_at",
    "literal_at",
    "literals_around",
    "origin_of",
    "parameters_at",
    "preceding",
    "raised_in",
    "within",
    "written",
]

# Taking and giving back, by the method's name: threading, sync, java.util.concurrent.locks, async-mutex.
ACQUIRES = {
    "Lock": "Unlock",
    "RLock": "RUnlock",
    "lock": "unlock",
    "acquire": "release",
    "lockInterruptibly": "unlock",
    "TryLock": "Unlock",
    "tryLock": "unlock",
    "acquire_lock": "release_lock",
}
RELEASES = frozenset(ACQUIRES.values())
# Methods that run what they are given with something held: async-mutex, Prisma, Sequelize, gorm, Spring's template.
RUNS_HELD = re.compile(
    r"^(?:runExclusive|with_?lock|run_?locked|\$?transaction|with_?(?:tx|transaction)|run_?in_?(?:tx|transaction)|"
    r"transact|executeWithoutResult)$",
    re.IGNORECASE,
)
LEAVING = frozenset(("return", "raise", "continue", "break", "exit"))
# A release this close before a return gives back on that way out only.
_OUT = 3
_PRECEDING = 24
# Calls around a place that are told, and how much of each.
_DEEP, _WITHIN = 3, 120
_LITERAL = re.compile(r"=>|->|\bfunction\b|\bfunc\s*\(|\blambda\b")
FAILING = frozenset({"panic", "Fatal", "Fatalf", "assertNever", "exhaustive", "assert_never"})


def held_at(outline: Outline, scope: str, line: int) -> tuple[str, ...]:
    """What is held at a line: subjects of the blocks around it, and callees of locks taken and not given back."""
    held = [one.subject for one in _around(outline, scope, line)]
    takers = outline.calls_named(scope, _takes)
    held += [one.callee for one in takers if _runs_under(one, line)]
    held += [one.callee for one in takers if one.start < line and _held(outline, one, line)]
    symbol = _function(outline, scope)
    if symbol is not None and "synchronized" in symbol.modifiers:
        held.insert(0, "synchronized")
    return tuple(dict.fromkeys(one for one in held if one))


def _around(outline: Outline, scope: str, line: int) -> Iterator[Block]:
    for one in outline.blocks_at(line):
        if one.scope == scope or scope.startswith(f"{one.scope}."):
            yield one


def _takes(name: str) -> bool:
    """Whether a call of that name can leave something held, or runs what it is given under it."""
    return name in ACQUIRES or RUNS_HELD.match(name) is not None


def _runs_under(call: Call, line: int) -> bool:
    """Whether a line stands in the function that a call runs with a lock or a transaction held."""
    return call.start < line <= call.end and RUNS_HELD.match(call.name) is not None


def _held(outline: Outline, taken: Call, line: int) -> bool:
    name = ACQUIRES.get(taken.name)
    if name is None or taken.deferred or not taken.receiver:
        return False
    given = [
        one for one in outline.calls_on(taken.scope, taken.receiver) if one.name == name and one.start >= taken.start
    ]
    final = [one for one in given if not one.deferred and not _on_a_way_out(outline, one, given)]
    return not final or min(one.start for one in final) >= line


def _on_a_way_out(outline: Outline, given: Call, all_given: list[Call]) -> bool:
    """Whether a release is followed at once by leaving, while another release stands further on."""
    leaves = any((given.scope, line) in outline.ways_out for line in range(given.start, given.start + _OUT + 1))
    return leaves and any(one.start > given.start or one.deferred for one in all_given if one is not given)


def preceding(outline: Outline, scope: str, line: int) -> tuple[str, ...]:
    """Callees and tests that leave, before a line of its function, in order; the last ones where there are many.

    What stands in a function literal that ended before the line is left out.
    """
    ended = _literals(outline, scope, line)
    found = [(one.start, one.callee) for one in outline.calls_in(scope) if one.start < line]
    found += [
        (one.start, one.test)
        for one in outline.guards
        if one.scope == scope and one.start < line and (one.action in LEAVING or one.body_start <= line <= one.body_end)
    ]
    found = [one for one in found if not any(start < one[0] <= end for start, end in ended)]
    return tuple(dict.fromkeys(text for _, text in sorted(found)))[-_PRECEDING:]


def _literals(outline: Outline, scope: str, line: int) -> list[tuple[int, int]]:
    """The lines of calls that take a function literal and end before a line."""
    return [(one.start, one.end) for one in _literal_calls(outline, scope) if one.end < line]


def _literal_calls(outline: Outline, scope: str) -> list[Call]:
    """The calls of more than one line that take a function literal."""
    return [
        one for one in outline.wide_calls if one.scope == scope and any(_LITERAL.search(arg.text) for arg in one.args)
    ]


def literals_around(outline: Outline, scope: str, line: int) -> tuple[str, ...]:
    """The calls whose function literals hold a line, told by callee and first argument, outer first."""
    around = [one for one in _literal_calls(outline, scope) if one.start < line <= one.end]
    return tuple(
        f"{one.callee} {'' if _LITERAL.search(one.args[0].text) else one.args[0].text}"
        for one in sorted(around, key=lambda one: one.start)
    )


def literal_at(outline: Outline, scope: str, line: int) -> tuple[int, int]:
    """First and last line of the innermost call whose function literal holds a line; (0, 0) for none."""
    around = [(one.start, one.end) for one in _literal_calls(outline, scope) if one.start < line <= one.end]
    return min(around, key=lambda span: span[1] - span[0], default=(0, 0))


def following(outline: Outline, scope: str, line: int) -> tuple[str, ...]:
    """Callees after a line of its function, in order, and those that are deferred to its end."""
    first = []
    for callee, (lines, deferred) in outline.lines_of_callees(scope).items():
        at = bisect_right(lines, line)
        places = [*lines[at : at + 1], *([] if deferred is None else [deferred])]
        first += [(min(places), callee)] if places else []
    return tuple(callee for _, callee in nsmallest(_PRECEDING, first))


def calls_around(outline: Outline, line: int, name: str) -> tuple[str, ...]:
    """The calls over a line that take a name as an argument, in full, inner first."""
    named = re.compile(rf"(?<![\w.]){whole_name(name)}")
    around = [
        one for one in outline.calls if one.start <= line <= one.end and any(named.search(arg.text) for arg in one.args)
    ]
    return tuple(
        f"{one.callee}({', '.join(arg.text for arg in one.args)})"[:400]
        for one in sorted(around, key=lambda one: sum(len(arg.text) for arg in one.args))
    )


def within(outline: Outline, line: int) -> tuple[str, ...]:
    """The calls in whose arguments a line stands, inner first, by their first words."""
    around = [one for one in outline.wide_calls if one.start < line <= one.end]
    return tuple(
        f"{one.callee}({', '.join(arg.text for arg in one.args)})"[:_WITHIN]
        for one in sorted(around, key=lambda one: one.end - one.start)
    )[:_DEEP]


def origin_of(outline: Outline, scope: str, line: int, name: str) -> str:
    """The text last assigned to a name before a line of its function; "" where nothing is."""
    return next((one.value for one in reversed(outline.sets_of(scope, name)) if one.start < line), "")


def decorators_at(outline: Outline, scope: str) -> tuple[str, ...]:
    """Decorators of a function and of all that surrounds it, inner first."""
    found: list[str] = []
    while scope:
        found += [one for symbol in outline.symbols_named(scope) for one in symbol.decorators]
        scope = scope.rpartition(".")[0]
    return tuple(dict.fromkeys(found))


def parameters_at(outline: Outline, scope: str) -> tuple[str, ...]:
    """The parameters of a function, with types and defaults, as written."""
    symbol = _function(outline, scope)
    return tuple(written(one) for one in symbol.params) if symbol else ()


def written(param: Param) -> str:
    """A parameter as it stands in a signature: name, type, default and annotations."""
    kind, default = (f": {param.type}" if param.type else ""), (f" = {param.default}" if param.default else "")
    return " ".join([f"{param.name}{kind}{default}", *(f"@{one}" for one in param.notes)])


def _function(outline: Outline, scope: str) -> Symbol | None:
    return next(iter(outline.symbols_named(scope)), None)


def raised_in(outline: Outline, scope: str) -> tuple[str, ...]:
    """What a function is seen to raise (Go: the errors made in it, and panics), in order."""
    found = [(one.start, one.type or one.text) for one in outline.raises if one.scope == scope]
    found += [(one.start, one.callee) for one in outline.calls_in(scope) if one.name in FAILING]
    return tuple(dict.fromkeys(text for _, text in sorted(found) if text))[:8]
