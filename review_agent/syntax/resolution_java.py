"""Java's expressions: what a receiver is, by declared types, fields, constructors and what methods say they return."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from review_agent.syntax.model import Symbol
from review_agent.syntax.resolution_chain import Step, chain, closing
from review_agent.syntax.resolution_java_locals import Local, local
from review_agent.syntax.resolution_java_members import JavaMembers
from review_agent.syntax.resolution_java_types import Values, outward, split_types, union
from review_agent.syntax.resolution_world import TEXT_LIMIT, Value

__all__ = ["Java"]

_NEW = re.compile(r"new\s+([A-Za-z_][\w.]*)\s*(<[^()]*>)?\s*\(")
_CAST = re.compile(r"\(\s*((?:final\s+)?(?:[a-z]\w*\.)*[A-Z][\w.]*(?:<[^()]*>)?(?:\[\])?)\s*\)\s*(?=[\w(\"'])")
# Libraries whose static names a test imports all at once: what is not declared here is theirs.
_KNOWN = re.compile(r"(?:java|javax|org\.(?:junit|mockito|hamcrest|assertj|awaitility))\.")
# Functions of other code that give what they are given.
_PASSES = frozenset(("verify", "spy", "requireNonNull", "checkNotNull", "requireNonNullElse", "timeout"))
_LITERAL = re.compile(r"[\"'\d]|(?:true|false|null)\b")


class Java(JavaMembers):
    """Evaluates expressions of one commit to what they can be. ``count`` is how many arguments a call passes, null
    where that is not known or nothing is called."""

    def expression(self, path: str, scope: str, text: str, line: int = 0) -> Values:
        """What an expression can be at a line (0: anywhere in the scope)."""
        bare = text.strip()
        while bare.startswith("(") and closing(bare, 0) == len(bare) - 1:
            bare = bare[1:-1].strip()
        key = ("expression", path, scope, bare, line)
        return self.once(key, bare[:60], lambda: self._expression(path, scope, bare, line))

    def _expression(self, path: str, scope: str, text: str, line: int) -> Iterable[Value]:
        if len(text) >= TEXT_LIMIT:
            return (Value("unknown", why="the expression is too long to follow"),)
        if _LITERAL.match(text):
            return (Value("outside", qualname="a literal"),) if not re.search(r"[.]\w+\(", text) else _unknown(text)
        cast = _CAST.match(text)
        if cast:
            return (self.typed(path, scope, cast[1]),)
        if text.startswith("("):
            end = closing(text, 0)
            return self._steps(path, scope, self.expression(path, scope, text[1:end], line), text[end + 1 :])
        made = _NEW.match(text)
        if made:
            end = closing(text, made.end() - 1)
            rest = re.sub(r"^\s*\{.*\}", "", text[end + 1 :]) if end >= 0 else ""
            return self._steps(path, scope, (self.typed(path, scope, made[1] + (made[2] or "")),), rest)
        steps = chain(text)
        return self._chain(path, scope, steps, line) if steps else _unknown(text)

    def _chain(self, path: str, scope: str, steps: Sequence[Step], line: int) -> Values:
        head, rest = steps[0], list(steps[1:])
        if head.text in ("this", "super") and not (rest and rest[0].act == "call"):
            return self._follow(path, scope, self._own(path, scope, head.text), rest)
        if rest and rest[0].act == "call":
            count = len(split_types(rest[0].text))
            values = self.method(path, scope, head.text, count)
            if head.text in _PASSES and all(one.kind not in ("function", "class") for one in values):
                given = self.expression(path, scope, split_types(rest[0].text)[0] if count else "", line)
                return self._follow(path, scope, given, rest[1:])
            return self._follow(path, scope, union(got for one in values for got in self.called(one, count)), rest[1:])
        values = self.name(path, scope, head.text, line)
        if not values and head.text[:1].islower():
            return self._qualified(path, scope, [head, *rest])
        return self._follow(path, scope, values or _unknown(head.text), rest)

    def _qualified(self, path: str, scope: str, steps: Sequence[Step]) -> Values:
        """``a.b.C.d``: what starts with a type's full name."""
        names = [step.text for step in takewhile(lambda step: step.act in ("name", "member"), steps)]
        values, rest = self.by_full_name(path, names)
        return self._follow(path, scope, values or _unknown(names[0]), steps[len(names) - len(rest) :])

    def _steps(self, path: str, scope: str, values: Values, rest: str) -> Values:
        steps = chain("x" + rest) if rest.strip() else [Step("name", "x")]
        return self._follow(path, scope, values, steps[1:]) if steps else _unknown(rest)

    def _follow(self, path: str, scope: str, values: Values, steps: Sequence[Step]) -> Values:
        for at, step in enumerate(steps):
            is_called = at + 1 < len(steps) and steps[at + 1].act == "call"
            if step.act == "member":
                count = len(split_types(steps[at + 1].text)) if is_called else None
                values = union(got for one in values for got in self._member(path, scope, one, step.text, count))
            elif step.act == "call":
                count = len(split_types(step.text))
                values = union(got for one in values for got in self.called(one, count))
            elif step.act == "index":
                values = union(
                    held.element or _nothing("an item of an array") for one in values for held in self.held(one)
                )
            elif step.act != "literal":
                return _unknown(step.text)
        return values

    def _member(self, path: str, scope: str, value: Value, name: str, count: int | None) -> Values:
        if name == "this" and value.kind == "class":
            return (replace(value, kind="instance"),)
        if name == "class":
            return (Value("outside", qualname="Class"),)
        if name == "length" and value.qualname == "an array" and count is None:
            return (Value("outside", qualname="int"),)
        held = self.held(value)
        found = union(got for one in held for got in self.take(one, name, count))
        return found or (Value("unknown", why=f"`{value.qualname}` has no `{name}`"),)

    def _own(self, path: str, scope: str, word: str) -> Values:
        index = self.index(path)
        for at in outward(scope):
            if index and (index.types(at) or self._holds_constant(path, at)):
                return (Value("super" if word == "super" else "instance", path, at, why=f"`{word}` in `{at}`"),)
        return _unknown(word)

    def _holds_constant(self, path: str, qualname: str) -> bool:
        """Whether a scope is the body of an enum's value."""
        index = self.index(path)
        return bool(index and any(one.scope == qualname and one.kind == "method" for one in index.outline.symbols))

    def name(self, path: str, scope: str, name: str, line: int = 0) -> Values:
        """What a bare name means: a local, a parameter, a field of a class around, a static import, a type."""
        found = self.local(path, scope, name, line) or self.field_around(path, scope, name)
        if found:
            return found
        # No constant is written like a type: what a static import of other code may bind is not such a name.
        types = self.type_named(path, scope, name) if name[:1].isupper() and not name.isupper() else ()
        return types or self._static(path, name, None) or self.type_named(path, scope, name)

    def local(self, path: str, scope: str, name: str, line: int) -> Values:
        """What a parameter or local variable of the methods around holds."""
        for at in outward(scope):
            symbol = self._function(path, at, line)
            if symbol is not None:
                found = self._local(path, at, symbol, name, line)
                if found:
                    return found
        return ()

    def _function(self, path: str, scope: str, line: int) -> Symbol | None:
        index = self.index(path)
        methods = [one for one in (index.by_qualname.get(scope, ()) if index else ()) if one.kind == "method"]
        around = [one for one in methods if one.start <= line <= one.end]
        return around[0] if around else methods[0] if len(methods) == 1 else None

    def _local(self, path: str, scope: str, symbol: Symbol, name: str, line: int) -> Values:
        lines = (self.world.text(path) or "").split("\n")
        found = local(lines, name, symbol.header_end, line or max(symbol.header_end, symbol.end - 1))
        if found is not None:
            return tuple(
                one
                if one.why and one.kind == "unknown"
                else replace(one, why=f"`{name}` is declared at line {found.line}")
                for one in self._declared(path, scope, name, found)
            )
        for param in symbol.params:
            if param.name == name:
                typed = self._parameter(path, scope, param.type or "", param.kind)
                return (replace(typed, why=f"parameter `{name}` of `{symbol.qualname}`, line {symbol.name_line}"),)
        return ()

    def _parameter(self, path: str, scope: str, written: str, kind: str) -> Value:
        typed = self.typed(path, scope, written)
        return Value("outside", qualname="an array", element=typed) if kind == "var_positional" else typed

    def _declared(self, path: str, scope: str, name: str, found: Local) -> Values:
        if found.type == "":
            return (Value("unknown", why=f"`{name}` is a parameter of a lambda at line {found.line}"),)
        if found.type != "var":
            return (self.typed(path, scope, found.type),)
        if found.over:
            values = self.expression(path, scope, found.over, found.line)
            return union(held.element or _nothing("what `for` gives") for one in values for held in self.held(one))
        index = self.index(path)
        listed = index.assigns.get((scope, name), []) if index else []
        texts = [one.value for one in listed if one.start <= found.line <= one.end]
        return self.expression(path, scope, texts[0], found.line) if texts else _unknown(name)

    def field_around(self, path: str, scope: str, name: str) -> Values:
        return self._around(path, scope, name, None)

    def method(self, path: str, scope: str, name: str, count: int | None) -> Values:
        """What a bare call means: a method of a class around, inner first, or one imported by its name."""
        found = self._around(path, scope, name, -1 if count is None else count)
        if found and not self._is_gone(found):
            return found
        return self._static(path, name, -1 if count is None else count) or found

    def _is_gone(self, found: Values) -> bool:
        """Whether all that was found is the target, which no file declares: then an import of its name stands in."""
        target = self.target
        if target is None or any((one.path, one.qualname) != (target.path, target.qualname) for one in found):
            return False
        index = self.index(target.path)
        return index is None or not index.by_qualname.get(target.qualname)

    def _around(self, path: str, scope: str, name: str, count: int | None) -> Values:
        hidden = ""
        index = self.index(path)
        for at in outward(scope):
            if index is None or not (index.types(at) or self._holds_constant(path, at)):
                continue
            found = self.take(Value("instance", path, at), name, count)
            known = tuple(one for one in found if one.kind != "unknown")
            if known:
                why = f"`{name}` of `{at}`"
                return tuple(replace(one, why=one.why or why, sure=one.sure and not hidden) for one in known)
            if found and not hidden:
                hidden = found[0].why
        return (Value("unknown", why=hidden),) if hidden and count is not None else ()

    def _static(self, path: str, name: str, count: int | None) -> Values:
        """What a static import binds."""
        index = self.index(path)
        found: list[Value] = []
        for item in index.imports.get(("", name), []) if index else ():
            found += [one for one in self._static_member(path, item.module, name, count, item.line) if one]
        for item in index.imports.get(("", "*"), []) if index and not found else ():
            if item.module.rpartition(".")[2][:1].isupper():
                found += self._static_member(path, item.module, name, count, item.line, star=True)
        return union(found)

    def _static_member(
        self, path: str, module: str, name: str, count: int | None, line: int, *, star: bool = False
    ) -> Iterator[Value]:
        if not module.rpartition(".")[2][:1].isupper():
            return
        holders = self.by_parts(path, module.split("."))
        why = f"`import static {module}.{'*' if star else name}`, line {line}"
        for holder in holders:
            yield from (replace(one, why=why) for one in self.take(holder, name, count) if one.kind != "unknown")
        if not holders and not star:
            yield Value("external", qualname=f"{module}.{name}", why=why)
        elif not holders and not _KNOWN.match(module):
            yield Value("unknown", why=f"{why}, may bind it")


def _unknown(text: str) -> Values:
    return (_nothing(f"`{text[:60]}` is not followed"),)


def _nothing(why: str) -> Value:
    return Value("unknown", why=why)
