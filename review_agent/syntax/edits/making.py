"""Whether what a function works on was made by the function itself: nobody else meets what is set on it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from review_agent.syntax.model import Assign, Outline
from review_agent.syntax.roles import words_of

__all__ = ["made_by", "makes"]

_LITERAL = re.compile(r"(?:[{\[]|new\b|&?[\w.]+(?:\[[\w.]+\])?\{|map\[|(?:make|new|dict|list|set|object)\()")
_TYPE = re.compile(r"(?:[a-z_][\w]*\.)*_?[A-Z]\w*\(")
_CALL = re.compile(r"([\w$.]+)\(")
_MAKING = frozenset(
    """new create make build mock fake stub spy clone copy deepcopy fork spawn construct generate allocate dummy
    with""".split()  # noqa: SIM905
)
# Such a call hands out what others have too, whatever else it is called.
_SHARED = frozenset("get shared default global singleton instance current cached once root".split())  # noqa: SIM905
# Set-up functions of the test frameworks that run before each test.
_BEFORE_EACH = re.compile(r"(?i)^(?:set_?up|setup_?method|async_?set_?up|setup_?test|before_?each|before_?test)$")
_EACH = re.compile(r"@?(?:\w+\.)*(?:BeforeEach|Before|BeforeMethod)\b")
_FIXTURE = re.compile(r"@?(?:pytest\.|pytest_asyncio\.)?fixture\b(?!.*\bscope\s*=)")
# Fixtures of pytest and its common plugins that undo at the end of each test what is set through them.
_UNDOING = frozenset({"monkeypatch", "mocker", "tmp_path", "tmpdir", "caplog", "capsys", "settings", "httpx_mock"})
_SELF = frozenset({"self", "this"})


def makes(value: str, language: str) -> bool:
    """Whether an expression gives something new: a literal, a constructor, a call whose name says that it makes one."""
    value = re.sub(r"^(?:await|\*|\()\s*", "", value.strip())
    if _LITERAL.match(value) or (language != "go" and _TYPE.match(value)):
        return True
    called = _CALL.match(value)
    if called is None:
        return False
    words = words_of(called[1].rpartition(".")[2])
    if _SHARED & set(words):
        return False
    chained = re.search(r"\.build\(\)$", value) is not None
    return chained or bool(_MAKING & set(words[:1]))


def made_by(outline: Outline, scope: str, receiver: str, line: int) -> bool:
    """Whether a function made the thing of a receiver itself before a line, or got it made anew for each run."""
    root, _, deeper = receiver.partition(".")
    values = list(_values(outline, scope, root, line)) if root not in _SELF else []
    if not values:
        return _is_fixture(outline, scope, root) or _set_up(outline, scope, receiver)
    # What was handed to a constructor may be reached through what it made, and is not new by that.
    handed = bool(deeper) and re.search(rf"\b{re.escape(deeper.partition('.')[0])}\b", values[-1]) is not None
    return makes(values[-1], outline.language) and not handed


def _values(outline: Outline, scope: str, root: str, line: int) -> Iterator[str]:
    """What the function binds to a name up to a line, in order."""
    bound = [(one.start, one.value) for one in outline.assigns if one.scope == scope and root in one.targets]
    bound += [
        (call.start, f"{call.callee}(")
        for call in outline.calls_in(scope)
        if call.result == "context" and root in call.targets
    ]
    yield from (value for start, value in sorted(bound) if start <= line)


def _is_fixture(outline: Outline, scope: str, name: str) -> bool:
    """Whether a parameter of a Python test is made for this test alone."""
    if outline.language != "python" or not any(
        name == param.name for symbol in outline.symbols_named(scope) for param in symbol.params
    ):
        return False
    if name in _UNDOING:
        return True
    own = [one for one in outline.symbols_named(name) if any(_FIXTURE.match(mark) for mark in one.decorators)]
    given = [one.text for one in outline.returns if one.scope == name]
    return bool(own) and bool(given) and all(_gives_new(outline, name, text) for text in given)


def _gives_new(outline: Outline, scope: str, text: str) -> bool:
    value = re.sub(r"^(?:return|yield)\s*", "", text.strip())
    bound = [one.value for one in outline.assigns if one.scope == scope and value in one.targets]
    return makes(bound[-1] if bound else value, outline.language)


def _set_up(outline: Outline, scope: str, receiver: str) -> bool:
    """Whether the set-up that runs before each test of the same type or block makes the thing anew."""
    parts = receiver.split(".")
    names = {parts[0], ".".join(parts[:2])} - _SELF
    names |= {parts[1]} if parts[0] == "this" and len(parts) > 1 else {f"this.{parts[0]}"}
    found = [one for one in outline.assigns if names & set(one.targets) and _before_each(outline, one, scope)]
    return bool(found) and all(makes(one.value, outline.language) for one in found)


def _before_each(outline: Outline, one: Assign, scope: str) -> bool:
    """Whether an assignment is carried out before each run of a test."""
    if outline.language in ("javascript", "typescript", "tsx"):
        around = not one.scope or scope.startswith(f"{one.scope}.")
        calls = outline.calls_in(one.scope) if around else ()
        return any(call.name in ("beforeEach", "setup") and call.start <= one.start <= call.end for call in calls)
    owner, _, name = one.scope.rpartition(".")
    if not owner or owner != scope.rpartition(".")[0] or one.scope == scope:
        return False
    if outline.language == "java":
        return any(_EACH.match(mark) for symbol in outline.symbols_named(one.scope) for mark in symbol.decorators)
    return _BEFORE_EACH.match(name) is not None
