"""Java's members: what a class declares or inherits, what its fields hold, and what its methods give."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from review_agent.syntax.model import Symbol
from review_agent.syntax.resolution_java_types import JavaTypes, Values, split_types, union
from review_agent.syntax.resolution_world import TEXT_LIMIT, Value, value_kind

__all__ = ["JavaMembers", "fitting"]

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
# What the methods of these give is of Java's own library, whatever they are given.
_TEXT = frozenset(
    ("String", "StringBuilder", "StringBuffer", "Integer", "Long", "Double", "Boolean", "Character", "Math")
)
# Annotations by which a tool gives a class members that its text does not show.
_MAKING = frozenset(
    """Data Getter Setter Value Builder SuperBuilder With Accessors AllArgsConstructor NoArgsConstructor
    RequiredArgsConstructor Slf4j Log Log4j2 CommonsLog UtilityClass AutoValue Immutable Delegate FieldNameConstants
    """.split()  # noqa: SIM905
)


class JavaMembers(JavaTypes):
    """Evaluates members and calls; how an expression reads is left to the class below. ``count`` is how many arguments
    a call passes (-1: any number), null where nothing is called."""

    def by_full_name(self, path: str, parts: Sequence[str]) -> tuple[Values, Sequence[str]]:
        """The type that ``a.b.C.d`` starts with, and the names behind it; none where no part looks like a type's."""
        at = next((n for n, part in enumerate(parts) if part[:1].isupper()), -1)
        if at < 1:
            return (), ()
        found = self.in_package(path, ".".join(parts[:at]), parts[at])
        external = (Value("external", qualname=".".join(parts[: at + 1])),)
        return found or external, parts[at + 1 :]

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
        parts = dotted.split(".")
        if parts[0][:1].islower() and len(parts) > 1:
            values, rest = self.by_full_name(path, parts)
        else:
            values, rest = self.type_named(path, scope, parts[0]), parts[1:]
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
        hidden = ""
        misfits: Values = ()
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

    def seen_whole(self, path: str, qualname: str) -> bool:
        """Whether all that a class declares or inherits is known: no base of other code may give it more."""
        bases = list(self.lineage(path, qualname))
        plain = all(at == "class" or _PLAIN.match(name.rpartition(".")[2]) for at, _, name in bases)
        return plain and not self.maker(Value("class", path, qualname))

    def maker(self, value: Value) -> str:
        index = self.index(value.path)
        listed = [text for symbol in (index.types(value.qualname) if index else ()) for text in symbol.decorators]
        return next((name for text in listed if (name := text.split("(")[0].rpartition(".")[2]) in _MAKING), "")

    def called(self, value: Value, count: int | None = None) -> Values:
        """What calling a value gives."""
        if value.kind == "class":
            return (replace(value, kind="instance"),)
        if value.kind == "external":
            if value.qualname.partition(".")[0] in _TEXT:
                return (Value("outside", qualname="a value of java.lang"),)
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
