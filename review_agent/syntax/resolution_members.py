"""Python's members: attributes through classes, bases, fields and modules, and what a call gives."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from review_agent.syntax.model import Symbol
from review_agent.syntax.python_names import BUILTINS
from review_agent.syntax.resolution_fixtures import fixture_of, yielded
from review_agent.syntax.resolution_once import lineage
from review_agent.syntax.resolution_scopes import Scopes, Values
from review_agent.syntax.resolution_world import Index, Value

__all__ = ["Members", "union"]

# Bases that bring no ordinary method of their own: nothing found behind them is hidden by them.
_PLAIN_BASES = frozenset({
    "object", "ABC", "Generic", "Protocol", "NamedTuple", "TypedDict", "Exception", "BaseException", "Enum", "IntEnum",
    "StrEnum", "ValueError", "RuntimeError", "TypeError", "KeyError",
})  # fmt: skip
_MANAGER = re.compile(r"(^|\.)(async)?contextmanager$")
_PROPERTIES = ("property", "cached_property", "abstractproperty")
# Builtin functions whose result is one of their arguments, or anything at all.
_OPAQUE = frozenset(
    {"getattr", "next", "iter", "max", "min", "vars", "type", "eval", "globals", "locals", "sum", "map"}
)


class Members(Scopes):
    """Evaluates members and calls; how an expression reads is left to the class above."""

    def called(self, value: Value) -> Values:
        """What calling a value gives."""
        if value.kind == "class":
            return (replace(value, kind="instance"),)
        if value.kind == "function":
            return self.once(("called", value), value.qualname, lambda: self._returned(value))
        if value.kind == "instance":
            return union(got for one in self.members(value, "__call__") for got in self.called(one))
        if value.kind == "variable":
            return union(got for one in self.type_of(value) for got in self.called(one))
        if value.kind == "external" and value.qualname.rpartition(".")[2][:1].isupper():
            return (replace(value, kind="outside"),)
        if value.kind == "external" and value.qualname in BUILTINS and value.qualname not in _OPAQUE:
            return (replace(value, kind="outside"),)
        return (Value("unknown", why=f"the result of `{value.qualname or 'a call'}` is of unknown type"),)

    def _returned(self, value: Value) -> Values:
        index = self.index(value.path)
        symbols = index.by_qualname.get(value.qualname, []) if index else []
        found: list[Value] = []
        for symbol in symbols:
            found += self._returned_by(value, symbol, index) if index else ()
        return union(found) or (Value("unknown", why=f"what `{value.qualname}` returns is not known"),)

    def _returned_by(self, value: Value, symbol: Symbol, index: Index) -> Iterable[Value]:
        own = value.receiver if symbol.kind == "method" else None
        if symbol.results:
            result = symbol.results[0].strip("\"'")
            # ``Self``, or the type variable that the first parameter is annotated with: what the method was taken from.
            own_type = symbol.params[0].type if symbol.params else None
            gives_own = result.rpartition(".")[2] == "Self" or (
                own_type is not None and result == own_type.strip("\"'")
            )
            yield from [own] if own and gives_own else self.annotation(value.path, symbol.scope, symbol.results[0])
            return
        for leaving in index.returns.get(symbol.qualname, ()):
            if own and symbol.params and leaving.text == symbol.params[0].name:
                yield own
            elif leaving.shape != "none":
                yield from self.expression(value.path, symbol.qualname, leaving.text)

    def injected(self, path: str, symbol: Symbol, name: str) -> Values:
        found = fixture_of(self.world, path, symbol, name)
        if found is None:
            return ()
        place, fixture = found
        value = Value("function", place, fixture.qualname)
        given = self._given(place, fixture) or list(self.called(value))
        why = f"fixture `{name}` of `{place}`, line {fixture.name_line}"
        return union(one if one.kind == "unknown" else replace(one, why=why) for one in given)

    def members(self, value: Value, name: str) -> Values:
        """What ``value.name`` is; empty where the value is known in full and has no such name."""
        match value.kind:
            case "module":
                found = self.module_member(value.path, name)
                return tuple(replace(one, sure=one.sure and value.sure) for one in found)
            case "class" | "instance" | "super":
                return self._class_member(value, name)
            case "variable":
                return union(got for one in self.type_of(value) for got in self.members(one, name))
            case "external":
                return (Value("external", qualname=f"{value.qualname}.{name}", why=value.why),)
            case "outside":
                return (
                    Value("unknown", qualname=f"{value.qualname}.{name}", why=f"an attribute of `{value.qualname}`"),
                )
            case "function":
                return (Value("unknown", why=f"an attribute of the function `{value.qualname}`"),)
        return (value,)

    def _class_member(self, value: Value, name: str) -> Values:
        hidden: list[str] = []
        for at, path, qualname in self.lineage(value.path, value.qualname):
            if at == "open":
                hidden.append(qualname)
            elif value.kind != "super" or (path, qualname) != (value.path, value.qualname):
                found = self._own_member(path, qualname, name, value)
                if found:
                    return tuple(replace(one, sure=one.sure and value.sure and not hidden) for one in found)
        if hidden or self._answers_any(value):
            why = f"its base `{hidden[0]}` is not in this repository" if hidden else "it has `__getattr__`"
            return (Value("unknown", why=f"`{value.qualname}` does not define `{name}`, {why}"),)
        return ()

    def lineage(self, path: str, qualname: str) -> Iterator[tuple[str, str, str]]:
        """A class and its bases, depth first: ("class", path, qualname), or ("open", "", base) where a base is unknown.

        Bases that bring no methods of their own (``object``, ``ABC``, ``Generic`` …) are left out.
        """
        return lineage(path, qualname, self._bases)

    def _bases(self, path: str, qualname: str) -> list[tuple[str, str]]:
        index = self.index(path)
        found: list[tuple[str, str]] = []
        for symbol in index.types(qualname) if index else ():
            for base in symbol.bases:
                if "=" not in base and base.split("[")[0].rpartition(".")[2] not in _PLAIN_BASES:
                    values = self.expression(path, symbol.scope, base)
                    classes = [(one.path, one.qualname) for one in values if one.kind == "class"]
                    found += classes if len(classes) == len(values) == 1 else [("", base)]
        return found

    def _own_member(self, path: str, qualname: str, name: str, receiver: Value) -> Values:
        found = tuple(replace(one, receiver=receiver) for one in self._bound(path, qualname, name))
        if found:
            return union(got for one in found for got in self._property(one))
        index = self.index(path)
        for symbol in index.types(qualname) if index else ():
            if name in symbol.members:
                return (Value("variable", path, f"{qualname}.{name}", receiver=receiver),)
        return self._phantom(path, qualname, name)

    def _property(self, value: Value) -> Values:
        """A property keeps its place; what it gives is found as the type of a variable."""
        index = self.index(value.path)
        symbols = index.by_qualname.get(value.qualname, []) if index and value.kind == "function" else []
        is_property = any(one.rpartition(".")[2] in _PROPERTIES for symbol in symbols for one in symbol.decorators)
        return (replace(value, kind="variable"),) if is_property else (value,)

    def _answers_any(self, value: Value) -> bool:
        return any(
            self._bound(path, qualname, "__getattr__")
            for at, path, qualname in self.lineage(value.path, value.qualname)
            if at == "class"
        )

    def type_of(self, value: Value) -> Values:
        """What a module's variable, a class's field or a property holds."""
        key = ("held", value.path, value.qualname, value.receiver)
        return self.once(key, value.qualname, lambda: [got for one in self._type_of(value) for got in self.held(one)])

    def _type_of(self, value: Value) -> Values:
        index = self.index(value.path)
        if index is None:
            return (Value("unknown"),)
        scope, _, name = value.qualname.rpartition(".")
        symbols = index.by_qualname.get(value.qualname, [])
        if any(one.kind in ("function", "method") for one in symbols):
            return self.called(replace(value, kind="function"))
        annotated = [
            got for one in symbols if one.results for got in self.annotation(value.path, scope, one.results[0])
        ]
        found = union(annotated) or self._held_by(index, value.path, scope, name)
        why = f"what `{value.qualname}` of `{value.path}` holds"
        known = tuple(one if one.kind == "unknown" else replace(one, why=why) for one in found)
        return known or (Value("unknown", why=f"{why} is not known"),)

    def _held_by(self, index: Index, path: str, scope: str, name: str) -> Values:
        found: list[Value] = []
        for assign in index.assigns.get((scope, name), ()):
            found += self._one_assign(path, scope, name, assign)
        for call in index.contexts.get((scope, name), ()):
            found += self.entered(path, scope, call.callee)
        for method in self._methods(index, scope):
            own = f"{method.params[0].name}.{name}" if method.params else ""
            for assign in index.assigns.get((method.qualname, own), ()):
                found += self._one_assign(path, method.qualname, own, assign)
        return union(found)

    def _methods(self, index: Index, scope: str) -> Iterator[Symbol]:
        if scope and index.types(scope):
            yield from (one for one in index.outline.symbols if one.kind == "method" and one.scope == scope)

    def entered(self, path: str, scope: str, text: str) -> Values:
        found: list[Value] = []
        for made in self.expression(path, scope, text):
            generator = self._generator(made)
            managers = [] if generator else [got for one in self.called(made) for got in self.held(one)]
            found += self._given(made.path, generator) if generator else ()
            found += [got for one in managers for got in self._entered(one)]
        return union(found)

    def _generator(self, value: Value) -> Symbol | None:
        """The function of a value, if a decorator makes a context manager of what it yields."""
        index = self.index(value.path) if value.kind == "function" else None
        symbols = index.by_qualname.get(value.qualname, ()) if index else ()
        return next((one for one in symbols if any(_MANAGER.search(text) for text in one.decorators)), None)

    def _given(self, path: str, symbol: Symbol) -> list[Value]:
        """What a generator yields, by its annotation or by its text."""
        if symbol.results:
            return [one.element or one for one in self.annotation(path, symbol.scope, symbol.results[0])]
        texts = yielded(self.world, path, symbol)
        return [got for text in texts for got in self.expression(path, symbol.qualname, text)]

    def _entered(self, manager: Value) -> Values:
        if manager.element and manager.kind == "outside":
            return (manager.element,)
        if manager.kind != "instance":
            return (Value("unknown", why="what the `with` statement binds is not known"),)
        methods = self._class_member(manager, "__enter__") or self._class_member(manager, "__aenter__")
        return union(got for one in methods for got in self.called(replace(one, receiver=manager)))

    def held(self, value: Value) -> Values:
        return self.type_of(value) if value.kind == "variable" else (value,)


def union(values: Iterable[Value]) -> Values:
    return tuple(dict.fromkeys(values))
