"""What a test is about: the calls it makes, and the calls that gave what it asserts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.syntax.model import Assertion, Call, Outline, Symbol

__all__ = [
    "acts_before",
    "call_texts",
    "called",
    "conditions",
    "helpers",
    "only_here",
    "producers",
    "refused",
    "same_thing",
    "skip_test",
]

MOST = 40
_TOOL_WORDS = "assert expect t require self pytest Assertions None True False null nil true false not is in"
_TOOLS = frozenset(_TOOL_WORDS.split())
_PLAIN_WORDS = "len sorted list set dict str int float bool sum min max any all isinstance type repr round"
_PLAIN = frozenset(_PLAIN_WORDS.split())
# What says that the code inside has to fail, with the type of the failure.
_FAILING = re.compile(
    r"(?:raises|assertRaises\w*|assertThrows\w*|toThrow\w*|throws)\(\s*([A-Z][\w.]*?)(?:\.class)?\s*[,)]"
)


def call_texts(outline: Outline, start: int, end: int) -> tuple[str, ...]:
    """The calls of a test as written, in order."""
    found = (_text(one) for one in outline.calls if start <= one.start <= end)
    return tuple(dict.fromkeys(found))[:MOST]


def producers(outline: Outline, scope: str, one: Assertion) -> tuple[str, ...]:
    """Callees inside an assertion, and those whose results it is about."""
    inside = [call.callee for call in outline.calls if call.scope == scope and _around(one, call.start)]
    names = set(one.names)
    made = [
        assign.callee
        for assign in reversed(outline.assigns)
        if assign.scope == scope and assign.start <= one.end and assign.callee and names & _roots(assign.targets)
    ]
    return tuple(dict.fromkeys([*inside, *made]))[:MOST]


def helpers(outline: Outline) -> tuple[str, ...]:
    """The functions of a test file that are no tests themselves."""
    own = (one for one in outline.symbols if one.kind in ("function", "method") and not one.is_test)
    return tuple(dict.fromkeys(one.name for one in own))[:MOST]


def called(outline: Outline, test: Symbol) -> tuple[str, ...]:
    """Callees of a test, then those of the helpers of its file that it calls."""
    found = [one.callee for one in outline.calls if test.start <= one.start <= test.end]
    own = {one.name: one for one in outline.symbols if one.kind in ("function", "method") and not one.is_test}
    through = [own[name] for name in (one.rpartition(".")[2] for one in dict.fromkeys(found)) if name in own]
    found += [one.callee for helper in through for one in outline.calls if helper.start <= one.start <= helper.end]
    return tuple(dict.fromkeys(found))[:MOST]


def acts_before(outline: Outline, scope: str, one: Assertion) -> tuple[str, ...]:
    """The callees of a test whose calls end before an assertion, in order."""
    found = [call.callee for call in outline.calls if call.scope == scope and call.end < one.start]
    return tuple(dict.fromkeys(found))[-MOST:]


def conditions(outline: Outline, one: Assertion) -> tuple[str, ...]:
    """The tests under which an assertion is made."""
    return tuple(
        guard.test
        for guard in outline.guards
        if guard.scope == one.scope and guard.body_start <= one.start <= guard.body_end
    )


def only_here(asserted: Sequence[str], elsewhere: str) -> tuple[str, ...]:
    """Strings, then member names, of assertions that stand nowhere else in a text."""
    said = " ".join(asserted)
    strings = [text for _, text in re.findall(r"""(["'`])((?:(?!\1)[^\\]){4,60})\1""", said)]
    members = re.findall(r"\.([a-zA-Z_]\w{4,})\b(?!\()", re.sub(r"""(["'`]).*?\1""", "", said))
    found = [*strings, *(one for one in members if one not in strings)]
    return tuple(one for one in dict.fromkeys(found) if one not in elsewhere and one.strip() == one)[:6]


def refused(outline: Outline, start: int, end: int) -> tuple[str, ...]:
    """What a test calls and expects to fail, each with the type of the failure: ``queue.approve CommandRefused``."""
    spans = [
        (_FAILING.search(one.subject), max(one.body_start, one.start), one.body_end)
        for one in outline.blocks
        if one.kind == "with" and start <= one.start <= end
    ]
    asserted = [one for one in outline.assertions if start <= one.start <= end]
    spans += [(_FAILING.search(one.text), one.start, one.end) for one in asserted]
    found = [
        f"{call.callee} {said[1]}"
        for said, first, last in spans
        if said is not None
        for call in outline.calls
        if first <= call.start <= last
    ]
    return tuple(dict.fromkeys(found))[:MOST]


def same_thing(one: Assertion, other: Assertion) -> bool:
    """Whether two assertions are about one thing: a call, member or else any name that both have."""
    calls = _functions(one), _functions(other)
    if all(calls):
        return bool(calls[0] & calls[1])
    first, second = _named(one), _named(other)
    members = {name for name in first if "." in name}, {name for name in second if "." in name}
    return bool(members[0] & members[1] if all(members) else first & second)


def _bare(one: Assertion) -> str:
    return re.sub(r"""(["'`]).*?\1""", "", one.text)


def _functions(one: Assertion) -> set[str]:
    """The functions that an assertion calls, those of the language and the makers of values aside."""
    found = set(re.findall(r"(?<![\w.$])([a-z_$][\w$]*)\(", _bare(one)))
    return found - _TOOLS - _PLAIN - {one.name}


def _named(one: Assertion) -> set[str]:
    bare = _bare(one)
    found = re.findall(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*", bare)
    return {name for name in found if name.rpartition(".")[2] != one.name and name.split(".")[0] not in _TOOLS}


def _roots(targets: tuple[str, ...]) -> set[str]:
    return {target.partition(".")[0] for target in targets} - {"_", "self", "this"}


def _around(one: Assertion, line: int) -> bool:
    return one.start <= line <= one.end


def skip_test(outline: Outline, call: Call) -> str:
    """The condition under which a call that skips is reached; "" for none."""
    around = [
        guard
        for guard in outline.guards
        if guard.scope == call.scope and guard.body_start <= call.start <= guard.body_end
    ]
    return max(around, key=lambda guard: guard.start).test if around else ""


def _text(call: Call) -> str:
    given = ", ".join(f"{arg.keyword}={arg.text}" if arg.keyword else arg.text for arg in call.args)
    return f"{call.callee}({given})"[:200]
