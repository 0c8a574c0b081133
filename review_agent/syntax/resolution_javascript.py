"""JavaScript's and TypeScript's expressions: what a receiver is, by imports, types, constructors and fields."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from review_agent.syntax.resolution_classes import MemberResolver
from review_agent.syntax.resolution_javascript_members import JavaScriptMembers
from review_agent.syntax.resolution_javascript_scopes import Values, union
from review_agent.syntax.resolution_javascript_text import (
    Step,
    alternatives,
    asserted,
    chain,
    split_top,
    split_types,
    stripped,
)
from review_agent.syntax.resolution_verdict import Verdict, joined, maybe, other
from review_agent.syntax.resolution_world import Target, Value, World
from review_agent.vocabulary import Resolution

__all__ = ["JavaScript", "JavaScriptResolver"]

_GLOBALS = frozenset(
    ("Array", "ArrayBuffer", "BigInt", "Boolean", "Buffer", "Date", "Error", "EvalError", "Function", "Infinity",
     "Intl",
     "JSON", "Map", "Math", "NaN", "Number", "Object", "Promise", "Proxy", "RangeError", "Reflect", "RegExp", "Set",
     "String", "Symbol", "TypeError", "URL", "URLSearchParams", "WeakMap", "WeakRef", "WeakSet", "AbortController",
     "Headers", "Request", "Response", "Blob", "FormData", "TextEncoder", "TextDecoder", "Uint8Array", "console",
     "document", "fetch", "globalThis", "localStorage", "navigator", "performance", "process", "queueMicrotask",
     "require", "sessionStorage", "setImmediate", "setInterval", "setTimeout", "clearTimeout", "structuredClone",
     "window", "describe", "it", "test", "expect", "beforeEach", "afterEach", "beforeAll", "afterAll", "jest", "vi")
)  # fmt: skip
_PRIMITIVES = frozenset(("string", "number", "boolean", "bigint", "symbol", "object", "void", "never", "true", "false"))
_OPEN_TYPES = frozenset(("any", "unknown", "this"))
_ABSENT = frozenset(("null", "undefined"))
_LITERAL = re.compile(r"[\"'`\d\[{/]|-\d|true\b|false\b")
_FUNCTION = re.compile(r"(?:async\s+)?(?:function\b|\([^()]*\)\s*(?::[^=]+)?=>|[\w$]+\s*=>)")
_WRAPPERS = frozenset(("Promise", "PromiseLike", "Awaited", "Partial", "Readonly", "Required", "NonNullable", "Ref",
                       "Omit", "Pick", "Mocked", "DeepPartial"))  # fmt: skip
_LISTS = frozenset(("Array", "ReadonlyArray", "Set", "ReadonlySet", "Iterable", "AsyncIterable", "IterableIterator"))
_GENERIC = re.compile(r"([\w$.]+)<(.*)>$", re.DOTALL)
_TYPE_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*$")
# ``a instanceof B ? a : c``
_TESTED = re.compile(r"([\w$.]+)\s+instanceof\s+([\w$.]+)\s*\?\s*\1\s*:\s*(.+)$", re.DOTALL)
_LONGEST = 500


class JavaScript(JavaScriptMembers):
    """Evaluates expressions of one commit to what they can be."""

    def __init__(self, world: World, target: Target | None = None) -> None:
        super().__init__(world, target)
        self._nested = 0

    def expression(self, path: str, scope: str, text: str, line: int = 0) -> Values:
        if len(text) > _LONGEST or self._nested > 40:
            return (Value("unknown", why="the expression is too long to read"),)
        self._nested += 1
        try:
            return self._expression(path, scope, stripped(text), line)
        finally:
            self._nested -= 1

    def _expression(self, path: str, scope: str, text: str, line: int) -> Values:
        bare, written = asserted(text)
        if written and written != "const":
            return self.typed(path, scope, written)
        bare = split_top(bare, (" = ",))[-1]
        tested = _TESTED.match(bare)
        if tested:
            made = [_instance(one, tested[2]) for one in self.expression(path, scope, tested[2], line)]
            return union([*made, *self.expression(path, scope, tested[3], line)])
        parts = alternatives(bare)
        if len(parts) > 1:
            return union(got for part in parts for got in self.expression(path, scope, part, line))
        if bare in _ABSENT or not bare:
            return ()
        if _FUNCTION.match(bare):
            return (Value("unknown", why="a function literal"),)
        steps = chain(bare)
        if steps is None or (_LITERAL.match(bare) and not steps):
            known = _LITERAL.match(bare)
            return (Value("outside", qualname="a literal") if known else _unread(bare),)
        return self._steps(path, scope, steps, line)

    def _steps(self, path: str, scope: str, steps: list[Step], line: int) -> Values:
        loaded = self._loaded(path, steps) or self._behind_proxy(path, scope, steps, line)
        values = loaded or self._head(path, scope, steps[0], line)
        for step in steps[2 if loaded else 1 :]:
            values = union(got for one in values for got in self._step(one, step))
        return values

    def _loaded(self, path: str, steps: list[Step]) -> Values:
        """``require("./m")`` and ``import("./m")`` as parts of an expression."""
        if steps[0].text not in ("require", "import") or len(steps) < 2 or steps[1].act != "call":
            return ()
        module = steps[1].text.strip("'\"")
        file = self.modules.path(path, module)
        if file is None:
            return (Value("external", qualname=module, why=f'"{module}" is not in this repository'),)
        return self.whole(file)

    def _behind_proxy(self, path: str, scope: str, steps: list[Step], line: int) -> Values:
        """``new Proxy(value, …)`` gives on what it does not answer itself."""
        if steps[0].text != "Proxy" or len(steps) < 2 or self.name(path, scope, "Proxy", line):
            return ()
        values = self.expression(path, scope, split_top(steps[1].text, (",",))[0], line)
        return tuple(replace(one, sure=one.kind == "outside") for one in values)

    def _head(self, path: str, scope: str, step: Step, line: int) -> Values:
        if step.act == "group":
            return self.expression(path, scope, step.text, line)
        if step.text in ("this", "super"):
            return self._own(path, scope, step.text)
        if step.text in ("true", "false"):
            return (Value("outside", qualname="boolean"),)
        found = self.name(path, scope, step.text, line)
        if found:
            return found
        if step.text in _GLOBALS:
            return (Value("external", qualname=step.text, why=f"`{step.text}` is of the language or its host"),)
        return (Value("unknown", why=f"`{step.text}` is bound nowhere in this file"),)

    def _own(self, path: str, scope: str, word: str) -> Values:
        """What ``this`` is in a method, or in a function that methods are set on."""
        index = self.index(path)
        at = scope
        while at and index:
            symbols = index.by_qualname.get(at, [])
            method = next((one for one in symbols if one.kind == "method"), None)
            if method is not None:
                kind = "super" if word == "super" else "class" if "static" in method.modifiers else "instance"
                return (Value(kind, path, method.scope, why=f"method of `{method.scope}`"),)  # type: ignore[arg-type]
            if any(one.kind == "class" for one in symbols):
                return (Value("instance", path, at, why=f"field of `{at}`"),)
            if any(one.kind == "function" for one in symbols) and self._constructs(index, at):
                return (Value("instance", path, at, why=f"methods are set on `{at}`"),)
            at = symbols[0].scope if symbols else at.rpartition(".")[0]
        return (Value("unknown", why=f"what `{word}` is here is not known"),)

    def _step(self, value: Value, step: Step) -> Iterable[Value]:
        if step.act == "call":
            return self.called(value)
        if step.act == "index":
            held = self.held(value)
            known = [one.element for one in held if one.element]
            return tuple(known) if len(known) == len(held) else (Value("unknown", why="an item of a container"),)
        found = self.members(value, step.text)
        missing = Value("unknown", why=f"`{value.qualname or value.path}` has no `{step.text}`")
        return found or (missing,)

    def typed(self, path: str, scope: str, text: str) -> Values:
        bare = text.strip().removeprefix("readonly ").strip()
        while bare.startswith("(") and bare.endswith(")") and "=>" not in bare:
            bare = bare[1:-1].strip()
        parts = [one for one in split_top(bare, ("|",)) if one and one not in _ABSENT]
        if len(parts) > 1:
            return union(got for one in parts for got in self.typed(path, scope, one))
        if not parts:
            return ()
        return self._one_type(path, scope, parts[0])

    def _one_type(self, path: str, scope: str, bare: str) -> Values:
        if bare.endswith("[]"):
            element = self.typed(path, scope, bare[:-2])
            return (Value("outside", qualname="Array", element=element[0] if len(element) == 1 else None),)
        if bare.startswith("typeof "):
            return self.expression(path, scope, bare[7:])
        generic = _GENERIC.match(bare)
        name = generic[1] if generic else bare
        inner = split_types(generic[2]) if generic else []
        if inner and name in _WRAPPERS:
            return self.typed(path, scope, inner[0])
        if inner and name in _LISTS:
            element = self.typed(path, scope, inner[0])
            return (Value("outside", qualname=name, element=element[0] if len(element) == 1 else None),)
        if name in _PRIMITIVES or bare[:1] in "\"'`0123456789":
            return (Value("outside", qualname=name),)
        if name in _OPEN_TYPES or not _TYPE_NAME.match(name):
            return (Value("unknown", why=f"the type `{bare[:60]}` is not followed"),)
        return tuple(_instance(one, name) for one in self.expression(path, scope, name))


def _instance(value: Value, name: str) -> Value:
    if value.kind in ("class", "external", "function"):
        kind = "outside" if value.kind == "external" else "instance"
        return replace(value, kind=kind)  # type: ignore[arg-type]
    return Value("unknown", why=f"the type `{name[:60]}` is not known")


def _unread(text: str) -> Value:
    return Value("unknown", why=f"`{text[:60]}` is not followed")


class JavaScriptResolver(MemberResolver[JavaScript]):
    """Resolves occurrences of one target's name in one commit."""

    def __init__(self, world: World, target: Target) -> None:
        super().__init__(target, JavaScript(world, target))

    def _at(self, path: str, scope: str, receiver: str, name: str, line: int) -> Verdict:
        if self._out_of_reach(path, scope):
            return other(f"`{name}` is local to `{self.target.scope}`")
        if not receiver:
            return self._bare(path, scope, name, line)
        values = self.names.expression(path, scope, receiver, line)
        held = [one for value in values for one in self.names.held(value)]
        verdicts = [self._member(receiver, one, name) for one in held]
        return joined(verdicts) if verdicts else maybe(f"receiver `{receiver}` of unknown type")

    def _out_of_reach(self, path: str, scope: str) -> bool:
        index = self.names.index(self.target.path) if self.target.scope else None
        around = index.by_qualname.get(self.target.scope, ()) if index else ()
        own = index.by_qualname.get(self.target.qualname, ()) if index else ()
        if not around or any(one.kind not in ("function", "method", "test") for one in around):
            return False
        if any(one.kind == "method" for one in own):
            return False
        return not (path == self.target.path and f"{scope}.".startswith(f"{self.target.scope}."))

    def _bare(self, path: str, scope: str, name: str, line: int) -> Verdict:
        if self._declares(path, scope, line):
            return Verdict(Resolution.RESOLVED, f"`{name}` is declared here")
        values = self.names.name(path, scope, name, line)
        verdict = self._judge(values, f"`{name}` is bound nowhere in `{path}`")
        unsure = verdict.resolution is Resolution.AMBIGUOUS and all(one.kind == "unknown" for one in values)
        if unsure and self.names.is_local(path, scope, name, line) and all(one.sure for one in values):
            return other(f"a local name: {verdict.reason}")
        return verdict

    def _declares(self, path: str, scope: str, line: int) -> bool:
        """Whether the line is the target's own declaration or export of a member."""
        index = self.names.index(path) if path == self.target.path and scope == self.target.scope else None
        own = index.by_qualname.get(self.target.qualname, ()) if index else ()
        return bool(self.target.scope) and any(one.name_line == line for one in own)

    def _outside(self, said: str, value: Value) -> Verdict:
        if value.kind == "outside" and self._is_open_above(value):
            return maybe(f"{said}, of other code, which `{self.target.scope}` extends")
        if value.kind == "outside" and not value.sure:
            return maybe(f"{said}, of other code: what it is is not known")
        return other(f"{said}, of other code")

    def _missing(self, said: str, receiver: str, value: Value, name: str) -> Verdict:
        if receiver in ("this", "super") or self._is_above((value.path, value.qualname)):
            return maybe(f"{said}, which does not define `{name}` itself")
        if value.kind == "instance" and self._is_open(value):
            return maybe(f"{said}, which does not declare `{name}`")
        return other(f"{said}, which has no `{name}`")

    def _is_open(self, value: Value) -> bool:
        """An interface or type can stand before any object that has its members and more."""
        index = self.names.index(value.path)
        kinds = {one.kind for one in (index.by_qualname.get(value.qualname, ()) if index else ())}
        return not kinds or bool(kinds & {"type", "variable", "function"})
