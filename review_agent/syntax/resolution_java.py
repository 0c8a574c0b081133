"""Java's expressions: what a receiver is, by declared types, fields, constructors and what methods say they return."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from review_agent.syntax.model import Symbol
from review_agent.syntax.resolution_chain import Step, chain, closing
from review_agent.syntax.resolution_java_locals import Local, local
from review_agent.syntax.resolution_java_types import JavaTypes, Values, outward, split_types, union
from review_agent.syntax.resolution_world import TEXT_LIMIT, Value, value_kind

__all__ = ["Java", "fitting"]

_NEW = re.compile(r"new\s+([A-Za-z_][\w.]*)\s*(<[^()]*>)?\s*\(")
_CAST = re.compile(r"\(\s*((?:final\s+)?[A-Z][\w.]*(?:<[^()]*>)?(?:\[\])?)\s*\)\s*(?=[\w(\"'])")
_LITERAL = re.compile(r"[\"'\d]|(?:true|false|null)\b")
_ANNOTATION = re.compile(r"@[\w.]+(?:\([^()]*\))?\s*|\bfinal\s+")
# What a container, an optional or a supplier gives one element of.
_GIVES = frozenset(
    """get next remove orElse orElseThrow orElseGet getOrDefault poll peek take pop first last getFirst getLast join
    element pollFirst pollLast peekFirst peekLast computeIfAbsent putIfAbsent call resultNow getNow borrowObject
    """.split()  # noqa: SIM905
)
# Bases that bring no ordinary method of their own: nothing found behind them is hidden by them.
_PLAIN = re.compile(
    r"^(Object|Serializable|Cloneable|Comparable|Runnable|Callable|AutoCloseable|Closeable|Comparator|Iterable|Iterator"
    r"|Supplier|Function|BiFunction|Consumer|BiConsumer|Predicate|Annotation|Record|Enum|\w*(Exception|Error)"
    r"|Throwable|Thread|TimerTask|Flushable|Externalizable|UnaryOperator|EventListener)$"
)
# Annotations by which a tool gives a class members that its text does not show.
_MAKING = frozenset(
    """Data Getter Setter Value Builder SuperBuilder With Accessors AllArgsConstructor NoArgsConstructor
    RequiredArgsConstructor Slf4j Log Log4j2 CommonsLog UtilityClass AutoValue Immutable Delegate FieldNameConstants
    """.split()  # noqa: SIM905
)


class Java(JavaTypes):
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
            return self._follow(path, scope, union(got for one in values for got in self.called(one, count)), rest[1:])
        values = self.name(path, scope, head.text, line)
        if not values and head.text[:1].islower():
            return self._qualified(path, scope, [head, *rest])
        return self._follow(path, scope, values or _unknown(head.text), rest)

    def _qualified(self, path: str, scope: str, steps: Sequence[Step]) -> Values:
        """``a.b.C.d``: a type by its full name."""
        parts: list[str] = []
        for at, step in enumerate(steps):
            if step.act not in ("name", "member"):
                break
            if step.text[:1].isupper():
                found = self.in_package(path, ".".join(parts), step.text)
                external = (Value("external", qualname=".".join([*parts, step.text])),)
                return self._follow(path, scope, found or external, steps[at + 1 :])
            parts.append(step.text)
        return _unknown(steps[0].text)

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
        found = self.local(path, scope, name, line)
        if found:
            return found
        return (
            self.field_around(path, scope, name) or self._static(path, name, None) or self.type_named(path, scope, name)
        )

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
        found = local(lines, name, symbol.header_end, line or symbol.end)
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
        values = [one.value for one in listed if one.start <= found.line <= one.end]
        return self.expression(path, scope, values[0], found.line) if values else _unknown(name)

    def field_around(self, path: str, scope: str, name: str) -> Values:
        return self._around(path, scope, name, None)

    def method(self, path: str, scope: str, name: str, count: int | None) -> Values:
        """What a bare call means: a method of a class around, inner first, or one imported by its name."""
        found = self._around(path, scope, name, -1 if count is None else count)
        return found or self._static(path, name, -1 if count is None else count)

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
        package, _, owner = module.rpartition(".")
        if not owner[:1].isupper():
            return
        holders = self.in_package(path, package, owner)
        why = f"`import static {module}.{'*' if star else name}`, line {line}"
        for holder in holders:
            yield from (replace(one, why=why) for one in self.take(holder, name, count) if one.kind != "unknown")
        if not holders and not star:
            yield Value("external", qualname=f"{module}.{name}", why=why)
        elif not holders:
            yield Value("unknown", why=f"{why}, may bind it")

    def typed(self, path: str, scope: str, text: str) -> Value:
        """A value of a type as written."""
        bare = _ANNOTATION.sub("", text).strip().removeprefix("? extends ").removeprefix("? super ").strip()
        if bare.endswith("[]"):
            return Value("outside", qualname="an array", element=self.typed(path, scope, bare[:-2]))
        head, _, rest = bare.partition("<")
        values = self.type_at(path, scope, head.strip())
        if len(values) != 1:
            why = f"the type `{head}` is declared {'in several places' if values else 'nowhere that is seen'}"
            return Value("unknown", why=why)
        value = values[0]
        if value.kind == "external":
            inner = split_types(rest.rpartition(">")[0]) if rest else []
            element = self.typed(path, scope, inner[-1]) if inner and len(bare) < TEXT_LIMIT else None
            return Value("outside", qualname=value.qualname.rpartition(".")[2], why=value.why, element=element)
        return replace(value, kind="instance") if value.kind == "class" else Value("unknown", why=value.why)

    def type_at(self, path: str, scope: str, dotted: str) -> Values:
        first, *rest = dotted.split(".")
        if first[:1].islower() and rest:
            return self._qualified(path, scope, [Step("member", part) for part in dotted.split(".")])
        values = self.type_named(path, scope, first)
        for part in rest:
            values = union(
                got
                for one in values
                for got in (
                    (replace(one, qualname=f"{one.qualname}.{part}"),)
                    if one.kind == "external"
                    else self.nested(one.path, one.qualname, part)
                )
            )
        return values

    def held(self, value: Value) -> Values:
        """What a field or an enum's value holds; other values hold themselves."""
        if value.kind != "variable":
            return (value,)
        key = ("held", value.path, value.qualname)
        return self.once(key, value.qualname, lambda: self._held(value))

    def _held(self, value: Value) -> Iterable[Value]:
        index = self.index(value.path)
        for symbol in index.by_qualname.get(value.qualname, ()) if index else ():
            if symbol.kind in ("field", "constant", "variable") and symbol.results:
                yield replace(
                    self.typed(value.path, symbol.scope, symbol.results[0]),
                    why=f"field `{symbol.name}` of `{symbol.scope}`, line {symbol.name_line}",
                )
                return
        yield Value("unknown", why=f"the type of `{value.qualname}` is not known")

    def members(self, value: Value, name: str) -> Values:
        """What ``value.name`` is: any member of that name."""
        return union(got for one in self.held(value) for got in self.take(one, name, None))

    def take(self, value: Value, name: str, count: int | None) -> Values:
        """A member of a value; of overloads those that take ``count`` arguments (-1: any number), where some do."""
        match value.kind:
            case "class" | "instance" | "super":
                return self._class_member(value, name, count)
            case "variable":
                return union(got for one in self.held(value) for got in self.take(one, name, count))
            case "outside":
                if count is not None and name in _GIVES and value.element:
                    return (Value("external", qualname=f"{value.qualname}.{name}", element=value.element),)
                return (Value("external", qualname=f"{value.qualname}.{name}", why=f"of `{value.qualname}`"),)
            case "external":
                return (replace(value, qualname=f"{value.qualname}.{name}"),)
        return (value,) if value.kind == "unknown" else (Value("unknown", why=f"a member of `{value.qualname}`"),)

    def _class_member(self, value: Value, name: str, count: int | None) -> Values:
        hidden, misfits = "", ()
        for at, path, qualname in self.lineage(value.path, value.qualname):
            if at == "open":
                hidden = hidden or ("" if _PLAIN.match(qualname.rpartition(".")[2]) else qualname)
            elif value.kind != "super" or (path, qualname) != (value.path, value.qualname):
                found, fits = self._declared_member(path, qualname, name, count)
                placed = tuple(replace(one, sure=one.sure and value.sure and not hidden) for one in found)
                if placed and fits:
                    return placed
                misfits = misfits or placed
        if misfits:
            return misfits
        maker = self.maker(value)
        if hidden or maker:
            why = f"its base `{hidden}` is not in this repository" if hidden else f"`@{maker}` may give it"
            return (Value("unknown", why=f"`{value.qualname}` does not declare `{name}`, {why}"),)
        return ()

    def _declared_member(self, path: str, qualname: str, name: str, count: int | None) -> tuple[Values, bool]:
        """What a class itself declares by a name, and whether a call with so many arguments fits it."""
        index = self.index(path)
        whole = f"{qualname}.{name}"
        symbols = index.by_qualname.get(whole, []) if index else []
        methods = [one for one in symbols if one.kind == "method" and name != qualname.rpartition(".")[2]]
        others = [one for one in symbols if one.kind != "method"]
        chosen = (methods or others) if count is not None else (others or methods)
        if chosen:
            fits = chosen is not methods or count in (None, -1) or bool(fitting(methods, count))
            kind = value_kind(chosen[0])
            if kind == "variable" and count is not None and chosen[0].kind == "field":
                # The accessor of a record's component has its name.
                kind = "function"
            return (Value(kind, path, whole),), fits
        target = self.target
        if target is not None and (path, whole) == (target.path, target.qualname):
            return (Value("class" if name[:1].isupper() else "function", path, whole, why="as it was"),), True
        return (), False

    def maker(self, value: Value) -> str:
        index = self.index(value.path)
        listed = [text for symbol in (index.types(value.qualname) if index else ()) for text in symbol.decorators]
        return next((name for text in listed if (name := text.split("(")[0].rpartition(".")[2]) in _MAKING), "")

    def called(self, value: Value, count: int | None = None) -> Values:
        """What calling a value gives."""
        if value.kind == "class":
            return (replace(value, kind="instance"),)
        if value.kind == "external":
            return (value.element,) if value.element else (Value("unknown", why=f"what `{value.qualname}` gives"),)
        if value.kind != "function":
            return (value,) if value.kind == "unknown" else (Value("unknown", why="the result of a call"),)
        key = ("called", value.path, value.qualname, count)
        return self.once(key, value.qualname, lambda: self._returned(value, count))

    def _returned(self, value: Value, count: int | None) -> Iterable[Value]:
        index = self.index(value.path)
        symbols = index.by_qualname.get(value.qualname, []) if index else []
        methods = [one for one in symbols if one.kind == "method"]
        chosen = fitting(methods, count) or methods or symbols
        found = [
            replace(self.typed(value.path, one.scope, one.results[0]), why=f"what `{one.qualname}` returns")
            for one in chosen
            if one.results
        ]
        return found or (Value("unknown", why=f"what `{value.qualname}` returns is not known"),)


def fitting(symbols: Iterable[Symbol], count: int | None) -> list[Symbol]:
    """The methods that take so many arguments; all where the number is not known."""
    if count is None or count < 0:
        return list(symbols)
    return [one for one in symbols if _takes(one, count)]


def _takes(symbol: Symbol, count: int) -> bool:
    fixed = [one for one in symbol.params if one.kind == "positional"]
    return count >= len(fixed) if len(fixed) < len(symbol.params) else count == len(fixed)


def _unknown(text: str) -> Values:
    return (_nothing(f"`{text[:60]}` is not followed"),)


def _nothing(why: str) -> Value:
    return Value("unknown", why=why)
