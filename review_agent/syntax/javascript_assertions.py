"""The checks of JavaScript's tests: jest and vitest, chai, node:assert, tap and ava, supertest, sinon."""

from __future__ import annotations

import re
from collections.abc import Iterator

from review_agent.syntax.calls import callee_node, dotted, split
from review_agent.syntax.context import Context
from review_agent.syntax.model import Assertion
from review_agent.syntax.tree import Node

__all__ = ["assertions"]

_TAPS = frozenset(("t", "tt", "st", "assert", "p"))
_CHECKS = frozenset(
    ("is", "not", "deepEqual", "notDeepEqual", "same", "strictSame", "notSame", "equal", "notEqual", "strictEqual",
     "notStrictEqual", "deepStrictEqual", "notDeepStrictEqual", "ok", "notOk", "throws", "throwsAsync", "notThrows",
     "notThrowsAsync", "doesNotThrow", "rejects", "doesNotReject", "truthy", "falsy", "true", "false", "like", "regex",
     "notRegex", "match", "doesNotMatch", "pass", "fail", "ifError", "error", "has", "hasOwn", "type", "snapshot",
     "matchSnapshot", "resolves", "resolveMatch", "include", "isTrue", "isFalse", "isNull", "isDefined", "exists",
     "lengthOf", "instanceOf", "equals", "deepEquals")
)  # fmt: skip
_NAMES = frozenset(("identifier", "property_identifier", "shorthand_property_identifier", "type_identifier"))
_SHOULD = re.compile(r"\.should\b")


def assertions(context: Context) -> list[Assertion]:
    found: list[Assertion] = []
    for node in context.tree.tag("call"):
        found += _of_call(node)
    return sorted(found, key=lambda one: (one.start, one.end))


def _of_call(node: Node) -> Iterator[Assertion]:
    receiver, name = split(callee_node(node))
    if name == "expect" and not receiver:
        whole, matcher = _chain(node)
        if matcher:
            yield _assertion("expect", matcher, whole)
    elif _checks(node, receiver, name):
        yield _assertion("call", name, node)


def _checks(node: Node, receiver: str, name: str) -> bool:
    if name == "expect" or (receiver in _TAPS and name in _CHECKS) or (not receiver and name == "assert"):
        return True
    is_should = node.use == "ignored" and _SHOULD.search(dotted(node)) is not None
    return is_should or receiver.startswith(("assert.", "sinon.assert"))


def _chain(node: Node) -> tuple[Node, str]:
    """The whole of ``expect(x).not.toBe(y)``, and the last name in it."""
    whole, matcher = node, ""
    while whole.parent is not None:
        above = whole.parent
        if above.tag == "member" and above.role("object") is whole:
            name = above.role("name")
            matcher = name.text if name is not None else matcher
        elif not (above.tag == "call" and above.role("callee") is whole):
            break
        whole = above
    return whole, matcher


def _assertion(form: str, name: str, node: Node) -> Assertion:
    names = dict.fromkeys(one.raw for one in node.walk() if one.type in _NAMES and not one.children)
    return Assertion(form, name, node.text, tuple(names)[:40], node.line, node.last, node.scope)
