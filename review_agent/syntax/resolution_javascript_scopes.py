"""JavaScript's names: what a bare name means in a scope at a line, through imports, exports and re-exports."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from review_agent.syntax.model import Assign, Import, Param, Symbol
from review_agent.syntax.resolution_javascript_comments import documented
from review_agent.syntax.resolution_javascript_locals import Bound, bound, in_force, is_plain
from review_agent.syntax.resolution_javascript_modules import Modules
from review_agent.syntax.resolution_once import ITSELF, Evaluations
from review_agent.syntax.resolution_world import TEXT_LIMIT, Index, Target, Value, World, value_kind

__all__ = ["JavaScriptScopes", "Values", "union"]

# Modules that a name is followed through.
_HOPS = 5
_FUNCTIONS = ("function", "method", "test")
_UPDATE = re.compile(r"[^\w\s$(\[{\"'`]{1,4}= ")

Values = tuple[Value, ...]


class JavaScriptScopes(Evaluations, ABC):
    """Looks names up in one commit. ``target`` is taken to exist where it is said to be, even if it is gone there."""

    def __init__(self, world: World, target: Target | None = None) -> None:
        super().__init__()
        self.world = world
        self.target = target
        self.modules = Modules(world)
        self._lines: dict[str, list[str]] = {}

    @abstractmethod
    def expression(self, path: str, scope: str, text: str, line: int = 0) -> Values:
        """What an expression can be at a line (0: anywhere in the scope)."""

    @abstractmethod
    def typed(self, path: str, scope: str, text: str) -> Values:
        """The instances that a written type allows, null and undefined left out."""

    @abstractmethod
    def exported(self, path: str, name: str, hops: int = 0) -> Values:
        """What a module gives out under a name; null for the whole of it."""

    @abstractmethod
    def taken(self, path: str, at: str, name: str, assign: Assign) -> Values:
        """What a pattern binds a name to, out of the value that it takes apart."""

    @abstractmethod
    def by_place(self, path: str, around: Sequence[Symbol], line: int, name: str) -> Values:
        """What a parameter without a type is, by the type of the function literal that takes it."""

    def index(self, path: str) -> Index | None:
        """The facts of a file by place; null where it has no outline."""
        return self.world.index(path)

    def lines(self, path: str) -> list[str]:
        if path not in self._lines:
            self._lines[path] = (self.world.text(path) or "").split("\n")
        return self._lines[path]

    def name(self, path: str, scope: str, name: str, line: int = 0) -> Values:
        """All that a bare name can mean: function scopes outward, then the module, then what is global."""
        return self.once(("name", path, scope, name, line), name, lambda: self._name(path, scope, name, line))

    def _name(self, path: str, scope: str, name: str, line: int) -> Values:
        for at in self._outward(path, scope):
            found = self._bound(path, at, name, line)
            if found:
                return found
        return self.module_member(path, name, line)

    def _outward(self, path: str, scope: str) -> Iterator[str]:
        """The functions around a place; what a class or object declares is no name of its own."""
        index = self.index(path)
        while scope and index:
            symbols = index.by_qualname.get(scope, [])
            if any(one.kind in _FUNCTIONS for one in symbols):
                yield scope
            scope = symbols[0].scope if symbols else scope.rpartition(".")[0]

    def module_member(self, path: str, name: str, line: int = 0) -> Values:
        """What a name is at the level of a module, as its own code sees it."""
        index = self.index(path)
        if index is None:
            return self.phantom(path, "", name)
        local = self._written(path, index, "", name, line) if line else ()
        if local:
            return local
        found = [self.symbol(path, one) for one in index.symbols.get(("", name), ()) if one.kind != "test"]
        found += [got for one in self._imports(path, index, "", name) for got in self.imported(path, one)]
        return union(found) or self.phantom(path, "", name)

    def _imports(self, path: str, index: Index, at: str, name: str) -> Iterator[Import]:
        for item in index.imports.get((at, name), ()):
            text = self.lines(path)[item.line - 1] if item.line <= len(self.lines(path)) else ""
            # `export { a } from "./m"` binds nothing here.
            if not re.match(r"\s*export\b", text):
                yield item

    def phantom(self, path: str, scope: str, name: str) -> Values:
        if self.target == Target(path, scope, name):
            return (Value("function", path, self.target.qualname, why=f"`{path}` is where it was defined"),)
        return ()

    def symbol(self, path: str, symbol: Symbol) -> Value:
        why = f"`{symbol.qualname}` is defined at line {symbol.name_line}"
        is_getter = symbol.kind == "method" and "get" in symbol.modifiers
        return Value("variable" if is_getter else value_kind(symbol), path, symbol.qualname, why=why)

    def _bound(self, path: str, at: str, name: str, line: int) -> Values:
        """The binding of a name in a function's scope that holds at a line."""
        index = self.index(path)
        if index is None:
            return ()
        found = [self.symbol(path, one) for one in index.symbols.get((at, name), ()) if one.kind != "test"]
        found += [got for one in self._imports(path, index, at, name) for got in self.imported(path, one)]
        if found:
            return union(found)
        written = self._written(path, index, at, name, line)
        given = [got for one in index.by_qualname.get(at, ()) for got in self._parameter(path, one, name)]
        return written or union(given) or self.phantom(path, at, name)

    def is_local(self, path: str, scope: str, name: str, line: int) -> bool:
        """Whether a bare name is bound inside a function around it, so that no import or module name is meant."""
        index = self.index(path)
        inside = any(self._bound(path, at, name, line) for at in self._outward(path, scope))
        return inside or (index is not None and line > 0 and bool(self._written(path, index, "", name, line)))

    def _written(self, path: str, index: Index, at: str, name: str, line: int) -> Values:
        """What assignments, loops, handlers and function literals in a scope bind a name to."""
        own = {param.name for one in index.by_qualname.get(at, ()) for param in one.params} if at else set()
        lines = self.lines(path)
        found = [
            bound(lines, name, use.line, use.use)
            for use in self.world.uses(path, name)
            if use.use in ("write", "parameter") and use.scope == at and not use.receiver
        ]
        found = [one for one in found if not (one.is_head and name in own and one.line <= self._header_end(index, at))]
        if not at:
            # What stands at the outermost level of a module is one of its symbols.
            found = [one for one in found if one.is_head or re.match(r"[ \t]", lines[one.line - 1])]
        chosen = in_force(lines, found, line)
        if not chosen:
            return ()
        later = [one for one in found if not one.declares and one.line >= min(c.line for c in chosen)]
        return union(got for one in (*chosen, *later) for got in self._at(path, index, at, name, one))

    def _header_end(self, index: Index, at: str) -> int:
        return max((one.header_end for one in index.by_qualname.get(at, ())), default=0)

    def _at(self, path: str, index: Index, at: str, name: str, one: Bound) -> Values:
        where = f"`{name}` is bound at line {one.line}"
        written = self.written_type(path, name, one.line)
        if written:
            return tuple(
                replace(got, why=f"`{name}` is declared at line {one.line}") for got in self.typed(path, at, written)
            )
        if one.is_head and (placed := self.by_place(path, index.by_qualname.get(at, ()), one.line, name)):
            return tuple(replace(got, why=f"{where}, in a function whose type is written") for got in placed)
        for assign in index.assigns.get((at, name), ()) if not one.is_head else ():
            if assign.start <= one.line <= assign.end:
                return self._assigned(path, at, name, assign)
        return (Value("unknown", why=where),)

    def _assigned(self, path: str, at: str, name: str, assign: Assign) -> Values:
        where = f"`{name}` is assigned at line {assign.start}"
        if _UPDATE.match(assign.value):
            return ()
        if "." not in name and not is_plain(self.lines(path), name, assign.start):
            return self.taken(path, at, name, assign)
        # Long text is cut; what is called is still whole.
        is_cut = len(assign.value) >= TEXT_LIMIT and bool(assign.callee)
        values = self.expression(path, at, f"{assign.callee}()" if is_cut else assign.value, assign.start)
        why = f"{where}: `{assign.value}`" if len(assign.value) < 60 else where
        return tuple(one if one == ITSELF else replace(one, why=why) for one in values)

    def written_type(self, path: str, name: str, line: int) -> str:
        """The type that a declaration writes after a name, "" for none."""
        lines = self.lines(path)
        text = lines[line - 1] if 0 < line <= len(lines) else ""
        found = re.search(rf"\b(?:const|let|var)\s+{re.escape(name)}\s*:\s*([^=;]+)", text)
        return found[1].strip() if found else ""

    def _parameter(self, path: str, symbol: Symbol, name: str) -> Values:
        for param in symbol.params:
            if param.name == name:
                return self._given(path, symbol, param)
        return ()

    def _given(self, path: str, symbol: Symbol, param: Param) -> Values:
        where = f"parameter `{param.name}` of `{symbol.qualname}`, line {symbol.name_line}"
        if param.kind == "var_positional":
            return (Value("outside", qualname="Array", why=where),)
        if param.type is None:
            said = self.said(path, symbol, param.name) or self.by_place(path, (), symbol.name_line, param.name)
            unknown = (Value("unknown", why=f"{where}, has no type"),)
            return (
                tuple(replace(one, why=f"{where}, as its comment or its function's type says") for one in said)
                or unknown
            )
        return tuple(replace(one, why=where) for one in self.typed(path, symbol.scope, param.type))

    def said(self, path: str, symbol: Symbol, name: str = "") -> Values:
        """What the comment above a function says a parameter is, or its result: types of the repository alone."""
        written = documented(self.lines(path), symbol.start, name)
        values = self.typed(path, symbol.scope, written) if written else ()
        return values if all(one.kind == "instance" for one in values) else ()

    def imported(self, path: str, item: Import, hops: int = 0) -> Values:
        """What one import binds. The reason names the import as it is written, and its line."""
        file = self.modules.path(path, item.module)
        what = "the module" if item.name is None else f"`{item.name}`"
        why = f'{what} from "{item.module}", line {item.line}'
        if file is None:
            if item.module.startswith("."):
                return (Value("unknown", why=f'"{item.module}" is no file of this repository'),)
            qualname = item.alias if item.name is None else f"{item.module}.{item.name}"
            return (Value("external", qualname=qualname, why=why),)
        if hops > _HOPS:
            return (Value("unknown", why=f"{why}, is passed on through more than {_HOPS} modules"),)
        found = self.whole(file, hops) if item.name is None else self.exported(file, item.name, hops + 1)
        found = found or (Value("unknown", why=f"`{file}` does not export `{item.name}`"),)
        return tuple(replace(one, why=one.why if one.kind == "unknown" and one.why else why) for one in found)

    @abstractmethod
    def whole(self, path: str, hops: int = 0) -> Values:
        """What a module as a whole is: what ``module.exports`` is set to, or its names."""


def union(values: Iterable[Value]) -> Values:
    return tuple(dict.fromkeys(values))
