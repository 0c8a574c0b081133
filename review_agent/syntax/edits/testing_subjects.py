"""What a test is about: the calls it makes, and the calls that gave what it asserts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.syntax.model import Assertion, Call, Outline

__all__ = ["call_texts", "only_here", "producers", "same_thing", "skip_test"]

MOST = 40
_TOOL_WORDS = "assert expect t require self pytest Assertions None True False null nil true false not is in"
_TOOLS = frozenset(_TOOL_WORDS.split())


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


def only_here(asserted: Sequence[str], elsewhere: str) -> tuple[str, ...]:
    """Strings, then member names, of assertions that stand nowhere else in a text."""
    said = " ".join(asserted)
    strings = [text for _, text in re.findall(r"""(["'`])((?:(?!\1)[^\\]){4,60})\1""", said)]
    members = re.findall(r"\.([a-zA-Z_]\w{4,})\b(?!\()", re.sub(r"""(["'`]).*?\1""", "", said))
    found = [*strings, *(one for one in members if one not in strings)]
    return tuple(one for one in dict.fromkeys(found) if one not in elsewhere and one.strip() == one)[:6]


def same_thing(one: Assertion, other: Assertion) -> bool:
    """Whether two assertions are about one thing: a member or call that both name, else any name that both have."""
    first, second = _named(one), _named(other)
    members = {name for name in first if "." in name}, {name for name in second if "." in name}
    return bool(members[0] & members[1] if all(members) else first & second)


def _named(one: Assertion) -> set[str]:
    bare = re.sub(r"""(["'`]).*?\1""", "", one.text)
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
